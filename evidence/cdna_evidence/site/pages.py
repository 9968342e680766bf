# SPDX-License-Identifier: Apache-2.0
"""Which pages are made from the register: source path and Markdown text. The text names parts; the parts do the work."""

import re

from . import mfma_pages, wmma_pages
from .card import page_of


def generated(content):
    """Return [(source path, Markdown)] of every page that nobody writes by hand.

    Args: content: a `Content`.
    """
    found = [(page_of(claim), _claim(claim)) for claim in content.register.claims.values()]
    found += [(f"sources/{source.key}.md", _source(source)) for source in content.register.sources.values()]
    return found + mfma_pages.generated() + wmma_pages.generated()


def _claim(claim):
    front = _front(f"{claim.id}: {claim.title}", claim.status in ("withdrawn", "superseded"))
    return f"{front}# {_escaped(claim.title)}\n\n[All claims](index.md)\n\n::claim-page {claim.id}\n"


def _source(source):
    front = _front(f"{source.key}: {source.title}", False)
    return f"{front}# {source.key}: {_escaped(source.title)}\n\n[All sources](index.md)\n\n::source-page {source.key}\n"


def _front(title, ended):
    """Front matter; a page that has ended is found, but last."""
    text = title.replace("\\", "").replace('"', "'").replace("`", "")
    return f'---\ntitle: "{text}"\n' + ("search: { boost: 0.2 }\n" if ended else "") + "---\n\n"


def _escaped(text):
    """A title as Markdown: nothing in it is markup but code in backticks."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\*_\[\]#])", r"\\\1", part).replace("&", "&amp;").replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)
