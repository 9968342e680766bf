# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions of gfx942 and gfx950: opcodes, register layouts, and the wait states around them."""
