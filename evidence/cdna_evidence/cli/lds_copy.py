# SPDX-License-Identifier: Apache-2.0
"""`cdna lds direct` and `transpose`: where copies land, and what transposing loads hand to each lane."""

from .lds_words import nothing_else, number, table, target_of, write_file
from .near import did_you_mean
from .output import Usage, cannot_tell, emit

LARGEST = (1 << 32) - 1
# What the copies are called for, in place of the bytes of a lane.
SIZES = {"ubyte": 1, "b8": 1, "ushort": 2, "b16": 2, "dword": 4, "b32": 4, "dwordx2": 8, "b64": 8, "sbyte": 1, "sshort": 2}
SIZES |= {"dwordx3": 12, "b96": 12, "dwordx4": 16, "b128": 16}
# What may stand before that in an instruction's name: the form that it tells, and whether the copy is asynchronous.
STEMS = {"global_load_lds": ("global", False), "buffer_load": ("buffer", False)}
STEMS |= {"global_load_async_to_lds": ("global", True), "cluster_load_async_to_lds": ("cluster", True)}


def run_direct(options, rest):
    """Print where one lane's direct-to-LDS copy lands."""
    from cdna.lds import direct

    nothing_else(rest)
    target = target_of(options)
    signed = options.get("--size", "").strip().lower().endswith(("sbyte", "sshort"))  # other instructions, same places
    options = _by_name(options, target)
    size = number(options, "--size", None, least=1)
    given = {name: number(options, "--" + name, 0) for name in ("base", "m0", "soffset", "voffset")}
    given["offset"] = number(options, "--offset", 0, least=None)
    given["form"] = options.get("--form", "global").strip().lower()
    for name in ("base", "m0", "soffset", "voffset"):
        if given[name] > LARGEST:
            raise Usage(f"--{name} {given[name]}: 0..{LARGEST}, a register of 32 bits")
    lane = number(options, "--lane", None)
    done = direct.copy(target, size, lane, **given)
    if signed and done.lane_stride:
        done = done._replace(opcode=done.opcode.replace("_u", "_s"))
    findings, disputed = [], []
    if not done.accepted:
        allowed = ", ".join(str(item) for item in direct.sizes(target))
        later = "D2L-057" if given["form"] == "cluster" else "D2L-052"
        claim = {"gfx942": "D2L-001", "gfx950": "D2L-002"}.get(target, later)
        message = f"size={size}: {allowed} bytes a lane on {target}, {claim}"
        findings.append({"rule": "copy-size", "severity": "error", "message": message, "claim": claim, "field": "size"})
    elif target in direct.WAVE_WIDE and size > 4:
        other = direct.copy(target, size, lane, reading="four", **given)
        disputed.append(
            {
                "claim": "D2L-003",
                "position": "four",
                "result": {
                    "lane_stride": other.lane_stride,
                    "lds_address": other.lds_address,
                    "wave_span": other.wave_span,
                },
            }
        )
    if done.accepted:
        findings += _wrapped(done, given) + _past_the_end(done)
        findings += _bits_of_m0(target, given["m0"], given["form"]) + _unaligned(done)
    if "--interval" in options and done.accepted:
        findings += _interval(target, size, number(options, "--interval", None, least=1))
    result = {
        "accepted": done.accepted,
        "opcode": done.opcode,
        "lane_stride": done.lane_stride,
        "lds_address": done.lds_address,
        "global_offset": done.global_offset,
        "wave_span": done.wave_span,
        "written_bytes": done.written,
        "hole_bytes": done.hole,
        "counter": done.counter,
        "claim": _claim(done, given["form"]),
    }
    if "--svg" in options and done.accepted and done.lane_stride:
        from cdna_evidence.site import figures_direct

        write_file(options["--svg"], figures_direct.drawing("direct", size, target, 6))
    return emit(
        "lds direct",
        target,
        result,
        findings,
        disputed,
        bool(options.get("--json")),
        table(_direct_rows(done, lane)) if done.accepted else None,
    )


def _claim(done, form):
    if not done.accepted:
        return None
    return "D2L-003" if done.lane_stride else "D2L-057" if form == "cluster" else "D2L-052"


def _by_name(options, target):
    """Return the options with the size as a number, and the form, where an instruction's name gives them."""
    from cdna.lds import direct

    given = options.get("--size", "")
    stem, _, word = given.strip().lower().rpartition("_")
    if word not in SIZES:
        if word[:1].isalpha():
            raise Usage(f"--size {given[:40]!r}: bytes a lane, or one of {', '.join(SIZES)}")
        return options
    options = dict(options, **{"--size": str(SIZES[word])})
    if not stem:
        return options
    own = [name for name, (_, later) in STEMS.items() if later is (target not in direct.WAVE_WIDE)]
    if stem not in own:
        raise Usage(f"--size {given}: the copies into LDS of {target} are {' and '.join(name + '_*' for name in own)}")
    form = options.get("--form", STEMS[stem][0]).strip().lower()
    if form != STEMS[stem][0]:
        raise Usage(f"--size {given}: the {STEMS[stem][0]} form, and --form says {form}")
    return dict(options, **{"--form": form})


def _wrapped(done, given):
    total = given["base"] + given["offset"]
    if done.lane_stride or total <= LARGEST:
        return []
    message = f"base + offset = {total:#x} wraps at 32 bits: one emulator does so, no other source tells, D2L-057"
    return [{"rule": "address-wraps", "severity": "warning", "message": message, "claim": "D2L-057", "field": "base"}]


def _past_the_end(done):
    from cdna.lds.geometry import geometry

    most = geometry(done.target).capacity.value
    if not 0 <= done.lds_address <= most - done.written:
        message = f"lds_address={done.lds_address}: {done.written} bytes from there leave the {most} bytes of LDS, LDS-001"
        return [{"rule": "past-lds", "severity": "warning", "message": message, "claim": "LDS-001", "field": "lds_address"}]
    if done.lane_stride is None:
        return []
    end = done.lds_address - done.lane * done.lane_stride + done.wave_span - done.hole
    if end <= most:
        return []
    message = f"the places of the wave end at byte {end}, past the {most} bytes of LDS: leave room for every lane, D2L-055"
    return [{"rule": "wave-past-lds", "severity": "warning", "message": message, "claim": "D2L-055", "field": "lds_address"}]


def _bits_of_m0(target, m0, form):
    from cdna.lds import direct

    counted = direct.m0_offset(target, m0, form) if target in direct.WAVE_WIDE else m0
    if counted == m0:
        return []
    message = f"m0={m0}: the {form} form takes {counted} of it on {target}; the other bits do not count, D2L-056"
    return [{"rule": "m0-bits", "severity": "warning", "message": message, "claim": "D2L-056", "field": "m0"}]


def _unaligned(done):
    """An address that is no whole DWORD: no source read here says what the copy does then, so no claim can be named."""
    if done.lane_stride is None or done.lds_address % 4 == 0:
        return []
    message = (
        f"lds_address={done.lds_address}: no multiple of 4; the addresses of every source are, and none says where "
        "the DWORDs of a copy go otherwise: align base, M0 and offset to 4 bytes"
    )
    return [{"rule": "unaligned-lds", "severity": "warning", "message": message, "claim": None, "field": "lds_address"}]


def _interval(target, size, interval):
    from cdna.lds import direct

    allowed, span = direct.padding_interval(target, size, interval)
    if allowed:
        return []
    message = f"interval={interval}: not a multiple of {span}, the bytes that one wave fills without a gap, D2L-051"
    return [{"rule": "pad-interval", "severity": "error", "message": message, "claim": "D2L-051", "field": "interval"}]


def _direct_rows(done, lane):
    rows = [
        ("opcode", done.opcode),
        ("LDS address", f"{done.lds_address} ({done.lds_address:#x}), {done.written} bytes of lane {lane}"),
    ]
    if done.lane_stride:
        hole = f", of which {done.hole} are not written" if done.hole else ""
        rows.append(("lane stride", f"{done.lane_stride} bytes{hole}"))
        rows.append(("wave span", f"{done.wave_span} bytes"))
    else:
        rows.append(("lane stride", "none: each lane gives its own LDS address"))
    rows.append(("source", f"this lane's global address + {done.global_offset}"))
    rows.append(("completion", f"counted by {done.counter}"))
    if done.opcode.startswith("cluster_"):
        rows.append(("receives", "the workgroups that the mask in M0 names, each of which asks too"))
    return rows


def run_transpose(options, rest):
    """Print what each lane receives from a transposing load, or that nobody can tell."""
    from cdna.lds import geometry, transpose

    nothing_else(rest)
    target = target_of(options)
    json = bool(options.get("--json"))
    forms = transpose.forms(target)
    if "--op" not in options:
        listed = [_form(form) for form in forms]
        rows = [(form.op, f"{form.element_bits}-bit elements", _known(form), ", ".join(form.aliases)) for form in forms]
        return emit(
            "lds transpose",
            target,
            {"forms": listed},
            (),
            (),
            json,
            table(rows) or f"{target} has no transposing LDS load",
        )
    op = options["--op"]
    form = transpose.form_named(target, op)
    if form is None:
        known = ", ".join(item.op for item in forms) or "none"
        claim = "LDS-004" if target == "gfx1250" else "TRN-001"
        message = f"op={op}: {known} on {target}, {claim}"
        other = transpose.counterpart(target, op)
        if other:
            message += f"; for elements of {other.element_bits} bits that is {other.op}, with lanes of its own"
        elif op.startswith("global_load_tr"):
            message += "; loads from global memory are told by " + ("TRN-059" if target == "gfx1250" else "TRN-003")
        else:
            message += did_you_mean(message, (op,), [name for item in forms for name in (item.op, *item.aliases)])
        finding = {"rule": "no-such-form", "severity": "error", "message": message, "claim": claim, "field": "op"}
        return emit(
            "lds transpose", target, {"op": op, "accepted": False, "receives": None, "basis": None}, [finding], (), json
        )
    result = dict(_form(form), accepted=True)
    lane = number(options, "--lane", None) if "--lane" in options else None
    lanes = geometry.geometry(target).wave_lanes
    if lane is not None and lane >= lanes:
        raise Usage(f"lane={lane}: 0..{lanes - 1}")
    if form.routing is None:
        message = f"{form.op}: unverified: {form.basis}"
        finding = {"rule": "unverified", "severity": "error", "message": message, "claim": form.claim, "field": "op"}
        cannot_tell("lds transpose", target, dict(result, receives=None), finding, json)
    findings = []
    if form.origins < 2:
        message = f"{form.op}: {form.basis}, {form.claim}; test it before you rely on it"
        findings.append(
            {"rule": "one-origin", "severity": "warning", "message": message, "claim": form.claim, "field": "op"}
        )
    chosen = [lane] if lane is not None else range(lanes)
    pairs = {str(one): [list(pair) for pair in transpose.receives(one, form)] for one in chosen}
    what = "halfword" if form.element_bits == 16 else "byte" if form.element_bits == 8 else "element"
    result["format"] = f"[source lane, {what}] for {what} 0..{len(pairs[str(chosen[0])]) - 1}"
    result["receives"] = pairs[str(lane)] if lane is not None else pairs
    rows = [(f"lane {name}", _sources(pair, what)) for name, pair in pairs.items()]
    return emit("lds transpose", target, result, findings, (), json, f"{form.op}: {form.basis}\n{table(rows)}")


def _form(form):
    return {
        "op": form.op,
        "element_bits": form.element_bits,
        "result_bits": form.result_bits,
        "aliases": list(form.aliases),
        "builtin": form.interface,
        "published": form.routing is not None,
        "origins": form.origins,
        "basis": form.basis,
        "claim": form.claim,
    }


def _known(form):
    if form.routing is None:
        return "unverified"
    return "lane map known" if form.origins > 1 else "lane map of one emulator"


def _sources(pairs, what):
    """One lane's sources as text: long lists name the element once, since every source gives the same one."""
    if len(pairs) <= 4:
        return "  ".join(f"lane {source} {what} {place}" for source, place in pairs)
    from .lds_banks import ranges

    return f"{what} {pairs[0][1]} of lanes {ranges([source for source, _ in pairs])}"
