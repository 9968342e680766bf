# SPDX-License-Identifier: Apache-2.0
"""The drawn figures, read back as a person reads them: by place, class and text of their shapes, not by asking the model."""

import re

from cdna_evidence.checks import Check
from cdna_evidence.site import figures, inspected, marks


def drawings(name, **options):
    """Return the drawings of a figure as lists of shapes, and their titles."""
    panels = figures.FIGURES[name](marks.Loose(), dict(options))
    texts = [drawing for _, drawn, _ in panels for drawing in drawn]
    titles = [re.search(r"<title[^>]*>([^<]*)</title>", text).group(1) for text in texts]
    return [marks.read(text) for text in texts], titles


def rects(shapes, mark):
    """Return the rectangles under a mark, from left to right and from top to bottom."""
    return sorted(marks.marked(shapes, mark, "rect"), key=lambda shape: (shape.y, shape.x))


def lines(shapes, mark):
    """Return the arrows under a mark."""
    return marks.marked(shapes, mark, "line")


def ends(line):
    """Return the first and the last point of a line."""
    return line.points[0], line.points[-1]


def hit(boxes, point):
    """Return the places in a list of boxes that a point touches."""
    return [i for i, box in enumerate(boxes) if box.holds(point)]


def said(shapes, rect):
    """Return the words in a box as one text."""
    return " ".join(marks.words_in(shapes, rect))


class Paths(Check):
    """What stands in the three columns, and whether a box lies between memory and LDS.

    Shows: the drawing made from the model, read back.
    Does not show: that the model counts right; that is the other check of this claim.
    """

    claim = "FIG-001"
    kind = "site"
    binds = ("tile_rows", "row_bytes", "instructions", "vgprs", "sgprs", "stops_in_registers", "waits_on")

    def observe(self, target, tools):
        (shapes,), (title,) = drawings("paths")
        found = {"instructions": {}, "vgprs": {}, "sgprs": {}, "stops_in_registers": {}, "waits_on": {}}
        for path in dict.fromkeys(shape.data["path"] for shape in shapes):
            name = path.replace("-", "_")
            column = [shape for shape in shapes if shape.data["path"] == path]
            for kind in ("instructions", "vgprs", "sgprs"):
                for text in marks.marked(column, kind, "text"):
                    found[kind][name] = marks.first_number(text.words)
            (memory,), (lds,) = rects(column, "memory"), rects(column, "lds")
            between = [shape for shape in column if shape.kind == "rect" and memory.y < shape.y < lds.y]
            found["stops_in_registers"][name] = "VGPRs" in [said(column, shape) for shape in between]
            counters = [text.words for text in marks.marked(column, "counter", "text")]
            found["waits_on"][name] = ["s_wait_" + counter.lower() for counter in counters]
        found["tile_rows"], found["row_bytes"] = [int(number) for number in re.findall("[0-9]+", title)]
        return found


class Wgp(Check):
    """The boxes of the block diagram, which lie below which, and where the arrows between them end.

    Shows: the drawing, read back.
    Does not show: that a device is built so: that rests on the sources of this claim.
    """

    claim = "FIG-002"
    kind = "site"
    binds = ("simds", "pairs", "engines", "engines_per_pair", "lds_blocks", "lds_kib", "banks", "bank_bytes", "caches")
    binds += ("engines_into_lds", "path_both_ways")

    def observe(self, target, tools):
        (shapes,), _ = drawings("wgp")
        pairs, engines, lds, memory = [rects(shapes, mark) for mark in ("pair", "engine", "lds", "memory")]
        below = [sum(pair.x <= engine.middle[0] <= pair.x + pair.width for engine in engines) for pair in pairs]
        block = lds + rects(shapes, "cache")
        moves = [ends(line) for line in lines(shapes, "tiles")]
        into = [hit(engines, start) for start, end in moves if hit(block, end)]
        kib, banks, bank_bytes = [int(number) for number in re.findall("[0-9]+", said(shapes, lds[0]))]
        (path,) = lines(shapes, "path")
        return {
            "simds": sum(any(pair.holds(simd.middle) for pair in pairs) for simd in rects(shapes, "simd")),
            "pairs": len(pairs),
            "engines": len(engines),
            "engines_per_pair": below,
            "lds_blocks": len(lds),
            "lds_kib": kib,
            "banks": banks,
            "bank_bytes": bank_bytes,
            "caches": len(rects(shapes, "cache")),
            "engines_into_lds": len({i for places in into for i in places}),
            "path_both_ways": bool(hit(memory, path.points[-1])) and self._heads() == 2,
        }

    def _heads(self):
        """How many heads the arrow between the block and memory has."""
        drawn = figures.FIGURES["wgp"](marks.Loose(), {})[0][1][0]
        path = re.search(r'data-mark="path">(.*?)</g>', drawn).group(1)
        return re.search(r'head" d="([^"]*)"', path).group(1).count("M")


class Registers(Check):
    """The registers counted by the numbers under the strips, and the readings of the last eight.

    Shows: the drawing made from the field table, read back.
    Does not show: that a device decodes so.
    """

    claim = "FIG-003"
    kind = "site"
    binds = ("registers", "always", "last", "readings", "row_numbers")

    def observe(self, target, tools):
        (shapes,), _ = drawings("registers")
        named = marks.marked(shapes, "register", "text")
        always = {text.words for text in named if text.data["part"] == "always"}
        readings = dict.fromkeys(text.data["layout"] for text in named if text.data["part"] == "reading")
        last = [{text.words for text in named if text.data["part"] == "reading" and text.data["layout"] == name} for name in readings]
        numbers = [text.words for text in marks.marked(shapes, "field", "text") if text.data["layout"] == "gather"]
        listed = sorted(int(word) for word in numbers if word.isdigit())
        return {
            "registers": len(always.union(*last)),
            "always": len(always),
            "last": len(last[0]) if all(names == last[0] for names in last) else [len(names) for names in last],
            "readings": list(readings),
            "row_numbers": len(listed) if listed == list(range(len(listed))) else listed,
        }


class TensorTile(Check):
    """Cells counted by their colour, dimension lines measured in cells, and the dot found in its cell.

    Shows: the drawing made from the model's landings, read back by geometry.
    Does not show: anything about a device.
    """

    claim = "FIG-004"
    kind = "site"
    binds = ("stride", "tensor_columns", "gap_columns", "tile", "tile_start", "bound", "address_points_at")

    def observe(self, target, tools):
        (shapes,), _ = drawings("tile")
        cells = [shape for shape in shapes if shape.kind == "rect"]
        left, top, size = min(cell.x for cell in cells), min(cell.y for cell in cells), cells[0].width
        at = {(round((cell.x - left) / size), round((cell.y - top) / size)): cell.classes for cell in cells}
        tile = [place for place, classes in at.items() if "f-tile" in classes]
        columns, rows = sorted({x for x, _ in tile}), sorted({y for _, y in tile})
        width = max(x for x, _ in at) + 1
        inside = {x for (x, _), classes in at.items() if "f-none" not in classes}
        flat = [shape for shape in shapes if shape.kind == "line" and shape.height == 0 and shape.width > 2 * size]
        tall = [shape for shape in shapes if shape.kind == "line" and shape.width == 0 and shape.height > 2 * size]
        stride = [line for line in flat if line.y < top]
        across = [line for line in flat if line.y > top]
        start = {"column": columns[0], "row": rows[0]}
        from_tile = round((across[0].x - left) / size) == columns[0] and round((tall[0].y - top) / size) == rows[0]
        (dot,) = [shape for shape in shapes if shape.kind == "dot"]
        pointed = {"column": int((dot.middle[0] - left) // size), "row": int((dot.middle[1] - top) // size)}
        return {
            "stride": round(stride[0].width / size) if len(stride) == 1 else len(stride),
            "tensor_columns": len(inside),
            "gap_columns": width - len(inside),
            "tile": {"columns": len(columns), "rows": len(rows)},
            "tile_start": start,
            "bound": {
                "columns": round(across[0].width / size) if from_tile else -1,
                "rows": round(tall[0].height / size) if from_tile else -1,
            },
            "address_points_at": pointed,
        }


class Edge(Check):
    """Cells of the load and of the store counted: numbers inside, zeros outside, crosses where nothing is written.

    Shows: the two drawings, made from runs of the transfer model, read back.
    Does not show: anything about a device.
    """

    claim = "FIG-005"
    kind = "site"
    binds = ("tile_elements", "inside", "load_zeros", "store_writes", "store_drops")

    def observe(self, target, tools):
        (load, store), _ = drawings("edge")
        found = []
        for shapes in (load, store):
            kinds = {"number": 0, "zero": 0, "cross": 0, "inside": 0}
            for cell in [shape for shape in shapes if shape.kind == "rect"]:
                words = said(shapes, cell)
                crossed = [line for line in shapes if line.kind == "line" and all(cell.holds(point, 0) for point in line.points)]
                kinds["inside"] += "f-none" not in cell.classes
                kinds["cross"] += not words and len(crossed) == 2
                kinds["zero"] += words == "0" and "f-none" in cell.classes
                kinds["number"] += bool(words) and "f-none" not in cell.classes
            found.append(kinds)
        loaded, stored = found
        return {
            "tile_elements": sum(shape.kind == "rect" for shape in load),
            "inside": loaded["inside"] if loaded["inside"] == stored["inside"] == loaded["number"] else found,
            "load_zeros": loaded["zero"],
            "store_writes": stored["number"],
            "store_drops": stored["cross"],
        }


class Banks(Check):
    """For each row of the tile, the number that stands above its first element.

    Shows: the two drawings, made from the transfer and the bank model, read back.
    Does not show: how long reads take.
    """

    claim = "FIG-006"
    kind = "site"
    binds = ("rows", "row_dwords", "pad_dwords", "packed_banks", "padded_banks")

    def observe(self, target, tools):
        (packed, padded), _ = drawings("banks")
        packed_banks, padded_banks = self._banks(packed), self._banks(padded)
        starts = [tip for tip in (shape.tip for shape in packed) if re.search("row 1, column 0", tip)]
        pads = [shape for shape in padded if shape.kind == "rect" and "f-pad" in shape.classes]
        return {
            "rows": len(packed_banks),
            "row_dwords": marks.first_number(starts[0]) // 4,
            # One gap follows each row but the last, so the cells drawn are shared among the gaps.
            "pad_dwords": len(pads) // (len(padded_banks) - 1),
            "packed_banks": packed_banks,
            "padded_banks": padded_banks,
        }

    def _banks(self, shapes):
        texts = [shape for shape in shapes if shape.kind == "text"]
        named = {shape.words: shape for shape in texts if re.fullmatch("r[0-9]+", shape.words)}
        top = min(shape.y for shape in named.values())
        heads = {round(shape.x): shape.words for shape in texts if shape.words.isdigit() and shape.y < top}
        return [int(heads[round(named[name].x)]) for name in sorted(named, key=lambda name: int(name[1:]))]


class Multicast(Check):
    """Arrows from memory to the shared load, and from the load to each workgroup's LDS, counted by where they end.

    Shows: the drawings made from the multicast model, read back.
    Does not show: that a device merges that many requests.
    """

    claim = "FIG-007"
    kind = "site"
    binds = ("workgroups", "reads", "copies", "masks")

    def observe(self, target, tools):
        found = {"workgroups": [], "reads": [], "copies": [], "masks": []}
        for shapes in drawings("multicast")[0]:
            memory, loads, groups = [rects(shapes, mark) for mark in ("memory", "load", "workgroup")]
            (cluster,) = rects(shapes, "cluster")
            reads = [ends(line) for line in lines(shapes, "read")]
            copies = [ends(line) for line in lines(shapes, "copy")]
            reached = {i for start, end in copies if hit(loads, start) for i in hit(groups, end)}
            found["workgroups"].append(sum(cluster.holds(box.middle) for box in groups))
            found["reads"].append(sum(bool(hit(memory, start) and hit(loads, end)) for start, end in reads))
            found["copies"].append(len(reached))
            found["masks"].append(re.search("0x[0-9a-f]+", said(shapes, loads[0])).group())
        return found


class Gather(Check):
    """Each arrow followed from its row of the tensor through the list to its row of LDS.

    Shows: the drawing made from a run of the transfer model, read back.
    Does not show: anything about a device.
    """

    claim = "FIG-008"
    kind = "site"
    binds = ("tensor_rows", "list", "lds_rows", "lds_bytes", "lds_holds_rows")

    def observe(self, target, tools):
        (shapes,), _ = drawings("gather")
        tensor, cells = rects(shapes, "tensor-row"), rects(shapes, "lds-row")
        entries = rects(shapes, "entry")
        tops = sorted({cell.y for cell in cells})
        holds, bytes_ = [], []
        for top in tops:
            row = [cell for cell in cells if cell.y == top]
            bytes_.append(marks.first_number(row[0].tip))
            (entry,) = [hit(entries, start)[0] for start, end in map(ends, lines(shapes, "write")) if hit(row, end)]
            (start,) = [start for start, end in map(ends, lines(shapes, "read")) if hit([entries[entry]], end)]
            source = [cell for cell in tensor if cell.holds(start)]
            values = [said(shapes, cell) for cell in row]
            same = [said(shapes, cell) for cell in tensor if cell.y == source[0].y]
            holds.append(int(source[0].data["row"]) if values == same else -1)
        return {
            "tensor_rows": len({cell.y for cell in tensor}),
            "list": [int(said(shapes, entry)) for entry in entries],
            "lds_rows": len(tops),
            "lds_bytes": bytes_,
            "lds_holds_rows": holds,
        }


class Pipeline(Check):
    """Boxes of both columns by their words, what overlaps in time by height, and where each arrow leads.

    Shows: the drawings made from the pipeline model, read back.
    Does not show: times of a device.
    """

    claim = "FIG-009"
    kind = "site"
    binds = ("tiles", "each_waits_for_its_tile", "two_buffers", "three_buffers")

    def observe(self, target, tools):
        (two, three), _ = drawings("pipeline")
        first, second = self._panel(two), self._panel(three)
        return {
            "tiles": first.pop("tiles") if first["tiles"] == second.pop("tiles") else -1,
            "each_waits_for_its_tile": first.pop("own") and second.pop("own"),
            "two_buffers": first,
            "three_buffers": second,
        }

    def _panel(self, shapes):
        fetches, computes = rects(shapes, "fetch"), rects(shapes, "compute")
        fetched = [re.fullmatch("tile ([0-9]) into ([A-D])", said(shapes, box)).groups() for box in fetches]
        computed = [re.fullmatch("wait ([0-9]), then tile ([0-9]) from ([A-D])", said(shapes, box)).groups() for box in computes]
        led = [(hit(fetches, start)[0], hit(computes, end)[0]) for start, end in map(ends, lines(shapes, "wait"))]
        own = [fetched[f][0] == computed[c][1] and fetches[f].y + fetches[f].height <= computes[c].y for f, c in led]
        meanwhile = [
            int(tile) - int(other)
            for box, (tile, _) in zip(fetches, fetched)
            for beside, (_, other, _) in zip(computes, computed)
            if box.y < beside.y + beside.height and beside.y < box.y + box.height
        ]
        (frame,) = rects(shapes, "slot-read")
        computing = [int(words[1]) for box, words in zip(computes, computed) if frame.holds(box.middle)]
        fetching = [int(words[0]) for box, words in zip(fetches, fetched) if frame.holds(box.middle)]
        kept = [letter for _, letter in fetched] == [letter for _, _, letter in computed]
        return {
            "tiles": len(computes),
            "own": all(own) and sorted(c for _, c in led) == list(range(len(computes))),
            "buffer_of_tile": ["ABCD".index(letter) for _, letter in fetched] if kept else [],
            "waits": [int(limit) for limit, _, _ in computed],
            "ahead": max(meanwhile),
            "framed": {"computed": computing[0], "fetched": fetching[0]},
        }


class Bytes(Check):
    """The cells of LDS, byte by byte: a memory address, a zero, or a gap.

    Shows: the drawing made from a run of the transfer model, read back.
    Does not show: anything about a device.
    """

    claim = "FIG-010"
    kind = "site"
    binds = ("lds_bytes", "from_memory", "zeros", "gap_bytes", "gaps_at", "row_starts", "first_memory_bytes")

    def observe(self, target, tools):
        (shapes,), _ = drawings("bytes")
        cells = rects(shapes, "lds")
        named = rects(shapes, "gap-name")
        held = []
        for cell in cells:
            if "f-pad" in cell.classes:
                held.append("gap" if any(box.holds(cell.middle) for box in named) else "unnamed")
            else:
                held.append(int(said(shapes, cell)))
        gaps = [i for i, byte in enumerate(held) if byte == "gap"]
        starts = [i for i in range(len(held)) if held[i] != "gap" and (i == 0 or held[i - 1] == "gap")]
        read = {int(said(shapes, cell)) for cell in rects(shapes, "memory") if "f-none" not in cell.classes}
        moved = [byte for byte in held if byte != "gap" and byte > 0]
        return {
            "lds_bytes": len(held),
            "from_memory": len(moved) if set(moved) == read else -1,
            "zeros": sum(byte == 0 for byte in held),
            "gap_bytes": len(gaps),
            "gaps_at": [i for i in gaps if i - 1 not in gaps],
            "row_starts": starts,
            "first_memory_bytes": [held[i] for i in starts if held[i]],
        }


class Porting(Check):
    """The figures of the porting guide read back, and the kinds of figures and of tables counted on its built pages.

    Shows: the drawings made from the model, by place, colour and words, and what the built pages hold.
    Does not show: that the model is right: each figure rests on claims of its own.
    """

    claim = "FIG-011"
    kind = "site"
    binds = ("figures", "tables", "row_bytes", "groups", "degrees", "too_early", "lane", "pushed_to", "pulled_from", "largest", "result_lane", "states")

    def observe(self, target, tools):
        place = inspected.site(tools.root)
        drawn, tabled = set(), set()
        for path in sorted((place / "cdna").glob("**/index.html")):
            text = path.read_text("utf-8")
            for markup in re.findall(r'<figure class="cdna-figure cdna-figure-.*?</figure>', text, re.S):
                name = re.match(r'<figure class="cdna-figure cdna-figure-([a-z]+)', markup).group(1)
                drawn.add(name)
                tabled |= {name} if "<table" in markup else set()
            tabled |= {"strides"} if 'aria-label="worst degree by row stride"' in text else set()
        return {"figures": len(drawn), "tables": len(tabled), **self._banks(target), **self._waits(target), **self._lanes(target), **self._rest(target)}

    def _banks(self, target):
        shapes, titles = drawings("bankmap", target=target)
        degrees = {}
        for one in shapes:
            names = {shape.data["layout"] for shape in marks.marked(one, "asked")}
            degrees[names.pop()] = max(int(shape.words) for shape in marks.marked(one, "asked", "text"))
        (published, *_), _ = drawings("service", target=target)
        return {
            "row_bytes": marks.first_number(titles[0]),
            "degrees": degrees,
            "groups": len({shape.words for shape in marks.marked(published, "lane", "text")}),
        }

    def _waits(self, target):
        shapes, titles = drawings("waits", target=target)
        early = {}
        for one, title in zip(shapes, titles, strict=True):
            blamed = [shape.words.split()[0] for rect in one if "f-hot" in rect.classes for shape in one if shape.kind == "text" and rect.holds((shape.x, shape.y))]
            name = {"copy": "no_copy_wait", "barrier": "no_barrier", "read": "no_read_wait"}.get(title.split()[-1], "whole")
            early[name] = "/".join(blamed)
        return {"too_early": {name: words for name, words in early.items() if name != "whole" or words}}

    def _lanes(self, target):
        (push, pull), _ = drawings("permute", target=target)
        lane = 3
        found = []
        for one in (push, pull):
            before, after = rects(one, "before"), rects(one, "after")
            found.append([(hit(before, start)[0], hit(after, end)[0]) for start, end in map(ends, self._longer(lines(one, "move")))])
        pushed = next(to for start, to in found[0] if start == lane)
        pulled = next(start for start, to in found[1] if to == lane)
        return {"lane": lane, "pushed_to": pushed, "pulled_from": pulled}

    def _longer(self, moves):
        """Arrows end a little short of what they touch."""
        return [move._replace(points=((move.points[0][0], move.points[0][1] - 3), (move.points[1][0], move.points[1][1] + 4))) for move in moves]

    def _rest(self, target):
        (numbers,), _ = drawings("formats")
        name = "e4m3fnuz" if target == "gfx942" else "e4m3fn"
        row = [shape for shape in numbers if shape.data.get("format") == name]
        right = max(shape.x + shape.width for shape in row if shape.kind == "rect")
        largest = next(shape.words for shape in row if shape.kind == "text" and abs(shape.x - right) < 1)
        (grid,), _ = drawings("lanegrid", target=target, matrices="D")
        cells = [shape for shape in marks.marked(grid, "held", "rect") if shape.tip.startswith("rows 4-7 of column 3:")]
        (overlaps,), _ = drawings("overlap")
        states = {}
        for kind in ("exact", "partial", "ab"):
            told = [shape.words for shape in marks.marked(overlaps, "overlap", "text") if shape.data["kind"] == kind and shape.words.endswith(f"on {target}")]
            states[kind] = marks.first_number(told[0])
        return {"largest": int(largest), "result_lane": int(said(grid, cells[0])), "states": states}
