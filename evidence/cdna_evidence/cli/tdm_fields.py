# SPDX-License-Identifier: Apache-2.0
"""`cdna tdm fields`: where each field of a descriptor sits, how it is encoded, and what must be zero."""

from .output import Usage, emit
from .tdm import TARGET, shown, split_options

CODINGS = {
    "literal": "as it is",
    "flag": "0 or 1",
    "code": "a code",
    "log2": "log2",
    "minus-one": "one less",
    "power-of-two": "n for 2 << n",
    "shifted-3": "shifted right by 3",
}
GROUPS = (
    "groups 0 and 1 are never NULL (TDM-003); 2 and 3 both or neither (TDM-052)",
    "three dimensions and more, iteration and gathers need groups 2 and 3: NULL reads as zeros (TDM-056)",
)


def run_fields(argv):
    """Print the fields of a descriptor, or those that are named; return the exit status.

    Raises: Usage: no such mode or field.
    """
    from cdna.tdm.fields import LAYOUTS, NAMES, RESTORE_FIELDS, allowed, fields_of, reserved_of

    options, rest = split_options(argv, ("--mode",))
    names = [name.lower() for name in rest]
    listed = {layout: [_listed(field.name) for field in fields_of(layout)] for layout in LAYOUTS}
    # Without a mode, the first one that has the fields asked for.
    mode = options.get("--mode") or [*(each for each in LAYOUTS if set(names) <= set(listed[each])), "dense"][0]
    if mode not in LAYOUTS:
        raise Usage(f"--mode {shown(mode)}: {', '.join(LAYOUTS)}")
    table = fields_of(mode)
    for given, name in zip(rest, names, strict=True):
        if name not in listed[mode]:
            elsewhere = [layout for layout in LAYOUTS if name in listed[layout]]
            said = f"only with --mode {' or '.join(elsewhere)}" if elsewhere else f"the fields are {', '.join(NAMES)}"
            raise Usage(f"field {shown(given)}: {said}")
    entries, rows = [], [("field", "bits", "holds", "encoded")]
    for field in table:
        if names and _listed(field.name) not in names:
            continue
        entry = {"name": field.name, "group": field.group, "bits": [field.lo, field.lo + field.width - 1]}
        entries.append(dict(entry, coding=field.coding, unit=field.unit or None, allowed=allowed(field), claim=field.claim))
        bits = f"{field.group}: {field.lo}" if field.width == 1 else f"{field.group}: {field.lo + field.width - 1}:{field.lo}"
        rows.append((field.name, bits, allowed(field), f"{CODINGS[field.coding]}  [{field.claim}]"))
    reserved = [[group, lo, lo + width - 1] for group, lo, width in reserved_of(mode)]
    zero = {"fields": list(RESTORE_FIELDS), "reserved": reserved}
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [f"{mode} descriptor, bits counted inside the group", ""]
    lines += [f"{a:{widths[0]}}  {b:{widths[1]}}  {c:{widths[2]}}  {d}".rstrip() for a, b, c, d in rows]
    if not names:
        held = ", ".join(f"{group}: {hi}:{lo}" if hi > lo else f"{group}: {lo}" for group, lo, hi in reserved)
        lines += ["", "type is 2 and count 1 (TDM-011, TDM-010)"]
        lines += [f"zero: {', '.join(RESTORE_FIELDS)} (TDM-009); bits {held} (TDM-147)", *GROUPS]
    result = {"mode": mode, "fields": entries, "must_be_zero": zero, "groups": list(GROUPS)}
    return emit("tdm fields", TARGET, result, json=bool(options.get("--json")), text="\n".join(lines))


def _listed(name):
    """Return the name under which a field is asked for: the slots of a list go by the list's."""
    return "row_indices" if name.startswith("row_index_") else name
