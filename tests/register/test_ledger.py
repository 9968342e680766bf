# SPDX-License-Identifier: Apache-2.0
"""The ledger: no id vanishes, no meaning changes unseen, no line leaves the history."""

import pytest

from cdna_evidence.register import ledger, load


def problems(tree, git=True):
    return [str(item) for item in ledger.ledger_problems(load(tree.root), git)]


def lock(tree):
    return ledger.lock(load(tree.root))


def without(text, identity):
    """Return a chapter without one claim."""
    blocks = text.split("- id: ")
    return "- id: ".join([blocks[0]] + [block for block in blocks[1:] if not block.startswith(identity)])


def test_a_new_register_asks_to_be_locked_and_is_then_right(tree):
    before = problems(tree)
    appended, wrong = lock(tree)

    assert before == [
        "evidence/claims/tdm.yml:3:1: ledger: `cdna claim lock` records it (stated r1), TDM-001",
        "evidence/claims/tdm.yml:22:1: ledger: `cdna claim lock` records it (stated r1), TDM-002",
    ]
    assert wrong == []
    assert [(event.id, event.revision, event.event, event.rest) for event in appended] == [
        ("TDM-001", 1, "stated", "tdm.pad.interval"),
        ("TDM-002", 1, "stated", "tdm.count"),
    ]
    assert problems(tree) == []
    assert lock(tree) == ([], [])


def test_the_file_is_one_event_a_line(locked):
    lines = locked.read(ledger.FILE).splitlines()

    assert lines[0].startswith("# ")
    assert [line.split(" ")[0:2] + [line.split(" ")[3]] for line in lines[1:]] == [["TDM-001", "r1", "stated"], ["TDM-002", "r1", "stated"]]
    assert all(len(line.split(" ")[4]) == 64 for line in lines[1:])


def test_a_removed_id_fails_with_the_command_that_withdraws_it(locked):
    locked.write(locked.chapter, without(locked.read(), "TDM-002"))

    assert problems(locked) == [
        "evidence/ids.lock:3:1: id=TDM-002 was removed: no id may vanish; "
        '`cdna claim withdraw TDM-002 --reason "..."` brings it back and withdraws it'
    ]
    assert lock(locked)[0] == []


def test_a_renamed_id_fails_with_the_command_that_names_its_successor(locked):
    locked.change("id: TDM-002", "id: TDM-007")

    found = problems(locked)

    assert any(
        "TDM-002 was renamed to TDM-007: no id may vanish; "
        '`cdna claim withdraw TDM-002 --reason "..." --successor TDM-007` brings it back and withdraws it' in line
        for line in found
    ), found
    assert lock(locked)[0] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The smallest code pads", "The least code pads"),
        ("Says nothing about hardware.", "Says little about hardware."),
        ("dwords: [2, 4, 8]", "dwords: [2, 4, 16]"),
        ("safe: Write count {one}.", "safe: Write {one}."),
        ("says: It must be {one}.", "says: It is {one}."),
        ("position: must-be-one", "position: any-number"),
        ("layer: isa\n  statement: >-", "layer: derived\n  statement: >-"),
    ],
)
def test_a_changed_meaning_without_revision_or_review_fails(locked, old, new):
    locked.change(old, new)

    found = problems(locked)

    assert len(found) == 1
    assert "raise revision to 2 if the meaning changed, else `cdna claim review TDM-00" in found[0]
    assert lock(locked)[0] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: The interval is a code", "title: The interval is a power-of-two code"),
        ("pads after {dwords[0]} DWORDs\n    and", "pads after {dwords[0]}\n    DWORDs and"),
        ("covers: []", "covers: [tdm.count.row]"),
        ("locator: chapter 2", "locator: chapter 3"),
        ("values: {gfx942: {one: 1}, gfx950: {one: 1}}", "values: {gfx950: {one: 1}, gfx942: {one: 1}}"),
    ],
)
def test_what_has_no_meaning_may_change(locked, old, new):
    locked.change(old, new)

    assert problems(locked) == []


def test_a_raised_revision_is_recorded(locked):
    locked.change("dwords: [2, 4, 8]", "dwords: [2, 4, 16]")
    locked.change("  revision: 1\n  status: active", "  revision: 2\n  status: active")

    assert problems(locked) == ["evidence/claims/tdm.yml:3:1: ledger: `cdna claim lock` records it (revised r2), TDM-001"]
    assert [event.event for event in lock(locked)[0]] == ["revised"]
    assert problems(locked) == []


@pytest.mark.parametrize(
    ("revision", "message"),
    [(2, "revision=2: 1: nothing with meaning changed"), (3, "revision=3: 2; revisions are raised by one")],
)
def test_a_revision_is_raised_by_one_and_for_a_reason(locked, revision, message):
    locked.change("  revision: 1\n  status: active", f"  revision: {revision}\n  status: active")

    assert message in problems(locked)[0]


def test_a_revision_never_goes_down(locked):
    locked.change("dwords: [2, 4, 8]", "dwords: [2, 4, 16]")
    locked.change("  revision: 1\n  status: active", "  revision: 2\n  status: active")
    lock(locked)
    locked.change("  revision: 2\n  status: active", "  revision: 1\n  status: active")

    assert "revision=1: 2 or 3; a revision never goes down" in problems(locked)[0]


def test_a_new_claim_begins_with_revision_one(tree):
    tree.change("  revision: 1\n  status: active", "  revision: 2\n  status: active")

    assert any("revision=2: 1 for a claim that is new, TDM-001" in line for line in problems(tree))


def test_a_renamed_key_keeps_its_old_key(locked):
    locked.change("key: tdm.count", "key: tdm.desc.count")
    assert "was: every key the claim ever had stays in was; missing: tdm.count" in problems(locked)[0]

    locked.change("key: tdm.desc.count", "key: tdm.desc.count\n  was: [tdm.count]")
    assert [event.event for event in lock(locked)[0]] == ["renamed"]
    assert problems(locked) == []
    assert load(locked.root).by_key("tdm.count").id == "TDM-002"

    # Dropped later, the old key is still missed: the ledger remembers it.
    locked.change("\n  was: [tdm.count]", "")
    assert "missing: tdm.count" in problems(locked)[0]


def test_a_reused_id_is_refused(locked):
    locked.change("key: tdm.count", "key: tdm.other")
    locked.change("Sources disagree;", "Something else;")

    assert "id=TDM-002: a new id (`cdna claim new`); this one means tdm.count, evidence/ids.lock line 3" in problems(locked)[0]


def test_a_withdrawn_claim_stays_and_stays_as_it_was(locked):
    locked.change("  status: active\n", "  status: withdrawn\n  withdrawn: {date: 2026-12-02, reason: Wrong.}\n")
    assert [(event.event, event.rest, event.date) for event in lock(locked)[0]] == [("withdrawn", "Wrong.", "2026-12-02")]
    assert problems(locked) == []

    text = locked.read()
    locked.change("dwords: [2, 4, 8]", "dwords: [2, 4, 16]")
    assert "what was withdrawn stays as it was" in problems(locked)[0]

    locked.write(locked.chapter, text.replace("  status: withdrawn\n  withdrawn: {date: 2026-12-02, reason: Wrong.}\n", "  status: active\n"))
    assert "status=active: withdrawn, as in evidence/ids.lock line 3; what comes back takes a new id" in problems(locked)[0]

    locked.write(locked.chapter, without(text, "TDM-001"))
    locked.change("claims: [TDM-001]", "claims: []", locked.manual)
    assert "id=TDM-001 was removed: no id may vanish" in problems(locked)[0]


def test_a_line_taken_out_of_the_ledger_is_noticed(locked):
    lines = locked.read(ledger.FILE).splitlines(keepends=True)
    locked.write(ledger.FILE, "".join(lines[:2]))
    locked.write(locked.chapter, without(locked.read(), "TDM-002"))

    assert problems(locked, git=False) == []
    assert [f"line={lines[2][:20]}" in line and "no line may leave or change" in line for line in problems(locked)] == [True]


def test_a_line_taken_out_in_an_earlier_commit_is_noticed(locked):
    lines = locked.read(ledger.FILE).splitlines(keepends=True)
    locked.write(ledger.FILE, "".join(lines[:2]))
    locked.write(locked.chapter, without(locked.read(), "TDM-002"))
    locked.commit("remove")
    locked.write("later.txt", "x")
    locked.commit("later")

    assert any("no line may leave or change" in line for line in problems(locked))


def test_a_line_lost_in_a_merge_is_noticed(locked):
    locked.git("checkout", "-qb", "side")
    locked.write("evidence/claims/other.yml", locked.read().replace("TDM-00", "TDM-01").replace("key: tdm.", "key: other."))
    lock(locked)
    locked.commit("two more")
    locked.git("checkout", "-q", "main")
    locked.write("m.txt", "x")
    locked.commit("main goes on")
    locked.git("merge", "-q", "--no-commit", "--no-ff", "side")
    locked.git("checkout", "-q", "main", "--", ledger.FILE)
    (locked.root / "evidence/claims/other.yml").unlink()
    locked.commit("a merge that drops what the side issued")

    assert len([line for line in problems(locked) if "no line may leave or change" in line]) == 2


def test_two_branches_that_issue_one_id_are_reported(locked):
    line = locked.read(ledger.FILE).splitlines()[2]
    locked.write(ledger.FILE, locked.read(ledger.FILE) + line.replace("2026", "2027", 1).replace("tdm.count", "tdm.other") + "\n")

    assert any("an id is issued once; see line 3: if two branches issued it, one of them takes a new id" in text for text in problems(locked, git=False))


def test_branches_that_add_different_ids_merge_by_union(locked):
    """Each branch issues its own id; merge=union keeps both lines and the order does not matter."""
    locked.write(".gitattributes", f"{ledger.FILE} merge=union\n")
    locked.commit("attributes")
    for branch, number, prefix in (("one", "003", "TDM"), ("two", "001", "LDS")):
        locked.git("checkout", "-qb", branch, "main")
        block = locked.read().split("- id: ")[2].replace("TDM-002", f"{prefix}-{number}").replace("tdm.count", f"{branch}.count")
        block = block.replace("TDM-002", f"{prefix}-{number}")
        locked.write(f"evidence/claims/{branch}.yml", "- id: " + block)
        assert len(lock(locked)[0]) == 1
        locked.commit(branch)
    locked.git("checkout", "-q", "one")
    locked.git("merge", "-q", "--no-edit", "two")

    assert problems(locked) == []
    assert len(load(locked.root).claims) == 4


@pytest.mark.parametrize(
    "line",
    ["TDM-003", "TDM-003 r1 2026-12-01 stated abc tdm.x", "TDM-003 r1 2026-12-01 forgotten " + "0" * 64 + " tdm.x", "<<<<<<< HEAD", "\x00", "\u2028"],
)
def test_a_line_that_is_none_is_a_message(locked, line):
    locked.write(ledger.FILE, locked.read(ledger.FILE) + line + "\n")

    found = problems(locked)

    assert len(found) == 1
    assert found[0].startswith("evidence/ids.lock:4:1: line=")
    assert lock(locked)[0] == []


def test_a_ledger_that_is_no_text_or_missing_is_a_message(locked):
    locked.write(ledger.FILE, b"\xff\xfe")
    assert any("UTF-8 text" in line for line in problems(locked, git=False))

    (locked.root / ledger.FILE).unlink()
    assert any("not readable" in line for line in problems(locked, git=False))


def test_without_a_history_the_comparison_says_so(tree):
    lock(tree)

    assert problems(tree) == []
    assert ledger.compared_with(tree.root) is None
    assert ledger.ever(tree.root) == []


def test_inside_another_repository_its_history_is_not_ours(locked):
    inner = type(locked)(locked.root / "inner")
    lock(inner)

    assert ledger.compared_with(inner.root) is None
    assert problems(inner) == []


def test_the_comparison_names_the_commits(locked):
    assert ledger.compared_with(locked.root).startswith(f"1 commits of {ledger.FILE} up to ")


def test_a_whole_check_says_what_no_lock_can_cure(tree, monkeypatch):
    """A new claim may wait for its line; an id that vanished is an error, with the command that withdraws it properly."""
    from cdna_evidence import settings
    from cdna_evidence.cli import check

    monkeypatch.setattr(settings, "clone", lambda: tree.root)
    assert check._ledger_findings(load(tree.root)) == []
    ledger.lock(load(tree.root))
    tree.change("- id: TDM-002", "- id: TDM-003")
    found = check._ledger_findings(load(tree.root))

    assert [item["severity"] for item in found] == ["error"]
    assert "cdna claim withdraw TDM-002" in found[0]["message"] and "TDM-003" in found[0]["message"]
