# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas: fresh, closed, and of the same fields as the models."""

import json
from pathlib import Path

import pytest

from cdna_evidence.register import models, schema

ROOT = Path(__file__).resolve().parents[2]


def test_the_schemas_are_fresh():
    assert schema.stale(ROOT) == [], "run `python -m cdna_evidence.register.schema`"


def test_a_stale_schema_is_noticed(tmp_path):
    schema.write(tmp_path)
    assert schema.stale(tmp_path) == []

    path = tmp_path / schema.FOLDER / "claims.schema.json"
    path.write_text(path.read_text("utf-8").replace("tdm", "tma"), "utf-8")
    assert schema.stale(tmp_path) == ["claims.schema.json"]


def _objects():
    claims = json.loads((ROOT / schema.FOLDER / "claims.schema.json").read_text("utf-8"))
    source = json.loads((ROOT / schema.FOLDER / "source.schema.json").read_text("utf-8"))
    return {**claims["$defs"], **source["$defs"], "Source": source}


@pytest.mark.parametrize("model", [models.Claim, models.Source, models.Evidence, models.Position, models.Pin, models.Review, models.Withdrawal])
def test_a_schema_has_the_fields_of_its_model_and_no_other(model):
    found = _objects()[model.__name__]

    assert found["additionalProperties"] is False
    assert set(found["properties"]) == {info.alias or name for name, info in model.model_fields.items()}
    assert set(found.get("required", ())) == {info.alias or name for name, info in model.model_fields.items() if info.is_required()}


def test_every_file_names_its_schema_in_its_first_line():
    for folder, name in (("claims", "claims"), ("sources", "source")):
        files = sorted((ROOT / "evidence" / folder).glob("*.yml"))
        assert files
        for path in files:
            with open(path, encoding="utf-8") as stream:
                assert stream.readline() == f"# yaml-language-server: $schema=../schema/{name}.schema.json\n", path.name
