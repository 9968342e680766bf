# SPDX-License-Identifier: Apache-2.0
"""The site: a Markdown extension, a page generator and figures drawn from the model, behind a thin MkDocs plugin."""
