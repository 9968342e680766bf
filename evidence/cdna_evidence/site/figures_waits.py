# SPDX-License-Identifier: Apache-2.0
"""The way of a tile from memory through LDS to a matrix instruction, line by line: what is outstanding, and what goes wrong."""

from cdna.targets import target_named
from cdna.waits import finder, flow, state
from cdna.waits.counters import wait_text
from cdna.waits.program import read

from . import svg
from .marks import box, group
from .tree import h, table

HIGH, CODE, CELL, TOP = 24, 226, 26, 40
STEPS = (
    ("set the LDS base", "s_mov_b32 m0, s4"),
    ("copy to LDS", "{copy} v[0:1], off"),
    ("other work", "v_add_f32 v8, v8, v9"),
    ("wait for the copy", "s_waitcnt vmcnt(0)"),
    ("meet the other waves", "s_barrier"),
    ("read LDS", "ds_read_b128 v[4:7], v2"),
    ("wait for the read", "s_waitcnt lgkmcnt(0)"),
    ("multiply", "v_mfma_f32_32x32x8_f16 v[16:31], v[4:5], v[6:7], v[16:31]"),
)
VARIANTS = (
    ("whole", "All six steps", None),
    ("no-copy-wait", "Without the wait for the copy", 3),
    ("no-barrier", "Without the barrier", 4),
    ("no-read-wait", "Without the wait for the read", 6),
)
COPIES = {"gfx942": "global_load_lds_dword", "gfx950": "global_load_lds_dwordx4"}


def lines(target, without=None):
    """Return [(step, instruction)] of the sequence for a target, one step left out where asked."""
    return [(name, code.format(copy=COPIES[target])) for i, (name, code) in enumerate(STEPS) if i != without]


def outstanding(target, codes):
    """Return [(vmcnt, lgkmcnt)]: the most that may be outstanding after each instruction.

    Args: codes: instructions without branches.
    """
    program = read("\n".join(codes), target_named(target).wave_lanes)
    facts = finder.facts_of(program, target, shared=True, unsure_counts=False)
    now, found = state.start_state(target, True), []
    for item in program.instructions:
        flow.step(now, item.index, facts)
        found.append((now["upper"]["vmcnt"], now["upper"]["lgkmcnt"]))
    return found


def findings(target, codes):
    """Return {line from 0: rule} of what the finder says, other waves reading the staged data."""
    report = finder.check("\n".join(codes), target, shared=True)
    return {item["line"] - 1: item["rule"] for item in report.findings if item["severity"] == "error"}


def drawing(prefix, target, name, heading, without):
    """Return one variant: a line an instruction, and beside it how many operations of each counter may be outstanding."""
    steps = lines(target, without)
    codes = [code for _, code in steps]
    counts, bad = outstanding(target, codes), findings(target, codes)
    body = [svg.text(0, TOP - 10, "instruction", "m b"), svg.text(CODE, TOP - 26, "outstanding after it", "m b")]
    body += [svg.text(CODE + 6 + 66 * i, TOP - 10, counter, "m q") for i, counter in enumerate(("vmcnt", "lgkmcnt"))]
    for i, (step, code) in enumerate(steps):
        y = TOP + i * (HIGH + 2)
        wrong = i in bad
        fill = "f-hot" if wrong else "f-stride" if "wait" in step or step.startswith("meet") else "f-none"
        parts = [svg.rect(0, y, CODE - 6, HIGH, fill, f"{step}: {code}" + (f" ({bad[i]})" if wrong else ""))]
        parts.append(svg.text(6, y + 16, code.split()[0] if len(code) > 28 else code, "m h" if wrong else "m"))
        for place, counter in enumerate(("vmcnt", "lgkmcnt")):
            count = counts[i][place]
            x = CODE + 6 + 66 * place
            if count:
                parts.append(group([box(x, y, CELL * count, HIGH, str(count), "f-tensor" if place == 0 else "f-mode")], counter=counter, count=count))
            else:
                parts.append(svg.line(x, y + HIGH / 2, x + 14, y + HIGH / 2))
        body.append(group(parts, mark="step", line=i, wrong=bad.get(i, "")))
    words = said(steps, bad)
    return svg.svg(prefix, CODE + 160, TOP + len(steps) * (HIGH + 2) + 4, heading, words, body), words, steps, counts


def said(steps, bad):
    """Return in words what is wrong with a sequence."""
    if not bad:
        return "Nothing is read before it is complete."
    reasons = {
        "lds-read-before-copy": "it reads LDS while the copy may be outstanding; the barrier waits for no copy",
        "no-barrier": "it may read what another wave has not yet copied",
        "read-before-result": "it reads registers that the LDS read has not yet filled",
    }
    return "; ".join(f"{steps[i][1].split()[0]}: {reasons.get(rule, rule)}" for i, rule in sorted(bad.items())) + "."


def draw(here, options):
    """`::fig waits target=gfx950`: the six steps, and the same with one step left out each."""
    target = options.pop("target", "gfx950")
    if target not in COPIES:
        raise ValueError(f"target={target}: {', '.join(COPIES)}")
    if wait_text("vmcnt", 0, target) != STEPS[3][1]:
        raise ValueError(f"target={target}: the wait is spelled {wait_text('vmcnt', 0, target)}")
    panels = []
    for name, heading, without in VARIANTS:
        drawn, words, steps, counts = drawing(here.prefix(), target, name, heading, without)
        rows = [[step, str(vm), str(lgkm)] for (step, _), (vm, lgkm) in zip(steps, counts, strict=True)]
        counted = table(["after", "vmcnt", "lgkmcnt"], rows, label="what may be outstanding", class_="cdna-numbers") if without is None else None
        same = h("div", h("p", words), counted)
        panels.append((heading, [drawn], same))
    return panels
