"""A running app and a browser for it; both are skipped with a reason where they cannot be had."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .driving import ENTER, Page, RunningApp, assert_quiet, words


@pytest.fixture(scope="session")
def start_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., RunningApp]]:
    pytest.importorskip("nicegui", reason="needs the extra 'app'")
    running: list[RunningApp] = []

    def start(*options: str, workspace: Path | None = None) -> RunningApp:
        place = workspace or tmp_path_factory.mktemp("app") / "workspace"
        running.append(RunningApp(place, *options))
        return running[-1]

    yield start
    for app in running:
        app.stop()


@pytest.fixture(scope="session")
def app(start_app: Callable[..., RunningApp]) -> RunningApp:
    return start_app()


@pytest.fixture(scope="session")
def start_browser() -> Iterator[Callable[..., Any]]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium (the extra 'test')")
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("needs chromium and chromedriver (apt-get install chromium chromium-driver)")
    drivers: list[Any] = []

    def start(width: int = 1280, height: int = 900) -> Any:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage",
                         "--force-prefers-reduced-motion", f"--window-size={width},{height}"):  # fmt: skip
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # Chromium refuses to have one as root
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        drivers.append(webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver)))
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        drivers[-1].execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        return drivers[-1]

    yield start
    for driver in drivers:
        driver.quit()


@pytest.fixture(scope="session")
def browser(start_browser: Callable[..., Any]) -> Any:
    return start_browser()


@pytest.fixture
def page(app: RunningApp, browser: Any) -> Page:
    browser.delete_all_cookies()
    found = Page(browser, app.address)
    found.requests()
    found.problems()
    return found


@pytest.fixture(scope="session")
def afghanistan(app: RunningApp, browser: Any) -> str:
    """The result of a fit on the demo articles, made by hand: query, chips, progress."""
    page = Page(browser, app.address)
    page.open("/")
    page.click("#use-demo")
    page.type(".query-text input", "afghanistn")
    page.says("Absent.")
    page.click("[data-act=use][data-value='afghanistn afghanistan']")
    page.says("Answerable.")
    page.until(lambda _: "afghanistan" in words(page))

    proposed = words(page)[1]
    page.click(f"[data-act=evidence][data-value='{proposed}']")
    assert page.find(".evidence mark.m3").text.lower().startswith(proposed[:3])
    page.click(f"[data-act=drop][data-value='{proposed}']")
    page.find(f"[data-act=restore][data-value='{proposed}']")
    page.until(lambda _: proposed not in words(page))
    page.type("input[aria-label='Add a concept word']", "tennis", ENTER)
    page.until(lambda _: "tennis" in words(page))

    page.find("#find-topics:not([disabled])")
    page.type(".query-text input", ENTER)
    page.find(".stop-fit, .open-result")  # so few articles may be done before anybody can look
    page.until(lambda _: "fit=" in page.path)
    page.driver.refresh()  # in the middle of it
    page.click(".open-result")
    page.find("article.q-card")
    assert_quiet(page, app)
    return page.path.split("/")[2].partition("?")[0]
