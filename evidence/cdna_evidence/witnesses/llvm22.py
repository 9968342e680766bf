# SPDX-License-Identifier: Apache-2.0
"""Where the programs of Debian's package llvm-22 are, and whether they are what they should be.

Exactly version 22, with AMD GPUs: never another version that happens to be on the path, since an older one does not
know gfx1250.
"""

import os
import re
import shutil

from . import isolation
from .cache import file_digest
from .face import Missing

PACKAGE = "llvm-22"
HOW_TO_GET = "on Debian, apt-get install llvm-22"
MAJOR = "22"


def find(name):
    """Return the path of a program, such as "llc". Raises: Missing: it is not installed."""
    places = (f"/usr/lib/llvm-{MAJOR}/bin/{name}", f"/usr/bin/{name}-{MAJOR}")
    program = shutil.which(f"{name}-{MAJOR}") or next((path for path in places if os.access(path, os.X_OK)), None)
    if program is None:
        raise Missing(f"{name} of LLVM {MAJOR} is not installed", HOW_TO_GET)
    return program


class Program:
    """Base of the witnesses that are one such program; arguments and limits as for Clang.

    Raises: Missing: it does not run, is not version 22, or does not know AMD GPUs.
    """

    name = None
    revision = None

    def __init__(self, program, cache, package=PACKAGE, seconds=isolation.SECONDS, memory=isolation.MEMORY):
        self.program = os.path.abspath(program)
        self.package = package
        self.cache = cache
        self._limits = {"seconds": seconds, "memory": memory}
        try:
            self.digest = file_digest(self.program, cache)
        except OSError as error:
            raise Missing(f"{self.name} cannot be read: {error.strerror}", HOW_TO_GET) from None
        self.version = version_of(self.name, self.program, **self._limits)


def version_of(name, program, **limits):
    """Return the version that a program tells of itself.

    Args: name: such as "llc", for messages; program: its path; limits: seconds and memory, see isolation.run.
    Raises: Missing: it does not run, is not version 22, or does not know AMD GPUs.
    """
    ran = isolation.run([program, "--version"], **limits)
    said = ran.out.decode("utf-8", "replace")
    found = re.search(r"LLVM version (\S+)", said)
    if ran.outcome != "ended" or ran.code != 0 or not found:
        raise Missing(f"{name} tells no version", HOW_TO_GET)
    if found.group(1).split(".")[0] != MAJOR:
        raise Missing(f"{name} is version {found.group(1)}, not {MAJOR}", HOW_TO_GET)
    if "amdgcn" not in said:
        raise Missing(f"this {name} was built without AMD GPUs", HOW_TO_GET)
    return found.group(1)
