# SPDX-License-Identifier: Apache-2.0
"""Which URLs and addresses are refused."""

import pytest

from cdna_evidence.links import address

# One member of each range that the IANA special-purpose registries, or a cloud's manual, keep from the public network.
INWARD = """0.0.0.0 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
192.0.0.8 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250
240.0.0.1 255.255.255.255 168.63.129.16 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::7f00:1 64:ff9b::7f00:1 64:ff9b::808:808
64:ff9b:1::1 100::1 2001::1 2001:0:53aa:64c:0:0:80ff:fffe 2001:db8::1 2002:7f00:1:: 2002:808:808:: fc00::1 fd00:ec2::254
fe80::1 fe80::1%eth0 fec0::1 ff02::1 3fff::1 5f00::1""".split()
OUTWARD = "8.8.8.8 93.184.215.14 1.1.1.1 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 2606:4700::1111 2a00:1450:4001:82a::200e".split()


@pytest.mark.parametrize("ip", INWARD)
def test_refuses_inward_address(ip):
    assert address.allowed(ip)


@pytest.mark.parametrize("ip", OUTWARD)
def test_allows_public_address(ip):
    assert address.allowed(ip) is None


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host.org/", "file:///etc/passwd", "gopher://host.org/", "javascript:alert(1)", "//host.org/", "host.org", "http://",
        "http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.1/",
        "http://134744072/", "http://1.2.3.4.5/", "http://host.0x10/", "http://user@host.org/", "http://user:word@host.org/",
        "http://host.org\\@127.0.0.1/", "http://host.org/\r\nX: y", "http://[::1%25eth0]/", "http://[zz]/", "http://%31%32%37.0.0.1/",
        "http://host.org:99999/", "http://host.org:0/", "http://-host.org/", "http://a..org/", "http://" + "a" * 300 + ".org/",
        "http://host.org/" + "a" * 9000,
    ],
)  # fmt: skip
def test_refuses_url(url):
    with pytest.raises(address.Refused):
        address.target(url)


@pytest.mark.parametrize(
    ("url", "host", "asked"),
    [
        ("HTTP://Host.ORG:80", "host.org", "http://host.org/"),
        ("https://host.org./a b?c=d#e".replace(" ", "%20"), "host.org", "https://host.org/a%20b?c=d"),
        ("http://１２７.0.0.1/", "127.0.0.1", "http://127.0.0.1/"),
        ("http://bücher.org/ä", "xn--bcher-kva.org", "http://xn--bcher-kva.org/%C3%A4"),
        ("https://[2606:4700::1111]:8443/x", "2606:4700::1111", "https://[2606:4700::1111]:8443/x"),
    ],
)
def test_normalises_url(url, host, asked):
    found = address.target(url)

    assert (found.host, found.url) == (host, asked)


def test_relative_redirect_is_joined():
    assert address.target("../b?x", base="https://host.org/a/c/d").url == "https://host.org/a/b?x"
