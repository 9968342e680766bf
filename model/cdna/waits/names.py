# SPDX-License-Identifier: Apache-2.0
"""Names of instructions: which computing ones are known, and which generation a spelling belongs to.

gfx1250 renamed loads, stores and atomics by their bits (global_load_b32) and still takes most of the older names; gfx942
and gfx950 know the older ones only (global_load_dword).
"""

from cdna.waits.counters import PACKED, waits_of

# First words of the vector and scalar mnemonics that LLVM 22.1.8 has for any AMD target.
_VECTOR = (
    "accvgpr add add3 addc alignbit alignbyte and ashr ashrrev bcnt bfe bfi bfm bfrev bitop3 ceil clrexcp cls clz cmp cmps "
    "cmpsx cmpx cndmask cos ctz cubeid cubema cubesc cubetc cvt div dot2 dot2acc dot2c dot4 dot4c dot8 dot8c dual exp ffbh "
    "ffbl floor fma fmaak fmac fmamk fract frexp interp ldexp lerp log lshl lshlrev lshr lshrrev mac mad madak madmk max "
    "max3 maximum maximum3 maximumminimum maxmin mbcnt med3 mfma min min3 minimum minimum3 minimummaximum minmax mov "
    "movreld movrels movrelsd mqsad msad mul mullit nop not or or3 pack perm permlane permlane16 permlane32 permlane64 "
    "permlanex16 pipeflush pk prng qsad rcp readfirstlane readlane rndne rsq s sad sat screen sin smfmac sqrt sub subb "
    "subbrev subrev swap swaprel swmmac tanh trig trunc wmma writelane xad xnor xor xor3 "
)  # fmt: skip
_SCALAR = (
    "abs absdiff add addc addk alloc and andn1 andn2 ashr atc atomic barrier bcnt0 bcnt1 bfe bfm bitcmp0 bitcmp1 "
    "bitreplicate bitset0 bitset1 branch brev buffer call cbranch ceil clause cls clz cmov cmovk cmp cmpk code cselect ctz "
    "cvt dcache decperflevel delay denorm endpgm ff0 ff1 flbit floor fmaak fmac fmamk get getpc getreg gl1 icache "
    "incperflevel inst load lshl lshl1 lshl2 lshl3 lshl4 lshr max maximum memrealtime memtime min minimum monitor mov movk "
    "movreld movrels movrelsd mul mulk nand nop nor not or orn1 orn2 pack prefetch quadmask rfe rndne round scratch sendmsg "
    "sendmsghalt set sethalt setkill setpc setprio setreg setvskip sext sleep store sub subb subvector swap swappc trap "
    "trunc ttracedata version wait waitcnt wakeup wqm xnor xor "
)  # fmt: skip
_KNOWN = {"v": {word: True for word in _VECTOR.split()}, "s": {word: True for word in _SCALAR.split()}}
# Heads of names that gfx942 and gfx950 do not have, and such that gfx1250 does not have.
_NEW = (
    "ds_load_", "ds_store_", "ds_atomic_", "ds_bvh_", "tensor_", "cluster_", "global_inv", "global_wb", "global_prefetch", "flat_prefetch",
    "global_load_tr", "s_prefetch_", "s_sendmsg_rtn", "s_get_barrier_state", "s_barrier_signal", "s_barrier_wait", "s_wait_", "s_monitor_sleep",
    "v_wmma_", "v_swmmac_", "s_set_vgpr_msb",
)  # fmt: skip
_OLD = (
    "s_store_", "s_buffer_store_", "s_scratch_", "s_atomic_", "s_buffer_atomic_", "s_memtime", "s_memrealtime", "buffer_inv", "buffer_wb",
    "tbuffer_", "v_mfma_", "v_smfmac_", "s_waitcnt", "v_accvgpr_", "s_dcache_wb", "s_dcache_discard", "s_atc_probe",
)  # fmt: skip
_OLD_WORDS = ("sc0", "sc1", "glc", "slc", "dlc", "lds")


# Words of the names of memory instructions that LLVM 22.1.8 has for any AMD target; b32, x2 and the like are told by _sized.
_MEMORY = {word: True for word in (
    "load store atomic add sub rsub inc dec min max umin umax smin smax imin imax minimum maximum and or xor csub fadd fmin fmax "
    "fcmpswap swap cmpswap cmpst cmpstore storexchg wrxchg write read write2st64 read2st64 wrxchg2st64 2addr stride64 wrap condxchg "
    "mskor addtid hi format xy xyz xyzw short byte ubyte sbyte sshort ushort dword dwordx lds async to from tr rtn num pk clamp cond prefetch wb "
    "inv wbinv wbl wbinvl wbinvalidate vol sc gl block id tensor ordered count append consume bpermute permute swizzle gws init v br p sema "
    "release all barrier arrive monitor nop bvh stack push pop fi src offset gs reg save stop"
).split()}  # fmt: skip
# Every asynchronous copy of gfx1250, with its width and, as builtins are often named, without. Claims: D2L-052, CLU-006
_ASYNC = {head + width: True for head in ("global_load_async_to_lds", "global_store_async_from_lds", "cluster_load_async_to_lds")
          for width in ("", "_b8", "_b32", "_b64", "_b128")}  # fmt: skip
_ASYNC["ds_atomic_async_barrier_arrive_b64"] = True
_CLUSTER = ("cluster_load_b32", "cluster_load_b64", "cluster_load_b128")
_FAMILIES = ("global", "flat", "buffer", "tbuffer", "scratch", "cluster", "tensor", "ds")
# Counters of older generations, which the waits of gfx1250 do not have.
_OLDER = {
    "vmcnt": "s_wait_loadcnt or s_wait_storecnt",
    "vscnt": "s_wait_storecnt",
    "lgkmcnt": "s_wait_dscnt or s_wait_kmcnt",
}


def copies():
    """Return the names of the copies of gfx1250 for which others are often written."""
    return sorted(list(_ASYNC) + list(_CLUSTER)) + ["tensor_load_to_lds", "tensor_store_from_lds"]


def known_memory(mnemonic):
    """Return False for the name of a memory instruction with a word that is in no such name, True for any other name."""
    words = mnemonic.split("_")
    if words[0] not in _FAMILIES:
        return True
    if "async" in words or words[0] == "cluster":
        return mnemonic in _ASYNC or mnemonic in _CLUSTER
    return all([word in _MEMORY or _sized(word) or word.rstrip("0123456789") in _MEMORY for word in words[1:]])


def likely_wait(mnemonic, target):
    """Return what the writer of an unknown wait may have meant, as words: a question, or what the target has."""
    names = waits_of(target)
    if target in PACKED:
        return f"{target} has {names[0]}"
    meant = _OLDER.get(mnemonic[7:])
    if meant is None:
        meant = sorted([(_distance(mnemonic, name), name) for name in names])[0][1]
    return f"did you mean {meant}?"


def _distance(one, other):
    """Return how many letters to add, drop or change make one name of another."""
    row = list(range(len(other) + 1))
    for place in range(len(one)):
        left, row = row, [place + 1]
        for at in range(len(other)):
            row.append(min(row[at] + 1, left[at + 1] + 1, left[at] + (one[place] != other[at])))
    return row[-1]


def _sized(word):
    """Return True for b32, u8, bf16, x4, d16 and the like."""
    return word.rstrip("0123456789") in ("b", "u", "i", "f", "bf", "x", "d") and word[-1:].isdigit() or word == "x"


def known_compute(mnemonic):
    """Return False for a v_ or s_ name of which not even the first word is known, True for any other name."""
    words = mnemonic.split("_")
    if len(words) < 2 or words[0] not in _KNOWN:
        return True
    return words[1] in _KNOWN[words[0]]


def generation(item):
    """Return "old" for a spelling that gfx1250 refuses, "new" for one that gfx942 and gfx950 refuse, else "".

    Args: item: an Instruction, whole or its name alone.
    """
    name = item.mnemonic
    if name == "s_barrier":
        return "old"
    for heads, which in ((_OLD, "old"), (_NEW, "new")):
        for head in heads:
            if name[: len(head)] == head:
                return which
    if "_load_lds_" in name or (name[:8] == "ds_read_" and "_tr_" in name):
        return "old"
    if "_async_" in name:
        return "new"
    for word in item.modifiers:
        if word in _OLD_WORDS:
            return "old"
        if word[:3] == "th:" or word[:6] == "scope:":
            return "new"
    memory = name.split("_")[0] in ("global", "flat", "scratch", "buffer") or name[:7] in ("s_load_", "s_buffe")
    return "new" if memory and [word for word in name.split("_")[1:] if _bits(word)] else ""


def missing_on(item, target):
    """Return why a target does not have an instruction, "" where nothing here says so.

    Args: item: an Instruction; target: gfx942, gfx950 or gfx1250.
    """
    which = generation(item)
    if which == ("new" if target in PACKED else "old"):
        others = "gfx1250" if target in PACKED else "gfx942 and gfx950"
        return f"{target} does not have it in this form: it belongs to {others}"
    wide = "lds" in item.modifiers or "_load_lds_" in item.mnemonic
    if wide and item.mnemonic[-7:] == "dwordx2":
        return "no target has it: a copy to LDS moves one, two or four bytes a lane, on gfx950 also 12 or 16 (D2L-007)"
    if target == "gfx942" and ((wide and item.mnemonic[-2:] in ("x3", "x4")) or "_tr_" in item.mnemonic):
        return f"{target} does not have it: it came with gfx950"
    return ""


def _bits(word):
    """Return True for b32, u8, i16 and the like, which end the names of the newer generation."""
    return word[:1] in ("b", "u", "i") and word[1:].isdigit()
