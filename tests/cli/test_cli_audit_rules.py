# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma audit` says which rules it looks for: in --help, behind "protected", and as `rules` in JSON."""

import json

import pytest

from cdna_evidence.cli import main
from cdna_evidence.register import load

REPORTED = "v_mov_b32 v0, v1\nv_readfirstlane_b32 s0, v0\nv_writelane_b32 v3, s0, s1\nv_readlane_b32 s4, v3, s0\n"


@pytest.fixture
def call(capsys, tmp_path):
    def call(text, *argv):
        path = tmp_path / "k.s"
        path.write_text(text)
        status = main(["mfma", "audit", str(path), *argv])
        return status, capsys.readouterr().out

    return call


def test_pairs_without_a_matrix_instruction_are_errors(call):
    status, out = call(REPORTED, "--target", "gfx942", "--json")
    document = json.loads(out)
    assert status == 1 and document["result"]["matrix_instructions"] == 0
    assert {item["rule"] for item in document["result"]["dependencies"]} == {"vector-pair"}
    assert "vector-pair" in [item["rule"] for item in document["result"]["rules"]]


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1250"])
def test_protected_is_said_with_the_rules_that_were_looked_for(call, target):
    status, out = call("v_mov_b32 v0, v1\ns_endpgm\n", "--target", target)
    protected, rules = out.strip().splitlines()
    assert status == 0 and protected.endswith("every dependency is protected")
    _, document = call("v_mov_b32 v0, v1\ns_endpgm\n", "--target", target, "--json")
    told = json.loads(document)["result"]["rules"]
    assert rules == "looked for, and nothing else: " + ", ".join(item["rule"] for item in told)
    claims = load().claims
    assert all(target in claims[item["claim"]].targets for item in told)


def test_help_tells_the_rules_of_every_target(capsys):
    with pytest.raises(SystemExit):
        main(["mfma", "audit", "--help"])
    out = " ".join(capsys.readouterr().out.split()).replace("- ", "-")
    for word in (
        "vector-pair",
        "scalar-setting",
        "dot-result",
        "input-overwritten",
        "On gfx942 and gfx950",
        "On gfx1250",
    ):
        assert word in out


def test_every_dependency_that_is_reported_is_of_a_rule_that_is_told(call):
    """Some programs of other tests, by rule; the list must not leave one out."""
    product = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[8:11]\n"
    programs = {
        "result-read": product + "v_mov_b32 v20, v1\n",
        "accumulator-overwritten": product + "v_mov_b32 v9, 0\n",
        "trans-result": "v_exp_f32 v0, v1\nv_mov_b32 v2, v0\n",
        "scalar-setting": "s_mov_b32 m0, s0\ns_sendmsg sendmsg(MSG_INTERRUPT)\n",
        "vector-pair": REPORTED,
    }
    for rule, text in programs.items():
        _, out = call(text, "--target", "gfx950", "--json")
        result = json.loads(out)["result"]
        assert rule in {item["rule"] for item in result["dependencies"]} <= {item["rule"] for item in result["rules"]}
