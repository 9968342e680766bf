# SPDX-License-Identifier: Apache-2.0
"""The project's own pins: register and lock agree, what was never read is listed, nothing of a machine is in the lock."""

import re

from cdna_evidence import cli, pins
from cdna_evidence.register import load

UNREAD_LLVM = "4e9d349ab86dc0a913db3cba11aa2763d6985aff"


def test_register_and_lock_agree(capsys):
    assert cli.main(["pins", "verify"]) == 0, capsys.readouterr().out


def test_llvm_at_the_audits_commit_stays_cited_and_unread():
    register = load()
    state = pins.states(register.root)
    listed = [pin for pin in pins.collect(register) if pin.commit == UNREAD_LLVM]

    assert listed and {state(pin).state for pin in listed} == {"unread"}
    assert all(state(pin).date and state(pin).reason for pin in listed)


def test_lock_names_no_machine_and_keeps_no_source_text():
    text = pins.Lock.load().path.read_text()

    assert not re.search(r"(?<![\w.])/(home|root|tmp|work|mnt|usr)/", text)
    assert max(len(line) for line in text.split("\n")) < 1000
