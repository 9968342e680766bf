# SPDX-License-Identifier: Apache-2.0
"""Where things are: the root of the register, the site's address, the version. One setting each."""

import os
import re
from pathlib import Path

from . import __version__

#: Where the site is published. The environment variable CDNA_SITE_URL overrides it: mkdocs.yml and every citation use it.
SITE_URL = "https://cdna-evidence.example/"


def version():
    """Return the version of this distribution, which is also the version of the site it builds."""
    return __version__


def site_url():
    """Return the site's address with a slash at its end; CDNA_SITE_URL overrides the default.

    Raises: ValueError: CDNA_SITE_URL is no http or https address.
    """
    url = os.environ.get("CDNA_SITE_URL") or SITE_URL
    if not re.match(r"https?://[^\s/?#@\\]+(/[^\s?#\\]*)?\Z", url):
        raise ValueError(f"CDNA_SITE_URL={url}: an http or https address without query and fragment")
    return url if url.endswith("/") else url + "/"


def site_version():
    """Return the folder that the published site stands in below its address, such as "2026.12", or "" for none.

    It is CDNA_SITE_VERSION: a deployment of several versions sets it to the version that it builds.
    """
    return os.environ.get("CDNA_SITE_VERSION", "").strip("/")


def claim_path(claim):
    """Return the path of a claim's page below a site's version folder, with a slash at its end."""
    return f"claims/{claim}/"


def source_path(key):
    """Return the path of a source's page below a site's version folder, with a slash at its end."""
    return f"sources/{key}/"


def claim_url(claim, version=None):
    """Return the address of a claim's page.

    Args: claim: its id; version: a site version such as "2026.12", "" for none, or None for `site_version()`.
    """
    folder = site_version() if version is None else version
    return site_url() + (folder + "/" if folder else "") + claim_path(claim)


def clone():
    """Return the top of the clone that holds this package or the working directory, or None."""
    here = Path(__file__).resolve().parents[2]
    for top in [*_upward(Path.cwd()), here]:
        if (top / "evidence" / "claims").is_dir() and (top / "evidence" / "ids.lock").is_file() and (top / "pyproject.toml").is_file():
            return top
    return None


def _upward(path):
    return [path, *path.parents]


def root():
    """Return the directory that holds evidence/ and checks/: the top of the clone if there is one, else the package's data."""
    return clone() or Path(__file__).resolve().parent / "data"


def results_path():
    """Return where the last results stand: build/results.json in a clone, the packaged ones outside of it."""
    top = root()
    kept = top / "results.json"
    return kept if kept.is_file() and clone() is None else top / "build" / "results.json"
