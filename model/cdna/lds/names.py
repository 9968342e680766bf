# SPDX-License-Identifier: Apache-2.0
"""Names of LDS loads and stores: how a target spells them, which it has, and the bytes that a lane moves by one."""

from cdna.lds.transpose import FORMS

# gfx1250 renamed the opcodes; its assembler takes the older spelling too. The longer names come first.
_RENAMED = (
    ("ds_read2st64_", "ds_load_2addr_stride64_"),
    ("ds_write2st64_", "ds_store_2addr_stride64_"),
    ("ds_read2_", "ds_load_2addr_"),
    ("ds_write2_", "ds_store_2addr_"),
    ("ds_read_", "ds_load_"),
    ("ds_write_", "ds_store_"),
)
# What may follow ds_read_ or ds_load_, and ds_write_ or ds_store_: bytes a lane.
_WIDE = {"b32": 4, "b64": 8, "b96": 12, "b128": 16}
_LOADS = dict(_WIDE, u8=1, i8=1, u16=2, i16=2, u8_d16=1, u8_d16_hi=1, i8_d16=1, i8_d16_hi=1, u16_d16=2, u16_d16_hi=2)
_STORES = dict(_WIDE, b8=1, b16=2, b8_d16_hi=1, b16_d16_hi=2)


def op_name(target, op):
    """Return the name of an LDS opcode as a target spells it: gfx1250 has ds_load and ds_store, the others ds_read and ds_write."""
    for old, new in _RENAMED:
        given, wanted = (old, new) if target == "gfx1250" else (new, old)
        if op.startswith(given):
            op = wanted + op[len(given) :]
            break
    for form in FORMS:
        if form.target == target and op in form.aliases:
            return form.op
    return op


def op_names(target):
    """Return the names of LDS loads and stores with one address a lane as a target spells them, transposing ones too."""
    names = ["ds_read_" + name for name in sorted(_LOADS)] + ["ds_write_" + name for name in sorted(_STORES)]
    return [op_name(target, name) for name in names] + [form.op for form in FORMS if form.target == target]


def width_of(op, target=None):
    """Return the bytes that one lane moves at its one address by an LDS opcode such as ds_read_b96, or None for another name.

    Args: op: as any target spells it; target: None for any that has it.
    """
    for form in FORMS:
        if target in (None, form.target) and (op == form.op or op in form.aliases):
            return form.result_bits // 8
    for prefix, known in (("ds_read_", _LOADS), ("ds_load_", _LOADS), ("ds_write_", _STORES), ("ds_store_", _STORES)):
        if op.startswith(prefix):
            return known.get(op[len(prefix) :])
    return None


def half_of(op):
    """Return the opcode of one address that does half of one with two, such as ds_read_b32 of ds_read2_b32, or None."""
    for pair in _RENAMED[:4]:
        for name in pair:
            if op.startswith(name) and op[len(name) :] in ("b32", "b64"):
                return op.split("_")[0] + "_" + op.split("_")[1].split("2")[0] + "_" + op[len(name) :]
    return None
