"""The panel in a real browser: every page and everything that can be done there, in light, in dark and on a phone.

The store is filled through the program itself. Pictures of all pages are left in target/e2e/browser. Names of parts
may be given to run only those: alarms, looks, alone, plain, focus, or what is done, such as search.
"""

import shutil
import sys
import time

from playwright.sync_api import Error, sync_playwright

from panel import looks
from panel.acts import ACTS
from panel.stage import Stage
from panel.window import AXE, SHOTS, Window, launched

SIGHTS = {
    "alarms": looks.alarms, "looks": looks.looks, "alone": looks.painted_alone, "plain": looks.plain, "focus": looks.focus,
}


def seen(browser, address, cookies, wanted):
    """What only looks."""
    for name, sight in SIGHTS.items():
        if not wanted or name in wanted:
            began = time.monotonic()
            wrong = [f"{name}: {it}" for it in sight(browser, address, cookies)]
            yield name, wrong, time.monotonic() - began


def done(browser, address, cookies, stage, link, wanted):
    """What does something."""
    for act in ACTS:
        if wanted and act.__name__ not in wanted:
            continue
        began = time.monotonic()
        window = Window(browser, address, storage_state=cookies, color_scheme="light")
        try:
            act(window, stage, link)
        except (AssertionError, Error) as error:
            window.note(f"{type(error).__name__}: {error}")
            window.shot(f"failed-{act.__name__}")
        yield act.__name__, [f"{act.__name__}: {it}" for it in window.wrong], time.monotonic() - began
        window.close()


def main(wanted):
    if not AXE.exists():
        sys.exit(f"{AXE} is not there; e2e/run installs it")
    shutil.rmtree(SHOTS, ignore_errors=True)
    SHOTS.mkdir(parents=True)
    wrong = 0
    with Stage() as stage, sync_playwright() as playwright:
        stage.fill()
        address, link = stage.serve_panel()
        browser = launched(playwright)
        first = Window(browser, address)
        first.page.goto(link)
        cookies = first.cookies()
        first.close()
        parts = list(seen(browser, address, cookies, wanted))
        parts += done(browser, address, cookies, stage, link, wanted)
        browser.close()
    for name, found, seconds in parts:
        print(f"   {name}: {f'{len(found)} wrong' if found else 'as it should be'}, {seconds:.1f} s")
        for it in found[:20]:
            print(f"     {it}")
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
