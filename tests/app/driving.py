"""A server in a process of its own, and a browser with words for what a person does."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_ADDRESS = re.compile(r"http://\S+")

ENTER = "\ue007"
BACKSPACE = "\ue003"
CONTROL = "\ue009"
_GONE = "does not belong to the document"

PATIENCE = 300
"""Seconds until something that is waited for counts as missing: machines can be busy."""


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something holds that nobody tells of; fail if it does not in all patience."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "what was waited for did not come"
        time.sleep(0.1)


class RunningApp:
    """A server in a process of its own."""

    def __init__(self, workspace: Path, *options: str) -> None:
        self.workspace = workspace
        command = [
            sys.executable,
            "-m",
            "qdtm",
            "app",
            "--no-browser",
            "--port",
            "0",
            "--workspace",
            str(workspace),
        ]
        self.log = (workspace.parent / f"{workspace.name}.log").open("w+")
        self.process = subprocess.Popen(
            [*command, *options], stdout=subprocess.PIPE, stderr=self.log, text=True, start_new_session=True
        )
        assert self.process.stdout is not None
        found = _ADDRESS.search(self.process.stdout.readline())
        assert found is not None, "the server did not start"
        self.address = found[0]

    def stop(self, signal_number: int = signal.SIGTERM) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
        self.process.wait(timeout=PATIENCE)

    def errors(self) -> str:
        self.log.flush()
        return Path(self.log.name).read_text()


class Page:
    """A browser with words for what a person does; everything waits for what it needs, nothing sleeps."""

    def __init__(self, driver: Any, address: str) -> None:
        self.driver, self.address = driver, address

    def open(self, path: str = "/") -> None:
        self.driver.get(path if path.startswith("http") else self.address + path)

    def until(self, condition: Callable[[Any], Any], seconds: float = PATIENCE, message: str = "") -> Any:
        from selenium.common.exceptions import (
            JavascriptException,
            StaleElementReferenceException,
            WebDriverException,
        )
        from selenium.webdriver.support.ui import WebDriverWait

        def holds(driver: Any) -> Any:
            try:
                return condition(driver)
            except WebDriverException as error:
                if _GONE in str(error):  # the page was renewed in between, and the driver does not know it
                    return False
                raise

        ignored = (StaleElementReferenceException, JavascriptException)
        return WebDriverWait(self.driver, seconds, 0.05, ignored).until(holds, message)

    def find(self, css: str, seconds: float = PATIENCE) -> Any:
        return self.until(lambda _: self.all(css), seconds, f"nothing like {css} at {self.path}")[0]

    def all(self, css: str) -> list[Any]:
        return self.driver.find_elements("css selector", css)

    def gone(self, css: str) -> None:
        self.until(lambda _: not self.all(css), message=f"{css} is still there")

    def click(self, css: str) -> None:
        from selenium.common.exceptions import (
            ElementClickInterceptedException,
            ElementNotInteractableException,
        )

        def try_click(_: Any) -> bool:
            found = self.find(css)
            try:
                found.click()
            except (ElementClickInterceptedException, ElementNotInteractableException):
                self.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", found)
                return False  # it was below a bar that stays in view
            return True

        self.until(try_click, message=f"{css} cannot be clicked")

    def choose(self, act: str, subtopic: str) -> None:
        """Choose from the menu of a subtopic's card, wherever it stands on the screen."""
        press = """const menu = document.querySelector(`[data-key="menu-${arguments[0]}"]`);
        if (!menu) return false;
        menu.click();
        const item = menu.parentElement.querySelector(`[data-act="${arguments[1]}"]`);
        if (!menu.parentElement.open || !item.checkVisibility()) return false;
        item.click();
        return true;"""
        self.until(lambda driver: driver.execute_script(press, subtopic, act))

    def type(self, css: str, *keys: str) -> None:
        self.find(css).send_keys(*keys)

    def clear(self, css: str) -> None:
        def is_empty(_: Any) -> bool:
            field = self.find(css)
            field.send_keys(CONTROL + "a", BACKSPACE)
            return bool(field.get_attribute("value") == "")

        self.until(is_empty)

    def press(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def upload(self, *paths: Path) -> None:
        self.find("#choose-file")

        def put(_: Any) -> bool:
            self.find("input[type=file]").send_keys("\n".join(map(str, paths)))
            return True

        self.until(put)

    def says(self, text: str, seconds: float = PATIENCE) -> None:
        self.until(lambda _: text in self.text, seconds, f"{text!r} is not on the page")

    @property
    def text(self) -> str:
        return str(self.driver.find_element("css selector", "body").text)

    @property
    def path(self) -> str:
        return str(self.driver.current_url).removeprefix(self.address)

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since this was last called."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        sockets = [m["params"]["url"] for m in messages if m["method"] == "Network.webSocketCreated"]
        return [params["request"]["url"] for params in sent] + sockets

    def problems(self) -> list[str]:
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]


def words(page: Page) -> list[str]:
    return [button.get_attribute("data-value") for button in page.all(".chips [data-act=evidence]")]


def assert_quiet(page: Page, app: RunningApp) -> None:
    """Nothing was asked for elsewhere, nothing failed, no trace reached the page."""
    asked = page.requests()
    assert asked
    own = (page.address, page.address.replace("http", "ws"), "data:", "blob:")
    assert [url for url in asked if not url.startswith(own)] == []
    assert page.problems() == []
    assert "Traceback" not in page.text
    assert "Traceback" not in app.errors()
