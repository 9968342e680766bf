# SPDX-License-Identifier: Apache-2.0
"""One build of the site and one browser a session; both say why when they cannot be had."""

import functools
import http.server
import os
import shutil
import threading

import pytest

from cdna_evidence import settings

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *args):
        """Leave the test's output alone."""


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The directory of a fresh strict build of this clone."""
    pytest.importorskip("material", reason="the extra `site` is not installed")
    from cdna_evidence.site import build

    return build.build(settings.clone(), tmp_path_factory.mktemp("built") / "site")


@pytest.fixture(scope="session")
def address(built):
    """The address at which the built site is served on this machine, without a slash at its end."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=built))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def browser():
    """An installed Chromium, else Playwright's own; under CI one must be there."""
    found = next(filter(None, (shutil.which(name) for name in INSTALLED)), None)
    try:
        from playwright.sync_api import Error, sync_playwright
    except ModuleNotFoundError:
        _none("the extra `test` (playwright) is not installed")
    with sync_playwright() as engine:
        try:
            started = engine.chromium.launch(executable_path=found, args=FLAGS, timeout=120_000)
        except Error as error:
            _none(f"no Chromium: {str(error).splitlines()[0]}")
        yield started
        started.close()


def _none(why):
    if os.environ.get("CI", "").lower() in ("1", "true", "yes"):
        pytest.fail(f"browser tests must run under CI: {why}", pytrace=False)
    pytest.skip(f"browser tests did not run: {why}")


@pytest.fixture
def open_page(browser, address):
    """A function that opens pages in one tab; what the page complained about is in its `.complaints`."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light", reduced_motion="reduce")
    # How long a page takes says something about this machine, so a wait is long and only what never comes fails.
    context.set_default_timeout(60_000)
    complaints = []

    def guard(route):
        if route.request.url.startswith((address + "/", "data:", "blob:")):
            route.continue_()
        else:
            complaints.append(f"outside request {route.request.url}")
            route.abort()

    context.route("**/*", guard)
    tab = context.new_page()
    tab.on("console", lambda m: complaints.append(f"console {m.type}: {m.text}") if m.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: complaints.append(f"script error: {error}"))
    tab.on("response", lambda r: complaints.append(f"status {r.status}: {r.url}") if r.status >= 400 else None)

    def go(path):
        tab.goto(f"{address}/{path}", wait_until="load")
        return tab

    go.complaints = complaints
    go.tab = tab
    yield go
    context.close()
