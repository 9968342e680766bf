# SPDX-License-Identifier: Apache-2.0
"""What somebody may have meant who wrote a name that is none: a target by its product, a mnemonic with a slip."""

PRODUCTS = (("mi450", "gfx1250"), ("mi455", "gfx1250"), ("mi355", "gfx950"), ("mi350", "gfx950"))
PRODUCTS += (("mi300", "gfx942"), ("mi308", "gfx942"), ("mi325", "gfx942"), ("gfx940", "gfx942"), ("gfx941", "gfx942"))
ARCHITECTURES = {"cdna5": "gfx1250", "cdna4": "gfx950", "cdna3": "gfx942"}
# Words for things that stand under a command of another name.
COMMANDS = (
    (("wmma", "swmmac"), "cdna mfma COMMAND ... --target gfx1250"),
    (("fp8", "fp4", "fp6", "bf8", "mx", "mxfp4", "e8m0", "formats"), "cdna format"),
    (("permute", "bpermute", "swizzle", "dpp", "lanes"), "cdna lane"),
    (("descriptor", "tensor"), "cdna tdm"),
    (("wait", "waitcnt"), "cdna waits"),
    (("claims",), "cdna claim list"),
)
NEIGHBOUR = "gfx1251 is a neighbour of gfx1250 with other products and slots, no target here (WMMA-067, VGPR-011)"


def target_hint(words, message):
    """Return a hint to add to a refusal of the target that a command line names, or an empty text.

    Args: words: the command line; message: the refusal; without the target in it, it is about something else.
    """
    given = None
    for number, word in enumerate(words):
        if word == "--target" and number + 1 < len(words):
            given = words[number + 1]
        elif word.startswith("--target="):
            given = word[len("--target=") :]
    if not given or repr(given) not in message and f"target={given}:" not in message:
        return ""
    said = target_said(given)
    return f"; {said}" if said else ""


def target_said(name):
    """Return what a name that is no target means, or None."""
    text = name.strip().lower().replace("-", "").replace("_", "").replace(" ", "").removeprefix("amd").removeprefix("instinct")
    text = text.removeprefix("gcnamdamdhsa").split(":")[0]  # a whole target id: its triple in front, its features behind
    if text == "gfx1251":
        return NEIGHBOUR
    if text == "gfx94generic":
        return "its code runs on gfx942 and gfx950: name one, or check both in turn (MFMA-085)"
    if text == "gfx1250strict":
        return "that is stepping A0 of gfx1250 (GFX-002): write gfx1250, and see where A0 differs"
    if text in ("gfx12", "gfx125", "gfx125x", "gfx12generic"):
        return "the MI450 is gfx1250; " + NEIGHBOUR
    for product, target in PRODUCTS:
        if text.startswith(product):
            return f"{name} is {target}"
    if text in ARCHITECTURES:
        return f"{name} is {ARCHITECTURES[text]}"
    if text in ("gfx942", "gfx950", "gfx1250"):
        return f"write {text}"
    return None


def command_said(name):
    """Return what somebody may have wanted who named no command, or an empty text."""
    text = name.lower()
    for words, meant in COMMANDS:
        if text in words:
            return f"; try: {meant}"
    return ""


def did_you_mean(message, given, known):
    """Return "; did you mean ...?" for the name with a slip that a refusal is about, or an empty text.

    Args: message: the refusal; given: names, of which it may name one; known: the names there are.
    """
    import difflib

    if "gfx1251 has one" in message:
        return ""
    for name in given:
        text = name.strip().lower()
        if text in known or (repr(text) not in message and f"={name}:" not in message):
            continue
        near = difflib.get_close_matches(text, known, 2, 0.75)
        if near:
            return f"; did you mean {' or '.join(near)}?"
    return ""
