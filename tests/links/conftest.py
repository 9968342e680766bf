# SPDX-License-Identifier: Apache-2.0
"""The hostile server for the tests of links."""

import hostile
import pytest


@pytest.fixture
def server():
    """A fresh hostile server, closed after the test."""
    one = hostile.Server()
    yield one
    one.shutdown()
    one.server_close()


@pytest.fixture
def tls_server():
    """The same behind a certificate that nobody signed."""
    one = hostile.Server(tls=True)
    yield one
    one.shutdown()
    one.server_close()
