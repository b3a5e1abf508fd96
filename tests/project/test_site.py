"""The site is built strictly and without the network, and asks a reader's browser for nothing elsewhere."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("mkdocs", reason="needs the extra 'docs'")
pytest.importorskip("material", reason="needs the extra 'docs'")
pytest.importorskip("mkdocstrings", reason="needs the extra 'docs'")

ROOT = Path(__file__).parents[2]
NO_NETWORK = ROOT / "tests" / "faults" / "no_network"
pytestmark = pytest.mark.docs

LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}
"""The elements that make a browser fetch something, and where they say what."""


def hook(name: str) -> ModuleType:
    """Load a hook as mkdocs does: by its file."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "hooks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Resources(HTMLParser):
    """Collects what a page makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "link" and known.get("rel") in ("canonical", "next", "prev"):
            return
        self.found += [known[key] or "" for key in [LOADED.get(tag, "")] if key in known]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    attempts = folder.with_name("attempts")
    path = os.pathsep.join([str(ROOT / "src"), str(NO_NETWORK)])
    environment = {**os.environ, "PYTHONPATH": path, "QDTM_TEST_ATTEMPTS": str(attempts)}
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert not attempts.exists(), attempts.read_text()
    assert run.returncode == 0, run.stderr
    return folder


def test_every_page_loads_only_what_lies_beside_it(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        resources = Resources()
        resources.feed(page.read_text("utf-8"))
        assert resources.found
        assert [each for each in resources.found if re.match(r"(https?:)?//", each)] == [], page.name
    for sheet in site.rglob("*.css"):
        assert re.search(r"(@import|url\()\s*[\"']?(https?:)?//", sheet.read_text("utf-8")) is None, (
            sheet.name
        )


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing about it."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """Serve the site on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_a_real_browser_asks_nobody_else(address: str) -> None:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("needs chromium and chromedriver (apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    with webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver)) as browser:
        for page in ("index.html", "api/model.html", "notebooks/first-question.html"):
            browser.get(address + page)
            assert browser.find_elements("css selector", "article h1"), page
        browser.find_element("css selector", "input.md-search__input").send_keys(
            "relevance"
        )  # wakes its worker
        messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
        problems = browser.get_log("browser")
    sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert len(sent) > 10
    assert [url for url in sent if not url.startswith((address, "data:", "blob:"))] == []
    assert problems == []


def test_the_reference_has_the_public_names_and_every_command(site: Path) -> None:
    from qdtm import __all__ as public
    from qdtm.cli.main import cli

    reference = "".join(page.read_text("utf-8") for page in (site / "api").glob("*.html"))
    assert [name for name in public if f'id="qdtm.{name}"' not in reference and name[0] != "_"] == []
    assert 'id="qdtm.QueryDrivenTopicModel.fit"' in reference
    commands = (site / "reference" / "commands.html").read_text("utf-8")
    assert [name for name in cli.commands if f'id="qdtm-{name}"' not in commands] == []


def test_links_out_of_the_documentation_lead_to_the_repository(caplog: pytest.LogCaptureFixture) -> None:
    from markdown import Markdown

    module = hook("repository_links")
    extension = module.RepositoryLinksExtension()
    extension.links.page = "results/table1.md"
    page = Markdown(extensions=[extension]).convert(
        "[a](../../src/qdtm/model.py) [b](../../src) [c](../method.md#x) [d](https://example.org) "
        "[e](../notebooks/first-question.ipynb) `[f](../../nothing.py)`"
    )
    address = module.repository()
    assert re.findall(r'href="([^"]*)"', page) == [
        f"{address}/blob/main/src/qdtm/model.py",
        f"{address}/tree/main/src",
        "../method.md#x",
        "https://example.org",
        "../notebooks/first-question.md",
    ]
    assert not caplog.records
    Markdown(extensions=[extension]).convert("[gone](../../src/qdtm/gone.py)")
    assert "gone.py, which is not in the repository" in caplog.text


def test_the_commands_page_says_what_help_says() -> None:
    page = hook("command_reference").command_reference()
    assert "## qdtm fit" in page
    assert "| `--seed N` | The same seed, the same result. \\[default: 0; x\\>=0\\] |" in page
