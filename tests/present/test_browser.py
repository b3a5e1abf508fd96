"""The page in a real browser: no request, no overflow, no error, filters that filter, at two widths."""

import json
import shutil

import pytest

from qdtm.present.report import write_report

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not installed"),
]


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.execute_cdp_cmd("Network.enable", {})
    yield driver
    driver.quit()


def show(browser, path, width, scheme="light"):
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in wishes.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(path.as_uri())


def requests(browser):
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


@pytest.fixture(scope="module")
def hostile_file(hostile_page, tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    path.write_text(hostile_page, encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_opens_alone_and_fits(browser, hostile_file, width, scheme):
    path = hostile_file
    browser.get_log("performance")
    browser.get_log("browser")
    show(browser, path, width, scheme)
    assert requests(browser) == [path.as_uri()]
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(251, 250, 247)") == (scheme == "light")


def test_filter_and_disclosure(browser, result, tmp_path):
    show(browser, write_report(result, tmp_path / "report.html"), 1280)
    shown = "return [...document.querySelectorAll('ol.documents > li')].filter(e => e.offsetParent).length"
    before = browser.execute_script(shown)
    button = browser.find_element("css selector", ".filter button:nth-child(2)")
    chosen = button.get_attribute("data-subtopic")
    number = int(chosen.split(".")[0]) + 1
    others = f"#d{number} > li:not([data-subtopic='{chosen}'])"
    browser.execute_script("arguments[0].dataset.subtopic = 'other'", first_document(browser, number))
    button.click()
    assert (
        browser.execute_script(shown) == before - len(browser.find_elements("css selector", others)) < before
    )
    assert button.get_attribute("aria-pressed") == "true"
    browser.find_element("css selector", f"[data-for=d{number}] button:first-child").click()
    assert browser.execute_script(shown) == before
    browser.find_element("css selector", ".asked > summary").click()
    browser.find_element("css selector", ".words summary").click()
    assert browser.find_element("css selector", ".words details[open] mark").is_displayed()


def first_document(browser, number):
    return browser.find_element("css selector", f"#d{number} > li")


def test_paper_has_the_methods_and_no_bookkeeping(browser, result, tmp_path):
    show(browser, write_report(result, tmp_path / "report.html"), 1280)
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    opened = browser.find_elements("css selector", "details[open]")
    assert [each.get_attribute("class") for each in opened] == ["printed"]
    assert browser.print_page()


def test_contents_stay_in_reach(browser, result, tmp_path):
    path = write_report(result, tmp_path / "report.html")
    for width, css in ((1280, "nav.contents"), (390, ".menu summary")):
        show(browser, path, width)
        browser.execute_script("scrollTo(0, document.documentElement.scrollHeight)")
        top = browser.execute_script(f"return document.querySelector('{css}').getBoundingClientRect().top")
        assert 0 <= top < 60
    browser.find_element("css selector", ".menu summary").click()
    browser.find_element("css selector", ".menu nav a").click()
    assert browser.find_element("css selector", ".menu").get_attribute("open") is None
