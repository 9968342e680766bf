# SPDX-License-Identifier: Apache-2.0
"""Which addresses a link check may reach: public ones, in plain spelling, and no others.

Two gates. `target` judges the text of a URL. `allowed` judges an address, and the client applies it to the very address
it then connects to, so a name that resolves inward, or that resolves differently a second time, gains nothing.
"""

import ipaddress
import re
import unicodedata
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

PORTS = {"http": 80, "https": 443}

# Named here in full, since what `is_global` covers has changed between versions of Python.
_REFUSED = [
    (ipaddress.ip_network(net), why)
    for net, why in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local, where cloud metadata lives"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("168.63.129.16/32", "cloud metadata"),
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::ffff:0:0/96", "IPv4-mapped"),
        ("::/96", "IPv4-compatible"),
        ("64:ff9b::/96", "NAT64"),
        ("64:ff9b:1::/48", "NAT64"),
        ("100::/64", "discard"),
        ("2001::/32", "Teredo"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
        ("5f00::/16", "segment routing"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
]
# The last label decides, as browsers do it: digits or 0x make the whole host a number, not a name.
_NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)\Z")
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\Z")
_SAFE = "/:?#[]@!$&'()*+,;=%~-._"


class Refused(Exception):
    """A URL or an address that must not be asked; the text says why."""


class Target(NamedTuple):
    """A URL taken apart: scheme, host in ASCII, port, the request URL without fragment, and the fragment."""

    scheme: str
    host: str
    port: int
    url: str
    fragment: str

    @property
    def site(self):
        """The queue this URL belongs to: host and port."""
        return f"{self.host}:{self.port}"


def allowed(address):
    """Return None when an address is public, else why it is refused.

    Args: address: IPv4 or IPv6 in text; a scope such as %eth0 is refused.
    """
    if "%" in address:
        return "an address with a scope"
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return "not an address"
    for network, why in _REFUSED:
        if ip.version == network.version and ip in network:
            return why
    if not ip.is_global or ip.is_multicast or ip.is_reserved:
        return "not a public address"
    return None


def target(url, base=None):
    """Return the Target of a URL, normalised to what goes over the wire.

    Args: url: absolute, or relative to `base`.
    Raises: Refused: other schemes than http and https, user names, hosts that are no plain name or address.
    """
    if len(url) > 8192:
        raise Refused("longer than 8192 characters")
    url = url.strip(" \t\r\n\f")
    if any(ord(c) < 0x20 or ord(c) == 0x7F or c.isspace() for c in url) or "\\" in url:
        raise Refused("white space, a control character or a backslash in it")
    try:
        parts = urlsplit(urljoin(base, url) if base else url)
        port = parts.port
        user = parts.username is not None or parts.password is not None or "@" in parts.netloc
    except ValueError as error:
        raise Refused(f"not a URL: {error}") from None
    scheme = parts.scheme.lower()
    if scheme not in PORTS:
        raise Refused(f"scheme {scheme or 'none'}: only http and https")
    if user:
        raise Refused("a user name in it")
    if port == 0:
        raise Refused("port 0")
    host = _host(parts.hostname or "", parts.netloc)
    port = port or PORTS[scheme]
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port == PORTS[scheme] else f"{shown}:{port}"
    path = quote(parts.path or "/", safe=_SAFE)
    return Target(
        scheme, host, port, urlunsplit((scheme, netloc, path, quote(parts.query, safe=_SAFE), "")), parts.fragment
    )


def _host(host, netloc):
    if not host:
        raise Refused("no host")
    if "%" in host:
        raise Refused("a percent sign in the host")
    if "[" in netloc:
        try:
            address = ipaddress.IPv6Address(host)
        except ValueError:
            raise Refused(f"host [{host}]: not an IPv6 address") from None
        return str(address)
    if not host.isascii():
        try:
            host = unicodedata.normalize("NFKC", host).encode("idna").decode("ascii")
        except UnicodeError:
            raise Refused("a host that has no ASCII form") from None
    host = host.lower().rstrip(".")
    labels = host.split(".")
    if _NUMBER.match(labels[-1]):
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise Refused(f"host {host}: an address that is not four decimal numbers") from None
    if len(host) > 253 or not all(_LABEL.match(label) for label in labels):
        raise Refused(f"host {host[:80]}: not a host name")
    return host
