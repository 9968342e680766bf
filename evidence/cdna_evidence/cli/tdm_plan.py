# SPDX-License-Identifier: Apache-2.0
"""`cdna tdm plan`: small questions before there is a descriptor, each answered by the model with the claims it rests on.

Five questions, one or several in a call: how many instructions a gather takes, how much LDS a ring of buffers takes and
which number its waits get, which multicast masks a cluster needs, how a gap after every block of rows is left, and how
many passes of an iteration the rows at an edge take.
"""

from .output import Usage, cannot_tell, emit
from .tdm import TARGET, disputed_of, plural, shown, split_options
from .tdm_encode import finding_of_error, lds_overflow, number

OPTIONS = {
    "gather": ("--gather-rows", "--index-bits", "--waves"),
    "ring": ("--stages", "--tile-bytes", "--shape", "--prologue", "--loads-per-tile"),
    "multicast": ("--cluster", "--share", "--grid"),
    "gap": (
        *("--block-bytes", "--gap-bytes", "--row-bytes", "--rows", "--element-bytes", "--row-stride"),
        "--reader-block-bytes",
    ),
    "passes": ("--rows-left", "--rows-per-pass", "--tile-rows"),
}
NEEDED = {
    "gather": ("--gather-rows",),
    "ring": ("--stages",),
    "multicast": ("--cluster",),
    "gap": ("--block-bytes", "--gap-bytes", "--row-bytes", "--rows"),
    "passes": ("--rows-left", "--rows-per-pass"),
}
SHARE = ("rows", "columns", "all", "none")
MERGE_MOST = 5  # TDM-087, positions five-merge and none-above-five; also what is safe under every position
DRAINED_TO = 10  # WAIT-089: what newer LLVM waits for in front of a tensor transfer
BLOCKS_MOST = 1 << 16
LARGEST = (1 << 32) - 1


def run_plan(argv):
    """Answer the questions that the options ask; return the exit status.

    Raises: Usage: no question, half a question, or a value that is no number; CannotTell: a cluster of three dimensions
      with rows or columns, whose numbering no source gives.
    """
    options, rest = split_options(argv, tuple([name for group in OPTIONS.values() for name in group]))
    if rest:
        raise Usage(f"plan: unexpected {shown(rest[0])}; every input is an option, see --help")
    asked = [name for name in OPTIONS if any(option in options for option in OPTIONS[name])]
    if not asked:
        starts = ", ".join(NEEDED[name][0] for name in OPTIONS)
        raise Usage(f"plan: ask something: {starts} begin one question each, see --help")
    for name in asked:
        missing = [option for option in NEEDED[name] if option not in options]
        if missing:
            raise Usage(f"plan: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    json = bool(options.get("--json"))
    result, found, disputed, texts = {name: None for name in OPTIONS}, [], [], []
    answers = {"gather": _gather, "ring": _ring, "multicast": _multicast, "gap": _gap, "passes": _passes}
    for name in asked:
        answer = answers[name](options, json)
        result[name] = answer[0]
        found += answer[1]
        disputed += answer[2]
        texts += [f"{label:22}  {text}" for label, text in answer[3]] + [""]
    return emit("tdm plan", TARGET, result, found, disputed, json, "\n".join(texts).rstrip())


def _gather(options, json):
    from cdna.tdm.copy import wave_share
    from cdna.tdm.gather import INDEX_BITS, slots

    rows, waves = _number(options, "--gather-rows"), _number(options, "--waves", 1)
    widths = INDEX_BITS
    if "--index-bits" in options:
        widths = (_number(options, "--index-bits"),)
        if widths[0] not in INDEX_BITS:
            raise Usage(f"--index-bits {widths[0]}: 16 or 32, TDM-067")
    share, used = wave_share(rows, waves)
    answers, lines = [], [("gather", plural(rows, "row"))]
    for bits in widths:
        held = slots(bits)
        one = {
            "index_bits": bits,
            "rows_per_instruction": held,
            "largest_index": (1 << bits) - 1,
            "instructions": -(-rows // held),
            "instructions_per_wave": -(-share // held),
        }
        answers.append(one)
        text = f"{plural(one['instructions'], 'instruction')} of {held} rows, indices to {one['largest_index']}"
        if waves > 1:
            text += f"; {one['instructions_per_wave']} a wave when {used} of {waves} waves take {share} rows each"
        lines.append((f"  {bits}-bit indices", text))
    lines.append(("  claims", "TDM-067; repeated rows TDM-068; unsorted or outside the tensor TDM-070, TDM-129"))
    result = {"rows": rows, "waves": waves, "waves_used": used, "rows_per_wave": share, "by_index_bits": answers}
    return dict(result, claims=["TDM-067", "TDM-068", "TDM-070", "TDM-129"]), [], [], lines


def _ring(options, json):
    from cdna.lds.allocation import allocate
    from cdna.tdm import pipeline
    from cdna.waits.counters import most_of

    stages = _number(options, "--stages")
    tile = _number(options, "--tile-bytes") if "--tile-bytes" in options else None
    each = _number(options, "--loads-per-tile", 1)
    chosen = options.get("--shape")
    if chosen not in (None, *pipeline.SHAPES):
        raise Usage(f"--shape {shown(chosen)}: {', '.join(pipeline.SHAPES)}")
    done = None if tile is None else allocate(TARGET, stages * tile)  # which N to wait for needs no size
    shapes = []
    try:
        for shape in (chosen,) if chosen else pipeline.SHAPES if stages > 1 else ("after",):
            before, wait = pipeline.loads_before(stages, shape), pipeline.wait_limit(stages, shape, None, each)
            shapes.append({"shape": shape, "tiles_before_first_wait": before, "wait_tensorcnt": wait})
        over = ""
        if "--prologue" in options:
            over = pipeline.check_ring(stages, _number(options, "--prologue"), chosen or "between")
    except ValueError as error:
        raise Usage(f"plan: {error}") from None
    found = []
    if done and not done.fits:
        message = f"stages={stages}: {done.requested} bytes, 0..{done.limit} for one workgroup on {TARGET}"
        found.append(_finding("lds-too-large", "error", message, "LDS-001", "stages"))
    if over:
        message = over.rpartition(", ")[0]
        if not chosen and not pipeline.check_ring(stages, _number(options, "--prologue"), "after"):
            message += "; a loop that issues after it computed may fetch one more: --shape after"
        found.append(_finding("ring-overfilled", "error", message, "TDM-106", "prologue"))
    most = most_of(TARGET, "tensorcnt")
    for one in shapes:
        if one["wait_tensorcnt"] > most:
            message = f"stages={stages}, loads_per_tile={each}: a wait for {one['wait_tensorcnt']}, the counter ends at {most}"
            found.append(_finding("wait-beyond-counter", "error", message, "TDM-065", "stages"))
            break
    if any(one["wait_tensorcnt"] > DRAINED_TO for one in shapes):
        text = f"newer LLVM writes s_wait_tensorcnt {DRAINED_TO} in front of a tensor transfer: more are not outstanding there"
        found.append(_finding("tensor-drain", "info", text, "WAIT-089", "stages"))
    text = "other waves may read a tile only after a barrier that follows the wait"
    found.append(_finding("barrier-after-wait", "info", text, "TDM-093", None))
    result = {
        "stages": stages,
        "tile_bytes": tile,
        "loads_per_tile": each,
        "lds_bytes": done and done.requested,
        "allocated": done and done.allocated,
        "limit": done and done.limit,
        "fits": done and done.fits,
        "most_stages": done and done.limit // tile,
        "workgroups_per_wgp": done and done.per_unit,
        "shapes": shapes,
        "wait_tensorcnt_last": 0,
        "claims": ["LDS-001", "LDS-008", "TDM-102", "TDM-105", "TDM-106"],
    }
    lines = [("ring", f"{plural(stages, 'buffer')}; --tile-bytes B also says what they take of LDS")]
    if done:
        most_stages = plural(result["most_stages"], "buffer")
        lines = [
            ("ring", f"{plural(stages, 'buffer')} of {tile} bytes: {done.requested} bytes, {done.allocated} allocated"),
            ("  fits", f"{'yes' if done.fits else 'no'}, at most {most_stages} in {done.limit}"),
        ]
    where = {"after": "wait, compute, issue", "before": "issue, wait, compute", "between": "wait, issue, compute"}
    for one in shapes:
        text = f"{plural(one['tiles_before_first_wait'], 'tile')} before the first wait, s_wait_tensorcnt {one['wait_tensorcnt']}"
        lines.append(("  " + where[one["shape"]], f"{text} (--shape {one['shape']})"))
    lines.append(("  last tile", "s_wait_tensorcnt 0 (TDM-105)"))
    return result, found, [], lines


def _multicast(options, json):
    from cdna.tdm.multicast import check_launch, mask_of, reads

    cluster = _extents(options, "--cluster")
    grid = _extents(options, "--grid") if "--grid" in options else None
    share = options.get("--share", "none")
    problems = check_launch(0, cluster, grid)
    result = {"cluster": cluster, "grid": grid, "share": share, "masks": None}
    result["safe"] = {"claim": "TDM-087", "most_workgroups_in_one_mask": MERGE_MOST}
    result["claims"] = ["TDM-081", "TDM-083", "TDM-084", "TDM-087", "TDM-088"]
    lines = [("cluster", f"{' x '.join(str(item) for item in cluster)} workgroups; bit = y * {cluster[0]} + x")]
    found, masks, others = [], [], {"five-merge": [], "none-above-five": []}
    if not any(item.name == "cluster-size" for item in problems):
        for group in _shared(share, cluster, result, json):
            mask = mask_of(group)
            problems += [item for item in check_launch(mask, cluster, grid) if item not in problems]
            masks.append({"workgroups": group, "mask": f"0x{mask:04x}", "reads": reads(len(group), True)})
            for position, wider in (("five-merge", "split"), ("none-above-five", "none")):
                count = reads(len(group), True, MERGE_MOST, wider)
                others[position].append({"mask": masks[-1]["mask"], "reads": count})
            who = ", ".join(str(item) for item in group)
            lines.append((f"  mask 0x{mask:04x}", f"workgroup{'s' if len(group) > 1 else ''} {who}"))
        result["masks"] = masks
    for item in problems:
        field = "grid" if item.name == "grid-not-divisible" else "cluster" if item.name == "cluster-size" else "share"
        found.append(_finding(item.name, item.severity, item.message, item.claim, field))
    disputed = []
    for position, other in others.items():
        if [item["reads"] for item in other] != [item["reads"] for item in masks]:
            disputed.append({"claim": "TDM-087", "position": position, "result": {"masks": other}})
    if disputed:
        text = f"share={share}: sources differ on how often a tile of more than {MERGE_MOST} workgroups is read; "
        text += f"at most {MERGE_MOST} in one mask read it once under every position"
        found.append(_finding("multicast-over-merge", "warning", text, "TDM-087", "share"))
    lines.append(("  claims", "TDM-081, TDM-083; all that share ask at about the same time (TDM-084, TDM-088)"))
    return result, found, disputed, lines


def _shared(share, cluster, result, json):
    """Return the workgroup numbers that share a tile, one list a tile."""
    from cdna.tdm.multicast import workgroup_number

    count = cluster[0] * cluster[1] * cluster[2]
    if share == "all":
        return [list(range(count))]
    if share == "none":
        return [[item] for item in range(count)]
    if share not in SHARE:
        try:
            numbers = [number(item, "--share") for item in share.split(",")]
        except Usage:
            numbers = [-1]
        if len(set(numbers)) != len(numbers) or min(numbers) < 0 or max(numbers) >= count:
            raise Usage(f"--share {shown(share)}: {', '.join(SHARE)}, or different numbers of 0..{count - 1}")
        return [numbers]
    if cluster[2] > 1:
        text = f"cluster={','.join(str(item) for item in cluster)}: no source read here says which bit a workgroup of the third dimension has"
        finding = _finding("numbering-unknown", "error", text, "TDM-081", "cluster")
        cannot_tell("tdm plan", TARGET, {**{name: None for name in OPTIONS}, "multicast": result}, finding, json)
    wide, high = cluster[0], cluster[1]
    if share == "rows":
        return [[workgroup_number(x, y, wide) for x in range(wide)] for y in range(high)]
    return [[workgroup_number(x, y, wide) for y in range(high)] for x in range(wide)]


def _gap(options, json):
    from cdna.tdm.fields import FieldError
    from cdna.tdm.iterate import gap_plan
    from cdna.tdm.pad import MAX_INTERVAL_BYTES
    from cdna.tdm.readings import pad_readings
    from cdna.tdm.rules import padding_findings

    row, rows = _number(options, "--row-bytes"), _number(options, "--rows")
    element = _number(options, "--element-bytes", 1)
    block, gap = _number(options, "--block-bytes", least=0), _number(options, "--gap-bytes", least=0)
    stride = _number(options, "--row-stride", max(1, row // element))
    reader = _number(options, "--reader-block-bytes") if "--reader-block-bytes" in options else None
    if block and row * rows // block > BLOCKS_MOST:
        raise Usage(f"--block-bytes {block}: {row * rows // block} blocks, at most {BLOCKS_MOST}")
    result = {"mode": None, "needs_iterate": None, "fields": None, "block_starts": None}
    result.update(block_bytes=block, gap_bytes=gap, largest_padded_block_bytes=MAX_INTERVAL_BYTES)
    result["claims"] = ["TDM-031", "TDM-032", "TDM-077", "TDM-078"]
    try:
        plan = gap_plan(row, rows, stride, element, block, gap, reader)
    except FieldError as error:
        return result, [finding_of_error(error)], [], [("gap", "impossible")]
    result.update(mode=plan.mode, needs_iterate=plan.mode == "iterate", fields=plan.fields)
    result["block_starts"] = list(plan.block_starts)
    found, disputed = [], []
    if plan.mode == "padding":
        found, disputed = list(padding_findings(plan.fields)), disputed_of(pad_readings(plan.fields), True)
    found += lds_overflow(row * rows + (len(plan.block_starts) - 1) * gap, "rows")
    if plan.mode == "iterate":
        text = "sources differ on how the bounds act on later passes; keep every pass inside the tensor"
        found.append(_finding("iterate-bounds", "warning", text, "TDM-128", "iterate_count"))
    starts = " ".join(str(item) for item in plan.block_starts[:12]) + (" ..." if len(plan.block_starts) > 12 else "")
    how = {
        "packed": "no gap",
        "padding": "by the padding fields",
        "iterate": "by one block a pass; no padding code says it",
    }
    lines = [("gap", f"{gap} bytes after every {block}: {how[plan.mode]}")]
    lines += [("  " + name, str(value)) for name, value in plan.fields.items()]
    lines.append(("  blocks start at", starts))
    return result, found, disputed, lines


def _passes(options, json):
    from cdna.tdm.fields import FieldError
    from cdna.tdm.iterate import passes_left

    left, each = number(options["--rows-left"], "--rows-left"), _number(options, "--rows-per-pass")
    if not -LARGEST <= left <= LARGEST:
        raise Usage(f"--rows-left {left}: -{LARGEST}..{LARGEST}")
    tile = _number(options, "--tile-rows") if "--tile-rows" in options else None
    names = ("rows", "passes", "iterate_count", "rows_past", "whole_passes", "rows_rest")
    result = {"rows_left": left, "rows_per_pass": each, "tile_rows": tile, **{name: None for name in names}}
    result["claims"] = ["TDM-043", "TDM-077", "TDM-128"]
    try:
        done = passes_left(left, each, tile)
    except FieldError as error:
        return result, [finding_of_error(error)], [], [("passes", "impossible")]
    result.update({name: getattr(done, name) for name in names})
    lines = [("passes", f"{done.passes} for {plural(done.rows, 'row')}, iterate_count {done.iterate_count}")]
    lines.append(("  tensor_dim1", str(done.rows)))
    found = []
    if not done.rows:
        text = "no row is left, and no iterate_count says no pass: one pass loads zeros; count=0 copies nothing and sends no arrive"
        found.append(_finding("no-pass", "info", text, "TDM-077", "iterate_count"))
    elif done.rows_past:
        inside = f"iterate_count {done.whole_passes - 1}" if done.whole_passes else "no pass"
        rest = f"{plural(done.rows_rest, 'row')} by an instruction of their own"
        past = plural(done.rows_past, "row")
        text = (
            f"the last pass goes {past} past the tensor, where sources differ on the bounds. Fix: {inside}, and {rest}"
        )
        found.append(_finding("iterate-bounds", "warning", text, "TDM-128", "iterate_count"))
    return result, found, [], lines


def _finding(rule, severity, message, claim, field):
    return {"rule": rule, "severity": severity, "message": message, "claim": claim, "field": field}


def _number(options, name, default=None, least=1):
    """Return the whole number of an option, `least` to 4294967295. Raises: Usage."""
    if name not in options and default is not None:
        return default
    value = number(options[name], name)
    if not least <= value <= LARGEST:
        raise Usage(f"{name} {value}: {least}..{LARGEST}")
    return value


def _extents(options, name):
    """Return one to three extents, filled up with 1. Raises: Usage."""
    items = options[name].split(",")
    crossed = options[name].lower().split("x")
    if len(crossed) > 1 and crossed[0] != "0" and all(item.isdecimal() for item in crossed):
        items = crossed  # 4x2, as a launch is often written
    try:
        values = [number(item, name) for item in items]
    except Usage:
        values = []
    if not 1 <= len(values) <= 3 or min(values) < 1 or max(values) > LARGEST:
        raise Usage(f"{name} {shown(options[name])}: 1 to 3 extents of at least 1, such as 4,2")
    return values + [1] * (3 - len(values))
