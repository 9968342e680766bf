# SPDX-License-Identifier: Apache-2.0
"""The built site as readers get it: built strictly, read from disk, served, and looked at in Chromium on a few pages."""

import json
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

from cdna_evidence.checks import Check
from cdna_evidence.site import inspected

AUDIT = "cdna/mfma-audit/"


def audit(tools):
    """Return the markup of the audit's page, without the small cards at its end."""
    text = (inspected.site(tools.root) / AUDIT / "index.html").read_text("utf-8")
    return text[text.index('class="cdna-audit"') :].split("<template", 1)[0]


def asked(url):
    """Return (status, text) of an address on this machine."""
    try:
        with urllib.request.urlopen(url, timeout=120) as answer:  # noqa: S310 - the address is our own server's
            return answer.status, answer.read().decode("utf-8")
    except urllib.error.HTTPError as error:
        return error.code, ""


class Widths(Check):
    """Overflow, ids, fragments and messages of pages that stand for all, at four widths, disclosures closed and open.

    Shows: layout in the Chromium of this machine.
    Does not show: the other pages (the browser test opens each), or other browsers.
    """

    claim = "SITE-001"
    kind = "site"
    binds = ("widths", "pages", "overflowing", "ids_twice", "dangling", "messages")

    def observe(self, target, tools):
        seen = inspected.looked(str(tools.root))["pages"]
        widths = {int(name.split()[0]) for page in seen.values() for name in page["over"]}
        return {
            "widths": sorted(widths),
            "pages": len(seen),
            "overflowing": sum(any(page["over"].values()) for page in seen.values()),
            "ids_twice": sum(bool(page["twice"]) for page in seen.values()),
            "dangling": sum(bool(page["dangling"]) for page in seen.values()),
            "messages": sum(bool(page["said"]) for page in seen.values()),
        }


class DeepLinks(Check):
    """A closed disclosure before and after a link into it is followed, and the contents drawer of a phone.

    Shows: what Chromium does on the audit's page, and which anchors that page has.
    Does not show: other pages.
    """

    claim = "SITE-002"
    kind = "site"
    binds = ("open_before", "open_after_click", "open_on_load", "under_the_bar_after_click", "drawer_stays", "drawer_leads_to", "anchors")

    def observe(self, target, tools):
        seen = inspected.looked(str(tools.root))
        deep, drawer = seen["deep"], seen["mobile"]["drawer"]
        names = inspected.ids(audit(tools))
        wanted = ("mfma-asm-boundary", "mfma-target-boundary", "mfma-register-examples")
        return {
            "open_before": deep["before"][0],
            "open_after_click": deep["after"][0],
            "open_on_load": deep["fresh"][0],
            "under_the_bar_after_click": not all(place[2] <= place[1] + 0.5 < place[3] for place in (deep["after"], deep["fresh"])),
            "drawer_stays": drawer[1] if drawer[0] else True,
            "drawer_leads_to": f"cdna/{drawer[2]}",
            "anchors": [name for name in wanted if name in names],
        }


class Download(Check):
    """The file that the audit's page links, as served, against the page.

    Shows: status, claim ids and one section of both.
    Does not show: that a host serves it so.
    """

    claim = "SITE-003"
    kind = "site"
    binds = ("status", "only_on_page", "only_in_file", "boundary_section")

    def observe(self, target, tools):
        page = audit(tools)
        link = re.search(r'<a class="cdna-download" href="([^"]+)"', page).group(1)
        with inspected.Served(inspected.site(tools.root)) as address:
            status, text = asked(address + AUDIT + link)
        shown = {name for name in re.findall(r'<section[^>]*\sid="([A-Z]+-[0-9]+)"', page)}
        listed = set(re.findall(r"^\*\*([A-Z]+-[0-9]+)\*\*", text, re.M))
        if not shown:
            shown = {"none"}
        section = "mfma-target-boundary"
        both = section in inspected.ids(page) and f'<a id="{section}"></a>' in text
        return {"status": status, "only_on_page": len(shown - listed), "only_in_file": len(listed - shown), "boundary_section": section if both else "not-in-both"}


class Build(Check):
    """A strict build into an empty folder, what its pages say of the generator, and a build that must fail.

    Shows: exit status, warnings, generator and theme by name and version.
    Does not show: that other versions build it.
    """

    claim = "SITE-004"
    kind = "site"
    binds = ("status", "warnings", "generator", "theme", "status_of_a_wrong_one")

    def observe(self, target, tools):
        place, status, messages = inspected.built(str(tools.root))
        front = (place / "index.html").read_text("utf-8") if status == 0 else ""
        named = re.search(r'<meta name="?generator"? content="([^"]*)"', front)
        generator, _, theme = named.group(1).partition(", ") if named else ("none", "", "none")
        return {
            "status": status,
            "warnings": len(messages),
            "messages": messages,
            "generator": generator,
            "theme": theme,
            "status_of_a_wrong_one": self._wrong(tools.root),
        }

    def judge(self, observed, values):
        # A count alone would not tell whoever reads a log what to mend.
        return super().judge(observed, values) + (observed["messages"][:5] if observed["warnings"] != values["warnings"] else [])

    def _wrong(self, root):
        """The exit status of a build of one page that names a claim which does not exist."""
        place = root / "build" / "check-wrong"
        (place / "docs").mkdir(parents=True, exist_ok=True)
        (place / "docs" / "index.md").write_text("# A page\n\n[[claim:TDM-9999]]\n", "utf-8")
        (place / "mkdocs.yml").write_text("site_name: wrong\nplugins: [cdna-evidence]\nnav: [index.md]\nstrict: true\n", "utf-8")
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "-f", str(place / "mkdocs.yml"), "-d", str(place / "site")]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=root)
        return ran.returncode if "unknown claim 'TDM-9999'" in ran.stderr + ran.stdout else -1


def broken(texts, files):
    """Return (links that lead to nothing, links to a place that the page lacks) between pages.

    Args: texts: {path of a page, such as "cdna/lds/": markup}; files: paths of all files of the site.
    """
    names = {path: set(inspected.ids(text)) for path, text in texts.items()}
    lost, placeless = [], []
    for path, text in texts.items():
        base = "http://site/" + (path if path.endswith("/") or not path else path)
        for link in set(re.findall(r'(?:href|src)="?([^"\s>]+)', text)):
            if path == "404.html" or re.match(r"(?:[a-z]+:|//)", link):
                continue
            joined = urllib.parse.urljoin(base, link.replace("&amp;", "&"))
            place, _, fragment = joined[len("http://site/") :].partition("#")
            place, fragment = urllib.parse.unquote(place.split("?")[0]), urllib.parse.unquote(fragment)
            if place in texts:
                if fragment and not fragment.startswith("__") and fragment not in names[place]:
                    placeless.append(f"{path}: {link}")
            elif place.removesuffix("/") + "/" in texts:
                continue
            elif place not in files:
                lost.append(f"{path}: {link}")
    return lost, placeless


class LocalLinks(Check):
    """Every link between pages and to files of the built site, followed on disk; and two that were made wrong.

    Shows: files and ids of the built site.
    Does not show: how a server is set up.
    """

    claim = "SITE-005"
    kind = "site"
    binds = ("broken", "without_anchor", "found_of_two")

    def observe(self, target, tools):
        place = inspected.site(tools.root)
        texts = inspected.pages(place)
        files = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}
        lost, placeless = broken(texts, files)
        wrong = {"": '<p id="here"><a href="nowhere/">x</a><a href="#there">y</a><a href="#here">z</a></p>'}
        found = broken(wrong, {"index.html"})
        return {"broken": len(lost), "without_anchor": len(placeless), "found_of_two": len(found[0]) + len(found[1])}


class Search(Check):
    """The pages of the two topic chapters in the search index, in the navigation and among the links of the start page.

    Shows: the built index and the built start page.
    Does not show: in which order a search lists them.
    """

    claim = "SITE-007"
    kind = "site"
    binds = ("topics", "not_in_search", "not_in_navigation", "not_on_start")

    def observe(self, target, tools):
        place = inspected.site(tools.root)
        chapters = [sorted((place / name).glob("**/index.html")) for name in ("tdm", "cdna")]
        topics = [path.parent.relative_to(place).as_posix() + "/" for chapter in chapters for path in chapter]
        index = json.loads((place / "search" / "search_index.json").read_text("utf-8"))
        found = {entry["location"].split("#")[0] for entry in index["docs"]}
        start = (place / "index.html").read_text("utf-8")
        content = start[start.index("<article") : start.index("</article>")]
        listed = {path: self._nav(place, path) for path in ("tdm/", "cdna/")}
        return {
            "topics": sum(bool(chapter) for chapter in chapters),
            "not_in_search": sum(topic not in found for topic in topics),
            "not_in_navigation": sum(topic not in listed[topic.split("/")[0] + "/"] for topic in topics),
            "not_on_start": sum(f'href="{topic}"' not in content and f'href="{topic}#' not in content for topic in topics),
        }

    def _nav(self, place, path):
        """The pages that the navigation of a chapter's first page leads to."""
        text = (place / path / "index.html").read_text("utf-8")
        nav = text[text.index("md-nav--primary") : text.index("<article")]
        links = re.findall(r'<a href="([^"#]*)"', nav)
        return {urllib.parse.urljoin("http://site/" + path, link)[len("http://site/") :] for link in links}


class MobileTables(Check):
    """Tables at 390 and at 1440 pixels: where they scroll, what is stacked, how wide the column of conditions is.

    Shows: the audit's page and one instruction's page in Chromium.
    Does not show: the other pages.
    """

    claim = "SITE-008"
    kind = "site"
    binds = ("narrow", "wide", "some_region_scrolls", "some_region_leaves", "page_scrolls", "stacked_when_narrow", "stacked_when_wide", "conditions_readable")

    def observe(self, target, tools):
        seen = inspected.looked(str(tools.root))["mobile"]
        narrow, wide = [name for name in seen if name.isdigit()]
        regions = seen[narrow]["regions"]
        return {
            "narrow": int(narrow),
            "wide": int(wide),
            "some_region_scrolls": any(wider and scrolls for wider, _, scrolls in regions),
            "some_region_leaves": any(not inside for _, inside, _ in regions),
            "page_scrolls": seen[narrow]["over"] > 0,
            "stacked_when_narrow": seen[narrow]["stacked"] == "block",
            "stacked_when_wide": seen[wide]["stacked"] == "block",
            "conditions_readable": seen[wide]["first"] >= 200,
        }


class ValuesStable(Check):
    """The table of selected thresholds of the matrix chapter, cell by cell, and an anchor of the audit.

    Shows: the built pages.
    Does not show: that the numbers are right; that is what the claims beside them are for.
    """

    claim = "SITE-009"
    kind = "site"
    binds = ("thresholds", "anchor")

    def observe(self, target, tools):
        text = (inspected.site(tools.root) / "cdna" / "matrix" / "index.html").read_text("utf-8")
        names = {"C exactly D": "exact", "C partly D": "partial", "A or B from D": "input", "VALU wrote A, B or C": "vector", "VALU wrote EXEC": "exec"}
        cells = {row[0]: row[2:4] for row in inspected.rows(text) if row[:1] and row[0] in names}
        anchor = "mfma-asm-boundary"
        return {
            "thresholds": {names[name]: [int(cell) for cell in pair] for name, pair in cells.items()},
            "anchor": anchor if anchor in inspected.ids(audit(tools)) else "not-there",
        }


class Neighbours(Check):
    """Figures and tables that the text of a page asks for, against the page as built, outside the porting chapter.

    Shows: counts page by page, and overflow of the pages looked at.
    Does not show: that pictures are the same.
    """

    claim = "SITE-010"
    kind = "site"
    binds = ("figures_lost", "figures_gained", "tables_lost", "overflowing")

    def observe(self, target, tools):
        place, docs = inspected.site(tools.root), tools.root / "docs"
        lost = gained = tables = 0
        sources = [path for path in docs.glob("**/*.md") if path.relative_to(docs).parts[0] != "cdna"]
        if len(sources) < 20:
            return {}
        for path in sources:
            text = path.read_text("utf-8")
            name = path.relative_to(docs).with_suffix("").as_posix().removesuffix("index")
            page = (place / name / "index.html").read_text("utf-8")
            asked_for, shown = len(re.findall(r"^::fig ", text, re.M)), page.count('<figure class="cdna-figure ')
            lost, gained = lost + max(0, asked_for - shown), gained + max(0, shown - asked_for)
            tables += max(0, len(re.findall(r"^ *\|(?: *:?-+:? *\|)+ *$", text, re.M)) - page.count("<table"))
        seen = inspected.looked(str(tools.root))["pages"]
        over = sum(any(page["over"].values()) for path, page in seen.items() if not path.startswith("cdna"))
        return {"figures_lost": lost, "figures_gained": gained, "tables_lost": tables, "overflowing": over}


class Screenshots(Check):
    """Pictures of the layout, memory and dependency figures and of the contents, taken at two widths.

    Shows: that they were taken and hold something.
    Does not show: that somebody looked at them.
    """

    claim = "SITE-011"
    kind = "site"
    binds = ("views", "widths", "empty", "folder")

    def observe(self, target, tools):
        taken = inspected.looked(str(tools.root))["pictures"]
        folder = tools.root / "build" / "screenshots"
        sizes = [(folder / f"{name}-{width}.png").stat().st_size if (folder / f"{name}-{width}.png").is_file() else 0 for name, width, _ in taken]
        return {
            "views": len({name for name, _, _ in taken}),
            "widths": list(dict.fromkeys(width for _, width, _ in taken)),
            "empty": sum(size < 2000 for size in sizes),
            "folder": folder.relative_to(tools.root).as_posix(),
        }


class Definitions(Check):
    """The words for evidence: where they are defined, and which words stand beside claims.

    Shows: the built pages, and overflow on those looked at.
    Does not show: that a reader takes them so.
    """

    claim = "SITE-012"
    kind = "site"
    binds = ("defined", "defined_twice", "foreign", "overflowing")

    def observe(self, target, tools):
        place = inspected.site(tools.root)
        texts = inspected.pages(place)
        words = [row[0] for row in inspected.rows(texts["method/"]) if len(row) == 4 and row[0] != "facet"]
        again = 0
        for path, text in texts.items():
            if path != "method/" and path.split("/")[0] in ("cdna", "tdm", ""):
                again += sum(len(row) == 4 and row[0] in words for row in inspected.rows(text))
        chips = re.compile(r'class="cdna-chip cdna-glyph[^"]*">([a-z]+)')
        lines = [line for text in texts.values() for line in re.findall(r'<p class="cdna-facets">(.*?)</p>', text, re.S)]
        used = {name for line in lines for name in chips.findall(line)}
        if not used:
            used = {"none"}
        seen = inspected.looked(str(tools.root))["pages"]
        over = sum(amount > 0 for page in seen.values() for amount in page["over"].values())
        return {"defined": len(words), "defined_twice": again, "foreign": len(used - set(words)), "overflowing": over}


class AuditContents(Check):
    """The sections of the audit's page by their anchors, and the cards below each.

    Shows: the built page.
    Does not show: what a claim shows.
    """

    claim = "MFMA-025"
    kind = "site"
    binds = ("sections", "sections_without_claim")

    def observe(self, target, tools):
        page = audit(tools)
        names = re.findall(r'<h2 id="([^"]+)"', page)
        empty = [name for name in names if not re.search(r'<section[^>]*\sid="[A-Z]+-[0-9]+"|data-claim=', inspected.section(page, name))]
        return {"sections": names, "sections_without_claim": len(empty)}


class SchedulingControls(Check):
    """Where in the section on inline assembly its claim, its explanation and the scheduling controls stand.

    Shows: the built page.
    Does not show: whether controls help.
    """

    claim = "MFMA-026"
    kind = "site"
    binds = ("boundary_folded", "explanation_folded", "controls_folded", "same_fold")

    def observe(self, target, tools):
        part = inspected.section(audit(tools), "mfma-asm-boundary")
        folds = re.findall(r'<details class="cdna-more" id="(mfma-asm-boundary-[a-z]+)">(.*?)</details>\s*(?=<details class="cdna-more" id="mfma|</div>|<h2|$)', part, re.S)
        held = dict(folds)
        open_part = part
        for markup in held.values():
            open_part = open_part.replace(markup, "")
        explanation, controls = "opaque instruction", "Scheduling controls order"
        return {
            "boundary_folded": 'id="MFMA-012"' not in open_part,
            "explanation_folded": explanation not in open_part and any(explanation in markup for markup in held.values()),
            "controls_folded": controls not in open_part and any(controls in markup for markup in held.values()),
            "same_fold": any(explanation in markup and controls in markup for markup in held.values()),
        }
