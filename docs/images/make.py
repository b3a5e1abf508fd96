"""The two pictures of the README, made anew: the report and the app, of one query on the demo articles.

    python docs/images/make.py

In: Chromium and its driver, the extras `app` and `test`. Out: `report.png` and `app.png` beside this file.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

HERE = Path(__file__).parent
QUERY = "afghanistan"
WIDTH = 1_400  # pixels of a picture
MOST_BYTES = 250_000
PATIENCE = 180  # seconds: the first fit compiles its kernels


@contextmanager
def chromium() -> Iterator[Any]:
    """Give a browser without a window that shows pages as they look by daylight."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium refuses to have one as root
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    wishes = {"prefers-color-scheme": "light", "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in wishes.items()]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def running_app(workspace: Path) -> Iterator[str]:
    """Give the address of an app that ends with the block."""
    command = [sys.executable, "-m", "qdtm", "app", "--no-browser", "--port", "0"]
    process = subprocess.Popen([*command, "--workspace", str(workspace)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None, "the app did not start"
        yield found[0]
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


def find(driver: Any, css: str) -> Any:
    """Wait for what a selector finds, and return the first."""
    there = WebDriverWait(driver, PATIENCE, 0.1).until(
        lambda _: driver.find_elements("css selector", css), css
    )
    return there[0]


def photograph(driver: Any, path: Path) -> None:
    """Write what is on the screen."""
    path.write_bytes(driver.get_screenshot_as_png())
    assert path.stat().st_size < MOST_BYTES, f"{path.name} has {path.stat().st_size:,} bytes"


def resize(driver: Any, width: int, height: int) -> None:
    """Make the screen that large, with as many pixels as a picture is wide."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": WIDTH / width, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def photograph_report(driver: Any, folder: Path) -> None:
    """Fit the query at the command line, and show the subtopics in the report."""
    result = folder / "result"
    subprocess.run([sys.executable, "-m", "qdtm", "demo", "-q", QUERY, "-o", str(result)], check=True)
    resize(driver, 1_000, 682)
    driver.get((result / "report.html").as_uri())
    subtopics = driver.find_element("xpath", "//h3[.='Subtopics']")
    driver.execute_script("scrollTo(0, arguments[0].getBoundingClientRect().top - 64)", subtopics)
    photograph(driver, HERE / "report.png")


def photograph_app(driver: Any, folder: Path) -> None:
    """Ask in the app, and show what it answers before any fit."""
    with running_app(folder / "workspace") as address:
        resize(driver, 1_200, 790)
        driver.get(address)
        find(driver, "#use-demo").click()
        find(driver, ".query-text input").send_keys(QUERY)
        find(driver, "section.first:not(.stale) ol.documents")
        photograph(driver, HERE / "app.png")


def main() -> None:
    """Make both pictures."""
    with tempfile.TemporaryDirectory() as folder, chromium() as driver:
        photograph_report(driver, Path(folder))
        photograph_app(driver, Path(folder))


if __name__ == "__main__":
    main()
