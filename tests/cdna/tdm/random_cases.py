# SPDX-License-Identifier: Apache-2.0
"""Random transfers for tests: small, of every mode, and often wrong."""


def random_case(rng):
    """Return (fields, op, memory, lds, null_groups): small tiles, every mode, every way to miss memory and LDS."""
    kind = rng.choice(("dense", "dense", "dense", "iterate", "gather16", "gather32"))
    rank = rng.randint(1, 5) if kind == "dense" else rng.randint(1, 3)
    fields = {"data_size": rng.randint(0, 3), "global_addr": rng.choice((0, 3, 64, 1 << 40))}
    top = {1: 40, 2: 9, 3: 5, 4: 4, 5: 3}[rank]
    tile = [rng.randint(1, top) for _ in range(rank)]
    if rng.random() < 0.05:
        tile[0] = 0
    if rank > 2 and rng.random() < 0.1:
        tile[1] = 0
    for d in range(rank):
        fields[f"tile_dim{d}"] = tile[d]
        fields[f"tensor_dim{d}"] = rng.choice((tile[d], tile[d] + 1, rng.randint(0, tile[d] + 1), 0xFFFFFFFF))
        if d:
            fields[f"tensor_dim{d - 1}_stride"] = rng.choice((0, rng.randint(0, 40), fields["tile_dim0"]))
    if rng.random() < 0.6:
        fields.update(pad_enable=1, pad_interval=rng.choice((0, 1, 2, 3, 7)), pad_amount=rng.choice((0, 1, 3, 9)))
    if kind == "iterate":
        fields.update(iterate_enable=1, iterate_count=rng.randint(0, 4))
        fields.update(lds_addr_increment=rng.randint(0, 30), global_addr_increment=rng.randint(0, 30))
    if kind in ("gather16", "gather32"):
        slots = 8 if kind == "gather32" else 16
        fields.update(gather_mode=1, gather_index_size=int(kind == "gather32"), tile_dim1=rng.randint(0, slots))
        fields["row_indices"] = [rng.choice((0, 1, 5, 8, 65535)) for _ in range(rng.randint(0, slots))]
        fields["tensor_dim1"] = rng.choice((0, 1, 6, 9, 1 << 20))
    if rng.random() < 0.03:
        fields["count"] = 0
    size = rng.choice((0, 7, 64, 300, 1000, 3000))
    fields["lds_addr"] = rng.choice((0, 0, 4, 13, size))
    lds = rng.randbytes(size)
    base = fields["global_addr"]
    memory = [(base, rng.randbytes(rng.choice((0, 50, 400, 4000))))]
    if rng.random() < 0.4:  # a hole, and a second piece out of order
        memory.insert(0, (base + len(memory[0][1]) + rng.choice((0, 5)), rng.randbytes(300)))
    nulls = rng.choice(((), (), (), (2, 3), (3,), (2,)))
    return fields, rng.choice(("load", "load", "store")), memory, lds, nulls
