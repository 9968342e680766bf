# SPDX-License-Identifier: Apache-2.0
"""What one external link is worth: found, broken, or not to be told from here, one request at a time.

Only an answer that speaks about the page itself makes a link broken. A host that is silent, busy, rationed or walled is
`cantTell`: it says nothing about the page.
"""

import datetime
import email.utils
import random
import re
import time
import urllib.parse
from typing import NamedTuple

from . import address, floating, html, schedule

GET_INSTEAD = (403, 404, 405, 410, 501)
WALLED = (401, 402, 403, 407, 451, 999)
BUSY = (408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524)
REDIRECT = (301, 302, 303, 307, 308)
_LINES = re.compile(r"L[0-9]+(C[0-9]+)?(-L?[0-9]+(C[0-9]+)?)?\Z")
_PLACEHOLDER_HOSTS = re.compile(r"(^|\.)(example(\.(com|org|net))?|invalid|test|localhost)\Z")


class Result(NamedTuple):
    """What a link came to.

    outcome: passed, failed, cantTell or inapplicable; rule: stable id, "" when passed; notes: [(rule, message)] besides;
    final: the address that answered; hops: how many redirects; requests: how many were sent; cached: from the cache.
    """

    url: str
    outcome: str
    rule: str
    message: str
    notes: tuple = ()
    final: str = ""
    hops: int = 0
    requests: int = 0
    cached: bool = False


class _Job:
    def __init__(self, url, target, wants_page):
        self.url = url
        self.target = target
        self.fragment = target.fragment
        self.chain = [target.url]
        self.permanent = True
        self.method = "GET" if wants_page else "HEAD"
        self.wants_page = wants_page
        self.retries = 0
        self.requests = 0
        self.seconds = 0.0


class Checker:
    """Checks external links.

    Args: client: Client; cache: Cache; passages: {url: [Passage]} that were recorded; clock: seconds since 1970, for
      Retry-After dates; chance: random.Random for the jitter.
    """

    def __init__(self, client, cache, passages=None, clock=time.time, chance=None):
        self.client = client
        self.limits = client.limits
        self.cache = cache
        self.passages = passages or {}
        self.clock = clock
        self.chance = chance or random.Random()  # noqa: S311  jitter, no secret

    def check(self, urls):
        """Return the Results of some URLs, in their order; each distinct one is asked once."""
        distinct = list(dict.fromkeys(urls))
        found, jobs = {}, []
        for url in distinct:
            begun = self._begin(url)
            if isinstance(begun, Result):
                found[url] = begun
            else:
                jobs.append((begun.target.site, begun))
        for result in schedule.run(jobs, self._step, self._shut, self.limits):
            found[result.url] = result
        return [found[url] for url in urls]

    def _begin(self, url):
        try:
            target = address.target(url)
        except address.Refused as refusal:
            return Result(url, "failed", "link-refused", str(refusal))
        if _PLACEHOLDER_HOSTS.search(target.host) and not self.client.allow_private:
            return Result(url, "inapplicable", "", "a name reserved for examples", final=target.url)
        entry = self.cache.fresh_entry(url, self._subject(url))
        if entry:
            return Result(url, "passed", "", "found good within the last day", final=entry["final"], cached=True)
        wants = bool(_anchor(target.fragment)) or url in self.passages
        return _Job(url, target, wants)

    def _subject(self, url):
        return ",".join(sorted(one.sha256 for one in self.passages.get(url, ())))

    def _step(self, job):
        """Send one request for a job and say what follows."""
        headers = {}
        entry = self.cache.entry(job.url, self._subject(job.url))
        if entry and entry["final"] == job.target.url:
            if entry["etag"]:
                headers["If-None-Match"] = entry["etag"]
            if entry["modified"]:
                headers["If-Modified-Since"] = entry["modified"]
        left = self.limits.url - job.seconds
        if left <= 0:
            return schedule.Done(self._end(job, "cantTell", "link-timeout", f"more than {self.limits.url:g} s in all"))
        answer = self.client.ask(job.method, job.target.url, headers, body=job.wants_page, seconds=left)
        job.requests += 1
        job.seconds += answer.seconds
        if answer.error:
            return self._error(job, answer)
        status = answer.status
        if status in REDIRECT:
            return self._redirect(job, answer)
        if status == 429:
            return self._later(job, answer, "link-rate-limited", "429: the host rations requests")
        if job.method == "HEAD" and status in GET_INSTEAD:
            job.method = "GET"
            return schedule.Again(job.target.site)
        if status in BUSY:
            return self._later(job, answer, "link-unreachable", f"{status}: the host is busy or broken")
        if status == 304 and headers:
            return self._good(job, answer, entry["title"], keep=entry)
        if 200 <= status < 300:
            return self._page(job, answer)
        if status in WALLED:
            return schedule.Done(self._end(job, "cantTell", "link-walled", f"{status}: not shown to a program"))
        if 400 <= status < 500:
            return schedule.Done(self._end(job, "failed", "link-broken", f"{status}: the page is not there"))
        return schedule.Done(self._end(job, "cantTell", "link-unreachable", f"status {status}"))

    def _error(self, job, answer):
        kind, detail = answer.error, answer.detail
        if kind == "refused":
            return schedule.Done(self._end(job, "failed", "link-refused", detail))
        if kind == "tls":
            return schedule.Done(
                self._end(job, "failed", "link-tls", f"the certificate or the TLS handshake is not right: {detail}")
            )
        rule = "link-timeout" if kind == "timeout" else "link-unreachable"
        said = self._later(job, answer, rule, detail)
        if isinstance(said, schedule.Done) and kind in ("connect", "dns"):
            return said._replace(shut=f"the host could not be reached: {detail}")
        return said

    def _later(self, job, answer, rule, message):
        """Return Again after a pause, or Done with cantTell when patience or retries are at an end."""
        asked = retry_after(answer.headers.get("retry-after", ""), self.clock())
        if asked is not None and asked > self.limits.retry_after:
            message = f"{message}; it asks to wait {asked:.0f} s"
            return schedule.Done(
                self._end(job, "cantTell", rule, message), shut=message if rule == "link-rate-limited" else ""
            )
        if job.retries >= self.limits.retries:
            message = f"{message}, also after {job.retries} more tries"
            return schedule.Done(
                self._end(job, "cantTell", rule, message), shut=message if rule == "link-rate-limited" else ""
            )
        pause = self.limits.backoff * 2**job.retries * self.chance.uniform(0.5, 1.5)
        job.retries += 1
        return schedule.Again(job.target.site, max(pause, asked or 0.0))

    def _redirect(self, job, answer):
        job.permanent = job.permanent and answer.status in (301, 308)
        location = answer.headers.get("location", "")
        if not location:
            return schedule.Done(self._end(job, "failed", "link-redirect", f"{answer.status} without a location"))
        # http.client gives header bytes as Latin-1; a location in UTF-8 is common.
        location = location.encode("latin-1", "replace").decode("utf-8", "replace")
        try:
            target = address.target(location, base=job.target.url)
        except address.Refused as refusal:
            return schedule.Done(
                self._end(job, "failed", "link-refused", f"redirects to {_short(location)}: {refusal}")
            )
        if target.url in job.chain:
            return schedule.Done(self._end(job, "failed", "link-redirect", "redirects in a circle"))
        if len(job.chain) > self.limits.redirects:
            return schedule.Done(
                self._end(job, "failed", "link-redirect", f"more than {self.limits.redirects} redirects")
            )
        job.chain.append(target.url)
        if target.fragment and not job.fragment:
            job.fragment = target.fragment
        job.target = target
        return schedule.Again(target.site)

    def _page(self, job, answer):
        if not job.wants_page:
            return self._good(job, answer)
        kind = answer.headers.get("content-type", "").lower()
        if answer.body is None or not ("html" in kind or not kind):
            if job.url in self.passages:
                return schedule.Done(
                    self._end(job, "cantTell", "link-passage", f"{kind or 'no'} content: no text to compare")
                )
            return self._good(
                job, answer, notes=(("link-fragment", f"anchors of {kind or 'no'} content are not checked"),)
            )
        page = html.read(answer.body, answer.headers.get("content-type", ""), want_words=job.url in self.passages)
        anchor = _anchor(job.fragment)
        if anchor and not has_anchor(page, anchor):
            if answer.cut or not page.complete:
                return schedule.Done(
                    self._end(
                        job,
                        "cantTell",
                        "link-too-large",
                        f"anchor #{_short(anchor)} not in the first {len(answer.body)} bytes",
                    )
                )
            if page.scripts and len(page.ids) < 4:
                return schedule.Done(
                    self._end(job, "cantTell", "link-fragment", "the page is made by scripts; anchors cannot be seen")
                )
            return schedule.Done(self._end(job, "failed", "link-fragment", f"no anchor #{_short(anchor)} in the page"))
        told = floating.compare(self.passages.get(job.url, ()), page)
        gone = [message for rule, message in told if rule == "link-passage"]
        if gone:
            if answer.cut or not page.complete:
                return schedule.Done(
                    self._end(job, "cantTell", "link-too-large", "the passage is not in the part that was read")
                )
            return schedule.Done(self._end(job, "failed", "link-passage", "; ".join(gone)))
        return self._good(job, answer, page.title, notes=tuple(told))

    def _good(self, job, answer, title="", notes=(), keep=None):
        headers = answer.headers
        if keep:
            headers = {
                "etag": headers.get("etag") or keep["etag"],
                "last-modified": headers.get("last-modified") or keep["modified"],
            }
        self.cache.good(job.url, self._subject(job.url), job.target.url, headers, title)
        if len(job.chain) > 1 and job.permanent:
            notes = (*notes, ("link-moved", f"moved for good to {job.target.url}"))
        message = f"{answer.status}" + (f" after {len(job.chain) - 1} redirects" if len(job.chain) > 1 else "")
        return schedule.Done(self._end(job, "passed", "", message, notes, forget=False))

    def _shut(self, job, why):
        return self._end(
            job,
            "cantTell",
            "link-rate-limited" if "429" in why else "link-unreachable",
            f"not asked: {why}",
            forget=False,
        )

    def _end(self, job, outcome, rule, message, notes=(), forget=True):
        if forget and outcome == "failed":
            self.cache.bad(job.url)
        return Result(job.url, outcome, rule, message, tuple(notes), job.target.url, len(job.chain) - 1, job.requests)


def retry_after(text, now):
    """Return the seconds that a Retry-After header asks for, in either of its forms, or None when it is not readable.

    Args: text: digits, or an HTTP date; now: seconds since 1970.
    """
    text = text.strip()
    if re.match(r"[0-9]{1,9}\Z", text):
        return float(text)
    try:
        when = email.utils.parsedate_to_datetime(text)
        when = when if when.tzinfo else when.replace(tzinfo=datetime.UTC)
        return max(0.0, when.timestamp() - now)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def has_anchor(page, anchor):
    """Return True when a page has an anchor, as browsers look for it (also the prefix that GitHub puts before it)."""
    return any(name in page.ids for name in (anchor, urllib.parse.unquote(anchor), "user-content-" + anchor))


def _anchor(fragment):
    """Return the part of a fragment that must be an anchor in the page, or "" for none."""
    fragment = fragment.split(":~:", 1)[0]
    if fragment in ("", "top") or fragment.startswith(("!", "/")) or _LINES.match(fragment):
        return ""  # line numbers are for `cdna pins`
    return fragment


def _short(text):
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= 100 else text[:97] + "..."
