# SPDX-License-Identifier: Apache-2.0
"""Whether every claim about the mover says where in the manual it is owned."""

import re
import types

from cdna_evidence.checks import Check

PLACE = re.compile(r"§|\btable|\bPDF page")


def unplaced(claim):
    """Say whether a claim of layer isa cites no place of the manual."""
    items = [item for _, item in claim.all_evidence()]
    return claim.layer == "isa" and not any(i.source == "ISA5" and PLACE.search(i.locator or "") for i in items)


def sample(layer, source, locator):
    """A made-up claim with one citation."""
    item = types.SimpleNamespace(source=source, locator=locator)
    return types.SimpleNamespace(layer=layer, all_evidence=lambda: [(None, item)])


class SectionsNamed(Check):
    """The sections that this claim cites, and claims of layer isa about the mover that cite no place of the manual.

    Shows: every claim of the register as it stands; the rule is also tried on made-up claims.
    Does not show: the manual, which was not opened, or that a section says what is claimed.
    """

    claim = "TDM-126"
    kind = "links"
    binds = ("sections", "claims_without_place", "claims_found", "samples_flagged")

    def observe(self, target, tools):
        claims = [claim for claim in tools.register.claims.values() if claim.live]
        about = [claim for claim in claims if claim.id.startswith("TDM-")]
        own = next(claim for claim in about if claim.id == self.claim)
        cited = [item.locator for _, item in own.all_evidence() if item.source == "ISA5"]
        return {
            "sections": [number for text in cited for number in re.findall(r"§(\d+(?:\.\d+)*)", text)],
            "claims_without_place": len([claim.id for claim in about if unplaced(claim)]),
            "claims_found": len(about) > 100,
            "samples_flagged": {
                "isa_claim_without_manual": unplaced(sample("isa", "RJ", "decoding of group 0")),
                "isa_claim_without_place": unplaced(sample("isa", "ISA5", "somewhere")),
                "isa_claim_with_section": unplaced(sample("isa", "ISA5", "§10.11.2")),
                "compiler_claim": unplaced(sample("compiler", "CLANG-22", "assembler")),
            },
        }
