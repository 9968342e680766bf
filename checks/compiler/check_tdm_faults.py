# SPDX-License-Identifier: Apache-2.0
"""The message about saved waves with transfers under way, as an assembler knows it."""

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import verdict


class PlainMessage(Check):
    """The name with the plain send, its number in the encoding, and the same name on older targets.

    Shows: what this assembler knows.
    Does not show: what the hardware takes it for.
    """

    claim = "TDM-114"
    kind = "compiler"
    witness = "clang"
    position = "plain-message"
    binds = ("message", "id", "known_to_clang", "encoding")

    def observe(self, target, tools):
        return sent(tools, target, "s_sendmsg sendmsg({})", "MSG_{}SAVEWAVE_HAS_TDM", 0)


class ReturningMessage(Check):
    """The name with the returning send, and whether its number can be sent without a name.

    Shows: what this assembler knows.
    Does not show: what the hardware answers.
    """

    claim = "TDM-114"
    kind = "compiler"
    witness = "clang"
    position = "returning-message"
    binds = ("message", "id", "known_to_clang", "encoding", "other_returning_message")

    def observe(self, target, tools):
        found = sent(tools, target, "s_sendmsg_rtn_b32 s0, sendmsg({})", "MSG_RTN_SAVE_WAVE_HAS_TDM", 0x98)
        control = tools.clang.assemble(target, ["s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_SAVE_WAVE)"])[0]
        return dict(found, other_returning_message=verdict(control))


def sent(tools, target, form, name, number):
    """Assemble a message by name and, where the name is not known, by number; the number is read from the bytes."""
    name = name.format("")
    (by_name,) = tools.clang.assemble(target, [form.format(name)])
    answer = by_name
    if verdict(by_name) == "reject":
        (answer,) = tools.clang.assemble(target, [form.format(number).replace(f"sendmsg({number})", str(number))])
        if verdict(answer) == "reject":
            raise CannotTell(f"neither {name} nor {number} is taken")
    return {
        "message": name,
        "id": answer.bytes[0],
        "known_to_clang": verdict(by_name),
        "encoding": answer.bytes.hex(" "),
    }
