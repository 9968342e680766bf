# SPDX-License-Identifier: Apache-2.0
"""Every built page in a real browser: nothing overflows, collides, dangles, complains or asks another host."""

import pathlib
import re
import urllib.parse

WIDTHS = (390, 1440, 1920, 2560)
LAYOUT = """() => {
  const found = [];
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) {
    const who = [...document.querySelectorAll("body *")].filter((node) => {
      const box = node.getBoundingClientRect();
      if (box.right <= window.innerWidth + 1 || !box.width) return false;
      for (let up = node.parentElement; up; up = up.parentElement)
        if (["auto", "scroll", "hidden"].includes(getComputedStyle(up).overflowX)) return false;
      return true;
    });
    found.push("overflows by " + wide + " px: " + who.slice(0, 3).map((node) => node.tagName + "." + node.className).join(", "));
  }
  return found;
}"""
DARK = "() => getComputedStyle(document.body).backgroundColor === 'rgb(27, 29, 35)'"
NOTHING = '{"config": {"lang": ["en"], "separator": "[\\\\s]+", "pipeline": [], "fields": {"title": {"boost": 1}, "text": {"boost": 1}}}, "docs": []}'
SET_DETAILS = "(open) => { for (const node of document.querySelectorAll('details')) node.open = open; }"
CLEAR = """(id) => {
  const [top, header] = [document.getElementById(id), document.querySelector(".md-header")].map((node) => node.getBoundingClientRect());
  return header.bottom <= top.top + 0.5 && top.top + 0.5 < window.innerHeight;
}"""
NAMES = """() => ({
  ids: [...document.querySelectorAll("[id]")].map((node) => node.id),
  links: [...document.querySelectorAll("a[href]")].map((node) => node.href),
  images: [...document.images].filter((image) => !image.complete || !image.naturalWidth).map((image) => image.src),
})"""


def pages(built):
    """The addresses of all built pages, as paths below the root."""
    root = pathlib.Path(built)
    return sorted(path.relative_to(root).as_posix().removesuffix("index.html") for path in root.rglob("*.html"))


def test_every_page_at_every_width(built, address, open_page):
    """One load a page; resized and toggled in place. Shows layout in Chromium; says nothing about other browsers."""
    from playwright.sync_api import Error

    # The index of the search is the same on every page, and building it over and over is most of the time.
    open_page.tab.route("**/search/search_index.json", lambda route: route.fulfill(body=NOTHING, content_type="application/json"))
    names, problems = {}, []
    found = pages(built)
    assert len(found) > 20
    for path in found:
        tab = open_page(path)
        before = len(open_page.complaints)
        for opened in (False, True) if tab.locator("details").count() else (False,):
            tab.evaluate(SET_DETAILS, opened)
            for width in WIDTHS:
                tab.set_viewport_size({"width": width, "height": 900})
                for text in tab.evaluate(LAYOUT):
                    problems.append(f"{path} at {width} px, disclosures {'open' if opened else 'closed'}: {text}")
        tab.emulate_media(color_scheme="dark")
        problems += [f"{path}, dark: {text}" for text in tab.evaluate(LAYOUT)]
        try:
            tab.wait_for_function(DARK)
        except Error:
            problems.append(f"{path}: stays light in dark mode")
        tab.emulate_media(color_scheme="light")
        names[path] = tab.evaluate(NAMES)
        problems += [f"{path}: {text}" for text in open_page.complaints[before:]]
    problems += open_page.complaints
    for path, name in names.items():
        twice = {identity for identity in name["ids"] if name["ids"].count(identity) > 1}
        problems += [f"{path}: id {identity!r} stands twice" for identity in sorted(twice)]
        problems += [f"{path}: image {image} does not show" for image in name["images"]]
        problems += dangling(path, name["links"], names, address, pathlib.Path(built))
    assert not problems, "\n".join(dict.fromkeys(problems[:40]))


def dangling(path, links, names, address, root):
    """The links of a page that lead nowhere inside the site."""
    for link in dict.fromkeys(links):
        if not link.startswith(address + "/"):
            continue
        place, _, fragment = link[len(address) + 1 :].partition("#")
        place = urllib.parse.unquote(place.split("?")[0])
        fragment = urllib.parse.unquote(fragment)
        if place in names:
            if fragment and not fragment.startswith("__") and fragment not in names[place]["ids"]:
                yield f"{path}: {place or 'index'}#{fragment} does not exist"
        elif not (root / place).is_file():
            yield f"{path}: {place} does not exist"


def test_deep_link_opens_its_disclosure_clear_of_the_header(open_page):
    """A link to something inside a closed disclosure shows it, below the sticky header, on load and on a later click."""
    where = "tdm/descriptor/"
    tab = open_page(where)
    inner = tab.evaluate("() => [...document.querySelectorAll('.cdna-card details[id]')].map((node) => node.id)")
    assert len(inner) >= 10
    for number, identity in enumerate((inner[0], inner[len(inner) // 2], inner[-1])):
        if number % 2:
            tab.evaluate("(id) => { location.hash = id; }", identity)
        else:
            tab.goto("about:blank")
            tab = open_page(f"{where}#{identity}")
        tab.wait_for_function("(id) => document.getElementById(id).open", arg=identity)
        tab.wait_for_function(CLEAR, arg=identity)
    assert not open_page.complaints


def test_claim_card_shows_on_hover_and_focus(open_page):
    """The small card comes by mouse and by keyboard, Escape closes it, and it holds the boundary."""
    tab = open_page("tdm/descriptor/")
    link = tab.locator("p a[data-claim]").first
    link.scroll_into_view_if_needed()
    link.hover()
    card = tab.locator(".cdna-pop")
    card.wait_for()
    assert "Does not say" in card.inner_text()
    tab.keyboard.press("Escape")
    assert tab.locator(".cdna-pop").count() == 0
    tab.mouse.move(2, 2)
    tab.keyboard.press("Tab")
    for _ in range(60):
        if tab.evaluate("() => document.activeElement.matches('a[data-claim]')"):
            break
        tab.keyboard.press("Tab")
    card.wait_for()
    tab.keyboard.press("Tab")
    assert tab.evaluate("() => !!document.activeElement.closest('.cdna-pop')"), "the card's links come next"


def test_claim_index_filters(open_page):
    """Words narrow the table; a word that no claim has leaves nothing."""
    tab = open_page("claims/")
    everything = tab.locator(".cdna-claims tbody tr:visible").count()
    tab.fill("#claim-filter", "pad interval")
    some = tab.locator(".cdna-claims tbody tr:visible").count()
    assert 0 < some < everything
    assert tab.locator('.cdna-claims tbody tr:visible:has-text("TDM-031")').count() == 1
    tab.fill("#claim-filter", "nosuchword")
    assert tab.locator(".cdna-claims tbody tr:visible").count() == 0


def test_copy_buttons_need_no_script_of_ours(open_page, browser, address):
    """A claim's citation lands in the clipboard through the theme's own handler."""
    tab = open_page("claims/TDM-031/")
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    button = tab.locator(".cdna-copy").first
    button.click()
    wanted = button.get_attribute("data-clipboard-text")
    assert wanted.endswith("claims/TDM-031/")
    tab.wait_for_function("() => document.querySelector('.md-dialog--active, .md-dialog[data-md-state=open]')")
    assert tab.evaluate("() => navigator.clipboard.readText()") == wanted


def test_opened_from_disk(built, browser):
    """From disk the links lead to pages, not to directory listings."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(60_000)
    tab = context.new_page()
    tab.goto((pathlib.Path(built) / "index.html").as_uri(), wait_until="load")
    link = tab.locator(".md-content a", has_text=re.compile("^The descriptor, bit by bit$")).first
    link.click()
    tab.wait_for_url("**/tdm/descriptor/index.html#the-registers")
    tab.locator("h1", has_text=re.compile("^Tensor Data Mover")).wait_for()
    context.close()
