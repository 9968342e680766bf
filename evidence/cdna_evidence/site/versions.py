# SPDX-License-Identifier: Apache-2.0
"""Versions of the site on a local branch, by mike: deploy one, read what is published, write the branch out. Nothing is pushed.

A deployment is two commits on a branch of its own (the version's folder by mike, then the resolver at the root); only when
both stand does the published branch move to them, in one step. A kill at any moment leaves the branch as it was.
"""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
from importlib import metadata
from pathlib import Path

from cdna_evidence import settings
from cdna_evidence.register import ledger
from cdna_evidence.register.models import VERSION

from . import resolver

BRANCH = "gh-pages"
LATEST = "latest"
SCRATCH = "cdna-deploy-"
_GENERATOR = re.compile(rb'<meta name="generator" content="([^"]*)"')


class VersionError(Exception):
    """A version that cannot be deployed or read; the message says why and what to do. The branch is as it was."""


def branch():
    """Return the branch that holds the published versions: CDNA_SITE_BRANCH, or gh-pages."""
    return os.environ.get("CDNA_SITE_BRANCH") or BRANCH


def published(root, name):
    """Return [Version] of a branch, newest first; [] when there is no such branch.

    Args: root: top of the clone; name: a local branch, or one that a remote named origin has.
    Raises: VersionError: the branch holds a version that cannot be read.
    """
    listed = None
    for ref in (f"refs/heads/{name}", f"refs/remotes/origin/{name}"):
        listed = ledger.git(root, "show", f"{ref}:versions.json")
        if listed is not None:
            break
    if listed is None:
        return []
    found = []
    for entry in _json(listed, f"{name}:versions.json"):
        version = entry.get("version", "")
        if VERSION.match(version):
            claims = _read(root, ref, version, "claims.json")
            sources = _read(root, ref, version, "sources.json")
            lines = _read(root, ref, version, "ledger.json")
            events, problems = ledger.parse("\n".join(lines["events"]), f"{version}/ledger.json")
            if problems:
                raise VersionError(f"{name}: {problems[0]}")
            records = {record["id"]: record for record in claims["claims"]}
            keys = tuple(source["key"] for source in sources["sources"])
            found.append(resolver.Version(version, records, keys, tuple(events)))
    return sorted(found, key=lambda item: resolver.order(item.name), reverse=True)


def _read(root, ref, version, file):
    content = ledger.git(root, "show", f"{ref}:{version}/{file}")
    if content is None:
        raise VersionError(f"{ref}: version {version} has no {file}: it was not deployed by `cdna site deploy`")
    return _json(content, f"{version}/{file}")


def _json(content, name):
    try:
        return json.loads(content.decode("utf-8"))
    except ValueError as error:
        raise VersionError(f"{name}: not JSON: {error}") from None


def previous(root, version=None, name=None):
    """Return the newest published Version that is older than a version, or None.

    Args: root: top of the clone; version: default the one being built; name: of the branch, default `branch()`.
    """
    version = settings.site_version() if version is None else version
    if not VERSION.match(version):
        return None
    older = [item for item in published(root, name or branch()) if resolver.order(item.name) < resolver.order(version)]
    return older[0] if older else None


def guard():
    """Refuse to deploy where mike would name or run ProperDocs instead of MkDocs. Raises: VersionError."""
    try:
        found = metadata.version("properdocs")
    except metadata.PackageNotFoundError:
        return
    raise VersionError(f"properdocs {found} is installed, and mike prefers it to MkDocs: pip uninstall properdocs")


def deploy(root, version, name=None, replace=False, output=None):
    """Build a version and put it on the local branch, with the alias `latest` when it is the newest, and the resolver.

    Args: root: top of the clone; version: such as "2026.12"; name: of the branch; replace: also when the published version says
      something else under a revision; output: directory of the build.
    Returns: {"version", "branch", "commit", "changed", "latest", "versions", "files"}.
    Raises: VersionError; build.BuildFailed.
    """
    from mike import git_utils

    name = name or branch()
    if not VERSION.match(version):
        raise VersionError(f"version={version}: a date such as 2026.12 or 2026.12.1")
    guard()
    if not ledger.is_top(root):
        raise VersionError("versions are deployed from the top of a git clone with at least one commit")
    if (ledger.git(root, "symbolic-ref", "--quiet", "HEAD") or b"").decode().strip() == f"refs/heads/{name}":
        raise VersionError(f"branch={name}: another branch than the one that is checked out")
    _recorded(root)
    start = _start(root, name)
    before = published(root, name)
    if not replace:
        _keeps(root, version, before)
    with _environment(CDNA_SITE_VERSION=version, CDNA_SITE_BRANCH=name, **_identity(root)):
        directory = Path(output) if output else Path(root) / "build" / "versions" / version
        _build(root, directory)
        names = {item.name for item in before} | {version}
        latest = max(names, key=resolver.order)
        _sweep(root)
        scratch = SCRATCH + str(os.getpid())
        ref = f"refs/heads/{scratch}"
        try:
            if start:
                _git(root, "update-ref", ref, start)
            try:
                _commit(root, directory, version, scratch, version == latest)
            except git_utils.GitError as error:
                raise VersionError(f"mike: {error}") from None
            end = _git(root, "rev-parse", ref).strip()
            # The old value is compared: a deployment that came in between is an error, not lost.
            _git(root, "update-ref", f"refs/heads/{name}", end, start or "0" * 40)
        finally:
            ledger.git(root, "update-ref", "-d", ref)
    count = len((ledger.git(root, "ls-tree", "-r", "--name-only", end) or b"").splitlines())
    ordered = sorted(names, key=resolver.order, reverse=True)
    return {
        "version": version,
        "branch": name,
        "commit": end,
        "changed": end != start,
        "latest": latest,
        "versions": ordered,
        "files": count,
    }


def _sweep(root):
    """Remove the scratch branches of deployments that were killed."""
    refs = ledger.git(root, "for-each-ref", "--format=%(refname)", f"refs/heads/{SCRATCH}*") or b""
    for ref in refs.decode().split():
        number = ref.rpartition("-")[2]
        try:
            os.kill(int(number), 0)
        except (OSError, ValueError, OverflowError):
            ledger.git(root, "update-ref", "-d", ref)


def _recorded(root):
    """Refuse to publish what the ledger does not hold: an id or revision must be recorded before anyone can cite it."""
    from cdna_evidence.register import RegisterError, load

    try:
        problems = ledger.ledger_problems(load(root))
    except RegisterError as error:
        raise VersionError(str(error)) from None
    if problems:
        rest = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
        raise VersionError("the ledger is not in step: " + "; ".join(str(item) for item in problems[:3]) + rest)


def _keeps(root, version, before):
    """Refuse to change what a published version says: its addresses were given away as permanent."""
    from cdna_evidence.register import load

    old = next((item for item in before if item.name == version), None)
    if old is None:
        return
    claims = load(root).claims
    for identity, record in old.claims.items():
        claim = claims.get(identity)
        now = f"r{claim.revision} {claim.status}" if claim else "gone"
        if now != f"r{record['revision']} {record['status']}":
            raise VersionError(
                f"{version} is published with {identity} r{record['revision']} {record['status']}, here it is {now}: a published version does not "
                "change; raise the version in pyproject.toml (2026.12.1), or give --replace if nobody has seen it yet"
            )


def _start(root, name):
    """Return the commit that the branch stands at, taken from origin when only origin has it or is ahead; None for a new branch."""
    local = ledger.git(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{name}")
    remote = ledger.git(root, "rev-parse", "--verify", "--quiet", f"refs/remotes/origin/{name}")
    if remote is not None and local != remote:
        if (
            local is not None
            and ledger.git(root, "merge-base", "--is-ancestor", remote.decode().strip(), local.decode().strip()) is None
        ):
            if ledger.git(root, "merge-base", "--is-ancestor", local.decode().strip(), remote.decode().strip()) is None:
                raise VersionError(
                    f"branch={name}: local and origin's went apart; make the local one descend from origin/{name} first"
                )
            local = None
        if local is None:
            _git(root, "update-ref", f"refs/heads/{name}", remote.decode().strip())
            local = remote
    return local.decode().strip() if local else None


def _build(root, directory):
    from . import build

    if directory.exists() and any(directory.iterdir()) and not (directory / "sitemap.xml").is_file():
        raise VersionError(f"{directory}: a new or empty directory, or one that holds a built site")
    build.build(root, directory)
    match = _GENERATOR.search((directory / "index.html").read_bytes())
    if not match or not match[1].startswith(b"mkdocs-1."):
        raise VersionError(f"built by {match[1].decode() if match else 'nobody that says so'}, not by MkDocs 1")


def _commit(root, directory, version, scratch, is_latest):
    """Commit the version's folder (mike), then the resolver, on the scratch branch; what changes nothing leaves no commit."""
    from mike import commands, git_utils

    aliases = [LATEST] if is_latest else []
    config = {"site_dir": str(directory), "use_directory_urls": True}
    with contextlib.chdir(root):
        with contextlib.suppress(git_utils.GitEmptyCommit):
            with commands.deploy(config, version, None, aliases, True, branch=scratch):
                pass  # it is built already
        try:
            files = resolver.files(
                published(root, scratch), LATEST if is_latest or _has_latest(root, scratch) else None
            )
        except resolver.ResolverError as error:
            raise VersionError(str(error)) from None
        with contextlib.suppress(git_utils.GitEmptyCommit):
            with git_utils.Commit(scratch, f"Resolver of every id, with {version}") as commit:
                commit.delete_files(list(resolver.OWNED))
                for path, content in files.items():
                    commit.add_file(git_utils.FileInfo(path, content))


def _has_latest(root, name):
    return any(
        LATEST in entry["aliases"]
        for entry in _json(ledger.git(root, "show", f"refs/heads/{name}:versions.json"), name)
    )


def _identity(root):
    """Return a committer for mike where git has none: the commits are made by a program."""
    known = {"GIT_COMMITTER_NAME": "user.name", "GIT_COMMITTER_EMAIL": "user.email"}
    given = {"GIT_COMMITTER_NAME": "CDNA Evidence", "GIT_COMMITTER_EMAIL": "noreply@cdna-evidence.example"}
    return {
        key: given[key] for key, setting in known.items() if not os.environ.get(key) and not _configured(root, setting)
    }


def _configured(root, setting):
    """Whether git, as mike will ask it, knows a setting."""
    done = subprocess.run(["git", "-C", str(root), "config", "--", setting], capture_output=True, timeout=60)
    return done.returncode == 0


@contextlib.contextmanager
def _environment(**values):
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _git(root, *arguments):
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        raise VersionError(f"git {arguments[0]}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def dirty(root):
    """Say whether the work tree has changes that no commit holds."""
    return bool(ledger.git(root, "status", "--porcelain", "--untracked-files=no"))


def write_out(root, directory, name=None):
    """Write the branch into a directory, as a host would serve it; a former copy there is replaced.

    Args: root: top of the clone; directory: new, empty, or a former copy; name: of the branch.
    Returns: how many files. Raises: VersionError.
    """
    name = name or branch()
    directory = Path(directory)
    if not published(root, name):
        raise VersionError(f"branch={name}: no version is deployed on it; `cdna site deploy` makes one")
    if directory.exists() and any(directory.iterdir()):
        if not ((directory / "versions.json").is_file() and (directory / "c" / "index.json").is_file()):
            raise VersionError(f"{directory}: a new or empty directory, or a former copy of the versions")
        shutil.rmtree(directory)
    ref = name if ledger.git(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{name}") else f"origin/{name}"
    archive = ledger.git(root, "archive", "--format=tar", ref)
    if archive is None:
        raise VersionError(f"git archive {ref}: failed")
    directory.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        tar.extractall(directory, **safe)  # noqa: S202 - written by git from our own branch
        return sum(not member.isdir() for member in tar.getmembers())
