# SPDX-License-Identifier: Apache-2.0
"""Every figure by name. Each is drawn from the model when the page is made, and says the same in a table or in words."""

from . import (
    figures_bankmap,
    figures_banks,
    figures_bits,
    figures_bytes,
    figures_direct,
    figures_formats,
    figures_gather,
    figures_lanes,
    figures_mfma,
    figures_multicast,
    figures_paths,
    figures_pipeline,
    figures_registers,
    figures_service,
    figures_tile,
    figures_waits,
    figures_wgp,
)
from .tree import h, rich

# name -> function(here, options) -> [(heading or None, [drawing, ...], element that says the same), ...]
FIGURES = {
    "bits": figures_bits.draw,
    "tile": figures_tile.describe,
    "edge": figures_tile.edge,
    "column56": figures_tile.column56,
    "ragged": figures_tile.ragged,
    "banks": figures_banks.draw,
    "paths": figures_paths.draw,
    "wgp": figures_wgp.draw,
    "registers": figures_registers.draw,
    "multicast": figures_multicast.draw,
    "gather": figures_gather.draw,
    "pipeline": figures_pipeline.draw,
    "bytes": figures_bytes.draw,
    "direct": figures_direct.draw,
    "service": figures_service.draw,
    "bankmap": figures_bankmap.draw,
    "waits": figures_waits.draw,
    "permute": figures_lanes.draw,
    "formats": figures_formats.draw,
    "lanegrid": figures_mfma.draw,
    "overlap": figures_mfma.draw_overlap,
}


def figure(here, name, options, caption):
    """Return one figure with its caption; drawings scroll inside it, so the page never overflows.

    Args: here: the page; name: key of FIGURES; options: its arguments as texts; caption: one sentence, read alone.
    Raises: ValueError: an option that the figure does not have, or a value that it cannot draw.
    """
    options = dict(options)
    panels = FIGURES[name](here, options)
    if options:
        raise ValueError(f"unknown option {', '.join(sorted(options))}")
    if not caption:
        raise ValueError("a figure needs a caption: ::fig NAME ARGS | caption")
    boxes = []
    for heading, drawings, same in panels:
        drawn = h("div", here.raw("".join(drawings)), class_="cdna-draw", tabindex="0", role="group", aria_label=heading or caption)
        parts = [h("p", heading, class_="cdna-panel-title") if heading else None, h("div", drawn, h("div", same, class_="cdna-same"), class_="cdna-pair")]
        boxes.append(h("div", parts, class_="cdna-panel"))
    return h("figure", *boxes, h("figcaption", rich(caption)), class_=f"cdna-figure cdna-figure-{name}")
