# SPDX-License-Identifier: Apache-2.0
"""Why a compiler's output does not count as acceptance, and how an input is put into a line of shell."""

import re
import shlex

_DECLARED = re.compile(r"^\s*declare\b[^\n]*@(llvm\.amdgcn\.[A-Za-z0-9_.]+)\s*\(", re.MULTILINE)
_SYMBOL = re.compile(r"\bllvm\.amdgcn\.[A-Za-z0-9_.]+")


def objection(text, source, expect=(), mir=False):
    """Return why a text that came with success is no acceptance, or None.

    Args: text: assembly or MIR; source: the IR or C it was made of; expect: mnemonics that it must hold; mir: the text
      is MIR.
    """
    if mir:
        # MIR text begins with the IR; only what follows the first `body:` is the compiler's own.
        text = text.partition("body:")[2]
    code = "\n".join(line.split(";")[0] for line in text.splitlines())
    # An intrinsic that is known leaves no symbol behind.
    called = set(_DECLARED.findall(source)) & set(_SYMBOL.findall(code))
    if called:
        return f"exit status 0, but {min(called)} became a call: this compiler does not know it"
    missing = [name for name in expect if not re.search(r"\b" + re.escape(name) + r"\b", code)]
    if missing:
        return "exit status 0, but the output has no " + ", ".join(missing)
    return None


def given(source):
    """Return a shell command that writes a text to standard output; it is one line whatever the text holds."""
    if "\n" in source or "\\" in source:
        escaped = source.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
        return "printf '%b' " + shlex.quote(escaped)
    return "printf '%s\\n' " + shlex.quote(source)
