# SPDX-License-Identifier: Apache-2.0
"""The workflow file: actions pinned by commit, steps that are make targets, no more rights than needed."""

import re
import subprocess

import pytest
import yaml

from cdna_evidence import settings

ROOT = settings.clone()
FILE = ROOT / ".github" / "workflows" / "site.yml"
TEXT = FILE.read_text("utf-8")
# YAML 1.1 reads the key `on` as a truth value.
FLOW = {"on" if key is True else key: value for key, value in yaml.safe_load(TEXT).items()}
STEPS = [(name, step) for name, job in FLOW["jobs"].items() for step in job["steps"]]


def test_every_action_is_pinned_by_commit_and_names_its_release():
    lines = [line.strip().removeprefix("- ") for line in TEXT.splitlines() if re.match(r"\s*(- )?uses:", line)]
    assert len(lines) == sum("uses" in step for _, step in STEPS) > 0
    for line in lines:
        assert re.fullmatch(r"uses: [a-z-]+/[a-z-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+", line), line


def test_one_action_has_one_pin():
    pins = {}
    for _, step in STEPS:
        if "uses" in step:
            name, _, commit = step["uses"].partition("@")
            assert pins.setdefault(name, commit) == commit


RUNS = [step["run"] for _, step in STEPS if "run" in step]


@pytest.mark.parametrize("command", sorted(set(RUNS)))
def test_every_step_that_runs_something_is_a_make_target(command):
    match = re.fullmatch(r"make ([a-z]+)", command)
    assert match, command
    done = subprocess.run(["make", "--dry-run", match[1]], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.strip(), done.stderr


def test_the_steps_come_in_the_order_that_works():
    assert RUNS == ["make test", "make versions", "make pages", "make publish"]
    published = [
        step["with"]["path"] for _, step in STEPS if step.get("uses", "").startswith("actions/upload-pages-artifact@")
    ]
    assert published == ["build/pages"]
    assert "build/pages" in subprocess.run(["make", "-n", "pages"], cwd=ROOT, capture_output=True, text=True).stdout


def test_rights_are_given_to_the_one_job_that_needs_them():
    assert FLOW["permissions"] == {}
    assert FLOW["jobs"]["test"]["permissions"] == {"contents": "read"}
    assert FLOW["jobs"]["deploy"]["permissions"] == {"contents": "write", "pages": "write", "id-token": "write"}
    assert FLOW["jobs"]["deploy"]["if"] == "startsWith(github.ref, 'refs/tags/')"
    assert FLOW["jobs"]["deploy"]["needs"] == "test"
    assert "pull_request_target" not in FLOW["on"]
    assert "secrets." not in TEXT


def test_the_whole_history_is_there_for_the_ledger():
    for name, step in STEPS:
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["fetch-depth"] == 0, name


def test_nothing_from_the_event_reaches_a_shell():
    """An expression in a `run` step would be put into the shell's text before the shell reads it."""
    assert not [command for command in RUNS if "${{" in command]


def test_the_tag_pattern_matches_versions_only():
    (pattern,) = FLOW["on"]["push"]["tags"]
    expression = re.compile(re.escape(pattern).replace(r"\[0\-9\]", "[0-9]").replace(r"\*", "[^/]*"))
    assert expression.fullmatch(settings.version()) and expression.fullmatch("2026.12.1")
    assert not expression.fullmatch("v1.0")
