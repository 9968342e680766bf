# SPDX-License-Identifier: Apache-2.0
"""Signals to the cluster's barrier: one wave of each workgroup gives one (a library's review and clang's code, CLU-004)."""

import json

import pytest

from cdna.waits.cluster import signal_notes
from cdna.waits.program import read
from cdna_evidence.cli import main

# The order of clang 22.1.8, as on the guide's page.
RIGHT = """s_barrier_signal_isfirst -1
s_barrier_wait -1
s_cbranch_scc0 on
s_barrier_signal -3
on:
s_barrier_wait -3
s_endpgm"""


def lines(text, rule="cluster-signal-by-all"):
    found = signal_notes(read(text, 32))
    assert {(item["rule"], item["severity"], item["claim"]) for item in found} <= {(rule, "warning", "CLU-004")}
    return [item["field"] for item in found]


@pytest.mark.parametrize(
    "text, wanted",
    [
        (RIGHT, []),
        (RIGHT.replace("s_cbranch_scc0 on\n", ""), ["line 3"]),
        (RIGHT.replace("s_cbranch_scc0 on\n", "s_cbranch_scc0 far\nfar:\n"), ["line 5"]),
        ("s_barrier_signal -3\ns_barrier_wait -3\ns_endpgm", ["line 1"]),
        ("s_barrier_signal -1\ns_barrier_wait -1\ns_endpgm", []),
        # On one side of a fork and on both.
        ("s_cbranch_scc1 a\ns_nop 0\ns_branch b\na:\ns_barrier_signal -3\nb:\ns_endpgm", []),
        ("s_cbranch_scc1 a\ns_barrier_signal -1\na:\ns_barrier_signal_isfirst -3\ns_endpgm", ["line 4"]),
        # A loop that is always entered, and one that may be left before.
        ("again:\ns_barrier_signal -3\ns_cbranch_scc1 again\ns_endpgm", ["line 2"]),
        ("again:\ns_cbranch_scc0 out\ns_barrier_signal -3\ns_branch again\nout:\ns_endpgm", []),
        # A second kernel, and a function that guards the signal and returns.
        ("s_barrier_signal -3\ns_endpgm\nsecond:\ns_nop 0\ns_endpgm", ["line 1"]),
        ("s_endpgm\nf:\ns_cbranch_scc0 on\ns_barrier_signal -3\non:\ns_setpc_b64 s[30:31]", []),
        # Where a branch goes out of the text, nothing is said.
        ("s_cbranch_scc0 nowhere\ns_barrier_signal -3\ns_endpgm", []),
        # A piece of a kernel does not show what guards it; a workgroup of one wave needs no guard.
        ("s_barrier_signal -3\ns_barrier_wait -3", []),
        (".max_flat_workgroup_size: 32\ns_barrier_signal -3\ns_barrier_wait -3\ns_endpgm", []),
        (".max_flat_workgroup_size: 64\ns_barrier_signal -3\ns_barrier_wait -3\ns_endpgm", ["line 2"]),
    ],
)
def test_signals_that_no_branch_guards(text, wanted):
    assert lines(text) == wanted


def test_the_command_warns(capsys, tmp_path):
    path = tmp_path / "k.s"
    for text, count in ((RIGHT, 0), ("s_barrier_signal -3\ns_barrier_wait -3\ns_endpgm", 1)):
        path.write_text(text + "\n")
        assert main(["waits", "check", str(path), "--target", "gfx1250", "--json"]) == 0
        found = [
            item for item in json.loads(capsys.readouterr().out)["findings"] if item["rule"] == "cluster-signal-by-all"
        ]
        assert len(found) == count


@pytest.mark.parametrize(
    "text, wanted",
    [
        (RIGHT.replace("s_barrier_signal -3\n", ""), ["line 5"]),
        ("s_barrier_wait 0xfffd\ns_endpgm", ["line 1"]),  # as llvm-objdump prints it
        ("s_barrier_wait -1\ns_endpgm", []),
        ("s_mov_b32 m0, -3\ns_barrier_signal m0\ns_barrier_wait -3\ns_endpgm", []),  # which barrier is not in the text
        ("s_swap_pc_i64 s[30:31], s[4:5]\ns_barrier_wait -3\ns_endpgm", []),  # the callee may signal
        ("s_barrier_wait -3", []),  # a piece of a kernel
    ],
)
def test_a_wait_for_the_cluster_that_nothing_signals(text, wanted):
    assert lines(text, "cluster-wait-without-signal") == wanted
