# SPDX-License-Identifier: Apache-2.0
"""What a check is: `observe` finds something out without seeing the claim, `judge` compares and does nothing else."""

KINDS = ("model", "compiler", "client", "vector", "site", "links")
OUTCOMES = ("passed", "failed", "cantTell", "inapplicable", "untested")


class CannotTell(Exception):
    """The check ran and could not conclude; the text says why (outcome `cantTell`)."""


class NotHere(Exception):
    """Something that the check drives is not on this machine; the text says how to get it (outcome `untested`)."""


class Check:
    """Base of all checks. The docstring of a subclass says what it shows and what it does not.

    Attributes: claim: id of the one claim; kind: one of KINDS; position: the position of a disputed claim that is
      judged, or None; targets: the targets it can run for, or None for all of the claim's; witness: the program driven
      ("clang"), or the vector file read; binds: the keys of the claim's values that are judged.
    """

    claim = None
    kind = None
    position = None
    targets = None
    witness = None
    binds = ()

    def observe(self, target, tools):
        """Return what was found, as JSON-ready data; keys are those of `binds` unless `judge` is overridden.

        Args: target: "gfx1250" and so on, or "any"; tools: compilers, vectors and (kinds links, site) the register.
        Raises: CannotTell: the run cannot conclude.
        """
        raise NotImplementedError

    def judge(self, observed, values):
        """Return the differences between what was found and what the claim publishes, as texts; none means passed.

        Args: observed: what `observe` returned; values: the claim's values for this target and position.
        """
        found = []
        for key in self.binds:
            found += differences(key, observed[key], values[key])
        return found


def differences(name, observed, expected):
    """Return the differences between two JSON-ready values as texts; lengths are compared first, types count.

    Args: name: what is compared, for the text; observed, expected: the two values.
    """
    if isinstance(expected, dict) and isinstance(observed, dict):
        missing = [key for key in expected if key not in observed]
        extra = [key for key in observed if key not in expected]
        if missing or extra:
            return [f"{name}: observed without {missing}, with unexpected {extra}"]
        return [text for key in expected for text in differences(f"{name}.{key}", observed[key], expected[key])]
    if isinstance(expected, (list, tuple)) and isinstance(observed, (list, tuple)):
        if len(observed) != len(expected):
            return [f"{name}: {len(observed)} observed, {len(expected)} published"]
        pairs = enumerate(zip(observed, expected, strict=True))
        return [text for i, (one, other) in pairs for text in differences(f"{name}[{i}]", one, other)]
    if type(observed) is not type(expected) or observed != expected:
        return [f"{name}: observed {observed!r}, published {expected!r}"]
    return []
