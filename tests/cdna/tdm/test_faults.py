# SPDX-License-Identifier: Apache-2.0
"""MEMVIOL: what counts, once for an operation; the expected counts follow from the tile's corners."""

from cdna.tdm.faults import Report, report

TILE = {"global_addr": 4096, "data_size": 2, "tensor_dim0": 4, "tensor_dim1": 4, "tile_dim0": 4, "tile_dim1": 4}
TILE["tensor_dim0_stride"] = 64


def test_inside_reports_nothing():
    assert report(TILE, "load", 64) == Report(0, (), 0)


def test_two_rows_past_the_allocation_are_one_report():
    assert report(TILE, "load", 32) == Report(1, ("lds",), 8)
    assert report(TILE, "load", 32, lds_reporting=False) == Report(0, (), 0)


def test_an_element_across_the_end_counts():
    assert report(TILE, "load", 62).elements == 1


def test_ranges_are_named_once_in_order():
    second = 4096 + 256
    ranges = [("hole", second + 512, second + 1024), ("scratch", second, second + 16)]
    assert report(TILE, "store", 64, ranges) == Report(1, ("scratch", "hole"), 8)


def test_out_of_bounds_elements_touch_no_memory_but_have_a_place_in_lds():
    """The manual, as quoted, speaks of tile addresses; `transfer.run` counts alike."""
    clipped = dict(TILE, tensor_dim1=2)
    assert report(clipped, "load", 64, [("hole", 4096 + 512, 8192)]) == Report(0, (), 0)
    assert report(clipped, "load", 32).elements == 8
    assert report(clipped, "store", 32) == Report(1, ("lds",), 8)


def test_null_descriptor_reports_nothing():
    assert report(dict(TILE, count=0), "load", 0) == Report(0, (), 0)
