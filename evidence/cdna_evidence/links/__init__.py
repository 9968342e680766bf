# SPDX-License-Identifier: Apache-2.0
"""Links: external pages asked politely and safely, internal links of a built site checked on disk.

address.py says which hosts may be asked at all, client.py asks once, schedule.py asks many, external.py judges an
answer, cache.py keeps good news, html.py reads a page, internal.py checks a built tree, floating.py notices silent
rewrites.
"""
