# SPDX-License-Identifier: Apache-2.0
"""`cdna claim` and `cdna cite` as scripts use them."""

import importlib.util
import json
from pathlib import Path

import pytest

from cdna_evidence.cli import main

HERE = Path(__file__).resolve()


def _tree_class():
    spec = importlib.util.spec_from_file_location("register_trees", HERE.parents[1] / "register" / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Tree


@pytest.fixture
def tree(tmp_path, monkeypatch):
    tree = _tree_class()(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["claim", "lock"]) == 0
    tree.git("init", "-q")
    tree.commit()
    return tree


@pytest.fixture
def cdna(capsys):
    capsys.readouterr()

    def run(*arguments):
        capsys.readouterr()
        status = main(list(arguments))
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_list_gives_the_keys_that_scripts_read(tree, cdna):
    record = {"claim": "TDM-001", "revision": 1, "target": "gfx1250", "position": None, "check": "c::X", "kind": "compiler", "witness": "clang", "version": "1", "outcome": "passed"}
    (tree.root / "build").mkdir()
    tree.write("build/results.json", json.dumps({"schema": 1, "run": {"date": "2026-12-01"}, "records": [record]}))
    status, out, _ = cdna("claim", "list", "--json")
    document = json.loads(out)
    first = document["result"]["claims"][0]

    assert (status, document["schema"], document["command"]) == (0, 1, "claim list")
    assert {"id", "status", "revision", "covers", "boundary", "evidence", "checks"} <= set(first)
    assert {name: first["checks"][0][name] for name in ("check", "kind", "target", "position", "witness", "outcome")} == {
        "check": "c::X", "kind": "compiler", "target": "gfx1250", "position": None, "witness": "clang", "outcome": "passed",
    }  # fmt: skip


def test_list_without_results_has_no_checks_and_says_so(tree, cdna):
    result = json.loads(cdna("claim", "list", "--json")[1])["result"]

    assert [claim["checks"] for claim in result["claims"]] == [[], []]
    assert "has not run" in result["results"]["note"]
    assert "has not run" in cdna("claim", "list")[1]


@pytest.mark.parametrize("name", ["TDM-002", "tdm.count", "tdm.how-many"])
def test_show_takes_an_id_a_key_or_an_old_key(tree, cdna, name):
    tree.change("key: tdm.count", "key: tdm.count\n  was: [tdm.how-many]")
    status, out, _ = cdna("claim", "show", name)

    assert status == 0
    assert out.startswith("TDM-002 r1  tdm.count  [gfx942, gfx950]")
    assert "Safe under every reading: Write count 1." in out
    assert json.loads(cdna("claim", "show", name, "--json")[1])["result"]["id"] == "TDM-002"


def test_an_unknown_name_is_wrong_usage_with_what_is_near(tree, cdna):
    status, out, err = cdna("claim", "show", "tdm.counts")

    assert (status, out) == (2, "")
    assert err == "cdna claim: no claim 'tdm.counts': an id or a key; near: tdm.count\n"


def test_a_broken_register_is_exit_2_with_every_problem(tree, cdna):
    tree.change("status: active", "status: activ")
    tree.change("boundary: Does not say what a device does.", 'boundary: ""')
    status, out, err = cdna("claim", "list")

    assert (status, out) == (2, "")
    assert err.splitlines()[0] == "cdna claim: 2 problems in the register"
    assert [line.split(": ")[0] for line in err.splitlines()[1:]] == ["evidence/claims/tdm.yml:18:11", "evidence/claims/tdm.yml:29:13"]


def test_new_fill_lock_withdraw(tree, cdna):
    """The life of a claim by command."""
    status, out, _ = cdna("claim", "new", "--chapter", "tdm", "--key", "tdm.new", "--title", "New", "--json")
    assert (status, json.loads(out)["result"]["id"]) == (0, "TDM-003")
    assert cdna("claim", "lock")[0] == 2  # the skeleton is no claim yet
    tree.change("TODO one idea in our own words; every number is a placeholder", "There are {n}.")
    tree.change("TODO what must not be concluded from it", "Nothing.")
    tree.change("values: {gfx1250: {}}", "values: {gfx1250: {n: 3}}")
    tree.change("source: TODO, locator: TODO", "source: BOOK, locator: x")
    assert cdna("claim", "lock", "--check")[0] == 1
    status, out, _ = cdna("claim", "lock", "--json")
    assert (status, [line.split(" ")[3] for line in json.loads(out)["result"]["recorded"]]) == (0, ["stated"])
    assert cdna("claim", "lock", "--check")[0] == 0
    status, out, _ = cdna("claim", "withdraw", "tdm.new", "--reason", "A test.", "--successor", "TDM-001")
    assert (status, out) == (0, "TDM-003 is superseded; it keeps its page and its id\n")
    assert cdna("claim", "lock", "--check")[0] == 0


def test_a_vanished_id_fails_with_the_command_and_the_command_mends_it(tree, cdna):
    text = tree.read()
    tree.write(tree.chapter, text[: text.index("# Between")])
    status, out, _ = cdna("claim", "lock", "--check", "--json")
    (finding,) = json.loads(out)["findings"]

    assert status == 1
    assert '`cdna claim withdraw TDM-002 --reason "..."`' in finding["message"]
    assert cdna("claim", "withdraw", "TDM-002", "--reason", "Gone.")[0] == 0
    assert cdna("claim", "lock", "--check")[0] == 0


def test_a_change_of_wording_is_reviewed_by_command(tree, cdna):
    tree.change("The smallest code pads", "The least code pads")
    assert cdna("claim", "lock")[0] == 1
    assert cdna("claim", "review", "TDM-001", "--wording-only", "A plainer word.")[0] == 0
    assert cdna("claim", "lock", "--check")[0] == 0


def test_the_check_says_what_it_compared_with(tree, cdna):
    assert "1 commits of evidence/ids.lock up to " in cdna("claim", "lock", "--check")[1]


@pytest.mark.parametrize("arguments", [["claim"], ["claim", "forget"], ["claim", "withdraw", "TDM-001"], ["claim", "new"], ["cite"], ["cite", "TDM-001", "--as", "apa"]])
def test_wrong_usage_is_exit_2_and_one_message(tree, cdna, arguments):
    status, out, err = cdna(*arguments)

    assert (status, out) == (2, "")
    assert err.startswith(f"cdna {arguments[0]}: ")
    assert "Traceback" not in err


@pytest.mark.parametrize("form", ["url", "markdown", "rst", "bibtex", "comment"])
def test_cite(tree, cdna, form):
    status, text, _ = cdna("cite", "tdm.pad.interval", "--as", form)
    result = json.loads(cdna("cite", "TDM-001", "--as", form, "--json")[1])["result"]

    assert status == 0
    assert result["text"] + "\n" == text
    assert (result["id"], result["revision"], result["as"]) == ("TDM-001", 1, form)
    assert result["url"] in text
    assert "checks not run here" in result["evidence_state"]


def test_a_wrong_site_address_is_wrong_usage(tree, cdna, monkeypatch):
    monkeypatch.setenv("CDNA_SITE_URL", "ftp://x")
    status, _, err = cdna("cite", "TDM-001")

    assert status == 2
    assert err.startswith("cdna cite: CDNA_SITE_URL=ftp://x: ")
