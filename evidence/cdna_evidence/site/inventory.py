# SPDX-License-Identifier: Apache-2.0
"""objects.inv: the claims and sources as link targets for Sphinx (intersphinx) and MyST, in Sphinx' inventory format 2."""

import zlib

from cdna_evidence import settings

PROJECT = "CDNA Evidence"


def entries(register):
    """Return [(name, "domain:role", priority, path with fragment, what is shown)] in the order of the register.

    A claim has its id, the id in lower case (Sphinx looks labels up so), its key and every former key; a source has
    `source-` and its key in lower case. Names stay valid for ever, because ids and keys are never used again.
    """
    found = {}
    for claim in register.claims.values():
        place = f"{settings.claim_path(claim.id)}#{claim.id}"
        shown = f"{claim.id}: {_line(claim.title)}"
        for name in (claim.id, claim.id.lower(), claim.key, *claim.was):
            found.setdefault(name, (name, "std:label", -1, place, shown))
    for source in register.sources.values():
        name = "source-" + source.key.lower()
        place = f"{settings.source_path(source.key)}#{source.key}"
        found.setdefault(name, (name, "std:label", -1, place, f"{source.key}: {_line(source.title)}"))
    return list(found.values())


def objects_inv(register, version):
    """Return the content (bytes) of objects.inv. Args: version: of the site."""
    head = f"# Sphinx inventory version 2\n# Project: {PROJECT}\n# Version: {version}\n# The remainder of this file is compressed using zlib.\n"
    body = "".join(
        " ".join([name, role, str(priority), place, shown]) + "\n"
        for name, role, priority, place, shown in entries(register)
    )
    return head.encode("utf-8") + zlib.compress(body.encode("utf-8"), 9)


def _line(text):
    return " ".join(text.replace("`", "").split())
