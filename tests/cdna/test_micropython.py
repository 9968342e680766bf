# SPDX-License-Identifier: Apache-2.0
"""The model in MicroPython, as the reader's browser will run it, against the same model in this interpreter.

One program runs in both: it decodes, encodes, judges and transfers, and prints one line a case with every dict sorted.
Where node and npm are present the interpreter is installed from `tests/micropython/package-lock.json`.
"""

import fcntl
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

import pytest

from cdna_evidence.site.micropython import NotPlain, sources, translate

HERE = pathlib.Path(__file__).parent
ENGINE = HERE.parent / "micropython"
README_WORDS = (
    "00000001 00000000 12365680 80007f00 07110000 01b40000 03680000 00400000 00000040 00000200 00000000 00000000"
)
sys.path.insert(0, str(HERE / "tdm"))

# What both interpreters run; CASES stands before it.
PROGRAM = """
import json
from cdna.lds.banks import banks_of_column, conflict_degree
from cdna.lds.barrier import arrive
from cdna.targets import TARGETS
from cdna.tdm.copy import fields_of_copy
from cdna.tdm.descriptor import FieldError, decode, encode, meaning
from cdna.tdm.pad import pad_plan
from cdna.tdm.rules import findings_of
from cdna.tdm.transfer import run
from cdna.tdm.walk import lds_map

def plain(value):
    if isinstance(value, dict):
        return "{" + ", ".join(sorted([key + ": " + plain(value[key]) for key in value])) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join([plain(item) for item in value]) + "]"
    if isinstance(value, (bytes, bytearray)):
        return repr(bytes(value))
    return repr(value)

def show(work):
    try:
        print(plain(work()))
    except FieldError as error:
        print("FieldError", error.field, str(error))

def words_case(words):
    descriptor = decode(words)
    said = [(item.rule, item.severity, item.message, item.claim) for item in findings_of(descriptor, "load")]
    again = encode(descriptor.fields) if not descriptor.reserved else ()
    fields = descriptor.fields
    return (descriptor.layout, descriptor.mode, descriptor.rank, fields, meaning(fields), said, again)

def transfer_case(case):
    fields, op, memory, lds, nulls = case
    memory = [(address, bytes.fromhex(data)) for address, data in memory]
    lds = bytes.fromhex(lds)
    done = run(fields, op, memory, lds, nulls)
    small = len(lds) <= 300 and fields["tile_dim0"] < 12
    landings = lds_map(fields, op, len(lds), nulls) if small else ()
    return (done.lds, done.memory, done.counter, done.barrier, done.faults, landings[:3], landings[-3:])

given = json.loads(CASES)
for words in given["words"]:
    show(lambda: words_case(words))
for case in given["transfers"]:
    show(lambda: transfer_case(case))
for copy in given["copies"]:
    show(lambda: fields_of_copy(copy))
for fields in given["refused"]:
    show(lambda: encode(fields))
show(lambda: banks_of_column(4, 256, 64, 0, 256, 4))
show(lambda: conflict_degree([0, 256, 512], 64))
show(lambda: [arrive(0, width) for width in (16, 29)])
show(lambda: [list(target) for target in TARGETS])
show(lambda: list(pad_plan(128, 16, 2, 4)))
"""


def cases():
    """Return the inputs of the program, as JSON can hold them."""
    from random_cases import random_case

    rng = random.Random(0)
    words = [[int(word, 16) for word in README_WORDS.split()]]
    for _ in range(300):
        count = rng.choice((4, 12, 16, 20))
        dense = rng.random() < 0.5
        words.append([rng.getrandbits(32) if dense else rng.choice((0, 1, 2, 0x80000000)) for _ in range(count)])
    transfers = []
    for _ in range(200):
        fields, op, memory, lds, nulls = random_case(rng)
        transfers.append([fields, op, [[address, data.hex()] for address, data in memory], lds.hex(), list(nulls)])
    copies = [
        {"element_bits": 6, "base": 4096, "at": [32, -1], "tensor": [128, 4], "tile": [64, 2]},
        {"element_bytes": 2, "global_addr": 2**57, "tensor": [4], "tile": [4]},
    ]
    refused = [{"tile_dim0": 65536}, {"nothing": 1}, {"pad_interval": 9}, {"tensor_dim3": 1, "iterate_enable": 1}]
    return {"words": words, "transfers": transfers, "copies": copies, "refused": refused}


@pytest.fixture(scope="module")
def engine():
    """Install the interpreter where it is not; skip, with the reason, where that cannot be."""
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not found: the model was not run in MicroPython")
    with open(ENGINE / "package-lock.json", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        installed = ENGINE / "node_modules" / ".package-lock.json"
        if not installed.exists() or installed.stat().st_mtime < (ENGINE / "package-lock.json").stat().st_mtime:
            try:
                for _ in range(2):  # a registry may be away for a moment
                    done = subprocess.run(["npm", "ci"], cwd=ENGINE, capture_output=True, text=True, timeout=600)
                    trouble = done.stderr[-500:] if done.returncode else ""
                    if not trouble:
                        break
            except subprocess.TimeoutExpired:
                trouble = "npm ci did not end within 600 seconds"
            if trouble and os.environ.get("CI") == "true":
                pytest.fail(f"under CI the model must run in MicroPython: {trouble}")
            if trouble:
                pytest.skip(f"MicroPython could not be installed: {trouble}")
            installed.touch()
    return ENGINE / "run.mjs"


def in_micropython(engine, program):
    """Return what the program prints in MicroPython, with the translated model in front of it."""
    given = json.dumps({"files": sources(), "program": program})
    done = subprocess.run(["node", str(engine)], input=given, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def here(program):
    """Return what the program prints in this interpreter."""
    out = io.StringIO()
    kept, sys.stdout = sys.stdout, out
    try:
        exec(compile(program, "program.py", "exec"), {})
    finally:
        sys.stdout = kept
    return out.getvalue().splitlines()


def test_both_interpreters_agree(engine):
    given = cases()
    program = f"CASES = {json.dumps(given)!r}\n{PROGRAM}"
    ours, theirs = here(program), in_micropython(engine, program)
    assert len(ours) == sum(len(items) for items in given.values()) + 5
    assert sum(line.startswith("FieldError") for line in ours) < 60, "most cases must get past the checks"
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        assert mine == other, f"line {number}"


def test_readme_descriptor_and_a_small_load(engine):
    """The numbers are the issue's and the article's, not this model's."""
    program = f"""
from cdna.tdm.descriptor import decode
from cdna.tdm.transfer import run
d = decode([int(word, 16) for word in {README_WORDS!r}.split()])
f = d.fields
print(d.mode, d.rank, f["data_size"], f["tile_dim0"], f["tile_dim1"], f["tensor_dim0"], f["tensor_dim1"])
print(f["tensor_dim0_stride"], f["pad_interval"], f["pad_amount"])
part = {{"tile_dim0": 16, "tensor_dim0": 8, "global_addr": 32}}
print(list(run(part, "load", [(0, bytes(range(40)))], b"x" * 18).lds))
"""
    lines = in_micropython(engine, program)
    assert lines == ["dense 2 1 64 64 436 872", "512 4 3", str(list(range(32, 40)) + [0] * 8 + [120, 120])]


def test_the_lock_names_no_host():
    lock = json.loads((ENGINE / "package-lock.json").read_text())
    assert "resolved" not in json.dumps(lock) and "://" not in json.dumps(lock)
    packages = [entry for path, entry in lock["packages"].items() if path]
    assert packages and all(entry["integrity"].startswith("sha512-") for entry in packages)


def test_translation_keeps_the_meaning():
    source = '''"""Doc."""
from typing import NamedTuple
class Point(NamedTuple):
    """A point."""
    x: int
    y: object  # maybe
def show(p: Point, wide: bool = False) -> str:
    """Say it."""
    size: int = 3
    return f"{p.x:0{3}}" if False else f"{{{p.x!r}}}: {p.y:>4} {size}"
'''
    with pytest.raises(NotPlain, match="computed format"):
        translate(source)
    source = source.replace("0{3}", "03")
    translated = translate(source)
    assert "typing" not in translated and ": int" not in translated and "Say it" not in translated
    space = {}
    exec(translated, space)
    assert space["show"](space["Point"](1, "b")) == "{1}:    b 3"


@pytest.mark.parametrize(
    "source, said",
    [
        ("import os", "outside the model"),
        ("from os import path", "outside the model"),
        ("match 1:\n    case 1: pass", "match"),
        ("def f(a, /): pass", "positional-only"),
        ("from dataclasses import dataclass\n@dataclass\nclass A: pass", "outside the model"),
        ("@f\nclass A: pass", "decorated"),
        ("class A(metaclass=B): pass", "metaclass"),
        ("a[::2]", "stepped slice"),
        ("zip(a, b, strict=True)", "zip"),
        ("x.bit_length()", "bit_length"),
        ("t._replace(a=1)", "_replace"),
        ("from typing import NamedTuple\nclass A(NamedTuple):\n    x: int = 1", "defaults"),
        ("from typing import NamedTuple\nclass A(NamedTuple):\n    x: int\n    def f(self): pass", "methods"),
    ],
)
def test_what_is_not_plain_is_refused_with_its_line(source, said):
    with pytest.raises(NotPlain, match=said) as caught:
        translate(source, "model.py")
    assert "model.py:" in str(caught.value)


def test_the_whole_model_is_plain():
    assert "cdna/tdm/transfer.py" in sources()


ORDER_PROGRAM = """
from cdna.tdm.barrier import LAYOUTS, arrivals, make, side_by_side
from cdna.tdm.events import ds_read, global_store, tensor_load, wait
from cdna.tdm.multicast import check_launch, mask_of, reads, rendezvous
from cdna.tdm.order import find, missing_waits, outcomes, shrink
from cdna.tdm.paths import table
from cdna.tdm.pipeline import arithmetic_omissions, check, loop, omissions, timeline

def show(value):
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join([show(item) for item in value]) + "]"
    return repr(value)

memory = [("m0", "old"), ("m1", "other")]
wrong = [[global_store("m0", "new"), tensor_load(("a", "b"), ("m0", "m1")), wait("tensor"), ds_read("a")]]
print(show(outcomes(wrong, memory)))
print(show(find(wrong, memory)))
print(show(missing_waits(wrong, memory)))
print(show(shrink(wrong, memory)))
for shape in ("after", "before", "between"):
    print(show(omissions(loop(3, 2, 2, shape))), show(check(loop(3, 3, 1, shape)).wrong))
print(show(arithmetic_omissions((1 << 32) - 4096, 2048, 70000, 1000, 20)))
print(show(timeline(5, 3, 7, 2, 3)))
for layout in LAYOUTS[:6]:
    print(show(arrivals(make(2, layout), layout, 5)))
print(show(side_by_side(0x0000000300020001)))
print(show(rendezvous(7, [(0, 0), (1, 3), (2, 90)], 10, 2)), reads(16, True, 5), mask_of([0, 15]))
print(show(check_launch(5, (2, 1, 1), (121, 1, 1), 1)))
print(show(table([(16, 128), (128, 512)])))
"""


def test_order_and_pipeline_agree(engine):
    ours, theirs = here(ORDER_PROGRAM), in_micropython(engine, ORDER_PROGRAM)
    assert len(ours) == 19 and ours == theirs


SEQUENCE_PROGRAM = """
from cdna.tdm.copy import fields_of_copy
from cdna.tdm.iterate import gap_plan
from cdna.tdm.sequence import sequence_findings

copy = {"element_bits": 16, "base": 1 << 40, "tensor": [100, 64], "strides": [512], "tile": [64, 16]}
pad = {"interval_dwords": 64, "amount_dwords": 4}
def tile(at, **changes):
    return dict(fields_of_copy(dict(copy, at=at, **changes)))

def moved(fields, step, lds=0):
    return dict(fields, global_addr=fields["global_addr"] + step, lds_addr=lds)

first = tile([0, 0])
walks = [
    [first, moved(first, 128, 2048)],
    [first, moved(first, 2 * (512 * 56 + 64), 4096)],
    [first, dict(moved(first, 2 * (2**32 + 512)), tensor_dim1=63, lds_addr=4096)],
    [dict(first, lds_addr=2048 * (i % 3), tensor_dim1=64 - i) for i in range(5)],
    [dict(tile([0, i], tile=[64, 1], strides=[64], pad=pad), lds_addr=128 * i) for i in range(4)],
    [first, dict(moved(first, -16, 4096), tensor_dim0=108)],
]
for walk in walks:
    for position, item in sequence_findings([(fields, "load") for fields in walk]):
        print(position, item.rule, item.severity, item.claim, item.field, item.message)
for block in (1024, 2048):
    plan = gap_plan(128, 64, 64, 2, block, 16)
    print(plan.mode, [(name, plan.fields[name]) for name in sorted(plan.fields)], plan.block_starts)
"""


def test_sequences_agree(engine):
    ours, theirs = here(SEQUENCE_PROGRAM), in_micropython(engine, SEQUENCE_PROGRAM)
    assert len(ours) >= 8 and ours == theirs


LDS_PROGRAM = """
from cdna.lds import allocation, conflicts, direct, geometry, partitions, search, service, transpose

def show(value):
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join([show(item) for item in value]) + "]"
    return repr(value)

for target in ("gfx942", "gfx950", "gfx1250"):
    print(show(geometry.geometry(target)), show(allocation.granules(target)), show(allocation.allocate(target, 81921)))
for item in service.PUBLISHED:
    count = sum([len(group) for group in item.groups])
    pattern = conflicts.rows_and_chunks(144, item.width, count)
    print(show(item.groups), show(conflicts.conflicts(pattern, item).degrees))
    print([search.padding_degrees(item, row_bytes, 128) for row_bytes in (128, 132, 256, 304)])
    print(show(search.paddings(item, 256)[:3]), show(search.swizzles(item, 256)[:3]))
try:
    service.service("gfx950", "ds_write_b128")
except service.Unpublished as error:
    print(str(error), error.known)
print(show(direct.copy("gfx950", 12, 5, 16384, 16, 256)), show(direct.copy("gfx942", 12, 0)), show(direct.copy("gfx1250", 16, 3)))
print(show([transpose.receives(lane) for lane in range(64)]), show(transpose.k_sets(16, 32)))
for form in transpose.FORMS:
    if form.routing:
        print(form.op, show([transpose.receives(lane, form) for lane in range(32)]))
print(partitions.cycles([(0, 0), (1, 0), (2, 65536), (3, 0)]), show(service.service("gfx1250", "ds_load_tr8_b64", None, True).groups))
"""


def test_lds_agrees(engine):
    ours, theirs = here(LDS_PROGRAM), in_micropython(engine, LDS_PROGRAM)
    assert len(ours) == 3 + 3 * 14 + 3 + 5 + 1 and ours == theirs
