# SPDX-License-Identifier: Apache-2.0
"""The words that people type for a page whose title has other ones: the search weighs them as it weighs a title.

They are no text of the page. Only a page that answers them gets them; a word that its title has needs no place here.
"""

WORDS = {
    "cdna/lds.md": (
        "bank conflict",
        "LDS bank conflict",
        "LDS size",
        "shared memory",
        "64 KB 160 KB 320 KB",
        "ds_read_b128 ds_read_b64 ds_write_b128 ds_load_b128",
        "stride",
        "swizzle",
    ),
    "cdna/waits.md": (
        "s_waitcnt vmcnt lgkmcnt expcnt",
        "s_wait_loadcnt s_wait_dscnt s_wait_storecnt s_wait_kmcnt",
        "s_barrier",
        "missing wait",
    ),
    "cdna/mi450.md": (
        "MI300 to MI450",
        "gfx1250 gfx1251",
        "how many slots after a WMMA",
        "WMMA hazard",
        "v_nop",
        "s_wait_xcnt",
        "s_wait_alu",
        "s_wait_asynccnt ASYNCcnt",
        "which counter protects an async copy",
        "global_load_async_to_lds_b128",
        "cluster barrier",
        "s_barrier_signal s_barrier_wait",
        "wave32",
        "s_set_vgpr_msb",
    ),
    "cdna/formats.md": (
        "FP8 FNUZ OCP",
        "BF8 E4M3 E5M2",
        "MXFP4 FP4 FP6 E2M1 E8M0 scale",
        "v_cvt_pk_fp8_f32",
        "rounding",
    ),
    "cdna/matrix.md": ("MFMA layout", "lane map", "SMFMAC", "scale MFMA", "XF32"),
    "cdna/global-to-lds.md": ("global_load_lds_dwordx4", "buffer_load_dwordx4 lds", "direct to LDS", "M0", "async"),
    "cdna/transpose.md": (
        "ds_read_b64_tr_b16 ds_read_b96_tr_b6",
        "ds_load_tr16_b128 global_load_tr",
        "DPP row_bcast",
        "permlane v_permlane32_swap v_permlane16_swap",
        "ds_bpermute ds_permute",
        "shuffle readlane",
    ),
    "cdna/mfma-audit.md": ("MFMA hazard", "wait states", "s_nop", "AGPR", "VALU"),
    "cdna/targets.md": ("wave32 wave64", "XF32"),
    "cdna/porting-350.md": ("gfx942 to gfx950", "MI300X MI325X MI350X MI355X", "CDNA3 to CDNA4"),
    "cdna/porting-450.md": ("gfx950 to gfx1250", "MI355X", "CDNA4 to CDNA5"),
    "tdm/edges.md": ("out of bounds OOB", "zero fill", "ragged"),
    "tdm/ordering.md": ("s_wait_tensorcnt TENSORcnt", "LDS barrier", "completion"),
    "tdm/driving.md": ("tensor_load_to_lds tensor_store_from_lds", "builtin"),
    "tdm/descriptor.md": ("D#", "group 0 group 1 group 2 group 3"),
    "tdm/padding.md": ("pad_interval pad_amount pad_enable",),
    "tdm/pipeline.md": ("double buffering", "stages", "prefetch"),
    "tdm/multicast.md": ("workgroup_mask", "broadcast"),
    "tdm/gather.md": ("scatter row_index",),
    "mfma/index.md": ("hazard", "wait states", "layout"),
    "wmma/index.md": ("hazard", "slots", "layout", "SWMMAC"),
    "matrix.md": ("LLVM ROCm clang version",),
}


def of(source):
    """Return the words of a page, a claim's id among them: guides that name many claims would else stand before the claim.

    Args: source: the page's source path, such as "cdna/lds.md".
    """
    folder, _, name = source.rpartition("/")
    if folder == "claims" and name != "index.md":
        return [name.removesuffix(".md")]
    return list(WORDS.get(source, ()))


def tell(index, page):
    """Give the search's entry of a page, not those of its sections, the words of that page.

    Args: index: the search plugin's index, which has read the page; page: a MkDocs page.
    """
    if found := of(page.file.src_uri):
        next(entry for entry in reversed(index.entries) if entry["location"] == page.url)["tags"] = found
