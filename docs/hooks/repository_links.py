"""Links from a page to files outside `docs/` in, links to the repository out.

Pages are read on GitHub too, where `../src/qdtm/model.py` is a good link. On the site it becomes one to the
repository, whose address stands in `pyproject.toml` and nowhere else; a file that is not there is a warning,
which ends a strict build. Links to a notebook lead to its page.
"""

from __future__ import annotations

import logging
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

_log = logging.getLogger("mkdocs.hooks.repository_links")  # below "mkdocs": --strict counts its warnings
_ROOT = Path(__file__).parents[2]
_DOCS = _ROOT / "docs"
_AFTER_LINKS_ARE_PARSED, _BEFORE_MKDOCS_CHECKS_THEM = 20, 0


def repository() -> str:
    """Return the address of the repository."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["urls"]["Repository"])


class RepositoryLinks(Treeprocessor):
    """Rewrites the links of the page that is being made."""

    page = ""

    def run(self, root: Element) -> None:
        """Rewrite every relative link that leaves the documentation."""
        for link in root.iter("a"):
            href = link.get("href", "")
            parts = urlsplit(href)
            if parts.path and not (parts.scheme or parts.netloc or href.startswith("/")):
                link.set("href", self._target(href, parts.path))

    def _target(self, href: str, path: str) -> str:
        target = (_DOCS / self.page).parent.joinpath(path).resolve()
        if target.suffix == ".ipynb" and target.with_suffix(".md") != (_DOCS / self.page).resolve():
            return href.replace(".ipynb", ".md")
        if target.is_relative_to(_DOCS) and not target.is_dir():
            return href  # mkdocs looks after those
        if not (target.exists() and target.is_relative_to(_ROOT)):
            _log.warning("%s links to %s, which is not in the repository.", self.page, href)
            return href
        kind = "tree" if target.is_dir() else "blob"
        return f"{repository()}/{kind}/main/{target.relative_to(_ROOT).as_posix()}"


class RepositoryLinksExtension(Extension):
    """Brings one `RepositoryLinks` into every page."""

    def __init__(self) -> None:
        super().__init__()
        self.links = RepositoryLinks()

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name for it
        """Run between the parser of links and mkdocs' own check of them."""
        priority = (_AFTER_LINKS_ARE_PARSED + _BEFORE_MKDOCS_CHECKS_THEM) / 2
        md.treeprocessors.register(self.links, "repository_links", priority)


_extension = RepositoryLinksExtension()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the extension, and a way to the repository at the end of the navigation."""
    # Not `repo_url`: with it the theme's script would ask GitHub for numbers whenever a page is opened.
    config.markdown_extensions.append(_extension)  # type: ignore[arg-type]
    config.nav = [*(config.nav or ()), {"Repository": repository()}]
    return config


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Remember which page is being made."""
    _extension.links.page = page.file.src_uri
    return markdown
