# SPDX-License-Identifier: Apache-2.0
"""Citations of a claim: id and revision, what stands behind it, and the address of its page."""

import re

from cdna_evidence import settings

FORMS = ("url", "markdown", "rst", "bibtex", "comment")
_ORDER = ("measured", "corroborated", "executed", "modelled", "cited")


def state_text(claim, results):
    """Return in a few words what stands behind a claim, such as "executed (clang 22.1.8); modelled; cited (ISA5 through BOOK-T)".

    Args: claim: of the register; results: document of the last run, or None.
    """
    from cdna_evidence.checks.facets import facets, places

    found = {name: [] for name in _ORDER}
    failed = []
    for target, position in places(claim, results):
        for name, facet in facets(claim, target, position, results).items():
            if facet["state"] == "yes":
                found[name] += [part for part in facet["text"].split("; ") if part not in found[name]]
            elif facet["state"] == "failed" and name not in failed:
                failed.append(name)
    parts = [f"check failed ({', '.join(failed)})"] if failed else []
    for name in _ORDER:
        if name == "modelled" and found[name]:
            parts.append("modelled")
        elif found[name]:
            parts.append(f"{name} ({'; '.join(found[name])})")
    if claim.status != "active":
        parts.insert(0, claim.status)
    if results is None:
        parts.append("checks not run here")
    return "; ".join(parts)


def citation(claim, form, results=None, version=None):
    """Return a citation of a claim as text.

    Args: claim: of the register; form: url, markdown, rst, bibtex or comment; results: document of the last run;
      version: of the site that the address leads to, None for the present setting.
    Raises: ValueError: another form.
    """
    url = settings.claim_url(claim.id, version)
    name = f"{claim.id} r{claim.revision}"
    state = state_text(claim, results)
    if form == "url":
        return url
    if form == "markdown":
        return f"[{name}]({url}): {_markdown(claim.title)} ({_markdown(state)})"
    if form == "rst":
        return f"`{name} <{url}>`__: {_rst(claim.title)} ({_rst(state)})"
    if form == "comment":
        return f"{name}: {claim.title} ({state}) {url}"
    if form == "bibtex":
        edition = version or settings.site_version() or settings.version()
        fields = (
            ("title", "{" + _bibtex(f"{name}: {claim.title}") + "}"),
            ("author", "{The CDNA Evidence developers}"),
            ("year", edition[:4]),
            ("version", edition),
            ("url", url),
            ("note", _bibtex(f"revision {claim.revision}; {state}")),
        )
        lines = ",\n".join(f"  {field} = {{{value}}}" for field, value in fields)
        return f"@misc{{{claim.id}-r{claim.revision},\n{lines}\n}}"
    raise ValueError(f"form={form}: {', '.join(FORMS)}")


def citations(claim, results=None, version=None):
    """Return {form: text} of every form, for the copy buttons of a claim's page."""
    return {form: citation(claim, form, results, version) for form in FORMS}


def _markdown(text):
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", text)


def _rst(text):
    return re.sub(r"([\\`*_|])", r"\\\1", text)


def _bibtex(text):
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, "\\" + c if c in "&%$#_{}" else c) for c in text)
