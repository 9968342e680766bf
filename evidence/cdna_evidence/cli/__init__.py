# SPDX-License-Identifier: Apache-2.0
"""The `cdna` command: one module a command, imported only when that command runs.

The start-up time of `cdna tdm decode` is a promise, so nothing heavy may be imported here.
"""

import sys

# command -> (module in this package, one line of help); the order is the order of `cdna --help`.
COMMANDS = {
    "tdm": ("tdm", "decode, encode, run, pad, plan and lint Tensor Data Mover descriptors; their fields"),
    "lds": ("lds", "LDS: allocation, bank conflicts, direct copies and transposing loads"),
    "mfma": ("mfma", "matrix instructions: list, register layouts, wait states, audit"),
    "asm": ("asm", "assemble text for a target with a real assembler"),
    "disasm": ("asm", "disassemble bytes for a target"),
    "lane": ("lane", "what each lane holds after a permute, swizzle, DPP move or swap"),
    "format": ("format", "decode and encode number formats, scales of blocks; which formats a target takes"),
    "waits": ("waits", "decode waits, and find those that are missing, useless or out of range"),
    "claim": ("claim", "list, show, issue and withdraw claims"),
    "cite": ("cite", "print a citation of a claim"),
    "scan": ("scan", "find the claims that source trees cite, and say which still stand"),
    "check": ("check", "run the executable checks, or falsify the claims"),
    "pins": ("pins", "verify the pinned lines that claims cite"),
    "links": ("links", "check the external pages that are cited, or the links inside a built site"),
    "witnesses": ("asm", "say which independent programs are here, and how to get the others"),
    "matrix": ("matrix", "claims against compiler versions"),
    "site": ("site", "build or serve the site"),
}


def main(argv=None):
    """Run one command and return its exit status.

    Args: argv: the words after `cdna`; default `sys.argv[1:]`.
    Returns: 0 fine, 1 an error finding or a failed check, 2 wrong usage or unreadable input, 3 could not be told.
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    from .output import CannotTell, Usage, drop, ready, say

    ready()
    command = argv[0] if argv else ""
    try:
        try:
            return _run(command, argv[1:])
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except Usage as error:
        from .near import target_hint

        say(f"cdna {command}: {error}{target_hint(argv, str(error))}")
        return 2
    except CannotTell as error:
        say(f"cdna {command}: could not tell: {error}")
        return 3
    except BrokenPipeError:
        # The reader of a pipe went away (`cdna ... | head`): not an error of ours, and nothing more can be written.
        drop(sys.stdout)
        return 0
    except OSError as error:
        import errno

        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        say(f"cdna {command}: standard output: {error.strerror}")
        drop(sys.stdout)
        return 2
    except KeyboardInterrupt:
        say("interrupted")
        return 130


def _run(command, words):
    from .output import Usage, say

    if not command:
        say(_help())
        return 2
    if command in ("-h", "--help", "help"):
        print(_help())
        return 0
    if command in ("-V", "--version"):
        from cdna_evidence import __version__

        print("cdna " + __version__)
        return 0
    if command not in COMMANDS:
        from .near import command_said

        raise Usage(f"unknown command {command!r}: {', '.join(COMMANDS)}{command_said(command)}")
    module = __import__(f"{__name__}.{COMMANDS[command][0]}", fromlist=["run"])
    run = getattr(module, f"run_{command}", None) or module.run
    return run(words)


def _help():
    width = max(len(name) for name in COMMANDS)
    lines = ["usage: cdna COMMAND ...", ""]
    lines += [f"  {name:{width}}  {COMMANDS[name][1]}" for name in COMMANDS]
    lines += [
        "",
        "Every command takes --json (one document on standard output) and --help.",
        "Exit status: 0 fine, 1 an error finding or a failed check, 2 wrong usage or unreadable input,",
        "3 something asked for by name could not be told.",
    ]
    return "\n".join(lines)
