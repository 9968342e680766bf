# SPDX-License-Identifier: Apache-2.0
"""Every padding code over 64 row lengths and all published groups: the search against a loop over the one-pattern function.

The loop is timed on a sample of the same space, spread evenly, and counted up to the whole; on that sample both must agree.
"""

import time

from cdna.lds import search, service

ROWS = [64 + 16 * i for i in range(64)]  # bytes of a row
STEP = 1013  # a prime: the sample meets every length, code and group


def patterns():
    """Return the whole space: (service, row length, interval code, amount code)."""
    space = []
    for groups_of in service.PUBLISHED:
        for row_bytes in ROWS:
            for code in range(len(search.INTERVALS)):
                for amount in range(len(search.AMOUNTS)):
                    space.append((groups_of, row_bytes, code, amount))
    return space


def rows(row, best_of):
    """Return the line of this part."""
    space = patterns()
    sample = space[::STEP]
    found = search.padding_space(service.PUBLISHED, ROWS)

    def loop():
        return [
            search.one_padding(one, length, search.INTERVALS[code], search.AMOUNTS[amount])
            for one, length, code, amount in sample
        ]

    started = time.perf_counter()
    slow = loop()
    once = time.perf_counter() - started
    for (one, length, code, amount), degree in zip(sample, slow, strict=True):
        degrees = found[one.target, one.op, length, code]
        if (degrees[amount] if degrees else None) != degree:
            raise SystemExit(
                f"{one.op} on {one.target}, rows of {length}, codes {code} and {amount}: the two searches differ"
            )
    best = best_of(
        [("search, whole space", lambda: search.padding_space(service.PUBLISHED, ROWS)), ("loop, sample", loop)],
        rounds=5,
        floor=0,
    )
    whole = best["loop, sample"] * len(space) / len(sample)
    detail = dict(best, patterns=len(space), sampled=len(sample), loop_whole=whole, loop_first=once)
    name = f"loop over {len(space)} paddings, in our searches (loop counted up from {len(sample)})"
    return [row(name, whole / best["search, whole space"], "at least", 50, detail)]


if __name__ == "__main__":
    from . import __main__ as bench

    for line in rows(bench.row, bench.best_of):
        print(f"{line['name']}: {line['value']:.1f} times ({line['target']})")
