# SPDX-License-Identifier: Apache-2.0
"""What every compiler of the matrix is asked: each question once, with the claim that its answer speaks to.

A question puts inputs to a compiler and returns a Cell; what the compiler cannot be asked is `not run`.
"""

from typing import NamedTuple

from cdna_evidence.witnesses import elf, listing

from . import code

ALL = ("gfx942", "gfx950", "gfx1250")
CDNA34 = ALL[:2]
STATES = ("accepted", "rejected", "value", "crashed", "unknown-cpu", "not-run")
# Outcomes of a witness as states of a cell.
_STATE = {"accepted": "accepted", "rejected": "rejected", "unknown-target": "unknown-cpu"}
_PAL = "amdgcn--"


class Cell(NamedTuple):
    """One answer. state: of STATES; value: what was found, as text, or None; note: diagnostic or reason, "" for none;
    asked: the inputs that decide it, each {"input", "outcome", "output", "command"}."""

    state: str
    value: str | None
    note: str
    asked: tuple


class Question(NamedTuple):
    """One row. name: stable; title: what is asked; unit: of the value, "" for none; claims: {target: claim id};
    ask: (compiler, target) -> Cell."""

    name: str
    title: str
    unit: str
    claims: dict
    ask: object


class NotRun(Exception):
    """This compiler cannot be asked; the text says why."""


def _can(compiler, method, what):
    found = getattr(compiler, method, None)
    if found is None:
        raise NotRun(f"this compiler has no {what} here")
    return found


def _told(source, item, output=None):
    """Return one entry of `asked`; the command is what the input is piped into."""
    if output is None:
        output = item.diagnostic if not item.accepted else ""
    command = item.command.removeprefix(listing.given(source) + " | ")
    return {"input": source, "outcome": item.outcome, "output": output[:1500], "command": command}


def _ended(item, asked):
    """Return the cell of an answer that is no value."""
    state = _STATE.get(item.outcome, "crashed")
    if state == "crashed" and "Cannot select" in item.diagnostic:
        # LLVM has no gentler way to say that the target lacks an operation; the note keeps how it ended.
        state = "rejected"
    return Cell(state, None, " ".join(item.diagnostic.split())[:300], tuple(asked))


class _Stop(Exception):
    """A compiler that gave no usable answer; holds the cell."""

    def __init__(self, cell):
        super().__init__(cell.state)
        self.cell = cell


def _largest(ask, low, high):
    """Return (n, asked): the largest number accepted, by halving. Raises: _Stop: the ends are not accept and refuse."""
    good = ask(low)
    if not good[0]:
        raise _Stop(_ended(good[1], [good[2]]))
    bad = ask(high)
    if bad[0]:
        raise _Stop(Cell("value", f"more than {high}", "", (bad[2],)))
    while high - low > 1:
        middle = (low + high) // 2
        found = ask(middle)
        if found[0]:
            low, good = middle, found
        elif found[0] is None:
            raise _Stop(_ended(found[1], [found[2]]))
        else:
            high, bad = middle, found
    return low, (good[2], bad[2])


def lds_limit(compiler, target):
    """The largest static LDS array, in bytes."""
    compile_ir = _can(compiler, "compile_ir", "IR input")

    def ask(size):
        item = compile_ir(target, code.lds(size))
        return item.accepted, item, _told(code.lds(size), item)

    size, asked = _largest(ask, 1, 1 << 20)
    return Cell("value", str(size), "", asked)


def lds_granule(compiler, target):
    """The most LDS that is written into the program's resource word as one unit, in bytes."""
    make = _can(compiler, "compile_object", "object output")

    def ask(size):
        item = make(target, code.lds(size), triple=_PAL)
        if not item.accepted:
            return None, item, _told(code.lds(size), item)
        units = elf.lds_units(elf.read(item.data))
        return units <= 1, item, _told(code.lds(size), item, f"LDS_SIZE = {units}")

    size, asked = _largest(ask, 1, 1 << 15)
    return Cell("value", str(size), "", asked)


def flags(compiler, target):
    """The flags in the header of an object."""
    item = _can(compiler, "compile_object", "object output")(target, code.EMPTY)
    if not item.accepted:
        return _ended(item, [_told(code.EMPTY, item)])
    found = f"0x{elf.read(item.data).flags:x}"
    return Cell("value", found, "", (_told(code.EMPTY, item, "e_flags = " + found),))


def builtin_sizes(compiler, target):
    """The sizes that the builtin takes."""
    compile_c = _can(compiler, "compile_c", "C input")
    accepted, asked = [], []
    for size in (1, 2, 3, 4, 8, 12, 16, 32):
        source = (
            "typedef __attribute__((address_space(1))) int *G;\ntypedef __attribute__((address_space(3))) int *L;\n"
            f"__attribute__((amdgpu_kernel)) void k(G p, L l) {{ __builtin_amdgcn_global_load_lds(p, l, {size}, 0, 0); }}\n"
        )
        item = compile_c(target, source)
        if item.accepted is None:
            return _ended(item, [_told(source, item)])
        shown = "\n".join(line for line in code.instructions(item.assembly) if "lds" in line) if item.accepted else None
        asked.append(_told(source, item, shown))
        if item.accepted:
            accepted.append(size)
    if not accepted:
        return Cell("rejected", None, asked[3]["output"][:300], (asked[3],))
    return Cell("value", ", ".join(map(str, accepted)), "", tuple(asked))


def _instruction(text, show_bytes=False):
    def ask(compiler, target):
        (item,) = _can(compiler, "assemble", "assembler")(target, [text])
        shown = _told(text, item, item.bytes.hex(" ") if item.bytes else None)
        if not item.accepted:
            return _ended(item, [shown])
        if show_bytes and item.bytes:
            return Cell("value", item.bytes.hex(" "), "", (shown,))
        return Cell("accepted", None, item.bytes.hex(" ") if item.bytes else "", (shown,))

    return ask


def _hazard(first, then, via):
    source = code.pair(first, then, via)

    def ask(compiler, target):
        item = _can(compiler, "compile_ir", "IR input")(target, source)
        if not item.accepted:
            return _ended(item, [_told(source, item)])
        shown = _told(source, item, "\n".join(code.instructions(item.assembly)))
        return Cell("value", str(code.distance(item.assembly)), "", (shown,))

    return ask


def look_back(compiler, target):
    """Wait states before a read that comes 19 states after a 16-pass matrix instruction."""
    source = code.late(19)
    item = _can(compiler, "compile_ir", "IR input")(target, source)
    if not item.accepted:
        return _ended(item, [_told(source, item)])
    shown = _told(source, item, "\n".join(code.instructions(item.assembly)[-40:]))
    return Cell("value", str(code.distance(item.assembly)), "", (shown,))


def vmcnt(compiler, target):
    """Whether a wait for vmcnt stands between a direct load into LDS and a read of the same array."""
    item = _can(compiler, "compile_ir", "IR input")(target, code.VMCNT)
    if not item.accepted:
        return _ended(item, [_told(code.VMCNT, item)])
    shown = _told(code.VMCNT, item, "\n".join(code.instructions(item.assembly)))
    waits = [line for line in code.between(item.assembly, "global_load_lds", "ds_read") if "vmcnt" in line]
    return Cell("value", waits[0] if waits else "no wait", "", (shown,))


def tensor_forms(compiler, target):
    """Which forms of the intrinsic become a tensor instruction."""
    compile_ir = _can(compiler, "compile_ir", "IR input")
    found, asked = [], []
    for form in code.TENSOR:
        source = code.tensor(form)
        item = compile_ir(target, source, expect=("tensor_load_to_lds",))
        shown = None
        if item.accepted:
            shown = "\n".join(line for line in code.instructions(item.assembly) if line.startswith("tensor"))
            found.append(form)
        asked.append(_told(source, item, shown))
        if item.outcome == "unknown-target":
            return _ended(item, asked)
    if not found:
        return Cell("rejected", None, "no form becomes a tensor instruction", tuple(asked))
    return Cell("value", ", ".join(found), "", tuple(asked))


def tensor_wait(compiler, target):
    """Whether a wait for TENSORcnt stands between a tensor load and a read of LDS."""
    compile_ir = _can(compiler, "compile_ir", "IR input")
    item = None
    for form in code.TENSOR:
        source = code.tensor(form, reads=True)
        item = compile_ir(target, source, expect=("tensor_load_to_lds",))
        if item.accepted:
            between = code.between(item.assembly, "tensor_load_to_lds", "ds_load")
            waits = [line for line in between if "tensorcnt" in line]
            shown = _told(source, item, "\n".join(code.instructions(item.assembly)))
            return Cell("value", waits[0] if waits else "no wait", "", (shown,))
    return _ended(item, [_told(source, item)])


def _on(targets, claim):
    return dict.fromkeys(targets, claim)


def _gate(name, text, claims):
    return Question(name, f"`{text}`", "", claims, _instruction(text))


def _wait(name, title, claims, first, then, via):
    return Question(name, title, "wait states", claims, _hazard(first, then, via))


_TDM = "s[0:3], s[4:11]"
QUESTIONS = (
    Question("lds-limit", "Largest static LDS array", "bytes",
             {"gfx942": "LDS-006", "gfx950": "LDS-007", "gfx1250": "LDS-001"}, lds_limit),
    Question("lds-granule", "Granule of the LDS size in the program's resource word", "bytes",
             {"gfx942": "LDS-008", "gfx950": "LDS-008", "gfx1250": "LDS-001"}, lds_granule),
    Question("e-flags", "Flags of an object", "", _on(ALL, "TGT-001"), flags),
    Question("direct-builtin", "Sizes that `__builtin_amdgcn_global_load_lds` takes", "bytes",
             {"gfx942": "D2L-001", "gfx950": "D2L-002"}, builtin_sizes),
    _gate("direct-x4", "global_load_lds_dwordx4 v[0:1], off", _on(CDNA34, "D2L-007")),
    _gate("direct-x3", "global_load_lds_dwordx3 v[0:1], off", _on(CDNA34, "D2L-007")),
    Question("direct-wait", "Wait between a direct load into LDS and a read of the array", "", _on(CDNA34, "WAIT-003"), vmcnt),
    _wait("d-to-a", "16x16x16 f16, D read as A of the next", _on(CDNA34, "MFMA-005"), "16x16x16f16", "16x16x16f16", "ab"),
    _wait("d-to-a-8", "32x32x8 f16, D read as A of the next", _on(CDNA34, "MFMA-005"), "32x32x8f16", "32x32x8f16", "ab"),
    _wait("exact-c", "16x16x16 f16 chain, D is C of the next", _on(CDNA34, "MFMA-007"), "16x16x16f16", "16x16x16f16", "exact"),
    _wait("self-chain", "4x4x4 f16 chain, D is C of the next", _on(CDNA34, "MFMA-008"), "4x4x4f16", "4x4x4f16", "exact"),
    _wait("other-opcode", "16x16x32 f16, D is C of a 16x16x16 f16", {"gfx950": "MFMA-020"}, "16x16x32.f16", "16x16x16f16", "exact"),
    Question("look-back", "A read 19 states after a 16-pass matrix instruction", "wait states", _on(CDNA34, "MFMA-018"), look_back),
    _gate("xf32", "v_mfma_f32_16x16x8_xf32 a[0:3], v[0:1], v[2:3], a[0:3]", _on(CDNA34, "TGT-004")),
    _gate("wide-k", "v_mfma_f32_16x16x32_f16 a[0:3], v[0:3], v[4:7], a[0:3]", _on(CDNA34, "TGT-005")),
    _gate("transpose", "ds_read_b64_tr_b16 v[0:1], v2", _on(CDNA34, "TRN-001")),
    _gate("fp8-convert", "v_cvt_pk_fp8_f32 v0, v1, v2", _on(ALL, "TGT-003")),
    _gate("dpp8", "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]", _on(ALL, "LANE-001")),
    _gate("permlane16-swap", "v_permlane16_swap_b32 v0, v1", _on(ALL, "LANE-001")),
    _gate("permlane32-swap", "v_permlane32_swap_b32 v0, v1", _on(ALL, "LANE-001")),
    Question("tensor-bytes", f"`tensor_load_to_lds {_TDM}`", "", {"gfx1250": "TDM-051"},
             _instruction(f"tensor_load_to_lds {_TDM}", show_bytes=True)),
    _gate("tensor-three", f"tensor_load_to_lds {_TDM}, s[12:15]", {"gfx1250": "TDM-052"}),
    _gate("tensor-null", f"tensor_load_to_lds {_TDM}, null, null", {"gfx1250": "TDM-052"}),
    Question("tensor-intrinsic", "Forms of the tensor load intrinsic that become the instruction", "", {"gfx1250": "TDM-003"}, tensor_forms),
    Question("tensor-wait", "Wait between a tensor load and a read of LDS", "", {"gfx1250": "TDM-089"}, tensor_wait),
    _gate("tensorcnt-64", "s_wait_tensorcnt 64", {"gfx1250": "TDM-066"}),
    _gate("async-b128", "global_load_async_to_lds_b128 v0, v[2:3], off", {"gfx1250": "TDM-117"}),
    _gate("has-tdm", "s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_SAVE_WAVE_HAS_TDM)", {"gfx1250": "TDM-114"}),
)  # fmt: skip

# A cell that differs from its neighbour is news; where the change is known, it is named here. `after` names the columns
# that show it first; without one, the change is known and no version here shows it yet.
_LLVM = "https://github.com/llvm/llvm-project/pull/"
_HALF = ("lds-limit", "lds-granule", "e-flags", "tensor-bytes", "async-b128", "permlane16-swap")
CHANGES = (
    {"questions": _HALF, "target": "gfx1250", "after": ("llvmlite-22", "clang-22", "rocm-10.0"), "link": None,
     "short": "gfx1250 was half finished before",
     "text": "gfx1250 was half finished in LLVM 21 and in the compiler of ROCm 7.2: less LDS, another granule, other bytes, "
             "fewer instructions. Their answers are no evidence about the device."},
    {"questions": ("tensor-null",), "target": "gfx1250", "after": ("triton-24",), "link": _LLVM + "200911", "short": "newer LLVM takes an explicit null",
     "text": "Newer LLVM accepts an explicit null for groups 2 and 3."},
    {"questions": ("look-back",), "target": "gfx950", "after": (), "link": _LLVM + "222040", "short": "the hazard scan stops one state early",
     "text": "The hazard scan looks back 19 states and the rule of gfx950 asks for 20, so a read that comes 19 states later gets no "
             "further wait. Merged upstream on 2026-09-08; no version here has it."},
    {"questions": ("other-opcode",), "target": "gfx950", "after": (), "link": _LLVM + "218363", "short": "a change disputes this value",
     "text": "A change opened on 2026-08-24 disputes this value: it asks for waits between different opcodes that share an "
             "accumulator. No version here has it."},
)  # fmt: skip


def change_of(name, target, after=None):
    """Return the known change that explains a difference, or one that no version shows yet (`after` None), or None.

    Args: name: of a question; target; after: name of the column that differs from the one before it.
    """
    for change in CHANGES:
        fits = after in change["after"] if after else not change["after"]
        if name in change["questions"] and change["target"] == target and fits:
            return change
    return None


def put(question, compiler, target):
    """Return the Cell of one question; a compiler that cannot be asked, or whose output is not as expected, is a cell too."""
    try:
        return question.ask(compiler, target)
    except NotRun as reason:
        return Cell("not-run", None, str(reason), ())
    except _Stop as stop:
        return stop.cell
    except ValueError as error:
        return Cell("not-run", None, f"the output was not understood: {error}", ())
