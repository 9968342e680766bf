# SPDX-License-Identifier: Apache-2.0
"""Which pages are made from the register: source path and Markdown text. The text names parts; the parts do the work."""

import re

from markdown.extensions.toc import slugify

from . import mfma_pages, wmma_pages
from .card import page_of

# How the search weighs a generated page against one that a person wrote (1): a guide answers, a source only stands behind.
WEIGHTS = {"claims": 0.4, "mfma": 0.6, "wmma": 0.6, "sources": 0.03}


def generated(content):
    """Return [(source path, Markdown)] of every page that nobody writes by hand.

    Args: content: a `Content`.
    """
    found = [(page_of(claim), _claim(claim)) for claim in content.register.claims.values()]
    found += [(f"sources/{source.key}.md", _source(source)) for source in content.register.sources.values()]
    found += mfma_pages.generated() + wmma_pages.generated()
    return [(path, _weighed(path, text)) for path, text in found]


def _weighed(path, text):
    """Add to a page's front matter how the search weighs it; a list of pages keeps the weight of a guide, and needs no contents."""
    weight = WEIGHTS[path.partition("/")[0]]
    if path.endswith("/index.md"):  # a wide table and no headings
        return text.replace("---\n", "---\nhide: [toc]\n", 1)
    return text.replace("---\n", f"---\nsearch: {{ boost: {weight:g} }}\n", 1)


def _claim(claim):
    # The search shows and weighs the heading, so the id stands in it; its anchor is that of the title alone.
    anchor = slugify(claim.title.replace("`", ""), "-")
    heading = f'# <span class="cdna-mono">{claim.id}:</span> {_escaped(claim.title)} {{ #{anchor} }}'
    return f"{_front(f'{claim.id}: {claim.title}')}{heading}\n\n::claim-page {claim.id}\n"


def _source(source):
    front = _front(f"{source.key}: {source.title}")
    return f"{front}# {source.key}: {_escaped(source.title)}\n\n[All sources](index.md)\n\n::source-page {source.key}\n"


def _front(title):
    text = title.replace("\\", "").replace('"', "'").replace("`", "")
    return f'---\ntitle: "{text}"\n---\n\n'


def _escaped(text):
    """A title as Markdown: nothing in it is markup but code in backticks."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\*_\[\]#])", r"\\\1", part).replace("&", "&amp;").replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)
