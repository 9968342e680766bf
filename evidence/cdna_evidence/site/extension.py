# SPDX-License-Identifier: Apache-2.0
"""The Markdown extension: `[[claim:TDM-031]]`, `[[see:TDM-031]]`, `::claim TDM-031`, `::fig name | caption` and the page parts.

Inline patterns and blocks only leave a mark; one tree processor fills the marks in afterwards, so that nothing in a claim's
text is read as Markdown. Code spans and fences are taken out of the text before either can see them.
"""

import posixpath
import re
import xml.etree.ElementTree as etree

from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.treeprocessors import Treeprocessor

from . import card, figures, parts, tree

MARK = "cdna-mark"
IDENTITY = re.compile(r"\b([A-Z][A-Z0-9]{1,4}-[0-9]{3,4})\b")
BLOCK = re.compile(r"^::([a-z][a-z-]*)(?:[ \t]+(.*))?$")
INLINE = r"\[\[(claim|see):([^\]\s]*)\]\]"


class SiteError(Exception):
    """A page names something that does not exist, or the same card twice; the message says page and what."""


class Here:
    """The page that is being made: where it stands, which cards it has, which claims it mentions.

    Attributes: content: a `Content`; page: source path such as "tdm/descriptor.md"; md: the Markdown instance.
    """

    def __init__(self, content, page, md):
        self.content, self.page, self.md = content, page, md
        self.cards, self.mentioned, self.figures = set(), [], 0

    def link(self, target):
        """Return the path from this page to another source file, such as "claims/TDM-031.md#TDM-031"."""
        path, hash_, anchor = target.partition("#")
        return posixpath.relpath(path, posixpath.dirname(self.page) or ".") + hash_ + anchor

    def claim(self, name):
        """Return the claim of an id or key. Raises: SiteError: there is none."""
        try:
            return self.content.claim(name)
        except KeyError:
            raise SiteError(f"{self.page}: unknown claim {name!r}: an id or key of the register, see `cdna claim list`") from None

    def rich(self, text):
        """Return the nodes of a register text, with each claim's id in it as a link."""
        nodes = []
        for node in tree.rich(text):
            if isinstance(node, str):
                for i, part in enumerate(IDENTITY.split(node)):
                    nodes.append(self._linked(part) if i % 2 else part)
            else:
                nodes.append(node)
        return nodes

    def _linked(self, identity):
        if identity not in self.content.register.claims:
            return identity
        return tree.h("a", identity, href=self.link(f"claims/{identity}.md"), class_="cdna-mono")

    def mention(self, claim):
        """Remember that the page needs the claim's small card."""
        if claim.id not in self.mentioned:
            self.mentioned.append(claim.id)

    def once(self, identity):
        """Refuse the second card of a claim on one page: both would have the same id."""
        if identity in self.cards:
            raise SiteError(f"{self.page}: the card of {identity} stands twice on this page; use [[see:{identity}]] for the second")
        self.cards.add(identity)

    def raw(self, markup):
        """Return a text that stands for finished markup (a figure) in the tree."""
        return self.md.htmlStash.store(markup)

    def prefix(self):
        """Return a prefix that makes the ids inside the next figure unique on this page."""
        self.figures += 1
        return f"fig{self.figures}"


class ClaimsExtension(Extension):
    """Python-Markdown extension; `content` is a `Content`, `page` the source path of the page to be converted."""

    def __init__(self, content, page="index.md", **kwargs):
        self.content, self.page = content, page
        super().__init__(**kwargs)

    def extendMarkdown(self, md):
        """Register the two patterns and the tree processor; 185 is below code spans (190), 15 above the contents list (5)."""
        md.inlinePatterns.register(_Inline(INLINE, md), "cdna-claim", 185)
        md.parser.blockprocessors.register(_Block(md.parser), "cdna-directive", 95)
        md.treeprocessors.register(_Fill(md, self), "cdna-fill", 15)


class _Inline(InlineProcessor):
    def handleMatch(self, m, data):
        mark = etree.Element(MARK)
        mark.set("name", "inline-" + m.group(1))
        mark.set("args", m.group(2))
        return mark, m.start(0), m.end(0)


class _Block(BlockProcessor):
    def test(self, parent, block):
        return any(BLOCK.match(line) and BLOCK.match(line).group(1) in DIRECTIVES for line in block.split("\n"))

    def run(self, parent, blocks):
        block = blocks.pop(0).strip("\n")
        match = BLOCK.match(block.strip())
        if match is None or "\n" in block.strip():
            raise SiteError(f"{block.splitlines()[0]!r}: a line that starts with `::` stands alone, with empty lines around it")
        mark = etree.SubElement(parent, MARK)
        mark.set("name", match.group(1))
        mark.set("args", (match.group(2) or "").strip())


class _Fill(Treeprocessor):
    def __init__(self, md, extension):
        super().__init__(md)
        self.extension = extension

    def run(self, root):
        here = Here(self.extension.content, self.extension.page, self.md)
        self._walk(root, here)
        self._wrap_tables(root)
        for identity in here.mentioned:
            root.append(card.template(here, here.claim(identity)))

    def _walk(self, parent, here):
        for i, child in enumerate(list(parent)):
            if child.tag == MARK:
                made = self._make(child, here)
                made.tail = child.tail
                parent[i] = made
            else:
                self._walk(child, here)

    def _make(self, mark, here):
        name, args = mark.get("name"), mark.get("args")
        return DIRECTIVES[name](here, args)

    def _wrap_tables(self, root):
        for parent in list(root.iter()):
            for i, child in enumerate(list(parent)):
                if child.tag == "table" and not child.get("class"):
                    child.set("class", "cdna-table")
                    if i and parent[i - 1].get("class") == parts.STACK_NEXT:
                        parts.stack(child)
                    heads = [" ".join("".join(cell.itertext()).split()) for cell in child.iter("th") if not cell.get("scope")]
                    label = " / ".join(head for head in heads if head) or "table"
                    box = tree.h("div", class_="cdna-scroll", tabindex="0", role="region", aria_label=label)
                    box.tail, child.tail = child.tail, None
                    parent[i] = box
                    box.append(child)


def _figure(here, args):
    call, _, caption = args.partition("|")
    words = call.split()
    if not words or words[0] not in figures.FIGURES:
        raise SiteError(f"{here.page}: unknown figure {call.strip()!r}: {', '.join(sorted(figures.FIGURES))}")
    try:
        options = dict(word.split("=", 1) for word in words[1:])
        return figures.figure(here, words[0], options, caption.strip())
    except (ValueError, TypeError) as error:
        raise SiteError(f"{here.page}: ::fig {call.strip()}: {error}") from error


DIRECTIVES = {
    "inline-claim": lambda here, args: card.inline(here, here.claim(args)),
    "inline-see": lambda here, args: card.see(here, here.claim(args)),
    "claim": lambda here, args: card.full(here, here.claim(args)),
    "fig": _figure,
    **parts.PARTS,
}


def makeExtension(**kwargs):
    """Return the extension, as Python-Markdown asks for it by module name."""
    return ClaimsExtension(**kwargs)
