# SPDX-License-Identifier: Apache-2.0
"""External links against the hostile server: every case ends right, in bounded time and memory."""

import json
import random
import threading
import tracemalloc

import pytest
from hostile import HASTY, NAME, PAGE, PEM, PUBLIC, SMALL, bomb, client

from cdna_evidence.links import floating, html
from cdna_evidence.links.cache import Cache
from cdna_evidence.links.client import Client, system_resolver
from cdna_evidence.links.external import Checker, retry_after

HOST = f"http://{NAME}"


def check(server, *urls, cache=None, passages=None, **kwargs):
    checker = Checker(client(server, **kwargs), cache or Cache(), passages, chance=random.Random(1))
    results = checker.check([url if "://" in url else HOST + url for url in urls])
    return results[0] if len(results) == 1 else results


@pytest.mark.parametrize(
    ("path", "outcome", "rule"),
    [
        ("/page", "passed", ""),
        ("/page#one", "passed", ""),
        ("/page#two", "passed", ""),
        ("/page#three", "failed", "link-fragment"),
        ("/page#One", "failed", "link-fragment"),
        ("/page#L12", "passed", ""),
        ("/page#:~:text=lane", "passed", ""),
        ("/gzip#one", "passed", ""),
        ("/strange-encoding#one", "cantTell", "link-unreachable"),
        ("/scripts#section", "cantTell", "link-fragment"),
        ("/unclosed#x", "failed", "link-fragment"),
        ("/missing", "failed", "link-broken"),
        ("/status/410", "failed", "link-broken"),
        ("/status/400", "failed", "link-broken"),
        ("/status/401", "cantTell", "link-walled"),
        ("/status/403", "cantTell", "link-walled"),
        ("/status/451", "cantTell", "link-walled"),
        ("/status/500", "cantTell", "link-unreachable"),
        ("/status/418", "failed", "link-broken"),
        ("/loop/a", "failed", "link-redirect"),
        ("/self", "failed", "link-redirect"),
        ("/hops/0", "failed", "link-redirect"),
        ("/nowhere", "failed", "link-redirect"),
        ("/hang-up", "cantTell", "link-unreachable"),
        ("/nonsense", "cantTell", "link-unreachable"),
        ("/endless-headers", "cantTell", "link-unreachable"),
        ("/drip-head", "cantTell", "link-timeout"),
        ("/drip-body", "passed", ""),
        ("/drip-body#x", "cantTell", "link-timeout"),
        ("/endless", "passed", ""),
        ("/endless#x", "cantTell", "link-too-large"),
        ("/bomb#x", "cantTell", "link-too-large"),
    ],
)
def test_outcome(server, path, outcome, rule):
    # Left to itself, what drips ends before long, and not as a time-out.
    result = check(server, path, limits=HASTY if rule == "link-timeout" else SMALL)

    assert (result.outcome, result.rule) == (outcome, rule), result.message


@pytest.mark.parametrize("status", [403, 404, 405, 501])
def test_head_refused_then_get(server, status):
    assert check(server, f"/no-head/{status}").outcome == "passed"
    assert [entry[0] for entry in server.log] == ["HEAD", "GET"]


def test_503_then_200(server):
    assert check(server, "/flaky/2").outcome == "passed"
    assert len(server.log) == 3


def test_503_for_ever_asks_four_times(server):
    result = check(server, "/flaky/99")

    assert (result.outcome, result.rule, len(server.log)) == ("cantTell", "link-unreachable", 4)


@pytest.mark.parametrize("form", ["seconds1", "date2"])
def test_retry_after_is_waited_for(server, form):
    result = check(server, f"/limited/{form}")

    times = [entry[3] for entry in server.log]
    assert result.outcome == "passed"
    # An HTTP date has whole seconds, so two seconds ahead may be little more than one.
    assert len(times) == 2 and 0.9 <= times[1] - times[0]


@pytest.mark.parametrize("form", ["seconds3600", "date3600"])
def test_retry_after_beyond_the_cap_is_rate_limited(server, form):
    first, second = check(server, f"/limited/{form}", "/page")

    assert (first.outcome, first.rule) == ("cantTell", "link-rate-limited")
    assert (second.outcome, second.rule) == ("cantTell", "link-rate-limited"), (
        "the host asked for a pause: nothing more is asked"
    )
    assert len(server.log) == 1


def test_lasting_429_is_rate_limited(server):
    result = check(server, "/limited/always")

    assert (result.outcome, result.rule, len(server.log)) == ("cantTell", "link-rate-limited", 4)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5", 5.0), (" 0 ", 0.0), ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0), ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
     ("Thursday, 01-Jan-70 00:01:40 GMT", 90.0), ("", None), ("-3", None), ("soon", None), ("1.5", None), ("9" * 30, None)],
)  # fmt: skip
def test_retry_after_forms(text, seconds):
    assert retry_after(text, now=10.0) == seconds


def test_redirects_are_followed_up_to_five(server):
    result = check(server, "/few/4")

    assert (result.outcome, result.hops, result.final) == ("passed", 5, HOST + "/page")
    assert [rule for rule, _message in result.notes] == ["link-moved"]
    assert check(server, "/few/5").rule == "link-redirect"


INWARD = [
    "http://127.0.0.1:{port}/page", "http://localhost:{port}/page", "http://[::1]:{port}/page", "http://[::ffff:127.0.0.1]:{port}/page",
    "http://2130706433:{port}/page", "http://0x7f000001:{port}/page", "http://0177.0.0.1:{port}/page", "http://127.1:{port}/page",
    "http://169.254.169.254/latest/meta-data/", "http://[64:ff9b::7f00:1]:{port}/page", "http://[2002:7f00:1::]/", "http://10.0.0.1/",
    "http://inward.site-under-test.org:{port}/page", "http://both.site-under-test.org:{port}/page", "file:///etc/passwd", "ftp://host.org/x",
    "http://me@93.184.215.14/", "http://0.0.0.0:{port}/page",
]  # fmt: skip
NAMES = {
    "inward.site-under-test.org": ["127.0.0.1"],
    "both.site-under-test.org": [PUBLIC, "127.0.0.1"],
    "localhost": ["127.0.0.1"],
}


@pytest.mark.parametrize("goal", INWARD)
@pytest.mark.parametrize("way", ["direct", "redirect"])
def test_cannot_reach_inside(server, goal, way):
    goal, dialled = goal.format(port=server.port), []

    result = check(server, goal if way == "direct" else f"/to/{goal.encode().hex()}", names=NAMES, dialled=dialled)

    # `localhost` is also a reserved name, so a direct citation of it is set aside before anything is resolved.
    expected = ("inapplicable", "") if way == "direct" and "localhost" in goal else ("failed", "link-refused")
    assert (result.outcome, result.rule) == expected
    assert set(dialled) <= {PUBLIC}
    assert "/page" not in server.paths()


def test_the_system_resolver_is_judged_too(server):
    result = Checker(Client(SMALL), Cache()).check([f"http://127.0.0.1:{server.port}/page"])[0]

    assert result.rule == "link-refused" and not server.log
    assert system_resolver("127.0.0.1", 80) == ["127.0.0.1"]


def test_answer_that_changes_between_check_and_connect(server):
    """The name is resolved once a connection, and what was judged is what is dialled."""
    asked, dialled = [], []

    def names(host, port):
        asked.append(host)
        return [PUBLIC] if len(asked) == 1 else ["127.0.0.1"]

    first = check(server, "/page", names=names, dialled=dialled)

    assert first.outcome == "passed" and asked == [NAME] and dialled == [PUBLIC]

    second = check(server, "/page", names=names, dialled=dialled)

    assert second.rule == "link-refused" and dialled == [PUBLIC] and len(server.log) == 1


def test_proxies_of_the_environment_are_not_used(server, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert check(server, "/page").outcome == "passed"


def test_bad_certificate_is_broken(tls_server):
    url = f"https://{NAME}/page"

    result = check(tls_server, url)

    assert (result.outcome, result.rule) == ("failed", "link-tls") and not tls_server.log
    # The same host passes when its certificate is trusted, and fails again under another name: so the certificate decided.
    assert check(tls_server, url, verify=str(PEM)).outcome == "passed"
    assert check(tls_server, "https://other.site-under-test.org/page", verify=str(PEM)).rule == "link-tls"


def test_unresolved_name_and_closed_port_cannot_tell(server):
    def names(host, port):
        raise OSError("no answer")

    gone = check(server, "/page", "/page#one", names=names)
    server.shutdown()
    server.server_close()
    closed = check(server, "/page")

    assert [(one.outcome, one.rule) for one in [*gone, closed]] == [("cantTell", "link-unreachable")] * 3


def test_resolver_that_hangs_is_left(server):
    end = threading.Event()

    result = check(server, "/page", names=lambda host, port: end.wait(), limits=SMALL._replace(connect=0.1, retries=0))

    assert result.rule == "link-timeout"
    end.set()


@pytest.mark.parametrize("path", ["/bomb", "/endless"])
def test_body_is_bounded_in_memory(server, path):
    one = client(server)
    bomb()  # made before memory is counted
    tracemalloc.start()
    try:
        answer = one.ask("GET", HOST + path, body=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert answer.cut and len(answer.body) == SMALL.body
    # The bomb unpacks to 67 MB, and the endless body has no end: what is held stays near the cap of 0.2 MB.
    assert peak < 5_000_000


def test_one_connection_a_host_and_a_pause(server):
    limits = SMALL._replace(delay=0.15)

    check(server, "/page?1", "/page?2", "/page?3", limits=limits)

    times = [entry[3] for entry in server.log]
    assert all(later - earlier >= 0.14 for earlier, later in zip(times, times[1:], strict=False))


def test_a_slow_host_does_not_hold_up_others(server):
    """The slow pages answer when every fast one was asked: were one of those held up behind them, none would answer."""
    slow = [f"http://slow.site-under-test.org/after/20?{n}" for n in range(10)]
    fast = [f"http://h{n}.site-under-test.org/page" for n in range(20)]

    results = check(server, *slow, *fast, limits=SMALL._replace(retries=0))

    assert [one.outcome for one in results] == ["passed"] * 30


def test_same_url_is_asked_once_and_named_honestly(server):
    check(server, "/page", "/page")

    assert len(server.log) == 1
    assert server.log[0][2]["User-Agent"].startswith("cdna-evidence/") and "+http" in server.log[0][2]["User-Agent"]
    assert server.log[0][2]["Host"] == NAME


def test_cache_keeps_good_answers_and_no_failures(server, tmp_path):
    now = [1_000_000.0]

    def cache():
        return Cache(tmp_path / "c.json", clock=lambda: now[0])

    one = cache()
    first = check(server, "/etag", "/status/404", "/flaky/99", "/page#three", cache=one)
    one.save()
    kept = json.loads((tmp_path / "c.json").read_text())["good"]

    assert [r.outcome for r in first] == ["passed", "failed", "cantTell", "failed"]
    assert list(kept) == [HOST + "/etag"]

    server.log.clear()
    assert check(server, "/etag", cache=cache()).cached and not server.log

    now[0] += 25 * 3600
    later = check(server, "/etag", cache=cache())

    assert later.outcome == "passed" and later.message.startswith("304")
    assert server.log[0][2]["If-None-Match"] == '"v1"'


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema": 1, "good": {"http://x.org/": {"checked": "no"}}}', "\x00", "[" * 100_000]
)
def test_unreadable_cache_counts_as_empty(tmp_path, text):
    (tmp_path / "c.json").write_text(text)

    assert Cache(tmp_path / "c.json").entries == {}


def test_silent_rewrite_shows(server, tmp_path):
    url = HOST + "/moving"
    asker = client(server)
    answer = asker.ask("GET", url, body=True)
    page = html.read(answer.body, want_words=True)
    quote = "lane width  is 64."
    one = floating.record(url, quote, page, answer.headers, "2026-11-29")
    floating.write(tmp_path / "links.lock", {url: [one]})
    known = floating.read(tmp_path / "links.lock")

    assert one.title == "A page" and one.date == "Sun, 29 Nov 2026 10:00:00 GMT"
    assert quote not in (tmp_path / "links.lock").read_text()
    assert floating.record(url, "lane width is 32", page, answer.headers, "2026-11-29") is None

    result = check(server, "/moving", passages=known)

    assert (result.outcome, result.rule) == ("failed", "link-passage")
    assert floating.compare(known[url], html.read(PAGE, want_words=True)) == []
    other = html.read(PAGE.replace(b"A page", b"B page"), want_words=True)
    assert [rule for rule, _message in floating.compare(known[url], other)] == ["link-title"]


@pytest.mark.parametrize("line", ["x", "{}", "[1]", '{"url":"u","title":"","date":"","seen":"","words":0,"sha256":""}'])
def test_unreadable_record_names_its_line(tmp_path, line):
    (tmp_path / "links.lock").write_text("# head\n" + line + "\n")

    with pytest.raises(ValueError, match=r"links\.lock:2"):
        floating.read(tmp_path / "links.lock")
