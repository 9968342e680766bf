# SPDX-License-Identifier: Apache-2.0
"""The page of compiler versions, and the three lines of a claim that are never mixed: cited, executed, not shown."""

import re

import markdown
import pytest
import small

pytest.importorskip("material", reason="the extra `site` is not installed")

from cdna_evidence.matrix import table  # noqa: E402
from cdna_evidence.site.content import Content  # noqa: E402
from cdna_evidence.site.extension import ClaimsExtension  # noqa: E402

COMMAND = "printf '%s\\n' 's_nop 0' | python -m ziglang clang -cc1as"
IR = "printf '%b' 'define void @f() { ret void }\\n' | python -m ziglang clang --target=amdgcn-amd-amdhsa -mcpu=gfx950 -O2 -S -x ir - -o -"


def compiled(**changes):
    tool = {"name": "clang", "version": "22.1.8", "revision": None, "digest": "0" * 64, "package": "ziglang 0.17.1"}
    one = {
        "kind": "compiler", "check": "checks/compiler/check_t.py::C", "witness": "clang", "version": "22.1.8",
        "tools": [tool], "commands": [COMMAND, IR], "cached": False,
    }  # fmt: skip
    return small.record(**{**one, **changes})


def page(tmp_path, *records, text="::claim-page TST-001", name="claims/TST-001.md"):
    content = Content(small.register(tmp_path), small.results(*records) if records else None)
    extensions = [ClaimsExtension(content, name), "toc"]
    return markdown.Markdown(extensions=extensions).convert(text)


def line(html, name):
    """The text behind one of the three names."""
    found = re.search(rf"<dt>{name}</dt>\s*<dd>(.*?)</dd>", html, re.DOTALL)
    assert found, f"no line {name}"
    return re.sub(r"<[^>]+>", "", found.group(1))


def test_without_a_run_nothing_was_executed(tmp_path):
    html = page(tmp_path)
    assert line(html, "Cited") == "SRC-1 (read)"
    assert line(html, "Executed") == "nothing"
    assert line(html, "Not shown").startswith("the hardware")


def test_the_executed_line_names_program_version_package_target_date_and_whether_it_was_kept(tmp_path):
    told = line(page(tmp_path, compiled()), "Executed")
    for part in ("clang 22.1.8", "ziglang 0.17.1", "encodes so", "gfx1250", "2026-11-29", "computed in the run"):
        assert part in told
    assert "requires" not in told and "kept" not in told


def test_a_kept_answer_a_failed_one_and_an_older_revision_say_so(tmp_path):
    told = line(page(tmp_path, compiled(cached=True, outcome="failed", reason="differs", revision=1)), "Executed")
    for part in ("kept answer", "does otherwise", "for revision 1"):
        assert part in told


def test_what_could_not_run_is_told_with_its_reason(tmp_path):
    told = line(page(tmp_path, compiled(outcome="untested", reason="ziglang is not installed")), "Executed")
    assert told == "nothing here: ziglang is not installed"


def test_a_model_is_not_executed(tmp_path):
    assert line(page(tmp_path, small.record()), "Executed") == "nothing"


def test_commands_stand_on_the_page_to_be_copied_and_ir_can_be_opened_elsewhere(tmp_path):
    html = page(tmp_path, compiled())
    assert html.count("https://godbolt.org/clientstate/") == 1
    assert "s_nop 0" in html and "data-clipboard-text" in html


@pytest.mark.parametrize("part", ["columns", "news", "table", "cells"])
def test_every_part_of_the_page_is_made(tmp_path, part):
    html = page(tmp_path, text=f"::matrix {part}", name="matrix.md")
    assert "LLVM 21.1.0" in html and "LLVM 22.1.8" in html
    if part == "news":
        assert "half finished" in html and "pull/222040" in html


def test_every_row_of_the_table_leads_to_its_inputs(tmp_path):
    html = page(tmp_path, text="::matrix table\n\n::matrix cells", name="matrix.md")
    ids = re.findall(r'id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    for row in table.load().rows:
        anchor = f"{row.question.name}-{row.target}"
        assert anchor in ids and f'href="#{anchor}"' in html


def test_different_answers_of_one_question_stand_beside_each_other(tmp_path):
    html = page(tmp_path, text="::matrix cells", name="matrix.md")
    part = html.partition('id="lds-limit-gfx1250"')[2].partition('id="lds-granule')[0]
    assert "65536" in part and "327680" in part and part.count("<details") >= 3
    assert "[65537 x i8]" in part and "[327681 x i8]" in part


def test_a_claim_says_since_which_version(tmp_path):
    claims = small.CLAIMS.replace("TST-001", "LDS-001")
    register = small.register(tmp_path)
    (tmp_path / "evidence/claims/test.yml").write_text(claims)
    (tmp_path / "evidence/sources/src-1.yml").write_text(small.SOURCE.replace("TST-001", "LDS-001"))
    from cdna_evidence.register import load

    register = load(tmp_path)
    html = markdown.Markdown(extensions=[ClaimsExtension(Content(register), "claims/LDS-001.md"), "toc"]).convert(
        "::claim-page LDS-001"
    )
    told = re.sub(r"<[^>]+>", " ", html.partition('id="versions"')[2].partition('id="evidence"')[0])
    assert "since LLVM 22.1.0" in told and "until LLVM 21.1.0: 65536" in told and "never the hardware" in told
