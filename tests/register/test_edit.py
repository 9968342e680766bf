# SPDX-License-Identifier: Apache-2.0
"""`new`, `withdraw` and `review`: the YAML keeps its layout, the ledger gets its line, nothing is written by halves."""

import multiprocessing
import os
import signal
import subprocess
import sys

import pytest

from cdna_evidence.register import ledger, load, load_all
from cdna_evidence.register.edit import EditError, new_claim, review_claim, withdraw_claim
from cdna_evidence.register.files import write_whole


def problems(tree):
    return [str(item) for item in ledger.ledger_problems(load(tree.root))]


def last(tree):
    return tree.read(ledger.FILE).splitlines()[-1].split(" ", 5)


def test_new_issues_the_next_id_and_keeps_every_other_byte(locked):
    before = locked.read()
    issued = new_claim(locked.root, "tdm", "tdm.new", "A new one: with a colon")

    assert issued == {"id": "TDM-003", "key": "tdm.new", "file": locked.chapter, "line": before.count("\n") + 2}
    assert locked.read().startswith(before)
    assert locked.read().splitlines()[issued["line"] - 1] == "- id: TDM-003"
    assert last(locked)[:2] + last(locked)[3:] == ["TDM-003", "r0", "issued", "-", "tdm.new"]


def test_a_skeleton_says_what_is_missing_and_loads_when_filled(locked):
    new_claim(locked.root, "tdm", "tdm.new", "A new one")
    fields = {line.split(": ")[1].split("=")[0] for line in locked.problems()}
    assert fields == {"statement", "boundary", "values", "evidence[0].source"}

    locked.change("TODO one idea in our own words; every number is a placeholder", "There are {n} of them.")
    locked.change("TODO what must not be concluded from it", "Nothing else.")
    locked.change("values: {gfx1250: {}}", "values: {gfx1250: {n: 3}}")
    locked.change("source: TODO, locator: TODO", "source: BOOK, locator: chapter 3")
    appended, wrong = ledger.lock(load(locked.root))

    assert (wrong, [(event.id, event.event) for event in appended]) == ([], [("TDM-003", "stated")])
    assert problems(locked) == []


def test_ids_are_not_issued_twice(locked):
    assert new_claim(locked.root, "tdm", "tdm.new", "A")["id"] == "TDM-003"
    assert new_claim(locked.root, "tdm", "tdm.newer", "B")["id"] == "TDM-004"
    withdraw_claim(locked.root, "TDM-004", "Not needed.")
    withdraw_claim(locked.root, "TDM-003", "Not needed.")
    assert new_claim(locked.root, "tdm", "tdm.newest", "C")["id"] == "TDM-005"


def test_an_id_issued_and_never_stated_leaves_a_ledger_line_and_the_old_file(locked):
    before = locked.read()
    new_claim(locked.root, "tdm", "tdm.new", "A")
    done = withdraw_claim(locked.root, "tdm.new", "A duplicate.")

    assert done["status"] == "withdrawn"
    assert locked.read() == before
    assert last(locked)[:2] + last(locked)[3:] == ["TDM-003", "r0", "withdrawn", "-", "A duplicate."]
    assert problems(locked) == []


def test_a_new_chapter_gets_its_first_lines(locked):
    issued = new_claim(locked.root, "lds-banks", "lds.banks", "Banks", prefix="LDS")

    assert issued["id"] == "LDS-001"
    assert locked.read(issued["file"]).startswith("# yaml-language-server: $schema=../schema/claims.schema.json\n# SPDX-License-Identifier: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tdm", "tdm.count", "T"), "key=tdm.count: one that was never used; TDM-002 has it"),
        (("tdm", "Key", "T"), "key=Key: lower-case words"),
        (("../x", "a.b", "T"), "chapter=../x: lower-case words"),
        (("tdm", "a.b", " "), "title: one line of text, not empty"),
        (("tdm", "a.b", "a\x1bb"), "title: one line of text, not empty"),
        (("other", "a.b", "T"), "prefix: needed for the first claim of a chapter; there are TDM"),
        (("tdm", "a.b", "T", "tdm"), "prefix=tdm: 2 to 5 capitals"),
    ],
)
def test_new_refuses_and_writes_nothing(locked, arguments, message):
    before = (locked.read(), locked.read(ledger.FILE))
    with pytest.raises(EditError) as error:
        new_claim(locked.root, *arguments)

    assert message in str(error.value)
    assert (locked.read(), locked.read(ledger.FILE)) == before


def test_new_refuses_a_chapter_written_in_another_style(locked):
    locked.write("evidence/claims/flow.yml", "[{id: LDS-001}]\n")
    with pytest.raises(EditError, match="not a plain list of claims"):
        new_claim(locked.root, "flow", "a.b", "T")


def test_withdraw_changes_two_lines_and_keeps_the_rest(locked):
    before = locked.read()
    done = withdraw_claim(locked.root, "tdm.pad.interval", 'It was "wrong": see table 63.')

    assert done == {"id": "TDM-001", "status": "withdrawn", "file": locked.chapter}
    line = f'  withdrawn: {{date: {ledger.today()}, reason: "It was \\"wrong\\": see table 63."}}\n'
    assert locked.read() == before.replace("  status: active\n", "  status: withdrawn\n" + line)
    assert [event[0:1] + event[3:4] for event in [locked.read(ledger.FILE).splitlines()[2].split(" ")]] == [["TDM-001", "withdrawn"]]
    assert problems(locked) == []
    claim = load(locked.root).claims["TDM-001"]
    assert (claim.status, claim.withdrawn.reason) == ("withdrawn", 'It was "wrong": see table 63.')


def test_withdraw_with_successors_supersedes(locked):
    withdraw_claim(locked.root, "TDM-001", "Split.", ["TDM-002"])

    claim = load(locked.root).claims["TDM-001"]
    assert (claim.status, claim.superseded_by) == ("superseded", ["TDM-002"])
    assert locked.read(ledger.FILE).splitlines()[2].endswith("TDM-002 Split.")
    assert problems(locked) == []


def test_withdraw_keeps_windows_line_ends_and_comments(locked):
    locked.write(locked.chapter, locked.read().replace("status: active\n", "status: active   # for now\n").replace("\n", "\r\n"))
    withdraw_claim(locked.root, "TDM-001", "Wrong.")

    content = (locked.root / locked.chapter).read_bytes()
    assert b"  status: withdrawn   # for now\r\n  withdrawn: {date: " in content
    assert content.count(b"\n") == content.count(b"\r\n")


def test_the_command_named_for_a_removed_claim_brings_it_back_withdrawn(locked):
    """What the ledger's message says works: the text comes from the history."""
    text = locked.read()
    locked.write(locked.chapter, text[: text.index("# Between")])
    locked.commit("removed, and committed")
    done = withdraw_claim(locked.root, "TDM-002", "Nobody needs it.")

    assert done["file"] == locked.chapter
    claim = load(locked.root).claims["TDM-002"]
    assert (claim.status, len(claim.positions)) == ("withdrawn", 2)
    assert problems(locked) == []


def test_the_command_named_for_a_renamed_claim_works(locked):
    locked.change("id: TDM-002", "id: TDM-007")
    locked.change("key: tdm.count", "key: tdm.counted")
    withdraw_claim(locked.root, "TDM-002", "Renamed by mistake.", ["TDM-007"])

    register = load(locked.root)
    assert (register.claims["TDM-002"].superseded_by, register.claims["TDM-007"].status) == (["TDM-007"], "disputed")
    assert ledger.lock(register)[1] == []
    assert problems(locked) == []


@pytest.mark.parametrize(
    ("name", "reason", "successors", "message"),
    [
        ("TDM-009", "x", [], "TDM-009: no such id or key"),
        ("TDM-001", " ", [], "reason: one line of text, not empty"),
        ("TDM-001", "x", ["TDM-009"], "successor=TDM-009: an id in evidence/claims"),
        ("TDM-001", "x", ["TDM-001"], "successor=TDM-001: another claim than itself"),
    ],
)
def test_withdraw_refuses_and_writes_nothing(locked, name, reason, successors, message):
    before = (locked.read(), locked.read(ledger.FILE))
    with pytest.raises(EditError) as error:
        withdraw_claim(locked.root, name, reason, successors)

    assert message in str(error.value)
    assert (locked.read(), locked.read(ledger.FILE)) == before


def test_a_claim_is_withdrawn_once_and_as_it_stood(locked):
    locked.change("dwords: [2, 4, 8]", "dwords: [2, 4, 16]")
    with pytest.raises(EditError, match="changed since r1 was recorded"):
        withdraw_claim(locked.root, "TDM-001", "Wrong.")
    locked.change("dwords: [2, 4, 16]", "dwords: [2, 4, 8]")
    withdraw_claim(locked.root, "TDM-001", "Wrong.")
    with pytest.raises(EditError, match="TDM-001 is withdrawn already"):
        withdraw_claim(locked.root, "TDM-001", "Wrong.")


def test_a_claim_written_on_one_line_is_left_to_its_author(locked):
    text = locked.read()
    flow = '- {id: TDM-003, key: a.b, title: T, targets: [gfx1250], layer: isa, statement: S, boundary: B, values: {gfx1250: {n: 1}}, evidence: [{source: BOOK, locator: x, stance: supports}], covers: [], revision: 1, status: active, since: "2026.12"}\n'
    locked.write(locked.chapter, text + flow)
    ledger.lock(load(locked.root))
    with pytest.raises(EditError, match="edit it by hand"):
        withdraw_claim(locked.root, "TDM-003", "Wrong.")
    assert locked.read() == text + flow


def test_a_review_records_that_only_the_wording_changed(locked):
    locked.change("The smallest code pads", "The least code pads")
    assert len(problems(locked)) == 1
    done = review_claim(locked.root, "TDM-001", "A plainer word.")

    assert (done["id"], done["revision"]) == ("TDM-001", 1)
    assert problems(locked) == []
    assert locked.read(ledger.FILE).splitlines()[2].endswith(" A plainer word.")
    locked.change("The least code pads", "The lowest code pads")
    assert len(problems(locked)) == 1, "a review covers the text that was reviewed, not the next one"
    review_claim(locked.root, "TDM-001", "Another word.")
    assert problems(locked) == []
    assert [review.note for review in load(locked.root).claims["TDM-001"].reviews] == ["A plainer word.", "Another word."]


def test_a_review_of_nothing_is_refused(locked):
    with pytest.raises(EditError, match="nothing with meaning changed since r1"):
        review_claim(locked.root, "TDM-001", "x")
    locked.change("dwords: [2, 4, 8]", "dwords: [2, 4, 16]")
    locked.change("  revision: 1\n  status: active", "  revision: 2\n  status: active")
    with pytest.raises(EditError, match="a raised revision needs no review"):
        review_claim(locked.root, "TDM-001", "x")


def test_a_review_written_by_hand_is_recorded_by_lock(locked):
    locked.change("The smallest code pads", "The least code pads")
    sum_ = ledger.checksum(load(locked.root).claims["TDM-001"])
    locked.change("  status: active\n", f'  status: active\n  reviews:\n    - {{date: 2026-12-03, revision: 1, checksum: "{sum_}", note: By hand.}}\n')
    appended, wrong = ledger.lock(load(locked.root))

    assert (wrong, [(event.event, event.rest) for event in appended]) == ([], [("wording", "By hand.")])


def test_broken_yaml_elsewhere_stops_a_change(locked):
    locked.write("evidence/claims/broken.yml", "- id: [\n")
    with pytest.raises(EditError, match="evidence/claims/broken.yml:2:1"):
        new_claim(locked.root, "tdm", "tdm.new", "A")


# --- whole or not at all ---

KILLED = """
import os, signal, sys
from cdna_evidence.register import files
step, path = sys.argv[1], sys.argv[2]
real = {name: getattr(os, name) for name in ("fsync", "chmod", "replace")}
def die(*a, **k):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, step, die)
files.write_whole(path, b"new\\n" * 100000)
"""


@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
def test_a_kill_during_a_write_leaves_the_old_file_whole(tmp_path, step):
    path = tmp_path / "evidence.yml"
    path.write_bytes(b"old\n")
    done = subprocess.run([sys.executable, "-c", KILLED, step, str(path)], capture_output=True)

    assert done.returncode == -signal.SIGKILL, done.stderr
    assert path.read_bytes() == b"old\n"


def test_what_a_kill_left_behind_is_no_claim_file(locked):
    (locked.root / "evidence/claims/.tdm.yml-abc123").write_text("- half of a", "utf-8")

    assert locked.problems() == []
    assert new_claim(locked.root, "tdm", "tdm.new", "A")["id"] == "TDM-003"


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)

    def fail(*arguments):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, b"new")
    monkeypatch.undo()

    assert [item.name for item in tmp_path.iterdir()] == ["a"]
    write_whole(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)


def _issue(arguments):
    root, number = arguments
    return new_claim(root, "tdm", f"tdm.parallel.n{number}", "A")["id"]


def test_two_writers_wait_for_each_other(locked):
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        issued = pool.map(_issue, [(locked.root, number) for number in range(6)], chunksize=1)

    assert sorted(issued) == [f"TDM-{number:03}" for number in range(3, 9)]
    register, _ = load_all(locked.root)
    assert locked.read().count("- id: TDM-00") == 8
    assert len(locked.read(ledger.FILE).splitlines()) == 9


def test_killed_between_the_two_files_the_next_lock_mends_it(locked, monkeypatch):
    def die(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(ledger, "append", die)
    with pytest.raises(KeyboardInterrupt):
        new_claim(locked.root, "tdm", "tdm.new", "A")
    monkeypatch.undo()

    assert "TDM-003" in locked.read()
    assert "TDM-003" not in locked.read(ledger.FILE)
    assert new_claim(locked.root, "tdm", "tdm.newer", "B")["id"] == "TDM-004"
