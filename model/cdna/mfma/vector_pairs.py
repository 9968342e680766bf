# SPDX-License-Identifier: Apache-2.0
"""Wait states between two instructions of which none is a matrix instruction, as LLVM 22.1.8 inserts them.

LLVM keeps lane reads, DPP, the divide fix-up and memory instructions away from the vector instruction whose result,
scalar register or EXEC they read, and a few instructions away from scalar ones that set M0 or a hardware register. One
table, asked by mnemonic (`states`) and by the audit of whole programs (`enter`, `judge`).
"""

SCALAR = "scalar"  # writes a scalar register: v_readlane, v_readfirstlane
COMPARE = "compare"  # writes VCC, or a scalar register pair
PART = "sdwa"  # may write a part of its register
LANE_READ = "lane-read"  # reads one lane of a vector register, and a scalar register: which lane
FIRST_LANE = "first-lane"  # reads one lane of a vector register
LANE_WRITE = "lane-write"  # reads a scalar register, which lane
DPP = "dpp"  # reads a vector register of other lanes
FIX_UP = "div-fmas"  # reads VCC
M0_READER = "m0-reader"  # a message, a copy to LDS, an indexed scalar move, LDS by thread number
GET, SET, RETURN = "get", "set", "return"  # s_getreg, s_setreg, s_rfe

# What the second reads of the first -> ((role or kind of the second, states), ...); the first line that fits counts.
TABLE = {
    "register": ((LANE_READ, 1), (FIRST_LANE, 1), (DPP, 2)),  # a vector register, whole
    "part": (("vector", 1),),  # a vector register of which a part was written; overwriting it counts as well
    "lane": ((LANE_READ, 4), (LANE_WRITE, 4)),  # a scalar register, as the number of a lane
    "vcc": ((FIX_UP, 4),),  # VCC, as the mask of the divide fix-up
    "scalar": (("memory", 5), ("vector", 2)),  # a scalar register or VCC, in any other way
    "exec": ((LANE_READ, 4), (FIRST_LANE, 4), (LANE_WRITE, 4), (DPP, 5), ("memory", 5)),
    "m0": ((M0_READER, 1),),  # M0, written by a scalar instruction
    "hardware": ((GET, 2), (SET, 2), (RETURN, 1)),  # a hardware register that s_setreg set; setting it again counts
}
_HEADS = (
    ("v_readlane", LANE_READ),
    ("v_readfirstlane", FIRST_LANE),
    ("v_writelane", LANE_WRITE),
    ("v_div_fmas", FIX_UP),
    ("v_cmp_", COMPARE),
    ("s_movrel", M0_READER),
    ("s_sendmsg", M0_READER),
    ("s_ttracedata", M0_READER),
    ("ds_gws_", M0_READER),
    ("s_setreg", SET),
    ("s_getreg", GET),
    ("s_rfe", RETURN),
)
# LLVM takes a packed instruction for one that writes a part, and the FP4 conversions with random rounding.
_PARTS = ("v_pk_", "v_cvt_scalef32_sr_pk_fp4")
_VCC = ("vcc_lo", "vcc_hi")
_RULE = "vector-pair"
_SCALAR_RULE = "scalar-setting"


def role(name):
    """Return the role of a mnemonic here, or "": no role of its own."""
    for head, found in _HEADS:
        if name[: len(head)] == head:
            return found
    if name[-4:] == "_dpp":
        return DPP
    if name[-5:] == "_sdwa":
        return PART
    if "_addtid_" in name or is_copy(name):
        return M0_READER
    for head in _PARTS:
        if name[: len(head)] == head:
            return PART
    return ""


def written_as(name):
    """Return the role of a mnemonic as the first of a pair, or "": it writes a whole vector register."""
    if name[:6] == "v_cmpx" or name == "valu-exec":
        return COMPARE  # beside EXEC
    found = role(name)
    if found in (LANE_READ, FIRST_LANE):
        return SCALAR
    return found if found in (COMPARE, PART) else ""


def needed(way, role_of_second, kind=""):
    """Return the wait states of one line of the table, 0 where there is none.

    Args: way: a key of TABLE; role_of_second: see `role`; kind: memory, vector or "", for the lines without a role.
    Claims: MFMA-076, MFMA-078.
    """
    for name, count in TABLE[way]:
        if name in (role_of_second, kind):
            return count
    return 0


def states(first, then, kind, via):
    """Return the wait states of a pair, 0 where LLVM 22.1.8 keeps none.

    Args: first, then: mnemonics, or words such as valu; kind: what the second is: store, load, or a vector kind such as
      valu; via: read (it reads what the first wrote, as data, scalar register, lane number or VCC) or exec.
    Claims: MFMA-076.
    """
    memory = kind in ("store", "load")
    second, kind_of_second = ("", "memory") if memory else (role(then), "vector")
    if via == "exec":
        return needed("exec", second, kind_of_second)
    if via != "read" or kind in ("ds", "salu", "salu-exec"):
        return 0
    one = written_as(first)
    if one not in (SCALAR, COMPARE):
        part = needed("part", "", "vector") if one == PART and (not memory or is_copy(then)) else 0
        return max(needed("register", second, kind_of_second), part)
    if second == FIRST_LANE:
        return 0  # it reads no scalar register
    special = needed("vcc", second) if one == COMPARE else 0
    return needed("lane", second) or special or needed("scalar", second, kind_of_second)


def is_copy(name):
    """Say whether a mnemonic copies from memory to LDS; LLVM takes it for a vector instruction as well."""
    return "_load_lds_" in name or ("buffer_load_" in name and name[-4:] == "_lds")


def after_load(then):
    """Return the wait states behind a load, of memory or LDS, whose result the second reads. Claims: MFMA-076."""
    return needed("register", DPP) if role(then) == DPP else 0


def scalar_states(first, then):
    """Return the wait states behind a scalar instruction that sets what the second needs: M0, or a hardware register.

    Args: first, then: mnemonics, or words such as salu. Claims: MFMA-078.
    """
    if first[:8] == "s_setreg":
        return needed("hardware", role(then))
    return needed("m0", role(then)) if first == "salu" or first[:2] == "s_" else 0


def enter(state, one, mark):
    """Enter into the state of an audit what an instruction leaves for the pairs here. Args: one: an Effect."""
    side = one.side
    for register in side.written:
        state["scalar", register] = mark
    if side.part:
        for register in one.writes:
            state["part", register] = mark
    if one.op.kind in ("load", "ds", "store"):
        for register in one.writes:
            state["loaded", register] = mark
    if side.sets_m0:
        state["m0", "m0"] = mark
    if side.hardware and side.role == SET:
        state["hardware", side.hardware] = mark


def judge(ask, two):
    """Ask for every pair here of which an instruction is the second, the longer waits first.

    Args: ask(kind, registers, via, answer), where answer(producer) gives (states, rule); two: an Effect.
    """
    side = two.side
    if side.role == M0_READER or side.copy:
        _ask(ask, "m0", ("m0",), needed("m0", M0_READER), _SCALAR_RULE)
    if side.hardware:
        _ask(ask, "hardware", (side.hardware,), needed("hardware", side.role), _SCALAR_RULE)
    memory = two.op.kind in ("store", "load")
    if not memory and not side.vector:
        return
    kind = "memory" if memory else "vector"
    if needed("exec", side.role, kind):
        ask("exec", ("",), "exec", _always(needed("exec", side.role, kind), _RULE))
    _ask(ask, "scalar", side.lane, needed("lane", side.role), _RULE)
    _ask(ask, "scalar", _VCC, needed("vcc", side.role), _RULE)
    _ask(ask, "scalar", side.data, needed("scalar", side.role, kind), _RULE)
    count = needed("register", side.role)
    if count:
        ask("vector", two.reads, "read", lambda one: (_beside_trans(one, count), _RULE))
    if side.role == DPP:
        _ask(ask, "loaded", two.reads, count, _RULE)
    if side.vector or side.copy:
        part = needed("part", "", "vector")
        _ask(ask, "part", two.reads, part, _RULE)
        ask("part", two.writes, "waw", _always(part, _RULE))


def _ask(ask, kind, registers, count, rule):
    if count and registers:
        ask(kind, registers, "read", _always(count, rule))


def _always(count, rule):
    return lambda one: (count, rule)


def _beside_trans(one, count):
    """One state behind a transcendental instruction is a rule of its own."""
    return 0 if one.op.kind == "trans" and count < 2 else count
