# SPDX-License-Identifier: Apache-2.0
"""What people write after `cdna lane`: instruction names, DPP controls, swizzle patterns, lane lists and numbers."""

import re

from .expression import Expression, ExpressionError
from .output import Usage

# An instruction's name, without v_ or ds_ and _b32, is a command; some set an option too.
NAMES = {
    "bpermute_fi": ("bpermute", ("--fetch-inactive",)),
    "mov": ("dpp", ()),
    "mov_dpp": ("dpp", ()),
    "update_dpp": ("dpp", ()),
    "mov_dpp8": ("dpp", ()),
    "permlane16_swap": ("swap", ("--rows", "16")),
    "permlane32_swap": ("swap", ("--rows", "32")),
    "permlane16_var": ("permlane16", ()),
    "permlanex16_var": ("permlanex16", ()),
    "permlane_bcast": ("bcast", ()),
    "permlane_up": ("up", ()),
    "permlane_down": ("down", ()),
    "permlane_xor": ("xor", ()),
    "permlane_idx_gen": ("index-gen", ()),
    "idx_gen": ("index-gen", ()),
    "index_gen": ("index-gen", ()),
    "__ballot": ("ballot", ()),
}
NO_MODEL = {
    "permlane64": "it exchanges the halves of a wave of 64 lanes: gfx942 and gfx950 do not have it, nor does the guide of gfx1250, LANE-001",
    "writelane": "it writes one lane, and nothing moves; what it takes for a lane number is LANE-063",
}


def command_of(word, commands):
    """Return (command, options that the name implies) for a command or an instruction in any spelling.

    Raises: Usage: neither; the message names the commands.
    """
    name = word.strip().lower().replace(".", "_")
    for prefix in ("llvm_amdgcn_", "__builtin_amdgcn_", "rocdl_", "v_", "ds_"):
        name = name.removeprefix(prefix)
    for suffix in ("_i32", "_i64", "_w32", "_w64"):  # the type behind an intrinsic, the wave behind a builtin
        name = name.removesuffix(suffix)
    for suffix in ("_e32", "_e64", "_dpp8" if name != "mov_dpp8" else "", "_dpp" if name.endswith("_b32_dpp") else "", "_b32"):
        name = name.removesuffix(suffix) if suffix else name
    name = name if name in commands or name in NAMES else name.replace("-", "_")
    if name in commands:
        return name, ()
    if name in NAMES:
        return NAMES[name]
    if name in NO_MODEL:
        raise Usage(f"{word[:40]}: no model: {NO_MODEL[name]}")
    hint = ""
    if name.startswith(("shfl", "__shfl", "shuffle", "wave_shuffle", "gpu_shuffle")):
        hint = "; a shuffle is bpermute with --index 4*(its source lane)"
    raise Usage(f"unknown command {word[:40]!r}: {', '.join(commands)}{hint}")


def number(text):
    """Return a number, decimal or 0x, for an option. Raises: argparse.ArgumentTypeError."""
    try:
        return int(text, 0)
    except ValueError:
        import argparse

        raise argparse.ArgumentTypeError(f"{text[:20]!r}: a number, decimal or 0x") from None


def values(text, count, option):
    """Return an expression's value for each lane. Raises: Usage."""
    try:
        compute = Expression(text)
        return [compute.at(lane=lane) for lane in range(count)]
    except ExpressionError as error:
        raise Usage(f"{option} {text[:60]!r}: {error}") from None


def active_lanes(text, count):
    """Return which lanes are active: a list of bools from 0-39, 0,2,4-7, none or a mask such as 0xffff. Raises: Usage."""
    active = [text is None] * count
    if text is None or text.strip().lower() == "none":
        return active
    if text.strip().lower() == "all":
        return [True] * count
    if re.fullmatch(r"0[xX](_?[0-9a-fA-F]){1,400}", text.strip()):
        mask = int(text, 16)
        if mask >> count:
            raise Usage(f"--active: a mask of more than {count} bits, LANE-054")
        return [bool(mask >> lane & 1) for lane in range(count)]
    for part in text.replace("..", "-").split(","):
        first, _, last = part.strip().partition("-")
        try:
            low, high = int(first), int(last or first)
        except ValueError:
            raise Usage(f"--active {part[:20]!r}: lane numbers, such as 0-39 or 0,2,4-7, a mask such as 0xffff, all or none") from None
        if not 0 <= low <= high < count:
            raise Usage(f"--active {part.strip()[:20]}: lanes 0..{count - 1}, LANE-054")
        active[low : high + 1] = [True] * (high - low + 1)
    return active


def control(text, target):
    """Return (name, amount) of `row_shl:1`, `quad_perm:[0,1,2,3]`, `row_mirror`, or the code of one, such as 0x111.

    Raises: Usage: none of these; LaneError: a code that the target has not.
    """
    from cdna.lanes_codes import control_of_code

    given = text.strip().lower()
    if re.fullmatch(r"-?(0x[0-9a-f]+|[0-9]+)", given):
        return control_of_code(int(given, 0), target)
    name, mark, rest = re.fullmatch(r"([a-z0-9_]*)\s*([:= ]?)\s*(.*)", given, re.DOTALL).groups()
    if not rest and not mark:
        return name, None
    try:
        if rest.startswith("[") or "," in rest:
            return name, [int(part, 0) for part in rest.removeprefix("[").removesuffix("]").split(",")]
        return name, int(rest, 0)
    except ValueError:
        raise Usage(f"--control {text[:40]!r}: NAME, NAME:NUMBER, NAME:[NUMBER, ...] or a code such as 0x111") from None


def control_text(name, amount):
    """Return a control as the assembler writes it."""
    if amount is None:
        return name
    return f"{name}:[{','.join(map(str, amount))}]" if isinstance(amount, list) else f"{name}:{amount}"


def pattern(text):
    """Return the 16-bit pattern of `0x801b`, `offset:32795` or `swizzle(QUAD_PERM,3,2,1,0)`.

    Raises: Usage: none of these; LaneError: a named swizzle with numbers that it does not take.
    """
    from cdna.lanes_codes import swizzle_pattern

    given = text.strip().removeprefix("offset:").strip()
    try:
        named = re.fullmatch(r"(?:swizzle)?\s*\(\s*(\w+)\s*,\s*(.*?)\s*\)", given, re.IGNORECASE | re.DOTALL)
        if not named:
            return int(given, 0)
        words = [word.strip() for word in named[2].split(",")]
        if named[1].lower() == "bitmask_perm":
            return swizzle_pattern("bitmask_perm", [word.strip("\"'").lower() for word in words])
        return swizzle_pattern(named[1].lower(), [int(word, 0) for word in words])
    except ValueError as error:
        from cdna.lanes import LaneError

        if isinstance(error, LaneError):
            raise
        raise Usage(f"--pattern {text[:40]!r}: a number, decimal or 0x, or such as swizzle(SWAP,16)") from None
