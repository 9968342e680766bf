# SPDX-License-Identifier: Apache-2.0
"""Ratios of one run, on this machine: `python -m bench [--json]`. No number here is a promise about another machine.

Each comparison interleaves its candidates and takes the best of several rounds, so that a busy machine disturbs all
alike. Nothing is asserted; the targets that the project set itself are printed next to what was found.
"""

import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys
import time

from . import layouts, links, pins, search, waits, witnesses

ROOT = pathlib.Path(__file__).resolve().parent.parent
README_WORDS = (
    "00000001 00000000 12365680 80007f00 07110000 01b40000 03680000 00400000 00000040 00000200 00000000 00000000"
)


def best_of(candidates, rounds, floor=0.02):
    """Return the best seconds per call of each candidate.

    Args: candidates: (name, function) pairs, called in turn; rounds: how often; floor: seconds to fill per timing.
    """
    repeats = {}
    for name, function in candidates:
        start = time.perf_counter()
        function()
        once = time.perf_counter() - start
        repeats[name] = max(1, int(floor / max(once, 1e-9)))
    best = {}
    for _ in range(rounds):
        for name, function in candidates:
            start = time.perf_counter()
            for _ in range(repeats[name]):
                function()
            spent = (time.perf_counter() - start) / repeats[name]
            best[name] = min(spent, best.get(name, spent))
    return best


def start_up():
    """`cdna tdm decode` against an interpreter that does nothing; both are new processes."""

    def process(*words):
        def call():
            done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if done.returncode:
                raise SystemExit(done.stderr.decode())

        return call

    command = pathlib.Path(sys.executable).with_name("cdna")
    best = best_of(
        [
            ("bare interpreter", process(sys.executable, "-c", "pass")),
            ("cdna tdm decode", process(str(command), "tdm", "decode", *README_WORDS.split())),
        ],
        rounds=15,
        floor=0,
    )
    ratio = best["cdna tdm decode"] / best["bare interpreter"]
    return [row("start-up of `cdna tdm decode`, in bare interpreter start-ups", ratio, "at most", 3, best)]


def dense_transfer():
    """A dense 128 x 128 tile of two-byte elements: ours, the manual's element loop, and plain slice copies by rows."""
    from cdna.tdm.transfer import run

    fields = {"data_size": 1, "tile_dim0": 128, "tile_dim1": 128, "tensor_dim0": 128, "tensor_dim1": 128}
    fields["tensor_dim0_stride"] = 256
    data = bytes(range(256)) * 256
    lds = bytes(32768)

    def element_loop():
        """The manual's loop, lean: flat bytes, one element at a time, with the bounds and the padding test."""
        out = bytearray(lds)
        Laddr = bytesStored = 0
        for y in range(fields["tile_dim1"]):
            Maddr = 2 * y * fields["tensor_dim0_stride"]
            for x in range(fields["tile_dim0"]):
                inside = x < fields["tensor_dim0"] and y < fields["tensor_dim1"]
                out[Laddr : Laddr + 2] = data[Maddr : Maddr + 2] if inside else b"\0\0"
                Maddr += 2
                Laddr += 2
                bytesStored += 2
                if fields.get("pad_enable") and bytesStored >> 3 >= 1 << fields["pad_interval"]:
                    bytesStored = 0
                    Laddr += 4 * (fields["pad_amount"] + 1)
        return out

    def slice_copy():
        out = bytearray(lds)
        for y in range(128):
            out[y * 256 : y * 256 + 256] = data[y * 512 : y * 512 + 256]
        return out

    if not run(fields, "load", [(0, data)], lds).lds == bytes(slice_copy()) == bytes(element_loop()):
        raise SystemExit("the three copies differ: nothing to compare")
    padded = dict(fields, pad_enable=1, pad_interval=5, pad_amount=3)
    best = best_of(
        [
            ("transfer", lambda: run(fields, "load", [(0, data)], lds)),
            ("slice copy", slice_copy),
            ("transfer, padded", lambda: run(padded, "load", [(0, data)], lds)),
            ("transfer, store", lambda: run(fields, "store", [(0, data)], lds)),
            ("element loop", element_loop),
        ],
        rounds=7,
    )
    ours, plain = best["transfer"], best["slice copy"]
    return [
        row("element loop, in our dense transfers", best["element loop"] / ours, "at least", 100, best),
        row("our dense transfer, in plain slice copies", ours / plain, "at most", 3, best),
        row("the same tile padded, in plain slice copies", best["transfer, padded"] / plain, "", None, best),
        row("the same tile stored, in plain slice copies", best["transfer, store"] / plain, "", None, best),
    ]


def mutants():
    """Mutants judged per second: every leaf of every value that a model check judges, its observation kept."""
    name = "mutants judged per second (5000 within seconds)"
    try:
        from cdna_evidence.checks import Check
        from cdna_evidence.checks.falsify import judge_mutants
        from cdna_evidence.checks.tools import Tools
        from cdna_evidence.register import load

        register = load()
    except Exception as error:  # noqa: BLE001 - whatever keeps the checks from loading, the other ratios stand
        return [row(name, None, "at least", 1000, {}, f"{type(error).__name__}: {str(error)[:80]}")]
    kept = []
    for path in sorted((ROOT / "checks" / "model").glob("check_*.py")):
        spec = importlib.util.spec_from_file_location("bench_" + path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for check in vars(module).values():
            if not (isinstance(check, type) and issubclass(check, Check) and check.__module__ == module.__name__):
                continue
            claim = register.claims.get(check.claim)
            for target in (check.targets or claim.targets) if claim else ():
                values = claim.values_for(target, check.position)
                kept.append((check().judge, check().observe(target, Tools(check.kind)), values))
    judged, rounds = 0, 0
    started = time.perf_counter()
    while kept and time.perf_counter() - started < 2:
        judged += sum(len(judge_mutants(judge, observed, values)) for judge, observed, values in kept)
        rounds += 1
    seconds = time.perf_counter() - started
    detail = {"checks": len(kept), "judged": judged, "rounds": rounds, "seconds": seconds}
    if not judged:
        return [row(name, None, "at least", 1000, detail, "no model check is here")]
    return [row(name, judged / seconds, "at least", 1000, detail)]


def row(name, value, sense, target, detail, note=""):
    """Return one line of the result as a dict."""
    met = None
    if value is not None and target is not None:
        met = value <= target if sense == "at most" else value >= target
    shown = f"{sense} {target}" if target else ""
    return {"name": name, "value": value, "target": shown, "met": met, "detail": detail, "note": note}


def main(argv=None):
    """Print the table, or one JSON document with --json; the exit status is 0 whatever the numbers are."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parts = {
        "start": start_up,
        "transfer": dense_transfer,
        "mutants": mutants,
        "pins": lambda: pins.rows(row, best_of),
        "search": lambda: search.rows(row, best_of),
        "links": lambda: links.rows(row, best_of),
        "witnesses": lambda: witnesses.rows(row),
        "layouts": lambda: layouts.rows(row, best_of),
        "waits": lambda: waits.rows(row, best_of),
    }
    parser.add_argument("part", nargs="*", help=f"of {', '.join(parts)}; default: all")
    arguments = parser.parse_args(argv)
    if not set(arguments.part) <= set(parts):
        parser.error(f"part: {', '.join(parts)}")
    rows = [found for name in arguments.part or parts for found in parts[name]()]
    if arguments.json:
        print(json.dumps({"schema": 1, "python": sys.version.split()[0], "rows": rows}, indent=1))
        return 0
    width = max(len(found["name"]) for found in rows)
    for found in rows:
        value = "not here" if found["value"] is None else f"{found['value']:.2f}"
        verdict = {True: "met", False: "missed", None: ""}[found["met"]]
        line = f"{found['name']:{width}}  {value:>10}  {found['target']:14} {verdict:6}  {found['note']}"
        print(line.rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
