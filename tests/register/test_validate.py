# SPDX-License-Identifier: Apache-2.0
"""Each rule of the register: one message, at the right file, line and column."""

import pytest

CHAPTER = "evidence/claims/tdm.yml"
MANUAL = "evidence/sources/manual.yml"
SECOND = "- id: TDM-002\n  key: tdm.count\n"

# name, old text, new text, file, place, what the message must say
CASES = [
    ("duplicate id", "id: TDM-002", "id: TDM-001", CHAPTER, "22:7", "id=TDM-001: each id once; it stands in evidence/claims/tdm.yml:3, TDM-001"),
    ("id shape", "id: TDM-002", "id: tdm-2", CHAPTER, "22:7", "id=tdm-2: a prefix of 2 to 5 capitals"),
    ("id number zero", "id: TDM-002", "id: TDM-000", CHAPTER, "22:7", "id=TDM-000: a prefix of 2 to 5 capitals"),
    ("unknown source", "{source: BOOK, locator: chapter 1", "{source: BOOKS, locator: chapter 1", CHAPTER, "34:27", "positions[0].evidence[0].source=BOOKS: no such source; did you mean BOOK?, TDM-002"),
    ("unknown via", "via: BOOK", "via: PAMPHLET", CHAPTER, "14:48", "evidence[0].via=PAMPHLET: no such source in evidence/sources, TDM-001"),
    ("via unread", "source: MANUAL, locator: table 63, via: BOOK", "source: BOOK, locator: table 63, via: MANUAL", CHAPTER, "14:46", "evidence[0].via=MANUAL: a source that was read; MANUAL is quoted, TDM-001"),
    ("via itself", "via: BOOK", "via: MANUAL", CHAPTER, "14:48", "evidence[0].via=MANUAL: another source than `source`, TDM-001"),
    ("no place in the source", "{source: MANUAL, pin: table-one, stance: supports}", "{source: MANUAL, stance: supports}", CHAPTER, "15:7", "evidence[1]: locator or pin: where the source says so, TDM-001"),
    ("unknown pin", "pin: table-one", "pin: table-two", CHAPTER, "15:29", "evidence[1].pin=table-two: a pin of MANUAL: table-one, TDM-001"),
    ("pin without lines", "pin: table-one", "pin: {must_contain: [x]}", CHAPTER, "15:29", "evidence[1].pin.lines: required, TDM-001"),
    ("pin lines backwards", "pin: table-one", "pin: {lines: [9, 3], must_contain: [x]}", CHAPTER, "15:37", "evidence[1].pin.lines=a list: [first, last] with 1 <= first <= last, or one line number, TDM-001"),
    ("pin without identifiers", "pin: table-one", "pin: {lines: 3, must_contain: []}", CHAPTER, "15:54", "evidence[1].pin.must_contain=[]: at least 1, TDM-001"),
    ("pin commit", "pin: table-one", "pin: {commit: main, lines: 3, must_contain: [x]}", CHAPTER, "15:38", "evidence[1].pin.commit=main: 40 hexadecimal digits in lower case, TDM-001"),
    ("pin path upward", "pin: table-one", "pin: {path: ../x, lines: 3, must_contain: [x]}", CHAPTER, "15:36", "evidence[1].pin.path=../x: a path inside the repository, with slashes, TDM-001"),
    ("pin without repository", "{source: MANUAL, pin: table-one", "{source: BOOK, pin: {lines: 3, must_contain: [x]}", CHAPTER, "15:27", "evidence[1].pin: repository, commit, path required: neither the pin nor BOOK has it, TDM-001"),
    ("stance", "pin: table-one, stance: supports", "pin: table-one, stance: agrees", CHAPTER, "15:48", "evidence[1].stance=agrees: supports, contradicts, context, TDM-001"),
    ("empty boundary", "boundary: Does not say what a device does.", 'boundary: "  "', CHAPTER, "29:13", "boundary=: text, not empty, TDM-002"),
    ("no boundary", "  boundary: Does not say what a device does.\n", "", CHAPTER, "22:3", "boundary: required, TDM-002"),
    ("value missing for a target", "values: {gfx942: {one: 3}, gfx950: {one: 7}}", "values: {gfx942: {one: 3}}", CHAPTER, "22:3", "values: no value for gfx950, position any-number: at least one, or `untestable:` with the reason, TDM-002"),
    ("testable without values", "  values: {gfx1250: {dwords: [2, 4, 8]}}\n", "", CHAPTER, "3:3", "values: no value for gfx1250: at least one, or `untestable:` with the reason, TDM-001"),
    ("value for another target", "values: {gfx1250: {dwords: [2, 4, 8]}}", "values: {gfx1250: {dwords: [2, 4, 8]}, gfx942: {dwords: [2]}}", CHAPTER, "12:42", "values.gfx942=gfx942: one of the claim's targets: gfx1250, TDM-001"),
    ("prose in values", "dwords: [2, 4, 8]", "dwords: [2, 4, 8], why: it is so", CHAPTER, "12:46", "values.gfx1250.why=it is so: one word: a mnemonic"),
    ("a plain word in values", "dwords: [2, 4, 8]", "dwords: [2, 4, 8], why: because", CHAPTER, "12:46", "values.gfx1250.why=because: one word: a mnemonic"),
    ("empty list in values", "dwords: [2, 4, 8]", "dwords: [2, 4, 8], none: []", CHAPTER, "12:47", "values.gfx1250.none=[]: not empty, TDM-001"),
    ("name in values", "dwords: [2, 4, 8]", "dwords: [2, 4, 8], No-Name: 1", CHAPTER, "12:50", "values.gfx1250.No-Name=No-Name: a name in lower case with underscores, TDM-001"),
    ("huge value", "dwords: [2, 4, 8]", "dwords: [2, 4, 18446744073709551616]", CHAPTER, "12:37", "values.gfx1250.dwords[2]=18446744073709551616: an integer below 2^64, TDM-001"),
    ("disputed without safe", "  safe: Write count {one}.\n", "", CHAPTER, "22:3", "safe: required for a disputed claim: what is right under every position, TDM-002"),
    ("disputed without reading", "  reading: {position: must-be-one, why: It is safe.}\n", "", CHAPTER, "22:3", "reading: required for a disputed claim: {position, why}, TDM-002"),
    ("reading of an unknown position", "reading: {position: must-be-one", "reading: {position: must-be-two", CHAPTER, "39:23", "reading.position=must-be-two: one of the positions: must-be-one, any-number, TDM-002"),
    ("position twice", "- name: any-number", "- name: must-be-one", CHAPTER, "35:13", "positions[1].name=must-be-one: each position's name once, TDM-002"),
    ("position without says", "      says: It must be {one}.\n", "", CHAPTER, "31:7", "positions[0].says: required, TDM-002"),
    ("position without evidence", "evidence: [{source: BOOK, locator: chapter 1, stance: supports}]", "evidence: []", CHAPTER, "34:17", "positions[0].evidence=[]: at least 1, TDM-002"),
    ("safe on an active claim", "  boundary: Says nothing", "  safe: Do it.\n  boundary: Says nothing", CHAPTER, "11:3", "safe: only for a disputed claim, this is active, TDM-001"),
    ("superseded to nowhere", "  status: active\n", "  status: superseded\n  superseded_by: [TDM-099]\n  withdrawn: {date: 2026-12-01, reason: Split.}\n", CHAPTER, "19:18", "superseded_by=TDM-099: no such claim in evidence/claims, TDM-001"),
    ("superseded by itself", "  status: active\n", "  status: superseded\n  superseded_by: TDM-001\n  withdrawn: {date: 2026-12-01, reason: Split.}\n", CHAPTER, "19:18", "superseded_by=TDM-001: another claim than itself, TDM-001"),
    ("superseded without successor", "  status: active\n", "  status: superseded\n  withdrawn: {date: 2026-12-01, reason: Split.}\n", CHAPTER, "18:11", "status=superseded: superseded_by: [the ids that replace it], TDM-001"),
    ("successor of an active claim", "  status: active\n", "  status: active\n  superseded_by: [TDM-002]\n", CHAPTER, "19:18", "superseded_by=TDM-002: only with status superseded, this is active, TDM-001"),
    ("withdrawn without date and reason", "  status: active\n", "  status: withdrawn\n", CHAPTER, "18:11", "status=withdrawn: withdrawn: {date, reason} with it; `cdna claim withdraw TDM-001 --reason \"...\"` writes both, TDM-001"),
    ("withdrawn without reason", "  status: active\n", "  status: withdrawn\n  withdrawn: {date: 2026-12-01}\n", CHAPTER, "19:14", "withdrawn.reason: required, TDM-001"),
    ("withdrawal of an active claim", "  status: active\n", "  status: active\n  withdrawn: {date: 2026-12-01, reason: No.}\n", CHAPTER, "19:3", "withdrawn: only with status withdrawn or superseded, this is active, TDM-001"),
    ("a day that does not exist", "  status: active\n", "  status: withdrawn\n  withdrawn: {date: 2026-02-30, reason: No.}\n", CHAPTER, "19:21", "withdrawn.date=2026-02-30: a day that exists, TDM-001"),
    ("unknown status", "status: active", "status: true-ish", CHAPTER, "18:11", "status=true-ish: active, disputed, superseded, withdrawn, TDM-001"),
    ("number in a statement", "The smallest code", "The smallest of 8 codes", CHAPTER, "8:14", "statement=8: a number in a statement must be a placeholder, {name}, from values, TDM-001"),
    ("number in what a position says", "says: It must be {one}.", "says: It must be 1.", CHAPTER, "32:13", "positions[0].says=1: a number in a statement must be a placeholder, {name}, from values, TDM-002"),
    ("placeholder to nowhere", "{dwords[2]}", "{dwords[3]}", CHAPTER, "8:14", "statement={dwords[3]}: names no value for gfx1250; values: dwords; a brace itself is {{ or }}, TDM-001"),
    ("placeholder in safe to nowhere", "Write count {one}", "Write count {two}", CHAPTER, "28:9", "safe={two}: names no value for gfx942, gfx950; values: one; a brace itself is {{ or }}, TDM-002"),
    ("lone brace", "Does not say", "Does { not say", CHAPTER, "29:13", "boundary={{}: names no value for gfx942, gfx950"),
    ("key twice", "key: tdm.count", "key: tdm.pad.interval", CHAPTER, "23:8", "key=tdm.pad.interval: each key once, old keys included; TDM-001 has it in evidence/claims/tdm.yml:3, TDM-002"),
    ("old key twice", "key: tdm.count\n", "key: tdm.count\n  was: [tdm.pad.interval]\n", CHAPTER, "24:9", "was[0]=tdm.pad.interval: each key once, old keys included; TDM-001 has it in evidence/claims/tdm.yml:3, TDM-002"),
    ("key shape", "key: tdm.count", "key: Count", CHAPTER, "23:8", "key=Count: lower-case words joined by dots"),
    ("covers shape", "covers: [tdm.pad.interval]", "covers: [interval]", CHAPTER, "16:12", "covers[0]=interval: a row id of the inventory"),
    ("covers twice", "covers: [tdm.pad.interval]", "covers: [tdm.pad.interval, tdm.pad.interval]", CHAPTER, "16:30", "covers[1]=tdm.pad.interval: each once, TDM-001"),
    ("unknown target", "targets: [gfx1250]", "targets: [gfx1201]", CHAPTER, "6:12", "targets=gfx1201: targets: gfx942, gfx950, gfx1250, gfx1251, any, TDM-001"),
    ("neighbour alone", "targets: [gfx1250]", "targets: [gfx1251]", CHAPTER, "6:12", "targets=gfx1251: gfx1251 beside gfx1250, whose neighbour it is, TDM-001"),
    ("neighbour beside another", "targets: [gfx942, gfx950]", "targets: [gfx942, gfx1251]", CHAPTER, "25:12", "targets=gfx1251: gfx1251 beside gfx1250, whose neighbour it is, TDM-002"),
    ("any with others", "targets: [gfx1250]", "targets: [gfx1250, any]", CHAPTER, "6:12", "targets=a list: `any` stands alone, TDM-001"),
    ("target twice", "targets: [gfx1250]", "targets: [gfx1250, gfx1250]", CHAPTER, "6:12", "targets=a list: a list of targets, each once"),
    ("stepping shape", "targets: [gfx1250]", "targets: {gfx1250: {stepping: [beta]}}", CHAPTER, "6:12", "targets={'stepping': ['beta']}: {stepping: [B0, ...]} after a target, TDM-001"),
    ("stepping twice", "targets: [gfx1250]", "targets: {gfx1250: {stepping: [B0, B0]}}", CHAPTER, "6:12", "targets={'stepping': ['B0', 'B0']}: {stepping: [B0, ...]} after a target, TDM-001"),
    ("stepping of a position", "says: It must be {one}.", "says: It must be {one}.\n      stepping: [new]", CHAPTER, "33:17", "positions[0].stepping=a list: a list of steppings, each once, such as [B0], TDM-002"),
    ("position's stepping, two targets", "says: It must be {one}.", "says: It must be {one}.\n      stepping: [B0]", CHAPTER, "33:17", "positions[0].stepping=B0: in a claim about one target, TDM-002"),
    ("product without SKU", SECOND + "  title: What count must hold\n  targets: [gfx942, gfx950]\n  layer: isa", SECOND + "  title: What count must hold\n  targets: [gfx942, gfx950]\n  layer: product", CHAPTER, "22:3", "sku: a claim of layer product names its SKUs, TDM-002"),
    ("unknown field", "  revision: 1\n  status: active", "  revison: 1\n  revision: 1\n  status: active", CHAPTER, "17:3", "revison: no such field; did you mean revision?, TDM-001"),
    ("unknown field inside", "locator: chapter 1", "page: 1, locator: chapter 1", CHAPTER, "34:33", "positions[0].evidence[0].page: no such field; there are source, locator, pin, via, stance, note, TDM-002"),
    ("missing field", "  title: What count must hold\n", "", CHAPTER, "22:3", "title: required, TDM-002"),
    ("text for a number", "  revision: 1\n  status: active", '  revision: "1"\n  status: active', CHAPTER, "17:13", "revision=1: an integer, TDM-001"),
    ("revision zero", "  revision: 1\n  status: active", "  revision: 0\n  status: active", CHAPTER, "17:13", "revision=0: greater than or equal to 1, TDM-001"),
    ("number for text", "title: The interval is a code", "title: 7", CHAPTER, "5:10", "title=7: text, not empty, TDM-001"),
    ("skeleton left", "title: The interval is a code", "title: TODO a title", CHAPTER, "5:10", "title=TODO a title: what the claim says, in place of the skeleton's text, TDM-001"),
    ("review of a later revision", "  status: active\n", f"  status: active\n  reviews: [{{date: 2026-12-01, revision: 2, checksum: \"{'0' * 64}\", note: x}}]\n", CHAPTER, "19:42", "reviews[0].revision=2: 1..1, the claim's revision, TDM-001"),
    ("url scheme", "repository: https://example.org/repo", "repository: file:///etc", MANUAL, "5:13", "repository=file:///etc: an http or https address"),
    ("url with a user", "repository: https://example.org/repo", "repository: https://a@b/", MANUAL, "5:13", "repository=https://a@b/: an http or https address"),
    ("repository without commit", "commit: 0123456789abcdef0123456789abcdef01234567\n", "", MANUAL, "1:1", "commit: repository and commit stand together, MANUAL"),
    ("short commit", "commit: 0123456789abcdef0123456789abcdef01234567", "commit: 0123456789abcdef0123456789abcdef0123456", MANUAL, "6:9", "commit=0123456789abcdef0123456789abcdef0123456: 40 hexadecimal digits"),
    ("unread without a reason", "access: {state: quoted, note: Not public.}", "access: {state: unread}", MANUAL, "10:9", "access.note: required when state is unread: why it was not read, MANUAL"),
    ("read without a date", "access: {state: quoted, note: Not public.}", "access: {state: read}", MANUAL, "10:9", "access.date: required when state is read, MANUAL"),
    ("source kind", "kind: isa", "kind: blog", MANUAL, "3:7", "kind=blog: isa, compiler, emulator, encoder, library, book, article, documentation, test, MANUAL"),
    ("erratum without basis", "basis: The text., ", "", MANUAL, "15:5", "errata[0].basis: required, MANUAL"),
    ("erratum of no claim", "claims: [TDM-001]", "claims: [TDM-009]", MANUAL, "15:97", "errata[0].claims[0]=TDM-009: no such claim in evidence/claims, MANUAL"),
    ("file name", "key: MANUAL", "key: HANDBOOK", MANUAL, "1:6", "key=HANDBOOK: the file's name in capitals; this file would be handbook.yml, HANDBOOK"),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0].replace(" ", "-") for case in CASES])
def test_one_mistake_gives_one_message_at_its_place(tree, case):
    _, old, new, file, place, message = case
    tree.change(old, new, file)

    problems = [line for line in tree.problems() if line.startswith(f"{file}:{place}: {message}")]

    assert len(problems) == 1, "\n".join(tree.problems())


def test_the_register_that_is_broken_above_is_right(tree):
    assert tree.problems() == []


# A mistake that makes no other mistake gives exactly one message.
ALONE = [case for case in CASES if case[0] not in ("duplicate id", "file name", "via itself")]


@pytest.mark.parametrize("case", ALONE, ids=[case[0].replace(" ", "-") for case in ALONE])
def test_one_mistake_gives_no_second_message(tree, case):
    _, old, new, file, _, _ = case
    tree.change(old, new, file)

    assert len(tree.problems()) == 1, "\n".join(tree.problems())


def test_all_problems_of_all_files_come_at_once(tree):
    """A file that is no YAML, one with a shape, one with a rule: nothing hides anything."""
    tree.write("evidence/claims/broken.yml", "- id: [\n")
    tree.change("stance: supports}]\n    - name", "stance: agrees}]\n    - name")
    tree.change("status: active", "status: withdrawn")
    tree.change("kind: isa", "kind: blog", tree.manual)
    tree.write("evidence/vectors/v.json", '{"a": 1,}')

    problems = tree.problems()

    assert [line.split(": ")[0] for line in problems] == [
        "evidence/claims/broken.yml:2:1",
        "evidence/claims/tdm.yml:18:11",
        "evidence/claims/tdm.yml:34:61",
        "evidence/sources/manual.yml:3:7",
        "evidence/vectors/v.json:1:9",
    ]


def test_a_source_that_does_not_load_is_not_reported_again_by_those_who_cite_it(tree):
    tree.change("kind: book", "kind: blog", "evidence/sources/book.yml")

    assert len(tree.problems()) == 1


def test_a_circle_of_successors_is_found(tree):
    tree.change("  status: active\n", "  status: superseded\n  superseded_by: [TDM-002]\n  withdrawn: {date: 2026-12-01, reason: A.}\n")
    tree.change("  status: disputed\n", "  status: superseded\n  superseded_by: [TDM-001]\n  withdrawn: {date: 2026-12-01, reason: A.}\n")

    problems = tree.problems()

    assert len(problems) == 2
    assert all("no circle" in line for line in problems)


def test_a_file_of_another_kind_is_not_left_out_silently(tree):
    tree.write("evidence/claims/more.yaml", "- id: TDM-003\n")

    assert tree.problems() == ["evidence/claims/more.yaml:1:1: file=more.yaml: files ending in .yml only"]


def test_a_missing_folder_is_said(tmp_path):
    from cdna_evidence.register import load_all

    _, problems = load_all(tmp_path)

    assert [item.file for item in problems] == ["evidence/sources", "evidence/claims", "evidence/vectors"]
