# SPDX-License-Identifier: Apache-2.0
"""Bytes of the tensor instructions, by a compiler."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly, verdict

PLAIN = "s[0:3], s[4:11]"
FULL = PLAIN + ", s[12:15], s[16:19]"
IR = """
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)
define amdgpu_kernel void @tensor(<4 x i32> %a, <8 x i32> %b) {
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  ret void
}
define void @global(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %a = load <4 x i32>, ptr addrspace(1) %p
  %g = getelementptr i8, ptr addrspace(1) %p, i64 16
  %b = load <4 x i32>, ptr addrspace(1) %g
  %h = getelementptr i8, ptr addrspace(1) %p, i64 32
  %c = load <4 x i32>, ptr addrspace(1) %h
  %d = add <4 x i32> %a, %b
  %e = add <4 x i32> %c, %d
  store <4 x i32> %e, ptr addrspace(1) %q
  ret void
}
"""


def encoded(tools, target, text):
    """Bytes of one accepted instruction."""
    answer = tools.clang.assemble(target, [text])[0]
    if not answer.accepted or answer.bytes is None:
        raise CannotTell(f"{text}: {answer.outcome}: {answer.diagnostic}")
    return answer.bytes


def differing(one, other):
    """Positions of the bytes in which two encodings differ."""
    if len(one) != len(other):
        raise CannotTell("encodings of different lengths")
    return [i for i in range(len(one)) if one[i] != other[i]]


def format_of(tools, data):
    """Name an encoding by the leading bits of its first word: those of a known instruction of each encoding."""
    image = encoded(tools, "gfx1200", "image_load v0, [v0, v1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D")
    plain = encoded(tools, "gfx1250", "global_load_b32 v0, v[0:1], off")
    found = []
    if data[3] >> 2 == image[3] >> 2:
        found.append("VIMAGE")
    if data[3] == plain[3]:
        found.append("VGLOBAL")
    if len(found) != 1:
        raise CannotTell(f"leading bits of {data.hex(' ')}: {found}")
    return found[0]


class Vimage(Check):
    """Registers of each group are changed in turn; which byte of the instruction follows.

    Shows: length, operand bytes, null bytes and the encoding's leading bits, for load and store.
    Does not show: how hardware decodes it.
    """

    claim = "TDM-051"
    kind = "compiler"
    witness = "clang"
    binds = ("format", "bytes", "operand_byte", "unused_slot", "null_byte")

    def observe(self, target, tools):
        found = []
        for name in ("tensor_load_to_lds", "tensor_store_from_lds"):
            base = encoded(tools, target, f"{name} {FULL}")
            places = {}
            blocks = FULL.split(", ")
            for i, other in enumerate(("s[32:35]", "s[40:47]", "s[48:51]", "s[52:55]")):
                moved = list(blocks)
                moved[i] = other
                data = encoded(tools, target, f"{name} {', '.join(moved)}")
                at = differing(base, data)
                if len(at) != 1 or data[at[0]] != int(re.search(r"\d+", other)[0]):
                    raise CannotTell(f"group {i}: bytes {at} change")
                places[f"group{i}"] = at[0]
            short = encoded(tools, target, f"{name} {PLAIN}")
            nulls = {short[places["group2"]], short[places["group3"]]}
            if len(nulls) != 1:
                raise CannotTell("groups 2 and 3 have different null bytes")
            null = nulls.pop()
            slots = [i for i in range(len(base)) if base[i] == null and i not in places.values()]
            if len(slots) != 1:
                raise CannotTell(f"bytes that always hold null: {slots}")
            found.append(
                {
                    "format": format_of(tools, base),
                    "bytes": len(base),
                    "operand_byte": places,
                    "unused_slot": slots[0],
                    "null_byte": null,
                }
            )
        if found[0] != found[1]:
            raise CannotTell("load and store are laid out differently")
        return found[0]


class PairedGroups(Check):
    """The assembler is given two, four and the same block twice.

    Shows: what this assembler accepts under every reading.
    Does not show: what a device does with any of it.
    """

    claim = "TDM-052"
    kind = "compiler"
    witness = "clang"
    binds = ("same_block", "two_groups", "four_groups")

    def observe(self, target, tools):
        texts = [f"tensor_load_to_lds {PLAIN}, s[12:15], s[12:15]", f"tensor_load_to_lds {PLAIN}", f"tensor_load_to_lds {FULL}"]
        words = [verdict(answer) for answer in tools.clang.assemble(target, texts)]
        return dict(zip(("same_block", "two_groups", "four_groups"), words, strict=True))


class NoMixedText(Check):
    """Numbers of groups from one to six, and the word null in the place of one group or of both.

    Shows: that this assembler has no text for a mixed pair.
    Does not show: that the bits of a mixed pair are illegal.
    """

    claim = "TDM-052"
    kind = "compiler"
    position = "both-or-neither"
    witness = "clang"
    binds = ("operand_forms", "null_written")

    def observe(self, target, tools):
        blocks = FULL.split(", ") + ["s[20:27]", "s[28:31]"]
        texts = ["tensor_load_to_lds " + ", ".join(blocks[:n]) for n in range(1, 7)]
        forms = [n for n, answer in enumerate(tools.clang.assemble(target, texts), 1) if verdict(answer) == "accept"]
        nulls = [f"{PLAIN}, s[12:15], null", f"{PLAIN}, null, s[16:19]", f"{PLAIN}, null, null"]
        words = {verdict(answer) for answer in tools.clang.assemble(target, ["tensor_load_to_lds " + text for text in nulls])}
        if len(words) != 1:
            raise CannotTell(f"null: {words}")
        return {"operand_forms": forms, "null_written": words.pop()}


class Modifiers(Check):
    """Each scope and hint is assembled; the bits that change and the numbers they hold are read off.

    Shows: position and width of scope, hint and non-volatile, the code of each name, and that hints of the other
    direction are refused.
    Does not show: effects on caches.
    """

    claim = "TDM-054"
    kind = "compiler"
    witness = "clang"
    binds = ("scope", "th", "nv", "scope_code", "load_hint", "store_hint", "store_hint_on_load", "load_hint_on_store")

    def observe(self, target, tools):
        load, store = f"tensor_load_to_lds {PLAIN}", f"tensor_store_from_lds {PLAIN}"
        scopes = ["SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"]
        hints = ["NT", "HT", None, "NT_RT", "RT_NT", "NT_HT"]
        loads = ["TH_LOAD_" + (hint or "LU") for hint in hints]
        stores = ["TH_STORE_" + (hint or "WB") for hint in hints]
        scope_bits = self.bits(tools, target, load, [f"scope:{name}" for name in scopes])
        load_bits = self.bits(tools, target, load, [f"th:{name}" for name in loads])
        store_bits = self.bits(tools, target, store, [f"th:{name}" for name in stores])
        nv_bits = self.bits(tools, target, load, ["nv"])
        if load_bits[0] != store_bits[0]:
            raise CannotTell("hints of load and store are in different places")
        crossed = [
            {verdict(answer) for answer in tools.clang.assemble(target, [f"{base} th:{name}" for name in names])}
            for base, names in ((load, [stores[0], stores[1]]), (store, [loads[0], loads[1]]))
        ]
        if [len(words) for words in crossed] != [1, 1]:
            raise CannotTell(f"hints of the other direction: {crossed}")
        return {
            "scope": scope_bits[0],
            "th": load_bits[0],
            "nv": nv_bits[0],
            "scope_code": dict(zip(scopes, scope_bits[1], strict=True)),
            "load_hint": dict(zip(loads, load_bits[1], strict=True)),
            "store_hint": dict(zip(stores, store_bits[1], strict=True)),
            "store_hint_on_load": crossed[0].pop(),
            "load_hint_on_store": crossed[1].pop(),
        }

    def bits(self, tools, target, base, modifiers):
        """([first bit, width] of the bits that the modifiers change, [the number each of them writes there])."""
        plain = int.from_bytes(encoded(tools, target, base), "little")
        numbers = [int.from_bytes(encoded(tools, target, f"{base} {text}"), "little") for text in modifiers]
        mask = 0
        for number in numbers:
            mask |= number ^ plain
        lo = (mask & -mask).bit_length() - 1
        width = mask.bit_length() - lo
        if mask >> lo != (1 << width) - 1:
            raise CannotTell(f"the bits of {modifiers} are not in a row")
        return [lo, width], [number >> lo & (1 << width) - 1 for number in numbers]


class Vglobal(Check):
    """The leading bits of the tensor instructions that this assembler knows, beside an image and a global load.

    Shows: which of them begins like a VIMAGE and which like a VGLOBAL instruction.
    Does not show: instructions that LLVM does not know.
    """

    claim = "TDM-055"
    kind = "compiler"
    witness = "clang"
    binds = ("tensor_load_to_lds", "tensor_store_from_lds", "tensor_stop")

    def observe(self, target, tools):
        texts = {"tensor_load_to_lds": " " + PLAIN, "tensor_store_from_lds": " " + PLAIN, "tensor_stop": ""}
        return {name: format_of(tools, encoded(tools, target, name + tail)) for name, tail in texts.items()}


class Forms(Check):
    """Opcode, DIM and DMASK of what the assembler writes; the words are changed and given to the disassembler.

    Shows: the numbers in those fields for load and store, and which variants this disassembler takes as the instruction.
    Does not show: what hardware decodes.
    """

    claim = "TDM-145"
    kind = "compiler"
    witness = "clang"
    binds = ("opcode", "dim", "dmask", "decoded")

    def observe(self, target, tools):
        dim, dmask = 0x7, 0xF << 22
        found, words = {"opcode": {}}, set()
        for name, text in (("load", "tensor_load_to_lds"), ("store", "tensor_store_from_lds")):
            data = encoded(tools, target, f"{text} {PLAIN}")
            word = int.from_bytes(data[:4], "little")
            found["opcode"][name] = word >> 14 & 0xFF
            words.add((word & dim, (word & dmask) >> 22))
            changed = {
                "as_assembled": word,
                "dim_zero": word & ~dim,
                "dmask_zero": word & ~dmask,
                "both_zero": word & ~dim & ~dmask,
            }
            verdicts = {}
            for variant, number in changed.items():
                again = tools.clang.disassemble(target, number.to_bytes(4, "little") + data[4:])
                whole = len(again) == 1 and verdict(again[0]) == "accept" and again[0].text.split()[0] == text
                verdicts[variant] = "accept" if whole else "reject"
            if found.setdefault("decoded", verdicts) != verdicts:
                raise CannotTell("load and store are decoded differently")
        if len(words) != 1:
            raise CannotTell(f"load and store differ in DIM or DMASK: {words}")
        found["dim"], found["dmask"] = words.pop()
        return found


class NoClause(Check):
    """Four tensor loads in a row and three global loads in a row are compiled; clauses are counted in both.

    Shows: that this code generator forms clauses, and none around tensor loads; that its assembler does not refuse one.
    Does not show: what is legal.
    """

    claim = "TDM-064"
    kind = "compiler"
    witness = "clang"
    binds = ("tensor_ops", "clauses", "clauses_for_global_loads", "assembler_with_clause")

    def observe(self, target, tools):
        functions = re.split(r"^(\w+):", assembly(tools.clang.compile_ir(target, IR)), flags=re.MULTILINE)
        text = dict(zip(functions[1::2], functions[2::2], strict=True))
        tensor = re.split(r"s_endpgm", text["tensor"])[0]
        # Clauses in front of the first tensor load belong to the kernel's arguments.
        behind = tensor[tensor.index("tensor_load_to_lds") :] if "tensor_load_to_lds" in tensor else ""
        before = tensor[: len(tensor) - len(behind)]
        last = re.findall(r"^\s+(s_clause|tensor_\w+|\w+)", before, re.MULTILINE)[-1:]
        clauses = behind.count("s_clause") + (last == ["s_clause"])
        lines = ["s_clause 0x1", f"tensor_load_to_lds {PLAIN}", f"tensor_load_to_lds {PLAIN}"]
        words = {verdict(answer) for answer in tools.clang.assemble(target, lines)}
        return {
            "tensor_ops": behind.count("tensor_load_to_lds"),
            "clauses": clauses,
            "clauses_for_global_loads": text["global"].split("s_set_pc")[0].count("s_clause"),
            "assembler_with_clause": "accept" if words == {"accept"} else "reject",
        }


class CounterOperand(Check):
    """Powers of two and their predecessors are tried as the operand of s_wait_tensorcnt.

    Shows: the largest number that the assembler takes.
    Does not show: how wide the counter is.
    """

    claim = "TDM-066"
    kind = "compiler"
    witness = "clang"
    binds = ("largest_accepted",)

    def observe(self, target, tools):
        numbers = sorted({number for k in range(21) for number in ((1 << k) - 1, 1 << k)})
        answers = tools.clang.assemble(target, [f"s_wait_tensorcnt {number}" for number in numbers])
        words = [verdict(answer) for answer in answers]
        taken = [number for number, word in zip(numbers, words, strict=True) if word == "accept"]
        refused = [number for number, word in zip(numbers, words, strict=True) if word == "reject"]
        if not taken or not refused or max(taken) + 1 != min(refused):
            raise CannotTell(f"accepted up to {max(taken, default=None)}, refused from {min(refused, default=None)}")
        return {"largest_accepted": max(taken)}
