# SPDX-License-Identifier: Apache-2.0
"""A server on this machine that does what bad hosts do, and a client that believes it to be a public one.

Names resolve to a public address, and the dialling step, replaced here, brings that address to the local port. So every
gate of the client runs as it does in use: nothing is switched off.
"""

import email.utils
import functools
import gzip
import pathlib
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cdna_evidence.links.client import Client, Limits, system_dial

PUBLIC = "93.184.215.14"
NAME = "pages.site-under-test.org"
PEM = pathlib.Path(__file__).parent / "data" / "self-signed.pem"
# Small in size, patient in time: a machine under load answers late. HASTY is for what never ends.
SMALL = Limits(
    connect=20.0,
    read=20.0,
    request=20.0,
    url=60.0,
    body=200_000,
    retries=3,
    retry_after=2.0,
    backoff=0.01,
    delay=0.0,
    total=8,
)
HASTY = SMALL._replace(connect=2.0, read=0.4, request=0.6, url=1.5)
PAGE = b"<html><head><title>A page</title></head><body><h1 id='one'>Title</h1><a name=two></a><p>The lane\n width is 64.</p></body>"


@functools.cache
def bomb():
    """Return 67 MB of zeros in 65 kB of gzip."""
    return gzip.compress(bytes(1 << 26), compresslevel=9)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.answer()

    def answer(self):
        path = self.path.split("?")[0]
        server = self.server
        with server.lock:
            server.log.append((self.command, self.path, dict(self.headers), time.monotonic()))
            seen = sum(entry[1] == self.path for entry in server.log)
            server.lock.notify_all()
        name, _, rest = path.strip("/").partition("/")
        try:
            getattr(self, "at_" + name.replace("-", "_"), self.at_missing)(rest, seen)
        except (BrokenPipeError, ConnectionResetError, OSError):
            self.close_connection = True

    def send(self, status, body=b"", **headers):
        self.send_response(status)
        headers.setdefault("Content_Type", "text/html; charset=utf-8")
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def at_missing(self, rest, seen):
        self.send(404)

    def at_page(self, rest, seen):
        self.send(200, PAGE, ETag='"v1"')

    def at_file(self, rest, seen):
        data = self.server.files.get(rest)
        self.send(404) if data is None else self.send(200, data, Content_Type="text/plain")

    def at_etag(self, rest, seen):
        if self.headers.get("If-None-Match") == '"v1"':
            self.send_response(304)
            self.end_headers()
        else:
            self.send(200, PAGE, ETag='"v1"')

    def at_drip_head(self, rest, seen):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for _ in range(200):
            self.wfile.write(b"X-A: b\r\n")
            self.wfile.flush()
            time.sleep(0.1)

    def at_drip_body(self, rest, seen):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        for _ in range(200):
            self.wfile.write(b"x")
            self.wfile.flush()
            time.sleep(0.1)

    def at_after(self, rest, seen):
        """Answer once so many requests for /page have come."""
        with self.server.lock:
            self.server.lock.wait_for(lambda: self.server.paths().count("/page") >= int(rest), timeout=60)
        self.send(200, PAGE)

    def at_endless(self, rest, seen):
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        while self.command == "GET":
            self.wfile.write(b"<p>more</p>" * 1000)

    def at_endless_headers(self, rest, seen):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(100_000):
            self.wfile.write(b"X-%d: y\r\n" % number)

    def at_bomb(self, rest, seen):
        self.send(200, bomb(), Content_Encoding="gzip")

    def at_gzip(self, rest, seen):
        self.send(200, gzip.compress(PAGE), Content_Encoding="gzip")

    def at_strange_encoding(self, rest, seen):
        self.send(200, PAGE, Content_Encoding="br")

    def at_loop(self, rest, seen):
        self.send(302, Location="/loop/b" if rest == "a" else "/loop/a")

    def at_self(self, rest, seen):
        self.send(301, Location="/self")

    def at_hops(self, rest, seen):
        self.send(302, Location=f"/hops/{int(rest) + 1}")

    def at_few(self, rest, seen):
        self.send(301, Location=f"/few/{int(rest) - 1}" if int(rest) else "/page")

    def at_nowhere(self, rest, seen):
        self.send(302)

    def at_to(self, rest, seen):
        self.send(302, Location=bytes.fromhex(rest).decode())

    def at_limited(self, rest, seen):
        if rest.startswith("seconds") and seen == 1:
            self.send(429, Retry_After=rest.removeprefix("seconds"))
        elif rest.startswith("date") and seen == 1:
            when = time.time() + float(rest.removeprefix("date"))
            self.send(429, Retry_After=email.utils.formatdate(when, usegmt=True))
        elif rest == "always":
            self.send(429)
        else:
            self.send(200, PAGE)

    def at_flaky(self, rest, seen):
        self.send(503 if seen <= int(rest) else 200)

    def at_no_head(self, rest, seen):
        self.send(int(rest) if self.command == "HEAD" else 200, PAGE)

    def at_status(self, rest, seen):
        self.send(int(rest))

    def at_hang_up(self, rest, seen):
        self.close_connection = True

    def at_nonsense(self, rest, seen):
        self.close_connection = True
        self.wfile.write(b"\x00\xffnonsense\r\n\r\n")

    def at_scripts(self, rest, seen):
        self.send(200, b"<html><body><div id=app></div><script src=x.js></script></body></html>")

    def at_unclosed(self, rest, seen):
        self.send(200, b"<a " * 60_000)

    def at_moving(self, rest, seen):
        body = PAGE if seen == 1 else PAGE.replace(b"64", b"32").replace(b"A page", b"Another page")
        self.send(200, body, Last_Modified="Sun, 29 Nov 2026 10:00:00 GMT")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, tls=False):
        super().__init__(("127.0.0.1", 0), Handler)
        self.log, self.lock, self.files = [], threading.Condition(), {}
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(PEM)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # clients that hang up are the point of these tests

    def paths(self):
        with self.lock:
            return [path for _method, path, _headers, _when in self.log]


def client(server, names=None, limits=SMALL, dialled=None, **kwargs):
    """Return a Client for which every name is PUBLIC, unless `names` says otherwise, and PUBLIC is the server.

    Args: names: {host: [address, ...]} or a function; dialled: list that receives every address that was dialled.
    """

    def resolver(host, port):
        if callable(names):
            return names(host, port)
        return (names or {}).get(host, [host if host.replace(".", "").isdigit() or ":" in host else PUBLIC])

    def dial(ip, port, timeout):
        if dialled is not None:
            dialled.append(ip)
        return system_dial("127.0.0.1", server.port, timeout) if ip == PUBLIC else system_dial(ip, port, timeout)

    return Client(limits, resolver=resolver, dial=dial, **kwargs)
