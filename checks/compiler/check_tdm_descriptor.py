# SPDX-License-Identifier: Apache-2.0
"""What a compiler does with a descriptor: how many registers it takes, and whether it changes what they hold."""

import itertools
import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly, verdict

IR = """
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)
define amdgpu_kernel void @k() {{
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> <{first}>, <8 x i32> <{second}>, i32 0)
  ret void
}}
"""


def registers(tools, target, group0, group1):
    """Compile a load with constant groups; return the words that its registers hold when the load is issued."""
    parts = [", ".join(f"i32 {word - (word >> 31 << 32)}" for word in group) for group in (group0, group1)]
    held = {}
    for line in assembly(tools.clang.compile_ir(target, IR.format(first=parts[0], second=parts[1]))).splitlines():
        code = line.split(";")[0].strip()
        match = re.match(r"s_mov(k)?_(?:b|i)(32|64) (\S+), (\S+)$", code)
        reverse = re.match(r"s_brev_b32 (\S+), (\d+|0x[0-9a-f]+)$", code)
        if match:
            write(held, match[3], match[4], match[2] == "64")
        elif reverse:
            write(held, reverse[1], str(int(f"{int(reverse[2], 0):032b}"[::-1], 2)), False)
        elif code.startswith("tensor_"):
            return [[held.get(number) for number in span(text)] for text in code.split(None, 1)[1].split(", ")]
        elif re.match(r"s_(add|sub|or|and|xor|lsh|bit|brev|not|cselect)", code):
            raise CannotTell(f"not followed: {code}")
    raise CannotTell("no tensor instruction in the output")


def write(held, place, value, pair):
    """Note one move of a constant or of registers."""
    targets = span(place)
    if re.match(r"s(\d|\[)", value):
        for number, other in zip(targets, span(value), strict=True):
            held[number] = held.get(other)
        return
    constant = int(value, 0) & (0xFFFFFFFFFFFFFFFF if pair else 0xFFFFFFFF)
    for i, number in enumerate(targets):
        held[number] = constant >> 32 * i & 0xFFFFFFFF


def span(text):
    """Register numbers of s5 or s[4:7]."""
    numbers = [int(part) for part in re.findall(r"\d+", text)]
    return list(range(numbers[0], numbers[-1] + 1))


PLAIN = [0x20000, 0x100000, 0x10000, 0x100000, 1, 16, 0, 0]


class RegisterBlocks(Check):
    """Blocks of one to twelve registers are tried in each group's place; which lengths does the assembler take.

    Shows: the length of each group and of both forms of the instruction, found by search.
    Does not show: how many registers hardware reads.
    """

    claim = "TDM-003"
    kind = "compiler"
    witness = "clang"
    binds = ("group_sgprs", "sgprs_2d", "sgprs_full")

    def observe(self, target, tools):
        right = []
        for place in range(4):
            known = [f"s[{16 * i}:{16 * i + n - 1}]" for i, n in enumerate(right)]
            taken = []
            for length in range(1, 13):
                block = f"s[{16 * place}:{16 * place + length - 1}]"
                texts = ["tensor_load_to_lds " + ", ".join(known + [block] + rest) for rest in self.rests(place)]
                if any(verdict(answer) == "accept" for answer in tools.clang.assemble(target, texts)):
                    taken.append(length)
            if len(taken) != 1:
                raise CannotTell(f"group {place}: lengths {taken}")
            right.append(taken[0])
        forms = []
        for count in range(1, 5):
            blocks = [f"s[{16 * i}:{16 * i + n - 1}]" for i, n in enumerate(right[:count])]
            if verdict(tools.clang.assemble(target, ["tensor_load_to_lds " + ", ".join(blocks)])[0]) == "accept":
                forms.append(sum(right[:count]))
        if len(forms) != 2:
            raise CannotTell(f"forms with {forms} registers")
        return {"group_sgprs": right, "sgprs_2d": forms[0], "sgprs_full": forms[1]}

    def rests(self, place):
        """What may follow the block at a place: any number of further blocks, of four or eight registers each."""
        rests = []
        for count in range(4 - place):
            for lengths in itertools.product((4, 8), repeat=count):
                rests.append([f"s[{16 * (place + 1 + i)}:{16 * (place + 1 + i) + n - 1}]" for i, n in enumerate(lengths)])
        return rests


class Group0PassedOn(Check):
    """Constants with every restore bit set are compiled; the register that clang gives to the load is read back.

    Shows: that this compiler neither clears nor sets a bit of group 0, and which fields its assembler takes as
    modifiers of the instruction.
    Does not show: what such a descriptor does.
    """

    claim = "TDM-009"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_changes_group0", "given_with_the_instruction", "field_as_modifier")

    def observe(self, target, tools):
        given = [[word, 64, 4096, 0x80000000] for word in (0x7FD, 0x005, 0x3FFFFFFD, 0x409)]
        changed = [registers(tools, target, group, PLAIN)[0] != group for group in given]
        plain = "tensor_load_to_lds s[0:3], s[4:11]"
        spelled = {"nv": "nv", "scope": "scope:SCOPE_SYS", "th": "th:TH_LOAD_HT"}
        names = ["count", "is_restore", "is_store", "nv", "scope", "th", "user_null"]
        answers = tools.clang.assemble(target, [plain] + [f"{plain} {spelled.get(name, name)}" for name in names])
        taken, refused = [], {}
        for name, answer in zip(names, answers[1:], strict=True):
            if verdict(answer) == "accept" and answer.bytes != answers[0].bytes:
                taken.append(name)
            else:
                refused[name] = verdict(answer)
        return {
            "clang_changes_group0": any(changed),
            "given_with_the_instruction": taken,
            "field_as_modifier": refused,
        }


class CountPassedOn(Check):
    """Every value of count is compiled as a constant; the register that the load gets is read back.

    Shows: that clang neither corrects nor refuses any count: what a program writes reaches the instruction.
    Does not show: which of them is right.
    """

    claim = "TDM-010"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_passes_on",)

    def observe(self, target, tools):
        passed = []
        for count in range(8):
            word = registers(tools, target, [count, 64, 4096, 0x80000000], PLAIN)[0][0]
            if count < 4 and word is not None:
                passed.append(word & 3)
            if word != count:
                raise CannotTell(f"count {count} arrives as {word}")
        return {"clang_passes_on": passed}


class TileDimPassedOn(Check):
    """A constant extent is compiled; the register that the load gets is read back.

    Shows: that clang puts the plain number where the program put it and subtracts nothing.
    Does not show: how many elements an engine moves for it.
    """

    claim = "TDM-023"
    kind = "compiler"
    witness = "clang"
    binds = ("tile_dim0",)

    def observe(self, target, tools):
        found = []
        for extent in (8, 1, 65535):
            group = list(PLAIN)
            group[3] = extent << 16
            word = registers(tools, target, [1, 64, 4096, 0x80000000], group)[1][3]
            if word is None or word & 0xFFFF:
                raise CannotTell(f"the word holds {word}")
            found.append(word >> 16)
        if found[1:] != [1, 65535]:
            raise CannotTell(f"other extents arrive as {found[1:]}")
        return {"tile_dim0": found[0]}
