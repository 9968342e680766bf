# SPDX-License-Identifier: Apache-2.0
"""`cdna lds`: how much LDS there is, what an allocation becomes, which lanes disturb each other, where copies land."""

from .lds_words import expression_of, nothing_else, number, options_of, required, table, target_of
from .output import Usage, cannot_tell, emit

COMMANDS = {
    "info": ("--target",),
    "alloc": ("--target", "--stages"),
    "conflicts": ("--target", "--op", "--bytes", "--expr", "--assume", "--svg"),
    "search": ("--target", "--op", "--row-bytes", "--rows", "--assume", "--first"),
    "swizzle": ("--row-elements", "--access", "--row", "--column", "--bits", "--shift"),
    "direct": (
        "--target",
        "--size",
        "--lane",
        "--base",
        "--offset",
        "--m0",
        "--form",
        "--soffset",
        "--voffset",
        "--interval",
        "--svg",
    ),
    "transpose": ("--target", "--op", "--lane"),
}
FLAGS = {"conflicts": ("--write", "--compare")}


def run(argv):
    """Run one `cdna lds` command; return the exit status.

    Raises: Usage: wrong usage or unreadable input; CannotTell: nobody published the answer.
    """
    if not argv:
        raise Usage(f"say which: {', '.join(COMMANDS)}; --help explains them")
    if argv[0] in ("-h", "--help", "help"):
        return _help()
    if argv[0] not in COMMANDS:
        raise Usage(f"unknown command {argv[0]!r}: {', '.join(COMMANDS)}")
    if any(word in ("-h", "--help") for word in argv[1:]):
        return _help(argv[0])
    options, rest = options_of(argv[1:], COMMANDS[argv[0]], FLAGS.get(argv[0], ()))
    if "--op" in options:
        options["--op"] = options["--op"].strip().lower()  # guides spell opcodes in capitals
    try:
        return _command(argv[0])(options, rest)
    except ValueError as error:
        from cdna.lds.service import Unpublished

        if isinstance(error, Unpublished):
            return _unpublished(argv[0], options, error)
        raise Usage(str(error) + _near(options, str(error))) from None


def _near(options, message):
    from cdna.lds.names import op_names

    from .near import did_you_mean

    target = options.get("--target")
    return did_you_mean(message, options.get("--op", "").split("+"), op_names(target))


def _help(command=None):
    from . import lds_help

    print(lds_help.text(command))
    return 0


def _unpublished(command, options, error):
    """Say that nobody published an opcode's groups; every answer of the command's document is null."""
    target = target_of(options)
    asked = {"conflicts": ("banks", "groups", "degree", "worst", "basis"), "search": ("paddings", "swizzles", "basis")}
    result = {"op": options.get("--op"), "published": list(error.known)}
    result.update({name: None for name in asked[command]})
    message = str(error) + (
        "; to assume groups that nobody measured: --assume consecutive:N" if error.assumable else ""
    )
    claim = "LDS-012" if target != "gfx1250" else None  # that a conflict needs the groups; of the older targets
    finding = {"rule": "unpublished", "severity": "error", "message": message, "claim": claim, "field": "op"}
    return cannot_tell("lds " + command, target, result, finding, bool(options.get("--json")))


def _command(name):
    if name in ("conflicts", "search", "swizzle"):
        from . import lds_banks

        return {"conflicts": lds_banks.run_conflicts, "search": lds_banks.run_search, "swizzle": lds_banks.run_swizzle}[
            name
        ]
    if name in ("direct", "transpose"):
        from . import lds_copy

        return lds_copy.run_direct if name == "direct" else lds_copy.run_transpose
    return run_info if name == "info" else run_alloc


def run_info(options, rest):
    """Print what is known of the LDS of a target, each number with its basis."""
    from cdna.lds import allocation, geometry, partitions, service

    nothing_else(rest)
    target = target_of(options)
    place = geometry.geometry(target)
    granules = [
        {"position": item.position, "bytes": item.bytes, "basis": item.basis, "claim": "LDS-008"}
        for item in allocation.granules(target)
    ]
    groups = [
        {
            "op": item.op,
            "banks": item.banks,
            "groups": len(item.groups),
            "how": item.how,
            "basis": item.basis,
            "sources": list(item.sources),
            "claim": item.claim,
        }
        for item in service.published(target)
    ]
    result = {
        "capacity": place.capacity.value,
        "per": place.unit,
        "banks": place.banks.value,
        "bank_bytes": place.bank_bytes,
        "dwords_per_bank": place.dwords_per_bank,
        "wave_lanes": place.wave_lanes,
        "access_bytes": list(place.widths),
        "granules": granules,
        "service_groups": groups,
        "basis": {
            "capacity": {"text": place.capacity.basis, "claim": place.capacity.claim},
            "banks": {"text": place.banks.basis, "claim": place.banks.claim},
        },
    }
    rows = [
        ("capacity", f"{place.capacity.value} bytes per {place.unit}, shared by its workgroups", place.capacity.basis),
        (
            "banks",
            f"{place.banks.value} of {place.bank_bytes} bytes, {place.dwords_per_bank} DWORDs each",
            place.banks.basis,
        ),
    ]
    rows += [(f"granule, {item['position']}", f"{item['bytes']} bytes", item["basis"]) for item in granules]
    rows += [
        (item["op"], f"{item['groups']} groups over {item['banks']} banks, {item['how']}", item["basis"])
        for item in groups
    ]
    if target == "gfx1250":
        size = partitions.PARTITION_BYTES
        basis = "AMD's article on the LDS of MI450; waves of different SIMD pairs take turns in one partition (LDS-055)"
        result["partitions"] = {"count": place.capacity.value // size, "bytes": size, "claim": "LDS-055"}
        rows.insert(2, ("partitions", f"{place.capacity.value // size} of {size} bytes", basis))
    disputed = []
    for item in groups:
        for claim, position, _, note in service.alternatives(target, item["op"]):
            disputed.append({"claim": claim, "position": position, "result": {"op": item["op"], "note": note}})
    for item in granules[1:]:
        if item["bytes"] != granules[0]["bytes"]:
            disputed.append(
                {
                    "claim": "LDS-008",
                    "position": item["position"],
                    "result": {"granule": item["bytes"], "basis": item["basis"]},
                }
            )
    return emit("lds info", target, result, (), disputed, bool(options.get("--json")), table(rows))


def run_alloc(options, rest):
    """Print what a request for LDS becomes."""
    from cdna.lds import allocation
    from cdna.targets import TARGETS

    from .near import target_said

    if len(rest) != 1:
        raise Usage(f"lds alloc: give one number of BYTES ({len(rest)} given)")
    each = _bytes(rest[0])
    stages = number(options, "--stages", 1, least=1)
    requested = each * stages
    if requested < 0:
        raise Usage(f"BYTES={requested}: 0 or more")
    target = required(options, "--target")
    json = bool(options.get("--json"))
    if target not in [known.name for known in TARGETS]:
        hint = target_said(target)
        if hint and hint.split()[-1] in [known.name for known in TARGETS]:
            target_of(options)  # another spelling of a target: the smallest limit would be a wrong answer
        return _alloc_elsewhere(target, requested, json, hint)
    done = allocation.allocate(target, requested)
    result = _allocated(done, each, stages)
    disputed = []
    for position in allocation.POSITIONS:
        if position != allocation.READING:
            other = allocation.allocate(target, requested, position)
            if other.granule != done.granule:
                disputed.append({"claim": "LDS-008", "position": position, "result": _allocated(other, each, stages)})
    findings = []
    if not done.fits:
        message = f"requested={requested}: 0..{done.limit} bytes of LDS for one workgroup on {target}, LDS-001"
        findings.append(
            {"rule": "lds-too-large", "severity": "error", "message": message, "claim": "LDS-001", "field": "requested"}
        )
    count = "no limit" if done.per_unit is None else str(done.per_unit)
    rows = [
        ("requested", f"{requested} bytes" + (f" ({stages} stages of {each})" if stages > 1 else "")),
        ("allocated", f"{done.allocated} bytes, in units of {done.granule}"),
        ("fits", f"{'yes' if done.fits else 'no'}, at most {done.limit}"),
        (f"workgroups per {done.unit}", count + " by LDS alone"),
    ]
    return emit("lds alloc", target, result, findings, disputed, json, table(rows))


def _bytes(text):
    """Return the bytes of a number or an expression. Raises: Usage: neither; a unit is answered by what to write."""
    import re

    unit = re.fullmatch(r"\s*([0-9]+)\s*(k|m)(i?b)?\s*", text.lower())
    if unit:
        raise Usage(f"BYTES {text.strip()[:20]!r}: a number of bytes, such as {unit[1]}*{1024 if unit[2] == 'k' else 1048576}")
    return expression_of(text, "BYTES", ()).at()


def _allocated(done, each, stages):
    return {
        "requested": done.requested,
        "per_stage": each,
        "stages": stages,
        "allocated": done.allocated,
        "granule": done.granule,
        "limit": done.limit,
        "fits": done.fits,
        "workgroups_per_cu": done.per_unit,
        "per": done.unit,
    }


def _alloc_elsewhere(target, requested, json, hint):
    """A target that nothing here is known about: no answer but the least known limit, and never a yes."""
    from cdna.lds import allocation
    from cdna.targets import TARGETS

    limit = allocation.smallest_limit()
    known = ", ".join(item.name for item in TARGETS)
    result = {
        "requested": requested,
        "allocated": None,
        "granule": None,
        "limit": limit,
        "fits": False if requested > limit else None,
        "workgroups_per_cu": None,
    }
    message = f"target={target!r}: nothing is known about it ({known}); the one safe guess is the smallest known limit, {limit} bytes"
    if requested > limit:
        message += f", and {requested} is more"
    message += f"; {hint}" if hint else ""
    finding = {"rule": "unknown-target", "severity": "error", "message": message, "claim": "LDS-001", "field": "target"}
    return emit("lds alloc", target, result, [finding], (), json)
