# SPDX-License-Identifier: Apache-2.0
"""VGPRs and waves of gfx1250, asked of an assembler and of code generators."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly, verdict

MOVE = "$vgpr{0} = V_MOV_B32_e32 {1}, implicit $exec"


def remark(text, name):
    """Return the number behind a comment of the code generator."""
    found = re.search(rf"; {name}: (\d+)", text)
    if not found:
        raise CannotTell(f"no {name}")
    return int(found.group(1))


def clobbering(witness, target, register):
    """Return the assembly of a kernel whose inline assembly clobbers one register."""
    text = 'define amdgpu_kernel void @k() #0 {\n call void asm sideeffect "; use", "~{v' + str(register) + '}"()\n ret void\n}\n'
    return assembly(witness.compile_ir(target, text + 'attributes #0 = { "amdgpu-flat-work-group-size"="1,32" }\n'))


def lowered(tools, target, lines):
    """Return the instructions after the pass that lowers register numbers, or None where the pass refuses them."""
    body = "".join(f"    {line}\n" for line in [*lines, "S_ENDPGM 0"])
    text = f"---\nname: k\nmachineFunctionInfo:\n  isEntryFunction: true\nbody: |\n  bb.0:\n{body}...\n"
    done = tools.witness("llc").run_pass(target, text, "amdgpu-lower-vgpr-encoding")
    if not done.accepted:
        return None
    return [line.strip() for line in done.assembly.partition("body:")[2].splitlines()]


def settings(lines):
    """Return the operands of the s_set_vgpr_msb in some MIR lines."""
    return [int(found.group(1)) for line in lines or () if (found := re.match(r"S_SET_VGPR_MSB (\d+)", line))]


class Names(Check):
    """Register numbers in assembly and in MIR, searched; and a kernel that keeps many values alive.

    Shows: how far names and numbers go, and what the code generator does with many values.
    Does not show: a device's registers.
    """

    claim = "VGPR-001"
    kind = "compiler"
    witness = "llc"
    binds = ("largest_named", "largest_known", "live_values", "beyond_255", "scratch_bytes")

    def observe(self, target, tools):
        answers = tools.clang.assemble(target, [f"v_mov_b32 v{n}, v0" for n in range(300)])
        known = [n for n in (0, 255, 256, 511, 767, 1000, 1022, 1023, 1024, 1025, 1100) if lowered(tools, target, [MOVE.format(n, 0)]) is not None]
        live = 400
        places = "".join(f" %p{i} = getelementptr float, ptr addrspace(1) %p, i32 {i * 64}\n" for i in range(live))
        loads = "".join(f" %v{i} = load volatile float, ptr addrspace(1) %p{i}\n" for i in range(live))
        stores = "".join(f" store volatile float %v{i}, ptr addrspace(1) %p{i}\n" for i in range(live))
        kernel = "define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {\n" + places + loads + stores + " ret void\n}\n"
        kernel += 'attributes #0 = { "amdgpu-flat-work-group-size"="1,32" "amdgpu-waves-per-eu"="1,1" }\n'
        text = assembly(tools.clang.compile_ir(target, kernel))
        return {
            "largest_named": max(n for n, answer in enumerate(answers) if answer.accepted),
            "largest_known": max(known),
            "live_values": live,
            "beyond_255": remark(text, "NumVgprs") > 256,
            "scratch_bytes": remark(text, "ScratchSize"),
        }


class Fields(Check):
    """A high register in one operand slot at a time, through the pass that lowers register numbers.

    Shows: which bits of the operand the slot moves, the size of a group, and the upper byte of a second setting.
    Does not show: memory instructions.
    """

    claim = "VGPR-002"
    kind = "compiler"
    witness = "llc"
    binds = ("lowest_bit", "group", "previous_in_upper_byte")

    def observe(self, target, tools):
        line = "$vgpr{3} = V_FMA_F32_e64 0, $vgpr{0}, 0, $vgpr{1}, 0, $vgpr{2}, 0, 0, implicit $mode, implicit $exec"
        lowest = {}
        for slot, name in enumerate(("src0", "src1", "src2", "dst")):
            registers = [1, 2, 3, 4]
            registers[slot] = 256
            found = settings(lowered(tools, target, [line.format(*registers)]))
            if len(found) != 1 or found[0] == 0:
                raise CannotTell(f"{name}: {found}")
            lowest[name] = min(bit for bit in range(8) if found[0] >> bit & 1)
        first = [n for n in range(200, 600, 8) if settings(lowered(tools, target, [MOVE.format(n, 0)]))]
        two = settings(lowered(tools, target, [MOVE.format(300, 0), MOVE.format(2, 0)]))
        return {"lowest_bit": lowest, "group": min(first), "previous_in_upper_byte": len(two) == 2 and two[1] >> 8 == two[0] & 255}


class Cut(Check):
    """Operands of s_set_vgpr_msb of growing size, and a wait of the same encoding.

    Shows: what the assembler writes.
    Does not show: what the hardware makes of it.
    """

    claim = "VGPR-003"
    kind = "compiler"
    witness = "clang"
    binds = ("operand_of", "wait_with_seventeen_bits")

    def observe(self, target, tools):
        asked = {"fits": 65, "sixteen_bits": 65535, "seventeen_bits": 65536}
        answers = tools.clang.assemble(target, [f"s_set_vgpr_msb {n}" for n in asked.values()] + ["s_wait_loadcnt 65536"])
        found = {name: int.from_bytes(answer.bytes or b"", "little") & 0xFFFF for name, answer in zip(asked, answers[:3], strict=True)}
        if not all(answer.accepted for answer in answers[:3]):
            raise CannotTell("refused")
        return {"operand_of": found, "wait_with_seventeen_bits": verdict(answers[3])}


class Granule(Check):
    """Kernels that clobber one register each: the blocks of VGPRs that the code generator reports.

    Shows: the field of the kernel descriptor.
    Does not show: the hardware's allocation.
    """

    claim = "VGPR-004"
    kind = "compiler"
    witness = "clang"
    binds = ("granule", "blocks")

    def observe(self, target, tools):
        def blocks(count):
            return remark(clobbering(tools.clang, target, count - 1), "VGPRBlocks")

        found = {f"r{n}": blocks(n) for n in (1, 16, 17, 32, 33, 256)}
        step = next(n for n in range(1, 40) if blocks(n + 1) > blocks(1))
        return {"granule": step, "blocks": found}


class Occupancy(Check):
    """Kernels that clobber one register each: the occupancy that the code generator reports.

    Shows: LLVM's arithmetic.
    Does not show: a device.
    """

    claim = "VGPR-005"
    kind = "compiler"
    position = "llvm-sixteen"
    witness = "clang"
    binds = ("most_waves", "waves")

    def observe(self, target, tools):
        found = {f"r{n}": remark(clobbering(tools.clang, target, n - 1), "Occupancy") for n in (64, 65, 96, 97, 128, 129, 256)}
        return {"most_waves": remark(clobbering(tools.clang, target, 0), "Occupancy"), "waves": found}


class InlineAssembly(Check):
    """Inline assembly that clobbers the last named register and the one behind it.

    Shows: the blocks that the code generator reserves.
    Does not show: what a later compiler says.
    """

    claim = "VGPR-006"
    kind = "compiler"
    witness = "clang"
    binds = ("named", "blocks_reserved")

    def observe(self, target, tools):
        blocks = {n: remark(clobbering(tools.clang, target, n), "VGPRBlocks") for n in range(248, 260)}
        named = max(n for n in blocks if blocks[n] > 0)
        return {"named": named, "blocks_reserved": {"v255": blocks[255], "v256": blocks[256]}}


class SetregKeeps(Check):
    """A write of the mode register's low bits between two uses of high registers.

    Shows: what LLVM 22 makes of the immediate.
    Does not show: the register form.
    """

    claim = "VGPR-007"
    kind = "compiler"
    witness = "llc"
    binds = ("immediate", "msb_bits")

    def observe(self, target, tools):
        given = 0
        # hwreg(MODE, 0, 7): identifier 1, offset 0, width 7.
        write = f"S_SETREG_IMM32_B32 {given}, {1 | 0 << 6 | 6 << 11}, implicit-def $mode, implicit $mode"
        lines = lowered(tools, target, [MOVE.format(256, 0), write, MOVE.format(257, 0)])
        found = [int(match.group(1)) for line in lines or () if (match := re.match(r"S_SETREG_IMM32_B32 (\d+)", line))]
        if len(found) != 1:
            raise CannotTell(f"writes: {found}")
        bits = [bit for bit in range(32) if (found[0] ^ given) >> bit & 1]
        # The destination is the first field of the mode register, so its lowest bit is the lowest of all.
        return {"immediate": {"given": given, "written": found[0]}, "msb_bits": bits}


class Wave32(Check):
    """Compares into registers of one and two words, a module that asks for waves of 64, and a kernel's metadata.

    Shows: what assembler and code generator take.
    Does not show: a device.
    """

    claim = "VGPR-009"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted", "wave64", "lanes")

    def observe(self, target, tools):
        lines = {"compare_into_s0": "s0", "compare_into_s01": "s[0:1]", "compare_into_vcc_lo": "vcc_lo", "compare_into_vcc": "vcc"}
        answers = tools.clang.assemble(target, [f"v_cmp_eq_u32 {word}, v0, v1" for word in lines.values()])
        kernel = "define amdgpu_kernel void @k() {0}{{\n ret void\n}}\n"
        wide = tools.clang.compile_ir(target, kernel.format('"target-features"="+wavefrontsize64" '))
        found = re.search(r"\.wavefront_size:\s+(\d+)", assembly(tools.clang.compile_ir(target, kernel.format(""))))
        if not found:
            raise CannotTell("no wavefront size in the metadata")
        states = wide.accepted and re.search(r"\.wavefront_size:\s+64", wide.assembly)
        return {
            "accepted": {name: verdict(answer) for name, answer in zip(lines, answers, strict=True)},
            "wave64": "accept" if states else "reject",
            "lanes": int(found.group(1)),
        }


class Tuples(Check):
    """Loads into an even and an odd pair, and a move to an accumulation register.

    Shows: what the assembler takes.
    Does not show: every operand kind.
    """

    claim = "VGPR-010"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted",)

    def observe(self, target, tools):
        lines = {
            "even_pair": "global_load_b64 v[2:3], v[4:5], off",
            "odd_pair": "global_load_b64 v[3:4], v[4:5], off",
            "accumulation": "v_accvgpr_write_b32 a0, v0",
        }
        answers = tools.clang.assemble(target, list(lines.values()))
        return {"accepted": {name: verdict(answer) for name, answer in zip(lines, answers, strict=True)}}


class MemoryFields(Check):
    """A high register as each operand of global and LDS instructions, through the pass that lowers register numbers.

    Shows: which field of the operand the pass sets.
    Does not show: atomics, flat and buffer forms.
    """

    claim = "VGPR-012"
    kind = "compiler"
    witness = "llc"
    binds = ("lowest_bit",)

    def observe(self, target, tools):
        lines = {
            "load_address": "$vgpr1 = GLOBAL_LOAD_DWORD $vgpr256_vgpr257, 0, 0",
            "load_result": "$vgpr256 = GLOBAL_LOAD_DWORD $vgpr2_vgpr3, 0, 0",
            "store_address": "GLOBAL_STORE_DWORD $vgpr256_vgpr257, $vgpr1, 0, 0",
            "store_data": "GLOBAL_STORE_DWORD $vgpr2_vgpr3, $vgpr256, 0, 0",
            "lds_address": "$vgpr1 = DS_READ_B32_gfx9 $vgpr256, 0, 0",
            "lds_result": "$vgpr256 = DS_READ_B32_gfx9 $vgpr1, 0, 0",
            "lds_data": "DS_WRITE_B32_gfx9 $vgpr1, $vgpr256, 0, 0",
            "lds_second_data": "DS_WRITE2_B32_gfx9 $vgpr1, $vgpr2, $vgpr256, 0, 1, 0",
        }
        found = {}
        for name, line in lines.items():
            given = settings(lowered(tools, target, [line + ", implicit $exec"]))
            if len(given) != 1 or given[0] == 0:
                raise CannotTell(f"{name}: {given}")
            found[name] = min(bit for bit in range(8) if given[0] >> bit & 1)
        return {"lowest_bit": found}


class ScaleRegisters(Check):
    """A scaled product as MIR with one scale, and with C and D, in ever higher registers.

    Shows: the highest register that LLVM's machine verifier takes for each.
    Does not show: what the hardware reads.
    """

    claim = "VGPR-014"
    kind = "compiler"
    witness = "llc"
    binds = ("reach", "scale", "accumulator")

    def observe(self, target, tools):
        def taken(scale, result):
            """Whether the product is taken with these first registers."""
            a, b, c = (_tuple(first, count) for first, count in ((8, 16), (24, 16), (result, 8)))
            line = f"{c} = V_WMMA_SCALE_F32_16X16X128_F8F6F4_f8_f8_w32_twoaddr {a}, {b}, 8, {c}, $vgpr{scale}, $vgpr42"
            return lowered(tools, target, [line + ", 0" * 10 + ", implicit $exec"]) is not None

        highest = max(n for n in (40, 63, 127, 128, 254, 255, 256, 257, 258, 510, 511, 512, 1023) if taken(n, 0))
        most = max(n for n in (0, 248, 256, 510, 512, 766, 768, 1014, 1015, 1016, 1017, 1018) if taken(40, n))
        return {"reach": highest + 1, "scale": {"highest_taken": highest}, "accumulator": {"highest_taken": most}}


def _tuple(first, count):
    """Return the MIR name of a run of registers."""
    return "$" + "_".join(f"vgpr{n}" for n in range(first, first + count))


class Crossing(Check):
    """A product whose A begins at every register from v240 on, assembled.

    Shows: where the last operand begins that clang takes, and how many registers it has.
    Does not show: that the hardware reads the registers above v255.
    """

    claim = "VGPR-016"
    kind = "compiler"
    witness = "clang"
    binds = ("registers", "largest_first", "largest_last")

    def observe(self, target, tools):
        product = "v_wmma_f32_16x16x64_fp8_fp8 v[0:7], v[{0}:{1}], v[16:23], v[0:7]"
        widths = [wide for wide in range(1, 17) if verdict(tools.clang.assemble(target, [product.format(32, 31 + wide)])[0]) == "accept"]
        if len(widths) != 1:
            raise CannotTell(f"widths {widths}")
        firsts = list(range(240, 270))
        answers = tools.clang.assemble(target, [product.format(first, first + widths[0] - 1) for first in firsts])
        taken = [first for first, answer in zip(firsts, answers, strict=True) if verdict(answer) == "accept"]
        return {"registers": widths[0], "largest_first": max(taken), "largest_last": max(taken) + widths[0] - 1}
