# SPDX-License-Identifier: Apache-2.0
"""One request, asked safely: the address that was judged is the address that is dialled, and every amount has a cap.

Redirects are not followed here; the caller gets the location and asks again, so each hop passes the same gates.
"""

import contextlib
import socket
import threading
import time
import zlib
from typing import NamedTuple

import requests
import urllib3
from requests.adapters import HTTPAdapter

from cdna_evidence import settings

from . import address

CHUNK = 1 << 16


def user_agent():
    """Return how this program names itself: name, version, where the project is, what it does."""
    return f"cdna-evidence/{settings.version()} (+{settings.site_url()}; checks cited pages)"


class Limits(NamedTuple):
    """Every cap of a link check. Times in seconds, sizes in bytes; tests make them small."""

    connect: float = 10.0
    read: float = 20.0
    request: float = 45.0
    url: float = 120.0
    body: int = 10_000_000
    redirects: int = 5
    retries: int = 3
    retry_after: float = 60.0
    backoff: float = 1.0
    delay: float = 1.0
    per_host: int = 1
    total: int = 8


class Answer(NamedTuple):
    """What one request gave: status and headers, or an error.

    error: "" or one of refused, dns, connect, tls, timeout, protocol; detail says more. body: bytes, or None when it was
    not asked for; cut: True when the body was longer than the cap. seconds: how long it took.
    """

    status: int
    headers: dict
    body: bytes | None
    cut: bool
    error: str
    detail: str
    seconds: float


class _Expired(Exception):
    pass


class _Guard:
    """The end of one request's time: whatever its socket is doing then, it is shut down."""

    def __init__(self, seconds):
        self.expired = False
        self.ends = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._sockets = []
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def watch(self, sock):
        with self._lock:
            self._sockets.append(sock)
            if self.expired:
                _shut(sock)

    def left(self):
        return max(0.001, self.ends - time.monotonic())

    def close(self):
        self._timer.cancel()
        self._sockets.clear()

    def _expire(self):
        with self._lock:
            self.expired = True
            for sock in self._sockets:
                _shut(sock)


def _shut(sock):
    # The plain method also for TLS sockets: theirs drops the TLS state under a thread that is reading.
    with contextlib.suppress(OSError, ValueError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


def system_resolver(host, port):
    """Return the addresses of a host name, in the system's order. Raises: OSError."""
    found = []
    for _family, _kind, _protocol, _name, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        if place[0] not in found:
            found.append(place[0])
    return found


def system_dial(ip, port, timeout):
    """Return a connected TCP socket to exactly this address. Raises: OSError."""
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.settimeout(timeout)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.connect((ip, port))
    except BaseException:
        sock.close()
        raise
    return sock


class Client:
    """Asks single requests.

    Args: limits: Limits; resolver: (host, port) -> addresses; dial: (ip, port, timeout) -> socket; allow_private: for
      tests against a local server only; verify: True, or a file of trusted certificates; environment_proxies: take
      HTTP_PROXY and its kin from the environment (the proxy then resolves names, so the address gates end at it).
    """

    def __init__(
        self,
        limits=None,
        resolver=None,
        dial=None,
        allow_private=False,
        verify=True,
        environment_proxies=False,
        agent=None,
    ):
        self.limits = limits or Limits()
        self.resolver = resolver or system_resolver
        self.dial = dial or system_dial
        self.allow_private = allow_private
        self._thread = threading.local()
        self._verify = verify
        self._environment = environment_proxies
        self._agent = agent or user_agent()

    def _session(self):
        # A session a thread, so that connections are kept between requests and shared by nobody.
        session = getattr(self._thread, "session", None)
        if session is None:
            session = requests.Session()
            session.trust_env = self._environment
            session.verify = self._verify
            session.auth = lambda request: request  # also with the environment's proxies, no password from a .netrc
            session.headers = {"User-Agent": self._agent, "Accept": "text/html, */*;q=0.5", "Accept-Encoding": "gzip"}
            session.cookies.set_policy(_NoCookies())
            adapter = _Adapter(self)
            session.mount("http://", adapter)
            session.mount("https://", adapter)
            self._thread.session = session
        return session

    def connect(self, host, port):
        """Return a socket to the host: resolved once, judged, dialled at the judged address. Raises: Refused, OSError."""
        guard = self._thread.guard
        addresses = self._resolve(host, port, guard)
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "no address")
        for ip in addresses:
            why = address.allowed(ip)
            if why and not self.allow_private:
                raise address.Refused(f"{host} is {ip}: {why}" if host != ip else f"{ip}: {why}")
        error = None
        for ip in addresses[:4]:
            if guard.expired:
                break
            try:
                sock = self.dial(ip, port, min(self.limits.connect, guard.left()))
            except OSError as problem:
                error = problem
                continue
            sock.settimeout(min(self.limits.read, guard.left()))
            guard.watch(sock)
            return sock
        raise error or TimeoutError("time is over")

    def watch(self, sock):
        """Put a socket under the end of time of the request that this thread is making."""
        if sock is not None:
            self._thread.guard.watch(sock)

    def _resolve(self, host, port, guard):
        # getaddrinfo cannot be interrupted, so it gets a thread of its own and may be left behind.
        box = []

        def run():
            try:
                box.append((self.resolver(host, port), None))
            except Exception as error:  # noqa: BLE001  handed over to the thread that asked
                box.append((None, error))

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(min(self.limits.connect, guard.left()))
        if not box:
            raise TimeoutError("the name was not resolved in time")
        found, error = box[0]
        if error:
            raise error if isinstance(error, OSError) else socket.gaierror(socket.EAI_FAIL, str(error))
        return found

    def ask(self, method, url, headers=None, body=False, seconds=None):
        """Return the Answer to one request; never raises for what the other side does.

        Args: method: HEAD or GET; url: as `address.target` gives it; body: read the body, decoded, up to the cap;
          seconds: time for the whole request.
        """
        began = time.monotonic()
        session = self._session()
        guard = _Guard(min(self.limits.request, seconds or self.limits.request))
        self._thread.guard = guard
        response = None
        whole = False

        def answer(status=0, fields=None, data=None, cut=False, error="", detail=""):
            return Answer(status, fields or {}, data, cut, error, detail, time.monotonic() - began)

        try:
            address.target(url)
            timeout = (self.limits.connect, self.limits.read)
            response = session.request(
                method, url, headers=headers, timeout=timeout, allow_redirects=False, stream=True
            )
            fields = {name.lower(): value for name, value in response.headers.items()}
            data, cut = None, False
            if body and method != "HEAD" and response.status_code == 200:
                data, cut = self._read(response.raw, fields.get("content-encoding", ""))
                whole = not cut
            if guard.expired:
                raise _Expired
            return answer(response.status_code, fields, data, cut)
        except address.Refused as refusal:
            return answer(error="refused", detail=str(refusal))
        except Exception as error:  # noqa: BLE001  a hostile server can raise nearly anything out of the libraries
            if guard.expired or isinstance(error, _Expired):
                return answer(error="timeout", detail=f"not finished after {guard.ends - began:g} s")
            return answer(error=_kind(error), detail=_plain(error))
        finally:
            guard.close()
            if response is not None:
                if not whole and method != "HEAD":
                    # What was not read to its end must not be drained into the next request.
                    with contextlib.suppress(Exception):
                        response.raw.close()
                response.close()

    def _read(self, raw, encoding):
        """Return (decoded bytes, cut). Both the bytes on the wire and the decoded ones are capped."""
        encoding = encoding.strip().lower()
        if encoding in ("", "identity"):
            unpack = None
        elif encoding in ("gzip", "x-gzip", "deflate"):
            unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
        else:
            raise requests.exceptions.ContentDecodingError(f"content encoding {encoding[:40]} was not asked for")
        cap, out, wire = self.limits.body, bytearray(), 0
        while True:
            piece = raw.read(CHUNK, decode_content=False)
            if not piece:
                return bytes(out), False
            wire += len(piece)
            while piece:
                part = unpack.decompress(piece, CHUNK) if unpack else piece
                piece = unpack.unconsumed_tail if unpack else b""
                out += part[: cap - len(out)]
                if len(out) >= cap:
                    return bytes(out), True
            if wire > cap:
                return bytes(out), True


class _NoCookies(requests.cookies.cookielib.DefaultCookiePolicy):
    def set_ok(self, cookie, request):
        return False

    def return_ok(self, cookie, request):
        return False


class _Adapter(HTTPAdapter):
    """Pools whose connections ask the client for their socket; host name, SNI and certificate check stay the name's."""

    def __init__(self, client):
        self._client = client
        super().__init__(pool_connections=4, pool_maxsize=2, max_retries=urllib3.Retry(0, read=False))

    def init_poolmanager(self, *args, **kwargs):
        super().init_poolmanager(*args, **kwargs)
        client = self._client

        class Plain(urllib3.connection.HTTPConnection):
            def _new_conn(self):
                return client.connect(self.host, self.port)

            def request(self, *args, **kwargs):
                client.watch(self.sock)  # a kept connection
                super().request(*args, **kwargs)

        class Secure(urllib3.connection.HTTPSConnection):
            def _new_conn(self):
                return client.connect(self.host, self.port)

            def connect(self):
                super().connect()
                client.watch(self.sock)  # the TLS socket, which replaced the plain one

            def request(self, *args, **kwargs):
                client.watch(self.sock)
                super().request(*args, **kwargs)

        class PlainPool(urllib3.HTTPConnectionPool):
            ConnectionCls = Plain

        class SecurePool(urllib3.HTTPSConnectionPool):
            ConnectionCls = Secure

        self.poolmanager.pool_classes_by_scheme = {"http": PlainPool, "https": SecurePool}


def _chain(error):
    """Yield an exception and every exception behind it; libraries wrap them in several ways."""
    left, seen = [error], set()
    while left:
        one = left.pop()
        if isinstance(one, BaseException) and id(one) not in seen:
            seen.add(id(one))
            yield one
            left += [one.__cause__, one.__context__, getattr(one, "reason", None), *one.args]


def _kind(error):
    for one in _chain(error):
        if isinstance(one, address.Refused):
            return "refused"
        if isinstance(one, (requests.exceptions.SSLError, urllib3.exceptions.SSLError)):
            return "tls"
        if isinstance(one, (socket.gaierror, urllib3.exceptions.NameResolutionError)):
            return "dns"
        if isinstance(one, (TimeoutError, requests.exceptions.Timeout, urllib3.exceptions.TimeoutError)):
            return "timeout"
    return "connect" if isinstance(error, requests.exceptions.ConnectionError) else "protocol"


def _plain(error):
    # What the system said is the shortest and clearest of the texts.
    system = [one.strerror for one in _chain(error) if isinstance(one, OSError) and isinstance(one.strerror, str)]
    text = " ".join((system[-1] if system else str(error)).split())
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text[:200] or type(error).__name__
