# SPDX-License-Identifier: Apache-2.0
"""ml_dtypes: the number formats of JAX and TensorFlow as NumPy types, asked for every code and for casts.

It reads casts from float64 through float32, so numbers are handed over as float32.
"""

import importlib.metadata
import json
import shlex
from typing import NamedTuple

from .cache import Cache, file_digest
from .face import Missing

NAME = "ml_dtypes"
TITLE = "ml_dtypes, number formats for NumPy"
ANSWERS = ("values of codes", "codes of numbers")
HOW_TO_GET = "pip install ml_dtypes==0.6.0 (or cdna-evidence[witnesses])"

LIBRARY = "_ml_dtypes_ext"
# Our name -> the type there; fp16 is NumPy's own.
TYPES = {
    "e4m3fnuz": "float8_e4m3fnuz",
    "e4m3fn": "float8_e4m3fn",
    "e5m2fnuz": "float8_e5m2fnuz",
    "e5m2": "float8_e5m2",
    "e2m3": "float6_e2m3fn",
    "e3m2": "float6_e3m2fn",
    "e2m1": "float4_e2m1fn",
    "e8m0": "float8_e8m0fnu",
    "bf16": "bfloat16",
    "fp16": "float16",
}
BITS = {"e2m3": 6, "e3m2": 6, "e2m1": 4, "bf16": 16, "fp16": 16}


class Values(NamedTuple):
    """What codes mean: outcome "accepted"; values: text of each, as float.hex writes it, or nan, inf, -inf, -0x0.0p+0."""

    outcome: str
    values: tuple
    command: str
    kept: bool = False


class Codes(NamedTuple):
    """What numbers became: outcome "accepted"; codes: one integer each."""

    outcome: str
    codes: tuple
    command: str
    kept: bool = False


def find(cache=None, fresh=False):
    """Return the witness; arguments and errors as in clang.find."""
    try:
        wheel = importlib.metadata.distribution("ml_dtypes")
        import ml_dtypes
        import numpy
    except ImportError as error:
        raise Missing(f"the Python package {error.name or 'ml_dtypes'} is not installed", HOW_TO_GET) from None
    library = [item for item in wheel.files or () if LIBRARY in item.name]
    if not library:
        raise Missing("the Python package ml_dtypes holds no library for this machine", HOW_TO_GET)
    cache = cache or Cache(fresh=fresh)
    return MlDtypes(ml_dtypes, numpy, wheel.version, file_digest(str(wheel.locate_file(library[0])), cache))


class MlDtypes:
    """The library in this process: it only computes.

    Args: library, numpy: the modules; version: of the wheel; digest: of its compiled part.
    """

    name = NAME
    revision = None

    def __init__(self, library, numpy, version, digest):
        self.library, self.numpy, self.version, self.digest = library, numpy, version, digest
        self.package = "ml_dtypes " + version

    def names(self):
        """Return the formats it has, by our names."""
        return list(TYPES)

    def values(self, name):
        """Return the Values of every code of a format, in order. Raises: KeyError: a format it has not."""
        whole = self._whole(name)
        with self.numpy.errstate(invalid="ignore"):
            found = whole.view(self._type(name)).astype(self.numpy.float64)
        return Values("accepted", tuple(_text(float(item)) for item in found), self._command("values", name))

    def codes(self, name, numbers):
        """Return the Codes of numbers, each a float that float32 holds exactly.

        Raises: ValueError: a number that float32 would round; KeyError: a format it has not.
        """
        numbers = list(numbers)
        with self.numpy.errstate(over="ignore", invalid="ignore"):
            given = self.numpy.array(numbers, dtype=self.numpy.float32)
            lost = [n for n, kept in zip(numbers, given, strict=True) if n == n and float(kept) != n]
            if lost:
                raise ValueError(f"{lost[0]!r} is no float32")
            cast = given.astype(self._type(name)).view(self._whole(name).dtype)
        return Codes("accepted", tuple(int(item) for item in cast), self._command("codes", name, numbers[:4]))

    def _whole(self, name):
        bits = BITS.get(name, 8)
        return self.numpy.arange(1 << bits, dtype=self.numpy.uint16 if bits > 8 else self.numpy.uint8)

    def _type(self, name):
        return getattr(self.numpy if name == "fp16" else self.library, TYPES[name])

    def _command(self, what, name, numbers=()):
        of = "numpy" if name == "fp16" else "ml_dtypes"
        width = "uint16" if BITS.get(name, 8) > 8 else "uint8"
        if what == "values":
            body = f"numpy.arange({1 << BITS.get(name, 8)}, dtype='{width}').view({of}.{TYPES[name]}).astype('float64')"
        else:
            given = json.dumps([_text(n) for n in numbers])
            body = f"[numpy.float32(float.fromhex(x)).astype({of}.{TYPES[name]}).view('{width}') for x in {given}]"
        return "python -c " + shlex.quote(f"import numpy, ml_dtypes; print({body})")


def _text(value):
    return "nan" if value != value else value.hex()
