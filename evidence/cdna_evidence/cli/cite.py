# SPDX-License-Identifier: Apache-2.0
"""`cdna cite`: a citation of a claim, with its revision and what stands behind it."""

from .output import emit, parser


def run(argv):
    """Run `cdna cite ID --as FORM` and return the exit status."""
    from cdna_evidence.cite import FORMS, citation, state_text

    top = parser("cite", "Print a citation of a claim: id, revision, evidence state and address.")
    top.add_argument("id", help="an id, a key or an old key")
    top.add_argument("--as", dest="form", choices=FORMS, default="markdown")
    top.add_argument("--json", action="store_true", help="one JSON document")
    options = top.parse_args(argv)

    from cdna_evidence import settings
    from cdna_evidence.export import read_results

    from .claim import check_site, find, load_register

    check_site()
    claim = find(load_register(), options.id)
    results = read_results()
    text = citation(claim, options.form, results.document)
    result = {
        "id": claim.id,
        "revision": claim.revision,
        "status": claim.status,
        "as": options.form,
        "url": settings.claim_url(claim.id),
        "evidence_state": state_text(claim, results.document),
        "results": results.note,
        "text": text,
    }
    return emit("cite", None, result, json=options.json, text=text)
