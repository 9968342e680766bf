# SPDX-License-Identifier: Apache-2.0
"""Runs MkDocs over the clone: build once, or serve and rebuild on change."""

import logging
import os
import sys

SAID = "MkDocs: "  # begins each message of MkDocs, so that nobody takes a line of another program for one


class BuildFailed(Exception):
    """MkDocs found something wrong; its messages are on standard error, and strict mode made them fatal."""


def build(root, output=None, site_url=None):
    """Build the site and return the directory it stands in.

    Args: root: top of the clone; output: directory, default build/site; site_url: overrides the setting.
    Raises: BuildFailed: a warning or an error; ModuleNotFoundError: the extra `site` is not installed.
    """
    config = _config(root, output, site_url)
    from mkdocs.commands import build as command

    _run(lambda: command.build(config))
    return config.site_dir


def serve(root, port):
    """Serve the site on this machine and rebuild it whenever a page changes; ends with Control-C.

    Args: root: top of the clone; port: of the loopback interface.
    Raises: as `build`; OSError: the port is taken.
    """
    _config(root, None, None)
    from mkdocs.commands import serve as command

    watched = [str(root / "evidence" / "claims"), str(root / "evidence" / "sources"), str(root / "build" / "results.json")]
    path = str(root / "mkdocs.yml")
    _run(lambda: command.serve(path, dev_addr=f"127.0.0.1:{port}", watch=[name for name in watched if os.path.exists(name)]))


def _config(root, output, site_url):
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    if site_url:
        os.environ["CDNA_SITE_URL"] = site_url
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    _listen()
    try:
        return load_config(str(root / "mkdocs.yml"), **({"site_dir": str(output)} if output else {}))
    except MkDocsException as error:
        raise BuildFailed(str(error)) from None


def _run(work):
    from click.exceptions import ClickException
    from mkdocs.exceptions import MkDocsException

    from .notebooks import environment

    try:
        with environment():
            work()
    except (MkDocsException, ClickException) as error:
        raise BuildFailed(str(error)) from None
    except SystemExit as error:
        if error.code:
            raise BuildFailed(str(error)) from None


class _Errors(logging.StreamHandler):
    """Writes to whatever standard error is at that moment."""

    def __init__(self):
        logging.Handler.__init__(self)
        self.setFormatter(logging.Formatter(SAID + "%(levelname)s: %(message)s"))

    @property
    def stream(self):
        """The present standard error."""
        return sys.stderr


def _listen():
    """Show MkDocs' warnings and errors on standard error, once."""
    logger = logging.getLogger("mkdocs")
    if not any(isinstance(handler, _Errors) for handler in logger.handlers):
        logger.addHandler(_Errors())
    logger.setLevel(logging.WARNING)
