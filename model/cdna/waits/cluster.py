# SPDX-License-Identifier: Apache-2.0
"""Finds signals to the barrier of a cluster that no branch guards, so that every wave gives one, and waits for it without a signal."""

from cdna.waits.dependencies import block_at, note

_SIGNALS = ("s_barrier_signal", "s_barrier_signal_isfirst")
_CLUSTER = "-3"
_CLUSTER_WAITED = ("-3", "0xfffd", "65533")  # the wait has a 16-bit operand
_CALLS = ("s_swappc_b64", "s_swap_pc_i64", "s_call_b64", "s_call_i64", "s_setpc_b64", "s_set_pc_i64")


def signal_notes(program):
    """Return a warning for each cluster signal that lies on every way from an entry of the program to its end, and for a wait alone.

    Only a whole kernel is judged, and none of which the text says that a workgroup is one wave. A branch that some other
    condition decides guards too: this finds the plain mistake, and does not prove that one wave signals.
    Args: program: as cdna.waits.program reads it. Claims: CLU-004.
    """
    found, ended = [], False
    for item in program.instructions:
        ended = ended or item.mnemonic == "s_endpgm"
    if program.one_wave or not ended:
        return found
    for item in program.instructions:
        if item.mnemonic not in _SIGNALS or item.operands[:1] != (_CLUSTER,):
            continue
        if _on_every_way(program, block_at(program, item.index)):
            message = (
                f"line {item.line}: every wave signals the barrier of the cluster, which counts one signal a workgroup:"
            )
            message += (
                " one workgroup could release all. Let one wave signal, behind a branch; right as it is only where a"
            )
            message += " workgroup is one wave"
            found.append(note("cluster-signal-by-all", "warning", message, "CLU-004", item.line))
    return found + _waits_alone(program)


def _waits_alone(program):
    """Return a warning where a program waits for the cluster and nothing in it signals. Claims: CLU-004."""
    waits = []
    for item in program.instructions:
        if item.mnemonic in _SIGNALS and item.operands[:1] in ((_CLUSTER,), ("m0",)) or item.mnemonic in _CALLS:
            return []
        if item.mnemonic == "s_barrier_wait" and item.operands[:1] and item.operands[0].lower() in _CLUSTER_WAITED:
            waits.append(item)
    if not waits:
        return []
    message = (
        f"line {waits[0].line}: waits for the barrier of the cluster, and nothing here signals it: one wave of each"
    )
    message += " workgroup has to, with s_barrier_signal -3"
    return [note("cluster-wait-without-signal", "warning", message, "CLU-004", waits[0].line)]


def _on_every_way(program, place):
    """Say whether some entry leads to a block and has no way to an end, known or not, that leaves the block out."""
    for entry in program.entries:
        work, seen, reached, avoided = [entry], {}, False, False
        while work:
            number = work.pop()
            block = program.blocks[number]
            if block.first == place.first:
                reached = True
            elif number not in seen:
                seen[number] = True
                avoided = avoided or not block.successors or block.last in program.unknown_targets
                work += block.successors
        if reached and not avoided:
            return True
    return False
