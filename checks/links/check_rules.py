# SPDX-License-Identifier: Apache-2.0
"""The rules of the register, asked of the register as it stands; each rule is also tried on made-up samples."""

import re
import types
import typing

from cdna_evidence.checks import Check

PRODUCT = re.compile(r"\bMI\d{3}[A-Z]?\b")
MOVING = re.compile(r"/(?:blob|tree|raw)/(?:main|master|latest|develop|amd-staging|trunk)\b")
PLACE = re.compile(r"§|\bPDF p|\btable|\bprinted p|\bwhole")


def live(register):
    """Return the claims that stand."""
    return [claim for claim in register.claims.values() if claim.live]


def texts(claim):
    """Return what a claim states: its statement and what its positions say."""
    return [claim.statement, *[position.says for position in claim.positions]]


def supporters(claim, sources):
    """Return the sources that support a claim or a position of it, and those through which they were read."""
    items = [item for _, item in claim.all_evidence() if item.stance == "supports"]
    return [sources[item.source] for item in items if item.source in sources]


def sample(layer=None, owning="isa", kind="isa", publisher="AMD", targets=("gfx942",)):
    """Return a made-up claim with one supporting source."""
    item = types.SimpleNamespace(stance="supports", source="S")
    claim = types.SimpleNamespace(layer=layer, targets=list(targets), all_evidence=lambda: [(None, item)])
    source = types.SimpleNamespace(key="S", owning_layer=owning, kind=kind, publisher=publisher)
    return claim, {"S": source}


class LayersNamed(Check):
    """The layers that a claim may name, and claims whose layer no supporting source of theirs shares.

    Shows: every claim of the register as it stands; the rule is also tried on made-up claims.
    Does not show: that a source of the right layer is right.
    """

    claim = "REG-001"
    kind = "links"
    binds = (
        "layer_count",
        "layers_set",
        "isa_claims_without_isa_source",
        "compiler_claims_without_compiler",
        "samples_flagged",
    )

    def observe(self, target, tools):
        register = tools.register
        claims = live(register)
        field = type(claims[0]).model_fields["layer"]
        layers = list(typing.get_args(field.annotation))
        flagged = [claim for claim in claims if self._lacks(claim, register.sources)]
        return {
            "layer_count": len(layers),
            "layers_set": layers,
            "isa_claims_without_isa_source": sum(claim.layer == "isa" for claim in flagged),
            "compiler_claims_without_compiler": sum(claim.layer == "compiler" for claim in flagged),
            "samples_flagged": {
                "isa_claim_on_a_compiler_alone": self._lacks(*sample("isa", "compiler", "compiler")),
                "isa_claim_on_the_manual": self._lacks(*sample("isa", "isa", "isa")),
                "compiler_claim_on_the_manual_alone": self._lacks(*sample("compiler", "isa", "isa")),
            },
            "flagged": [claim.id for claim in flagged],
        }

    def _lacks(self, claim, sources):
        found = supporters(claim, sources)
        if claim.layer == "isa":
            return not any(source.owning_layer == "isa" for source in found)
        if claim.layer == "compiler":
            return not any(source.owning_layer == "compiler" for source in found)
        return False


class ProductsNamed(Check):
    """Product claims name their products; statements of other layers name none.

    Shows: every statement of the register as it stands; the pattern is also tried on made-up texts.
    Does not show: product names of another form.
    """

    claim = "REG-002"
    kind = "links"
    binds = ("product_claims_without_sku", "other_claims_with_sku", "statements_naming_a_product", "samples_flagged")

    def observe(self, target, tools):
        claims = live(tools.register)
        others = [claim for claim in claims if claim.layer != "product"]
        naming = [claim.id for claim in others if any(PRODUCT.search(text) for text in texts(claim))]
        samples = {
            "mi300x_has_304_units": "An MI300X has 304 compute units.",
            "gfx942_has_a_bank_count": "The LDS of gfx942 has 32 banks.",
            "mi355x_peak": "The peak is that of the MI355X.",
        }
        return {
            "product_claims_without_sku": sum(claim.layer == "product" and not claim.sku for claim in claims),
            "other_claims_with_sku": sum(bool(claim.sku) for claim in others),
            "statements_naming_a_product": len(naming),
            "samples_flagged": {name: bool(PRODUCT.search(text)) for name, text in samples.items()},
        }


class PinsAreFixed(Check):
    """The audit's LLVM source stands at its commit, no link follows a branch, every line range has a commit.

    Shows: every source and citation of the register as it stands.
    Does not show: that the cited lines hold what is said; none of them was read here.
    """

    claim = "REG-003"
    kind = "links"
    binds = (
        "pin",
        "floating_links",
        "line_ranges_without_commit",
        "latest_pages_without_note",
        "latest_pages_found",
        "samples_flagged",
    )

    def observe(self, target, tools):
        register = tools.register
        sources = register.sources.values()
        items = [item for claim in live(register) for _, item in claim.all_evidence()]
        latest = [source for source in sources if re.search(r"/latest/", source.url or "")]
        return {
            "pin": register.sources["LLVM-PIN"].commit,
            "floating_links": sum(self._moves(source.url) for source in sources),
            "line_ranges_without_commit": sum(
                bool(item.pin) and not re.fullmatch(r"[0-9a-f]{40}", item.pin.get("commit") or "") for item in items
            ),
            "latest_pages_without_note": sum("visit" not in (source.access.note or "") for source in latest),
            "latest_pages_found": bool(latest),
            "samples_flagged": {
                "blob_main": self._moves("https://github.com/llvm/llvm-project/blob/main/llvm/README.md"),
                "tree_release_tag": self._moves("https://github.com/triton-lang/triton/tree/v3.9.0"),
                "blob_commit": self._moves(
                    "https://github.com/llvm/llvm-project/blob/" + register.sources["LLVM-PIN"].commit + "/README.md"
                ),
            },
        }

    def _moves(self, url):
        return bool(MOVING.search(url or ""))


class AuditSourcesHeld(Check):
    """The sources of the audit's register, each with its layer and checked area.

    Shows: that the register holds them by the audit's own keys.
    Does not show: that they were read.
    """

    claim = "REG-004"
    kind = "links"
    binds = ("source_count", "owning_layer", "without_checked_area")

    def observe(self, target, tools):
        audit = "ISA3 ISA4 ARCH4 WHITE4 MFMA-BLOG LDS-BUILTIN TRANSPOSE PERMUTE LDS-CASE LLVM-PIN ONNX-F8 ISA5".split()
        held = {key: tools.register.sources[key] for key in audit if key in tools.register.sources}
        return {
            "source_count": len(held),
            "owning_layer": {key: source.owning_layer for key, source in held.items()},
            "without_checked_area": sum(len(source.checked_area.split()) < 4 for source in held.values()),
        }


class BlogsSayWhoseFigures(Check):
    """Blogs in the register carry the note that their performance belongs to their hardware, software and input.

    Shows: the notes of the sources whose address or publisher is a blog.
    Does not show: how a page words a figure.
    """

    claim = "REG-005"
    kind = "links"
    binds = ("blogs_without_note", "blogs_found")

    def observe(self, target, tools):
        blogs = [s for s in tools.register.sources.values() if "blog" in f"{s.url} {s.publisher}".lower()]
        without = [s.key for s in blogs if not re.search("performance belongs to its hardware", s.access.note or "")]
        return {"blogs_without_note": len(without), "blogs_found": bool(blogs)}


class OfficialCarriers(Check):
    """Claims about CDNA3 and CDNA4, each with a supporting source of AMD, LLVM or ONNX.

    Shows: every such claim of the register as it stands; the rule is also tried on made-up claims.
    Does not show: that these sources are right.
    """

    claim = "REG-006"
    kind = "links"
    binds = ("claims_on_others_only", "claims_found", "samples_flagged")

    def observe(self, target, tools):
        register = tools.register
        # A claim of layer site is about these pages, not about the targets that they show.
        about = [c for c in live(register) if {"gfx942", "gfx950"} & set(c.targets) and c.layer != "site"]
        return {
            "claims_on_others_only": sum(self._lacks(claim, register.sources) for claim in about),
            "claims_found": bool(about),
            "samples_flagged": {
                "article_of_a_third_party": self._lacks(*sample(publisher="not stated (third party)")),
                "vendor_manual": self._lacks(*sample(publisher="AMD")),
                "llvm_upstream": self._lacks(*sample(publisher="LLVM")),
                "format_page": self._lacks(*sample(publisher="ONNX")),
            },
        }

    def _lacks(self, claim, sources):
        return not any(re.match(r"(AMD|LLVM|ONNX)\b", source.publisher) for source in supporters(claim, sources))


class GuidePlaces(Check):
    """The sections and pages that the register keeps for the two guides, and citations of a guide without a place.

    Shows: the checked areas of the two sources, and every citation of a guide.
    Does not show: the guides.
    """

    claim = "REG-007"
    kind = "links"
    binds = ("isa3", "isa4", "citations_without_place")

    def observe(self, target, tools):
        register = tools.register
        guides = ("ISA3", "ISA4", "ISA5")
        items = [item for claim in live(register) for _, item in claim.all_evidence() if item.source in guides]
        return {
            "isa3": self._places(register.sources["ISA3"].checked_area),
            "isa4": self._places(register.sources["ISA4"].checked_area),
            "citations_without_place": sum(not PLACE.search(item.locator or "") for item in items),
        }

    def _places(self, text):
        sections = re.findall(r"§(\d+(?:\.\d+)*)", text)
        printed = re.findall(r"printed p\. (\d+)", text)
        pdf = re.findall(r"PDF pages (\d+) to (\d+)", text)
        return {
            "sections": sorted(set(sections), key=lambda section: [int(part) for part in section.split(".")]),
            "printed_page": int(printed[0]) if len(printed) == 1 else -1,
            "pdf_pages": [int(page) for page in pdf[0]] if len(pdf) == 1 else [],
        }


class PinnedRanges(Check):
    """The line ranges of the audit as this claim cites them, by file, and how many of them were read here.

    Shows: that every range is cited with its commit and says by whom it was read.
    Does not show: what stands in the lines.
    """

    claim = "REG-008"
    kind = "links"
    binds = ("file_count", "whole_file_count", "ranges_read_here", "ranges")

    def observe(self, target, tools):
        register = tools.register
        pin = register.sources["LLVM-PIN"].commit
        cited = [i for _, i in register.claims["REG-008"].all_evidence() if i.source == "LLVM-PIN"]
        ranges, read = {}, 0
        for item in cited:
            read += item.access == "read"
            if item.pin and item.pin["commit"] == pin:
                ranges.setdefault(item.pin["path"].rsplit("/", 1)[-1], []).extend(item.pin["lines"])
        whole = [item.locator for item in cited if not item.pin and re.search(r"\.(ll|mir), whole file$", item.locator)]
        return {
            "file_count": len(ranges),
            "whole_file_count": len(whole),
            "ranges_read_here": read,
            "ranges": ranges,
        }
