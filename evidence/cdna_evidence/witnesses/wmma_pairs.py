# SPDX-License-Identifier: Apache-2.0
"""Which pairs of gfx1250 are asked about for each claim on slots: one table for the compilers and for the model.

A pair is (first, then, via) in the words of `cdna mfma waits`; llc also takes fillers: (..., filler, count).
"""

from . import wmma_ir, wmma_mir
from .matrix_pairs import answered
from .wmma_forms import FORMATS

PRODUCERS = {
    "dense": "v_wmma_f32_16x16x32_f16",
    "dense_wide": "v_wmma_i32_16x16x64_iu8",
    "sparse": "v_swmmac_f32_16x16x64_f16",
    "sparse_wide": "v_swmmac_i32_16x16x128_iu8",
}
F16, IU8, SPARSE, SPARSE_IU8 = PRODUCERS.values()
F32 = "v_wmma_f32_16x16x4_f32"
FP8 = "v_wmma_f32_16x16x64_fp8_fp8"
BF16 = "v_wmma_f32_16x16x32_bf16"
BF16F32 = "v_wmma_bf16f32_16x16x32_bf16"
CHOSEN = "v_wmma_f32_16x16x128_f8f6f4"
SCALED = {"scale": "v_wmma_scale_f32_16x16x128_f8f6f4 fp8 fp8", "scale16": "v_wmma_scale16_f32_32x16x128_f4"}
F8F8, F6F6, F4F4 = (f"{CHOSEN} {kind} {kind}" for kind in ("fp8", "fp6", "fp4"))
CLASSES = {
    "f16": F16,
    "bf16f32": BF16F32,
    "fp8_k64": FP8,
    "fp8_k128": "v_wmma_f32_16x16x128_fp8_fp8",
    "iu8": IU8,
    "f8_f8": F8F8,
    "f8_f4": f"{CHOSEN} fp8 fp4",
    "f6_f6": F6F6,
    "f6_f4": f"{CHOSEN} fp6 fp4",
    "f4_f4": F4F4,
    "f4_32x16": "v_wmma_f32_32x16x128_f4",
    "sparse_f16": SPARSE,
    "sparse_fp8": "v_swmmac_f32_16x16x128_fp8_fp8",
    "sparse_iu8": SPARSE_IU8,
}


def _each(products, then, via):
    return {name: (op, then, via) for name, op in products.items()}


# claim: {key of its values: a pair, or a dict of pairs}
PAIRS = {
    "WMMA-050": {"slots": _each(PRODUCERS, F16, "ab"), "as_b": (F16, F16, "b"), "as_index": (F16, SPARSE, "index")},
    "WMMA-051": {
        "slots": _each(PRODUCERS, "valu", "read"),
        "compiled": _each({"f16": F16, "fp8": FP8, "f8f6f4": F8F8}, "valu", "read"),
    },
    "WMMA-052": {"slots": _each(PRODUCERS, "valu", "waw")},
    "WMMA-053": {
        "a": _each(PRODUCERS, "valu", "ab-war"),
        "b": _each(PRODUCERS, "valu", "b-war"),
        "index": _each({"sparse": SPARSE, "sparse_wide": SPARSE_IU8}, "valu", "index-war"),
    },
    "WMMA-054": {
        "slots": {key: (F16, F16, key.replace("_", "-")) for key in ("exact", "partial", "waw", "ab_war")},
        "control_a": (F16, F16, "ab"),
        "compiled": {"exact": (F16, F16, "exact"), "control_a": (F16, F16, "ab")},
    },
    "WMMA-055": {"slots": (BF16F32, "valu", "c-war"), "control_a": (BF16F32, "valu", "ab-war")},
    "WMMA-056": {
        "slots": {
            "trans_read": (F16, "trans", "read"),
            "store_read": (F16, "store", "read"),
            "load_address": (F16, "load", "read"),
            "ds_load_over_a": (F16, "ds", "ab-war"),
            "load_over_a": (F16, "load", "ab-war"),
        },
        "control_valu": (F16, "valu", "read"),
        "llvm_24_trans_read": (F16, "trans", "read"),
    },
    "WMMA-057": {
        "slots": {
            "next_a": (F32, F16, "ab"),
            "read": (F32, "valu", "read"),
            "overwritten": (F32, "valu", "waw"),
            "into_f32": (F16, F32, "ab"),
        }
    },
    "WMMA-058": {"read": _each(CLASSES, "valu", "read")},
    "WMMA-059": {"read": (FP8, "valu", "read"), "next_a": (FP8, F16, "ab")},
    "WMMA-060": {"read": (F8F8, "valu", "read"), "next_a": (F8F8, F16, "ab")},
    "WMMA-061": {
        "added_after_three": {kind: (F16, "valu", "read", kind, 3) for kind in ("s_nop_7", "salu", "load", "valu", "v_nop")}
    },
    "WMMA-067": {
        "llvm_22": {"next_a": (BF16, F16, "ab"), "read": (BF16, "valu", "read")},
        "llvm_24": {
            "f16_next_a": (F16, F16, "ab"),
            "f16_read": (F16, "valu", "read"),
            "fp8_read": (FP8, "valu", "read"),
            "f8f6f4_read": (F8F8, "valu", "read"),
        },
    },
    "WMMA-068": {"slots": (F16, "ds", "ab-war"), "control_valu": (F16, "valu", "ab-war")},
    "WMMA-077": {
        "result_is_scale": {name: (F16, op, "scale") for name, op in SCALED.items()},
        "scale_overwritten": _each(SCALED, "valu", "scale-war"),
        "control": {"result_is_a": (F16, SCALED["scale"], "ab"), "a_overwritten": (SCALED["scale"], "valu", "ab-war")},
    },
    "WMMA-078": {
        "read": _each({key: CLASSES[key] for key in ("f16", "fp8_k64", "fp8_k128", "f8_f8", "f6_f6", "f4_f4", "iu8", "sparse_f16")}, "valu", "read"),
        "trans_read": (F16, "trans", "read"),
    },
    "WMMA-082": {"slots": _each({key: CLASSES[key] for key in ("fp8_k64", "f8_f8", "f4_f4")}, "valu", "read")},
}


def products(mnemonics):
    """Return mnemonics as products: f8f6f4 once for each pair of formats."""
    found = []
    for name in mnemonics:
        several = name.endswith("_f8f6f4")
        found += [f"{name} {a} {b}" for a in FORMATS for b in FORMATS] if several else [name]
    return found


def every(mnemonics):
    """Return {dependency: pairs} that are asked of every product: a vector read of D and D as A; of fewer, what else there is.

    Args: mnemonics: without the forms of gfx12, which no IR gives.
    """
    some = [name + (" fp8 fp4" if name.endswith("_f8f6f4") else "") for name in mnemonics]
    found = {
        "read": [(op, "valu", "read") for op in products(mnemonics)],
        "next_a": [(op, F16, "ab") for op in products(mnemonics)],
        "overwritten": [(op, "valu", "waw") for op in some],
        "a_overwritten": [(op, "valu", "ab-war") for op in some],
        "next_c": [(op, op, "exact") for op in some if not op.startswith(BF16F32)],
    }
    return found


def by(witness, target, asked, extra=()):
    """Return a nested dict of pairs with each pair replaced by the V_NOPs that a compiler writes.

    Args: witness: llc takes the pairs as MIR, every other as LLVM IR; extra: options of LLVM. Raises: ValueError: a pair
      was not told; the text says why.
    """
    pairs = []
    answered(asked, pairs.append)
    if witness.name == "llc":
        told = wmma_mir.ask(witness, target, [wmma_mir.asked(*pair) for pair in pairs])
    else:
        told = wmma_ir.ask(witness, target, pairs, extra)
    counts = {}
    for pair, (count, reason, _) in zip(pairs, told, strict=True):
        if count is None:
            raise ValueError(f"{pair}: {reason}")
        counts[pair] = count
    return answered(asked, counts.get)
