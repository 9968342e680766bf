# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin that collects checks/check_*.py: one item a check and target, one lint item a file.

It is loaded in every pytest run of an environment that has this project installed, so it does nothing outside of the
project's own checks folder, and imports nothing heavy before it finds one.
"""

import importlib.util
import inspect
import pathlib
import sys

import pytest


def pytest_addoption(parser):
    """Options of a run; `cdna check` sets them, and `pytest checks` takes them as well."""
    group = parser.getgroup("cdna evidence")
    group.addoption("--cdna-claims", default="", metavar="IDS", help="only checks of these claims, comma-separated")
    group.addoption("--cdna-area", default="", metavar="AREA", help="only claims whose key or chapter starts so")
    group.addoption("--cdna-target", default="", metavar="TARGET", help="only this target")
    group.addoption("--cdna-kind", default="", metavar="KIND", help="only checks of this kind")
    group.addoption("--cdna-falsify", action="store_true", help="also change every published value and judge again")
    group.addoption("--cdna-fresh", action="store_true", help="ignore kept answers of witnesses")


def pytest_collect_file(file_path, parent):
    """Collect check_*.py below the project's checks folder."""
    if file_path.suffix == ".py" and file_path.name.startswith("check_"):
        from cdna_evidence import settings

        if (settings.root() / "checks") in file_path.parents:
            return CheckFile.from_parent(parent, path=file_path)
    return None


class CheckFile(pytest.File):
    """One module of checks."""

    def collect(self):
        from cdna_evidence.register import load

        from .api import Check

        register = _once(self.config, "register", load)
        module = _imported(self.path)
        wanted = _Wanted(self.config, register)
        items = []
        for name, value in vars(module).items():
            if not (inspect.isclass(value) and issubclass(value, Check) and value.__module__ == module.__name__):
                continue
            if name.startswith("_") or (value.claim is None and value.__subclasses__()):
                # A base that checks of this module share is no check itself.
                continue
            claim = register.claims.get(value.claim)
            targets = value.targets or (claim.targets if claim else ["any"])
            for target in targets:
                if wanted(claim, value, target):
                    items.append(CheckItem.from_parent(self, name=f"{name}[{target}]", check=value, target=target))
        if items or wanted.everything:
            yield LintItem.from_parent(self, name="lint")
        yield from items


class CheckFailed(Exception):
    """A check found a difference, or could not be run because it is ill-formed."""


class CheckItem(pytest.Item):
    """One check for one target."""

    def __init__(self, *, check, target, **kwargs):
        super().__init__(**kwargs)
        self.check = check
        self.target = target
        self.record = None

    def runtest(self):
        from cdna_evidence.register import load

        from .run import run

        config = self.config
        self.record = run(
            self.check,
            f"{_relative(self.path)}::{self.check.__name__}",
            self.target,
            _once(config, "register", load),
            falsifying=config.getoption("--cdna-falsify"),
            fresh=config.getoption("--cdna-fresh"),
        )
        for name in ("claim", "target", "kind", "outcome"):
            self.user_properties.append((name, str(self.record[name])))
        if self.record["outcome"] == "failed":
            raise CheckFailed(self.record["reason"])
        if self.record["outcome"] != "passed":
            pytest.skip(f"{self.record['outcome']}: {self.record['reason']}")

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, CheckFailed):
            return f"{self.check.claim} on {self.target}, {self.name}: {excinfo.value}"
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, f"{self.check.claim} {self.name}"


class LintItem(pytest.Item):
    """The lint of one file: constants of the model stay out of `observe`, the world stays out of `judge`."""

    def runtest(self):
        from .lint import problems

        found = problems(self.path.read_text("utf-8"), _relative(self.path))
        if found:
            raise CheckFailed("\n".join(found))

    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value) if isinstance(excinfo.value, CheckFailed) else super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, "lint"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Carry the record on the report, so that it crosses the border between xdist's workers and their controller."""
    report = yield
    if call.when == "call" and isinstance(item, CheckItem) and item.record is not None:
        report.cdna_record = item.record
    return report


class _Wanted:
    """Which checks the options ask for."""

    def __init__(self, config, register):
        self.claims = {part for part in config.getoption("--cdna-claims").split(",") if part}
        self.area = config.getoption("--cdna-area")
        self.target = config.getoption("--cdna-target")
        self.kind = config.getoption("--cdna-kind")
        self.everything = not (self.claims or self.area or self.target or self.kind)

    def __call__(self, claim, check, target):
        if self.claims and check.claim not in self.claims:
            return False
        if self.area and not in_area(claim, self.area):
            return False
        if self.target and target not in (self.target, "any"):
            return False
        return not self.kind or check.kind == self.kind


def in_area(claim, area):
    """Say whether a claim belongs to an area: its chapter, or the first parts of its key ("tdm", "tdm.pad")."""
    return claim is not None and (claim.chapter == area or claim.key == area or claim.key.startswith(area + "."))


def _once(config, name, make):
    store = config.stash.setdefault(_STORE, {})
    if name not in store:
        store[name] = make()
    return store[name]


_STORE = pytest.StashKey()


def _relative(path):
    from cdna_evidence import settings

    return pathlib.Path(path).relative_to(settings.root()).as_posix()


def _imported(path):
    """Import a check module under a name of its own: two files of one name may stand in two kinds' folders."""
    name = "cdna_checks." + _relative(path).removesuffix(".py").replace("/", ".")
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
