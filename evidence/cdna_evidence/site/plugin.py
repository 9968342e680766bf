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

from . import audit, notebooks, pages, published, words
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
            if notebooks.is_notebook(file.src_uri):
                title, text = notebooks.title_and_uses(text)
            self.content.note_uses(file.src_uri, title, text)
        for path, text in published.pages(self.content, pages.generated(self.content)):
            files.append(File.generated(config, path, content=text, inclusion=InclusionLevel.NOT_IN_NAV))
        for path, data in published.files(self.content).items():
            files.append(File.generated(config, path, content=data))
        download = File.generated(config, audit.SOURCE, content=audit.markdown(self.content))
        download.dest_uri = download.url = audit.PLACE  # a source that ends in .md would become a page
        files.append(download)
        return files

    def on_page_markdown(self, markdown, *, page, config, files):
        """Tell the extension which page comes next: links are written from its place."""
        self.extension.page = page.file.src_uri
        return markdown

    def on_page_content(self, html, *, page, config, files):
        """Make a notebook's page as plain as the others."""
        if not notebooks.is_notebook(page.file.src_uri):
            return html

        def resolve(source):
            found = files.get_file_from_path(source)
            return found.url_relative_to(page.file) if found else None

        return notebooks.plain(html, page.file.src_uri, resolve)

    def on_page_context(self, context, *, page, config, nav):
        """Tell the search, which has read the page by now, the words that people type for it."""
        if search := config.plugins.get("material/search"):
            words.tell(search.search_index, page)
        return context

    def on_build_error(self, *, error):
        """Turn an unknown claim, a card shown twice or a failed notebook into one message instead of a traceback."""
        message = str(error) if isinstance(error, SiteError) else notebooks.failure(error)
        if message:
            raise PluginError(message) from None


__all__ = ["EvidencePlugin"]
