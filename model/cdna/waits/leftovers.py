# SPDX-License-Identifier: Apache-2.0
"""What is left to say at the end: results that nothing reads, jumps and lines that could not be followed."""

from cdna.waits.texts import finding_of


def left_over(program, facts, whole):
    """Return findings on loads without a reader, jumps out of the text, and lines that were not read.

    Args: program: a Program; facts: see finder.facts_of; whole: True when nothing runs after the program: only then is a
      result without a reader of no use.
    """
    found = []
    unused = _never_read(program, facts) if whole else []
    if unused:
        found.append(finding_of("never-read", "info", facts, unused[0], None, {"producers": unused}))
    for index in program.unknown_targets:
        found.append(finding_of("branch-not-followed", "warning", facts, index, None, {}))
    if program.unread:
        line, text = program.unread[0]
        message = f"line {line}: {text[:60]!r} was not read as an instruction ({len(program.unread)} such lines): nothing is said about it"
        found.append(
            {
                "rule": "not-read",
                "severity": "warning",
                "message": message,
                "claim": None,
                "field": f"line {line}",
                "line": line,
            }
        )
    return found


def named(effect, registers):
    """Return all registers that an instruction names or uses without naming.

    Args: effect: its Effect; registers: the registers of each operand.
    """
    names = []
    for name in list(effect.used) + list(effect.written):
        if name not in names:
            names.append(name)
    for operand in registers:
        for name in operand:
            if name not in names:
                names.append(name)
    return names


def _never_read(program, facts):
    reads = []
    for block in program.blocks:
        names = {}
        for index in range(block.first, block.last + 1):
            _reads(facts, index, names)
        reads.append(names)
    after = _read_behind(program, reads)
    unused = []
    for number in range(len(program.blocks)):
        block, names = program.blocks[number], after[number]
        for index in range(block.last, block.first - 1, -1):
            effect = facts["effects"][index]
            if effect.written and effect.written != ("scc",) and "atomic" not in effect.what:
                if not any([name in names for name in effect.written]):
                    unused.append(index)
            _reads(facts, index, names)
    return sorted(unused)


def _read_behind(program, reads):
    """Return for each block the registers that some block which may follow reads, by going round until nothing changes."""
    after = [{} for _ in program.blocks]
    changed = True
    while changed:
        changed = False
        for number in range(len(program.blocks) - 1, -1, -1):
            mine = after[number]
            for follower in program.blocks[number].successors:
                for table in (reads[follower], after[follower]):
                    for name in table:
                        if name not in mine:
                            mine[name] = True
                            changed = True
    return after


def _reads(facts, index, names):
    effect = facts["effects"][index]
    for name in named(effect, facts["registers"][index]):
        if name not in effect.written or name in effect.used:
            names[name] = True
