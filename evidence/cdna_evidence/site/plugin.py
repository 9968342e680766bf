# SPDX-License-Identifier: Apache-2.0
"""The thin MkDocs plugin: it loads the register and the results, hands over the extension, and adds the generated pages."""

import os

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, InclusionLevel

from cdna_evidence import settings
from cdna_evidence.checks import results
from cdna_evidence.register import RegisterError, load

from . import pages, published
from .content import Content
from .extension import ClaimsExtension, SiteError


class EvidencePlugin(BasePlugin):
    """`cdna-evidence` in mkdocs.yml; it has no options, since every setting is in `cdna_evidence.settings`."""

    def on_config(self, config: MkDocsConfig):
        """Load what pages are made from, and register the Markdown extension."""
        try:
            register = load()
            config.site_url = settings.site_url() + (settings.site_version() + "/" if settings.site_version() else "")
        except (RegisterError, ValueError) as error:
            raise PluginError(str(error)) from None
        report = os.environ.get("CDNA_REPORT_URL", "").strip() or None
        if report and not report.startswith(("https://", "http://", "mailto:")):
            raise PluginError(f"CDNA_REPORT_URL={report}: an http, https or mailto address")
        self.content = Content(register, results.read(), report)
        self.extension = ClaimsExtension(self.content)
        config.markdown_extensions.append(self.extension)
        published.configure(config, self.content)
        return config

    def on_files(self, files, *, config):
        """Add a page for each claim and each source, and note which hand-written page uses which claim."""
        for file in files.documentation_pages():
            text = file.content_string
            title = next((line[2:].strip() for line in text.splitlines() if line.startswith("# ")), file.src_uri)
            self.content.note_uses(file.src_uri, title, text)
        for path, text in published.pages(self.content, pages.generated(self.content)):
            files.append(File.generated(config, path, content=text, inclusion=InclusionLevel.NOT_IN_NAV))
        for path, data in published.files(self.content).items():
            files.append(File.generated(config, path, content=data))
        return files

    def on_page_markdown(self, markdown, *, page, config, files):
        """Tell the extension which page comes next: links are written from its place."""
        self.extension.page = page.file.src_uri
        return markdown

    def on_build_error(self, *, error):
        """Turn an unknown claim or a card shown twice into one message instead of a traceback."""
        if isinstance(error, SiteError):
            raise PluginError(str(error)) from None


__all__ = ["EvidencePlugin"]
