# SPDX-License-Identifier: Apache-2.0
"""Which pairs of gfx942 and gfx950 are asked about for each claim on wait states: one table for compilers and the model.

A pair is (first, then, via) in the words of `cdna mfma waits`, and of `matrix.pair` for what has no word there.
"""

from . import matrix_ir

PRODUCERS = {
    "xdl": {
        "p2": "v_mfma_f32_4x4x4_16b_f16",
        "p4": "v_mfma_f32_16x16x16_f16",
        "p8": "v_mfma_f32_32x32x8_f16",
        "p16": "v_mfma_f32_32x32x4_2b_f16",
    },
    "sgemm": {"p2": "v_mfma_f32_4x4x1_16b_f32", "p8": "v_mfma_f32_16x16x4_f32", "p16": "v_mfma_f32_32x32x2_f32"},
    "dgemm": {"small": "v_mfma_f64_4x4x4_4b_f64", "large": "v_mfma_f64_16x16x4_f64"},
}
F16 = "v_mfma_f32_16x16x16_f16"
F32 = "v_mfma_f32_32x32x2_f32"
F64 = "v_mfma_f64_16x16x4_f64"


_SMALL = "v_mfma_f32_4x4x4_16b_f16"
_BF8 = "v_mfma_f32_16x16x32_bf8_bf8"
_INT8 = "v_mfma_i32_16x16x32_i8"


def every(then, via, families=("xdl", "sgemm", "dgemm")):
    """Return {family: {passes: (first, then, via)}}; then None asks the producer itself."""
    return {name: {key: (op, then or op, via) for key, op in PRODUCERS[name].items()} for name in families}


_OTHER_PASSES = {key: op for key, op in PRODUCERS["xdl"].items() if key != "p4"}
_OVERLAP = {
    **{name + "_to_xdl": row for name, row in every(F16, "partial").items()},
    **{name + "_to_others": row for name, row in every(F32, "partial").items()},
}

# claim: {key of its values: a pair, or a dict of pairs}
PAIRS = {
    "MFMA-005": {"wait_states": (F16, F16, "ab")},
    "MFMA-006": {"wait_states": (F16, F16, "partial")},
    "MFMA-007": {"wait_states": (F16, F16, "exact")},
    "MFMA-008": {"two_pass": (_SMALL, _SMALL, "exact"), "f64_4x4x4": every(None, "exact")["dgemm"]["small"]},
    "MFMA-009": {
        "vector_input": {key: ("valu", op, "ab") for key, op in _OTHER_PASSES.items()},
        "exec_input": {key: ("valu-exec", op, "exec") for key, op in _OTHER_PASSES.items()},
        "result_read": {key: (op, "valu", "read") for key, op in _OTHER_PASSES.items()},
        "result_overwritten": {key: (op, "load", "waw") for key, op in _OTHER_PASSES.items()},
        "c_overwritten": {key: (op, "valu", "c-war") for key, op in _OTHER_PASSES.items()},
    },
    "MFMA-011": {"pass_inserts": ("v_mfma_f32_16x16x32_f16", F16, "ab")},
    "MFMA-015": {
        "read_by_passes": {key: (PRODUCERS["xdl"][key], "valu", "read") for key in ("p4", "p8")},
        "two_pass_consumer": {"xdl": (_SMALL, _SMALL, "partial"), "sgemm": (_SMALL, F32, "partial")},
    },
    "MFMA-016": {
        "a": ("valu", F16, "ab"),
        "c": ("valu", F16, "exact"),
        "transcendental": ("trans", F16, "ab"),
        "dot": ("dot", F16, "ab"),
    },
    "MFMA-017": {"vector": ("valu-exec", F16, "exec"), "scalar": ("salu-exec", F16, "exec")},
    "MFMA-018": {
        "vector_read": (F16, "valu", "read"),
        "store_read": (F16, "store", "read"),
        "lds_read": (F16, "ds", "read"),
        "vector_overwrite": (F16, "valu", "waw"),
        "load_overwrite": (F16, "load", "waw"),
    },
    "MFMA-019": {"vector": (F16, "valu", "c-war"), "load": (F16, "load", "c-war")},
    "MFMA-020": {"wait_states": (_BF8, F16, "exact")},
    "MFMA-021": {"int8": (_INT8, _INT8, "exact"), "fp16": (F16, F16, "exact")},
    "MFMA-022": {"whole_compiler": (F16, F16, "ab"), "isolated_pass": (F16, F16, "ab")},
    "MFMA-063": every(F16, "ab"),
    "MFMA-064": _OVERLAP,
    "MFMA-065": every(None, "exact"),
    "MFMA-066": every("valu", "read"),
    "MFMA-067": every("store", "read"),
    "MFMA-068": every("load", "waw"),
    "MFMA-069": every("fma64", "independent")["dgemm"],
    "MFMA-070": {
        "overwrites_result": (F16, F16, "waw"),
        "overwrites_c": (F16, F16, "c-war"),
        "independent": (F16, F16, "independent"),
    },
    "MFMA-071": {"wait_states": ("trans", "valu", "read")},
    "MFMA-073": {"after_vector": ("valu", "lane-swap", "read"), "after_exec": ("valu-exec", "lane-swap", "exec")},
    "MFMA-074": {"read": ("dot", "valu", "read"), "overwritten": ("dot", "valu", "waw")},
    "MFMA-076": {
        "vector": {
            "lane_read": ("valu", "lane-read", "read"),
            "first_lane": ("valu", "first-lane", "read"),
            "dpp": ("valu", "dpp", "read"),
            "after_sdwa": ("sdwa", "valu", "read"),
        },
        "scalar": {
            "vector": ("scalar", "valu", "read"),
            "lane_number": ("scalar", "lane-read", "read"),
            "lane_written": ("scalar", "lane-write", "read"),
            "memory": ("scalar", "load", "read"),
            "stored": ("scalar", "store", "read"),
            "div_fmas": ("compare", "div-fmas", "read"),
        },
        "exec": {
            "lane": ("valu-exec", "lane-read", "exec"),
            "lane_written": ("valu-exec", "lane-write", "exec"),
            "dpp": ("valu-exec", "dpp", "exec"),
            "memory": ("valu-exec", "load", "exec"),
            "lds": ("valu-exec", "ds", "exec"),
        },
    },
    "MFMA-081": {
        "matrix_input": every(F16, "ab"),
        "vector_read": every("valu", "read"),
        "memory_read": every("store", "read"),
        "overwritten": {
            **every("valu", "waw", ("xdl", "sgemm")),
            "dgemm": {"small": (PRODUCERS["dgemm"]["small"], "valu", "waw")},
        },
        "part_of_c": {key: row for key, row in _OVERLAP.items() if key not in ("sgemm_to_xdl", "dgemm_to_xdl")},
        "c_overwritten": every("valu", "c-war")["xdl"],
        "inputs": {"vector": ("valu", F16, "ab"), "exec": ("valu-exec", F16, "exec")},
        "f64_large": {"read": (F64, "valu", "read"), "overwritten": (F64, "valu", "waw")},
    },
    "MFMA-084": {
        "matrix_input": every(F16, "ab"),
        "vector_read": every("valu", "read", ("xdl", "sgemm")),
        "memory_read": every("store", "read"),
        "overwritten": every("valu", "waw", ("xdl", "sgemm")),
        "exact_c": every(None, "exact")["xdl"],
        "part_of_c": {key: row for key, row in _OVERLAP.items() if key not in ("sgemm_to_xdl", "dgemm_to_xdl")},
        "f32_to_xdl": _OVERLAP["sgemm_to_xdl"],
        "c_overwritten": every("valu", "c-war")["xdl"],
        "exec": ("valu-exec", F16, "exec"),
        "f64_vector_read": every("valu", "read")["dgemm"],
    },
    "MFMA-085": {
        **{key: (op, "valu", "read") for key, op in PRODUCERS["xdl"].items() if key != "p2"},
        "wide_f64": (F64, "valu", "read"),
    },
}


def side(text):
    """Return a side of a pair as the witnesses take it, from a mnemonic (with cbsz:N and blgp:N) or a word."""
    if not text.startswith(("v_mfma", "v_smfmac")):
        return text
    codes = dict(word.split(":") for word in text.split()[1:])
    return (text.split()[0], int(codes.get("cbsz", 0)), int(codes.get("blgp", 0)))


def answered(asked, answer):
    """Return a nested dict of pairs with every pair replaced by answer(pair)."""
    if isinstance(asked, dict):
        return {key: answered(value, answer) for key, value in asked.items()}
    return answer(asked)


def by_clang(witness, target, asked):
    """Return a nested dict of pairs as wait states that a compiler of LLVM IR inserts.

    Raises: ValueError: a pair got no answer; the text says why.
    """
    pairs = []
    answered(asked, pairs.append)
    found = matrix_ir.ask(witness, target, [(side(first), side(then), via) for first, then, via in pairs])
    table = {}
    for pair, (states, reason, _) in zip(pairs, found, strict=True):
        if states is None:
            raise ValueError(f"{pair}: {reason}")
        table[pair] = states
    return answered(asked, table.get)


def by_llc(witness, target, asked):
    """Return a nested dict of pairs as wait states that the hazard pass adds to MIR; errors as `by_clang`."""
    from . import matrix

    pairs = []
    answered(asked, pairs.append)
    lines = [matrix.pair(side(first), side(then), via) for first, then, via in pairs]
    compiled, states = witness.wait_states(target, [(f"pair{i}", item) for i, item in enumerate(lines)])
    if not states:
        raise ValueError(f"{compiled.outcome}: {compiled.diagnostic}")
    table = {pair: states[f"pair{i}"] for i, pair in enumerate(pairs)}
    return answered(asked, table.get)
