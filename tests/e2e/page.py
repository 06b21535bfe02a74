"""The page of report_results in a real browser: what a person does with it.

    page.py PAGE FOLDER     prints TAP; screenshots go into FOLDER

Needs Selenium and Chromium.  Width of a desktop and of a phone.
"""
import os
import sys

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

page, folder = sys.argv[1], sys.argv[2]
count = 0


def verdict(name, ok):
    global count
    count += 1
    print("%sok %d - %s" % ("" if ok else "not ", count, name))


def browser(width, height):
    options = Options()
    for o in ("--headless", "--no-sandbox", "--disable-gpu",
              "--disable-dev-shm-usage", "--force-color-profile=srgb",
              "--user-data-dir=" + os.path.join(folder, "p%d" % width)):
        options.add_argument(o)
    options.add_argument("--window-size=%d,%d" % (width, height))
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = Service("/usr/bin/chromedriver")
    return webdriver.Chrome(service=service, options=options)


def column(table, k):
    return [r.find_elements(By.CSS_SELECTOR, "td")[k].text
            for r in table.find_elements(By.CSS_SELECTOR, "tbody tr")
            if r.is_displayed()]


def desktop():
    b = browser(1280, 900)
    b.get("file://" + os.path.abspath(page))
    verdict("nothing is refused or fails on the page",
            [x for x in b.get_log("browser")] == [])
    verdict("hostile text ran no script",
            b.execute_script("return typeof window.hostile") == "undefined")
    table = b.find_element(By.CSS_SELECTOR, ".scroll table")
    heads = table.find_elements(By.CSS_SELECTOR, "thead th")
    names = [h.text.split("\n")[0] for h in heads]
    gpus = [i for i, n in enumerate(names) if n.startswith("GPUs")][0]
    button = heads[gpus].find_element(By.CSS_SELECTOR, "button")
    button.click()
    up = [int(x) for x in column(table, gpus)]
    verdict("a click sorts upwards", up == sorted(up) and
            heads[gpus].get_attribute("aria-sort") == "ascending")
    button.send_keys(Keys.ENTER)
    down = [int(x) for x in column(table, gpus)]
    verdict("the keyboard sorts downwards", down == sorted(up)[::-1] and
            up != down)
    box = b.find_element(By.CSS_SELECTOR, ".filter input")
    box.send_keys("1n1g")
    left = column(table, gpus)
    verdict("a filter leaves what it names",
            0 < len(left) < len(up) and set(left) == {"1"})
    box.send_keys(Keys.CONTROL, "a")
    box.send_keys(Keys.DELETE)
    verdict("an empty filter leaves all", len(column(table, gpus)) == len(up))
    link = table.find_element(By.CSS_SELECTOR, "tbody a")
    target = b.find_element(By.ID, link.get_attribute("href").split("#")[1])
    verdict("what a number stands on is closed at first",
            target.get_attribute("open") is None)
    link.click()
    verdict("a number opens what it stands on",
            target.get_attribute("open") is not None and
            len(target.find_elements(By.CSS_SELECTOR, "tbody tr")) > 0)
    b.save_screenshot(os.path.join(folder, "desktop.png"))
    size = b.execute_script("return document.documentElement.scrollHeight")
    b.set_window_size(1280, size + 100)
    b.save_screenshot(os.path.join(folder, "whole.png"))
    verdict("charts have a title for those who do not see them",
            all(s.find_elements(By.CSS_SELECTOR, "title") for s in
                b.find_elements(By.CSS_SELECTOR, "figure > svg")))
    b.quit()


def phone():
    b = browser(500, 900)
    # The narrowest window that Chromium has is wider than a phone.
    b.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True})
    b.get("file://" + os.path.abspath(page))
    verdict("a phone scrolls no page sideways", b.execute_script(
        "return document.documentElement.scrollWidth") <= 390)
    b.save_screenshot(os.path.join(folder, "phone.png"))
    b.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": "dark"}]})
    dark = b.execute_script(
        "return getComputedStyle(document.body).backgroundColor")
    verdict("a dark page where that is asked for", dark == "rgb(22, 24, 28)")
    b.save_screenshot(os.path.join(folder, "dark.png"))
    b.quit()


desktop()
phone()
print("1..%d" % count)
