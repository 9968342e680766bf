# SPDX-License-Identifier: Apache-2.0
"""Which stepping a gfx1250 is, from what the driver says, and what the runtime calls it.

A0 and B0 share the instruction set and the target name gfx1250; the revision of the device tells them apart.
Claims: GFX-002, GFX-003.
"""

from cdna.targets import STEPPINGS

# Whether A0 gets a name of its own where HSA_DISABLE_GFX12_STRICT is not set: as merged, and as an open change wants it.
DEFAULTS = (("off-by-default", False), ("on-by-default", True))


def asic_revision(capability):
    """Return the revision of a device, 0 for A0 and 1 for B0 of gfx1250.

    Args: capability: the number of that name in the properties of the device's node in KFD's topology. Claims: GFX-003.
    """
    return capability >> 22 & 15


def reported_name(revision, setting=None, position="off-by-default"):
    """Return the target that the runtime reports for a gfx1250.

    Args: revision: as of `asic_revision`; setting: the text of HSA_DISABLE_GFX12_STRICT, None where it is not set;
      position: a position of GFX-003. Where the name is off by default only the text 0 switches it on, where it is on only
      the text 1 switches it off.
    """
    strict = dict(DEFAULTS)[position]
    if setting is not None:
        strict = setting != "1" if strict else setting == "0"
    name, target, _ = STEPPINGS[0]
    return name if strict and revision == 0 else target
