# SPDX-License-Identifier: Apache-2.0
"""A plain link that opens a command's input in Compiler Explorer; nothing is loaded from there.

What is offered there under a name that does not change is the development version of `llc`. It is another version
than the one that answered, and the link says so.
"""

import base64
import json
import shlex
import urllib.parse

ADDRESS = "https://godbolt.org/clientstate/"
COMPILER = "llctrunk"
TITLE = "Compiler Explorer, with LLVM's development version"
# Longer addresses are cut by some programs.
LONGEST = 6000


def link(command):
    """Return the address that opens the LLVM IR of a command, or None where its input is no IR or is too long.

    Args: command: one line as `cdna check` records it, `printf ... | python -m ziglang clang ... -x ir - ...`.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if len(words) < 4 or words[0] != "printf" or words[3] != "|" or not _reads_ir(words):
        return None
    target = next((word.partition("=")[2] for word in words if word.startswith("-mcpu=")), None)
    triple = next((word.partition("=")[2] for word in words if word.startswith("--target=")), None)
    level = next((word for word in words if word in ("-O0", "-O1", "-O2", "-O3")), "-O2")
    if not target or not triple:
        return None
    source = _unescaped(words[2]) if words[1] == "%b" else words[2] + "\n"
    options = f"-mtriple={triple} -mcpu={target} {level}"
    compilers = [{"id": COMPILER, "options": options}]
    state = {"sessions": [{"id": 1, "language": "llvm", "source": source, "compilers": compilers}]}
    code = base64.b64encode(json.dumps(state).encode("ascii")).decode("ascii")
    address = ADDRESS + urllib.parse.quote(code, safe="")
    return address if len(address) <= LONGEST else None


def _reads_ir(words):
    return (
        "clang" in words
        and "-S" in words
        and any(a == "-x" and b == "ir" for a, b in zip(words, words[1:], strict=False))
    )


def _unescaped(text):
    """Undo what `listing.given` did: backslash, line break and tab."""
    out, escaped = [], False
    for letter in text:
        if escaped:
            out.append({"n": "\n", "t": "\t"}.get(letter, letter))
            escaped = False
        elif letter == "\\":
            escaped = True
        else:
            out.append(letter)
    return "".join(out)
