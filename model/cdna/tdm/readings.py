# SPDX-License-Identifier: Apache-2.0
"""What a descriptor says under the positions that this project does not go by.

Where sources disagree, one answer would settle the question silently. So `other_readings` gives the answers of the
other positions, as far as they differ for the descriptor at hand.
"""

from typing import NamedTuple

from .descriptor import TENSOR_DIMS, TILE_DIMS, decode, layout_of, mode_of, rank_of
from .gather import bounds_promised, order_of


class Reading(NamedTuple):
    """The answer of one position of a disputed claim."""

    claim: str
    position: str  # the position's name in the register
    result: dict


def other_readings(descriptor):
    """Return the answers of other positions for a decoded descriptor, where they differ from `decode`'s.

    Args: descriptor: what descriptor.decode returned.
    Returns: list of Reading.
    Claims: TDM-010, TDM-033, TDM-052, TDM-060, TDM-061, TDM-129
    """
    fields, groups = descriptor.fields, descriptor.groups
    found = []
    if groups[0] is not None:
        found += _count(fields)
        found += _gather_bits(descriptor)
    if groups[1] is not None:
        found += pad_readings(fields)
        found += _tile_dim3(fields)
        found += gather_readings(fields)
    if groups[0] is not None and (groups[2] is None) != (groups[3] is None):
        found.append(Reading("TDM-052", "mixed-executes", {"missing_group_reads": "zero"}))
    return found


def pad_readings(fields):
    """Return what other positions make of zero padding codes: a sentence rules out one zero, a library rules out two.

    Args: fields: raw fields.
    Returns: list of Reading.
    Claims: TDM-033
    """
    interval, amount = fields.get("pad_interval", 0), fields.get("pad_amount", 0)
    if not fields.get("pad_enable", 0) or (interval and amount):
        return []
    if interval == amount:
        return [Reading("TDM-033", "zero-pair-refused", {"pad": "reject"})]
    return [Reading("TDM-033", "both-or-neither", {"pad": "unpredictable"})]


def gather_readings(fields):
    """Return what other positions make of a list of rows that goes down or repeats: a comment refuses it, and a sentence
    speaks for the bounds of non-decreasing lists only.

    Args: fields: raw fields.
    Returns: list of Reading.
    Claims: TDM-129
    """
    if not fields.get("gather_mode", 0) or mode_of(fields) in ("null", "restore"):
        return []
    rows = list(fields.get("row_indices", ()))[: fields.get("tile_dim1", 0)]
    order, found = order_of(rows), []
    if not bounds_promised(rows, fields.get("tensor_dim1", 0)):
        found.append(Reading("TDM-129", "non-decreasing-for-bounds", {"rows_out_of_range": "unpredictable"}))
    if order != "increasing":
        found.append(Reading("TDM-129", "strictly-increasing", {"row_indices": "reject"}))
    return found


def _count(fields):
    """One list of must-be-zero fields names count as well; every encoder writes 1."""
    if fields["count"] == 0:
        return [Reading("TDM-010", "must-be-zero", {"mode": layout_of(fields), "allowed_count": 0})]
    return [Reading("TDM-010", "must-be-zero", {"mode": None, "allowed_count": 0})]


def _gather_bits(descriptor):
    """Two compilers put the mode bit at 30 and the size bit at 31."""
    mode, size = descriptor.fields["gather_mode"], descriptor.fields["gather_index_size"]
    if mode == size:
        return []
    words = (descriptor.words[0] ^ 0xC0000000,) + descriptor.words[1:]
    swapped = decode(words)
    result = {"mode": swapped.mode, "rank": swapped.rank, "gather_mode": size, "gather_index_size": mode}
    # Under this order bit 31 of a plain 16-bit gather is a size without a mode.
    if size:
        result["row_indices"] = swapped.fields.get("row_indices", [])
    return [Reading("TDM-060", "mode-in-bit-30", result)]


def _tile_dim3(fields):
    """Two compilers write the third tile extent into tile_dim3 as well."""
    repeats = fields.get("tile_dim3", 0) and fields["tile_dim3"] == fields["tile_dim2"]
    if layout_of(fields) != "dense" or not repeats or fields["tensor_dim3"] or rank_of(fields) != 4:
        return []
    result = {
        "rank": 3,
        "tile": [fields[name] for name in TILE_DIMS[:3]],
        "tensor": [fields[name] for name in TENSOR_DIMS[:3]],
    }
    return [Reading("TDM-061", "third-extent", result)]
