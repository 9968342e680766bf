# SPDX-License-Identifier: Apache-2.0
"""A command and its real output: the page shows what the command line answers, because it asks it."""

import contextlib
import io
import shlex

from .tree import h


def decoded(here, args):
    """`::decode WORDS`: the command `cdna tdm decode WORDS` and what it prints, run when the page is made."""
    from cdna_evidence.cli import main

    words = shlex.split(args)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["tdm", "decode", *words])
    if status not in (0, 1):
        raise ValueError(f"cdna tdm decode {args}: exit status {status}: {err.getvalue().strip()}")
    command = "cdna tdm decode " + " ".join(words)
    return h(
        "div",
        h("div", h("pre", h("code", command)), class_="cdna-command"),
        h("div", h("pre", h("code", out.getvalue().rstrip())), class_="cdna-output", tabindex="0", role="region", aria_label="output"),
        h("p", f"Exit status {status}" + (": no error was found." if status == 0 else ": at least one error was found."), class_="cdna-quiet"),
        class_="cdna-example",
    )
