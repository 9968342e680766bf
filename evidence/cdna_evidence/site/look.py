# SPDX-License-Identifier: Apache-2.0
"""What an installed Chromium sees on some pages of the served site: overflow, ids, messages, disclosures, tables, pictures."""

import contextlib
import shutil

from cdna_evidence.checks.api import NotHere

from .inspected import FLAGS, INSTALLED

SET_DETAILS = "(open) => { for (const node of document.querySelectorAll('details')) node.open = open; }"
WIDE = "() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth)"
IDS = "() => [...document.querySelectorAll('[id]')].map((node) => node.id)"
FRAGMENTS = """() => [...document.querySelectorAll('a[href^="#"]')].map((node) => decodeURIComponent(node.getAttribute("href").slice(1)))
  .filter((name) => name && !name.startsWith("__") && !document.getElementById(name))"""
REGIONS = """() => [...document.querySelectorAll(".cdna-scroll")].map((node) => [node.scrollWidth > node.clientWidth + 1,
  node.getBoundingClientRect().right <= window.innerWidth + 1, ["auto", "scroll"].includes(getComputedStyle(node).overflowX)])"""
STACKED = "() => { const row = document.querySelector('table.cdna-stacked tbody tr'); return row && getComputedStyle(row).display; }"
FIRST = """() => { const cell = document.querySelector("table.cdna-numbers tbody th"); return cell && cell.getBoundingClientRect().width; }"""
PLACE = """(id) => [document.getElementById(id).closest("details").open, document.getElementById(id).getBoundingClientRect().top,
  document.querySelector(".md-header").getBoundingClientRect().bottom, window.innerHeight]"""
CLEAR = f"(id) => {{ const [open, top, header, low] = ({PLACE})(id); return open && header <= top + 0.5 && top + 0.5 < low; }}"
DRAWER = "() => document.getElementById('__drawer').checked"
# How long a page takes says something about this machine, so a wait is long; what has not come then is told as it is.
PATIENCE = 120_000
# page, what is taken a picture of, name
VIEWS = (
    ("cdna/matrix/", ".cdna-figure-lanegrid", "layout"),
    ("cdna/waits/", ".cdna-figure-waits", "memory"),
    ("cdna/matrix/", ".cdna-figure-overlap", "dependency"),
    ("cdna/", ".md-content", "contents"),
)


def look(address, pages, widths, pictures):
    """Return {"pages": {path: {...}}, "deep": {...}, "mobile": {...}, "pictures": [...]}, all JSON-ready.

    Args: address: of the served site, ending in a slash; pages: paths below it; widths: pixels; pictures: folder for
      screenshots. Raises: NotHere: no Playwright or no browser on this machine.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ModuleNotFoundError:
        raise NotHere("the extra `test` (playwright) is not installed") from None
    program = next(filter(None, (shutil.which(name) for name in INSTALLED)), None)
    with sync_playwright() as engine:
        try:
            browser = engine.chromium.launch(executable_path=program, args=list(FLAGS), timeout=PATIENCE)
        except Error as error:
            raise NotHere(f"no Chromium: {str(error).splitlines()[0]}") from None
        context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        tab = context.new_page()
        said = []
        tab.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.on("response", lambda answer: said.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None)
        found = {"browser": browser.version, "pages": {path: _page(tab, address + path, widths, said) for path in pages}}
        found["deep"] = _deep(tab, address)
        found["mobile"] = _mobile(tab, address)
        found["pictures"] = _pictures(tab, address, pictures)
        browser.close()
    return found


def _await(tab, script, given=None):
    from playwright.sync_api import TimeoutError

    with contextlib.suppress(TimeoutError):
        tab.wait_for_function(script, arg=given)


def _page(tab, url, widths, said):
    said.clear()
    tab.set_viewport_size({"width": widths[1], "height": 900})
    tab.goto(url, wait_until="load")
    over = {}
    for opened in (False, True):
        tab.evaluate(SET_DETAILS, opened)
        for width in widths:
            tab.set_viewport_size({"width": width, "height": 900})
            over[f"{width} {'open' if opened else 'closed'}"] = tab.evaluate(WIDE)
    names = tab.evaluate(IDS)
    return {
        "over": over,
        "twice": sorted({name for name in names if names.count(name) > 1}),
        "dangling": sorted(set(tab.evaluate(FRAGMENTS))),
        "said": list(said),
    }


def _deep(tab, address):
    """A link to something inside a closed disclosure: before and after following it."""
    tab.set_viewport_size({"width": 1440, "height": 900})
    tab.goto(address + "cdna/mfma-audit/", wait_until="load")
    inner = tab.evaluate("() => [...document.querySelectorAll('details[id]')].map((node) => node.id)")
    target = next(name for name in inner if name.startswith("mfma-asm-boundary"))
    before = tab.evaluate(PLACE, target)
    tab.evaluate("(id) => { location.hash = id; }", target)
    _await(tab, CLEAR, target)
    after = tab.evaluate(PLACE, target)
    tab.goto("about:blank")
    tab.goto(f"{address}cdna/mfma-audit/#{target}", wait_until="load")
    _await(tab, CLEAR, target)
    fresh = tab.evaluate(PLACE, target)
    return {"before": before, "after": after, "fresh": fresh}


def _mobile(tab, address):
    """Tables and the contents drawer at 390 px, and the same table at 1440."""
    found = {}
    for width in (390, 1440):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.goto(address + "cdna/mfma-audit/", wait_until="load")
        tab.evaluate(SET_DETAILS, True)
        regions = tab.evaluate(REGIONS)
        found[str(width)] = {"regions": regions, "over": tab.evaluate(WIDE), "stacked": tab.evaluate(STACKED)}
    tab.goto(address + "mfma/v_mfma_f32_16x16x16_f16/", wait_until="load")
    # The audit's tables are as wide as what ran; this page's are wide even where nothing has run yet.
    tab.evaluate(SET_DETAILS, True)
    found["390"]["regions"] += _at(tab, 390, REGIONS)
    tab.set_viewport_size({"width": 1440, "height": 900})
    found["1440"]["first"] = tab.evaluate("() => document.querySelector('#waits ~ .cdna-scroll tbody th').getBoundingClientRect().width")
    tab.set_viewport_size({"width": 390, "height": 900})
    tab.goto(address + "cdna/lds/", wait_until="load")
    tab.locator("label.md-header__button[for='__drawer']").click()
    _await(tab, DRAWER)
    found["drawer"] = [tab.evaluate(DRAWER)]
    with tab.expect_navigation():
        tab.locator(".md-nav--primary a.md-nav__link:visible", has_text="Number formats").first.click()
    found["drawer"] += [tab.evaluate(DRAWER), tab.url.rsplit("/", 2)[-2]]
    return found


def _at(tab, width, script):
    tab.set_viewport_size({"width": width, "height": 900})
    return tab.evaluate(script)


def _pictures(tab, address, folder):
    """Pictures of the figures and of the contents, at a wide and a narrow window."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for width in (1440, 390):
        tab.set_viewport_size({"width": width, "height": 900})
        for page, selector, name in VIEWS:
            tab.goto(address + page, wait_until="load")
            path = folder / f"{name}-{width}.png"
            data = tab.locator(selector).first.screenshot(path=str(path))
            found.append([name, width, len(data)])
    return found
