# SPDX-License-Identifier: Apache-2.0
"""Which pairs stand for a family and a number of passes when compilers and the model are asked for wait states."""

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


def side(text):
    """Return a side of a pair as the witnesses take it, from a mnemonic (with cbsz:N and blgp:N) or a word."""
    if not text.startswith(("v_mfma", "v_smfmac")):
        return text
    codes = dict(word.split(":") for word in text.split()[1:])
    return (text.split()[0], int(codes.get("cbsz", 0)), int(codes.get("blgp", 0)))


def every(then, via, families=("xdl", "sgemm", "dgemm")):
    """Return {family: {passes: (first, then, via)}}; then None asks the producer itself."""
    return {name: {key: (op, then or op, via) for key, op in PRODUCERS[name].items()} for name in families}


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


__all__ = ["F16", "F32", "F64", "PRODUCERS", "answered", "by_clang", "by_llc", "every", "side"]
