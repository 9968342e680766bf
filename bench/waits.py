# SPDX-License-Identifier: Apache-2.0
"""The finder of missing waits on eight times as many instructions: near eight where its work grows with the text alone."""

from cdna.waits.finder import check

SMALL, LARGE = 1000, 8000
# Kind of listing -> target and the lines that go round; {0} runs through the registers.
KINDS = {
    "LDS reads and writes without a barrier": (
        "gfx950",
        ["ds_read_b32 v{0}, v1 offset:4", "ds_write_b32 v2, v{0}", "s_waitcnt lgkmcnt(0)", "v_add_f32 v3, v{0}, v3"],
    ),
    "copies into LDS without a barrier": (
        "gfx950",
        [
            "s_mov_b32 m0, s{0}",
            "buffer_load_dword v0, s[0:3], 0 offen lds",
            "s_waitcnt vmcnt(0)",
            "ds_read_b32 v{0}, v1",
        ],
    ),
    "loads and reused addresses": ("gfx1250", ["global_load_b32 v{0}, v[92:93], off", "v_mov_b32 v92, v{0}"]),
    "scalar loads without a wait": ("gfx1250", ["s_load_b32 s{0}, s[0:1], 0x0"]),
    "branches": ("gfx950", ["L{1}:", "global_load_dword v{0}, v[2:3], off", "s_cbranch_scc1 L{1}"]),
}


def listing(lines, count):
    """Return a listing of some number of instructions, made of lines that go round."""
    out = [lines[i % len(lines)].format(i // len(lines) % 90, i // len(lines)) for i in range(count)]
    return "\n".join(out) + "\ns_endpgm\n"


def rows(row, best_of):
    """Return one line for each kind of listing: the time for the large text, in times for the small one."""
    found = []
    for name, (target, lines) in KINDS.items():
        texts = {"small": listing(lines, SMALL), "large": listing(lines, LARGE)}
        work = [(size, lambda text=text, target=target: check(text, target)) for size, text in texts.items()]
        best = best_of(work, rounds=4, floor=0)
        found.append(
            row(
                f"`waits check`, {name}: {LARGE} instructions, in times for {SMALL}",
                best["large"] / best["small"],
                "at most",
                12,
                best,
            )
        )
    return found
