# SPDX-License-Identifier: Apache-2.0
"""The link into Compiler Explorer holds exactly the input of the command; only LLVM IR has one."""

import base64
import json
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna_evidence.site import explorer
from cdna_evidence.witnesses import listing

CLANG = "python -m ziglang clang --target=amdgcn-amd-amdhsa -mcpu=gfx950 -nogpulib -O2 -S -x ir - -o -"


def opened(address):
    code = urllib.parse.unquote(address.removeprefix(explorer.ADDRESS))
    return json.loads(base64.b64decode(code))["sessions"][0]


@given(st.text(st.characters(codec="ascii", exclude_characters="\0\r"), min_size=1, max_size=300))
def test_the_source_is_the_input_of_the_command(text):
    session = opened(explorer.link(f"{listing.given(text)} | {CLANG}"))
    assert session["source"] == (text if "\n" in text or "\\" in text else text + "\n")
    assert session["language"] == "llvm"
    (compiler,) = session["compilers"]
    assert compiler["options"] == "-mtriple=amdgcn-amd-amdhsa -mcpu=gfx950 -O2"


@pytest.mark.parametrize(
    "command",
    [
        "",
        "'unclosed",
        "cdna disasm --target gfx950 00",
        "printf '%s\\n' 's_nop 0' | python -m ziglang clang -cc1as -triple amdgcn-amd-amdhsa -target-cpu gfx950",
        "printf '%b' 'int x;\\n' | " + CLANG.replace("-x ir", "-x c"),
        "printf '%b' '" + "x" * 9000 + "\\n' | " + CLANG,
    ],
)
def test_what_is_no_ir_or_too_long_has_no_link(command):
    assert explorer.link(command) is None
