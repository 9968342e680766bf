# SPDX-License-Identifier: Apache-2.0
"""Small helpers that build element trees, so that every id and link on a page is an element MkDocs can check."""

import re
import xml.etree.ElementTree as etree

CODE = re.compile(r"`([^`]+)`")
URL = re.compile(r"https?://[^\s<>()\[\]]+[^\s<>()\[\].,;:]")


def h(tag, *children, **attributes):
    """Return an element. Children are elements, texts, lists of these, or None (left out).

    Args: tag: the element's name; attributes: `class_` is `class`, `for_` is `for`, `data_x` is `data-x`; None is left
      out, True writes the bare name.
    """
    element = etree.Element(tag)
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.rstrip("_").replace("_", "-")
        element.set(name, name if value is True else str(value))
    add(element, *children)
    return element


def add(element, *children):
    """Append children (elements, texts, nested lists, None) to an element and return it."""
    for child in children:
        if child is None:
            continue
        if isinstance(child, (list, tuple)):
            add(element, *child)
        elif isinstance(child, etree.Element):
            element.append(child)
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + str(child)
        else:
            element.text = (element.text or "") + str(child)
    return element


def rich(text):
    """Return the nodes of a register text: `code` in backticks becomes code, addresses become links.

    Args: text: one line or a folded paragraph of the register; nothing else in it is markup.
    """
    nodes = []
    for i, part in enumerate(CODE.split(" ".join(str(text).split()))):
        nodes += [h("code", part)] if i % 2 else _linked(part)
    return nodes


def _linked(text):
    nodes, end = [], 0
    for match in URL.finditer(text):
        nodes += [text[end : match.start()], h("a", match.group(), href=match.group(), rel="noopener")]
        end = match.end()
    return nodes + [text[end:]]


def joined(items, separator=", "):
    """Return a flat list of nodes with a separator text between the items."""
    nodes = []
    for item in items:
        if nodes:
            nodes.append(separator)
        nodes.append(item)
    return nodes


def table(head, rows, class_="", label=None, stacked=False):
    """Return a table that scrolls inside itself; its header row and first column stay in view.

    Args: head: texts; rows: lists of cells (text, element or list of nodes); label: what the table holds, for screen
      readers; stacked: on a phone each row becomes a block with its headings.
    """
    body = []
    for cells in rows:
        line = [h("th", cells[0], scope="row")]
        line += [h("td", cell, data_label=name) for name, cell in zip(head[1:], cells[1:], strict=True)]
        body.append(h("tr", *line))
    kind = "cdna-table " + ("cdna-stacked " if stacked else "") + class_
    return h(
        "div",
        h(
            "table",
            h("thead", h("tr", *[h("th", name, scope="col") for name in head])),
            h("tbody", *body),
            class_=kind.strip(),
        ),
        class_="cdna-scroll",
        tabindex="0",
        role="region",
        aria_label=label or " / ".join(str(name) for name in head),
    )


def keyvalues(pairs, class_=""):
    """Return a list of names and values; a pair whose value is None is left out. On a phone it stacks."""
    lines = [[h("dt", name), h("dd", value)] for name, value in pairs if value is not None]
    return h("dl", *lines, class_=("cdna-kv " + class_).strip())


def disclosure(title, *children, id_=None, open_=False):
    """Return a closed disclosure; a link to its id, or to anything inside, opens it (see cdna.js)."""
    return h("details", h("summary", title), *children, id=id_, open=open_, class_="cdna-more")


def copy_button(text, title="Copy"):
    """Return a button that copies a text; the theme's own clipboard handler does the work."""
    return h("button", title, class_="cdna-copy", data_clipboard_text=text, type="button", data_search_exclude=True)
