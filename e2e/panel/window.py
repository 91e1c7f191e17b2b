"""A window of a real browser, which notes everything that must not happen on a page."""

import os
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHOTS = ROOT / "target/e2e/browser"
AXE = ROOT / "target/e2e/node_modules/axe-core/axe.min.js"
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1200, "height": 860}

# What the page is not allowed to do by its own policy is said on the console, where it is read.
WATCH = "addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"


def chromium():
    """The browser of the system: none is ever downloaded."""
    named = os.environ.get("APOSTILLE_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if not found:
        sys.exit("no Chromium is installed; `apt-get install chromium` brings one, or APOSTILLE_CHROMIUM names another")
    return found


def launched(playwright):
    # Its sandbox needs what a root user in a container does not have.
    args = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=chromium(), args=args)


class Window:
    """One context of the browser with one page. `address` is the only place that it may talk to."""

    def __init__(self, browser, address, **options):
        self.address = address
        self.wrong = []
        self.context = browser.new_context(**{"viewport": DESK, "accept_downloads": True, **options})
        self.context.set_default_timeout(8_000)
        self.context.add_init_script(WATCH)
        self.page = self.context.new_page()
        # A page that says no is an answer; that it could not be fetched is not.
        self.page.on("console", lambda it: self.note(f"console: {it.text}") if it.type == "error" and "status of 4" not in it.text else None)
        self.page.on("pageerror", lambda it: self.note(f"script: {it}"))
        self.page.on("request", lambda it: self.asked(it.url))
        self.page.on("response", lambda it: self.note(f"{it.status} {it.url}") if it.status >= 500 else None)

    def note(self, what):
        self.wrong.append(f"{self.page.url}: {what}")

    def asked(self, url):
        if not url.startswith((self.address + "/", "data:")):
            self.note(f"asked another server: {url}")

    def go(self, path):
        answer = self.page.goto(self.address + path, wait_until="load")
        assert answer.ok, f"{path}: {answer.status}"
        return self.page

    def overflow(self):
        """What is wider than the window."""
        return self.page.evaluate("""() => {
            const wide = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth <= wide) return [];
            const over = [...document.querySelectorAll('body *')].filter(it => it.getBoundingClientRect().right > wide + 1);
            return over.slice(0, 5).map(it => it.tagName + '.' + it.className + ' ' + Math.round(it.getBoundingClientRect().right));
        }""")

    def faults(self):
        """What axe finds that keeps somebody out."""
        if not self.page.evaluate("() => !!window.axe"):
            self.page.evaluate(AXE.read_text() + "; undefined")
        found = self.page.evaluate("() => axe.run({ resultTypes: ['violations'] })")
        return [f"{it['id']}: {node['target']} {node['failureSummary']}"
                for it in found["violations"] if it["impact"] in ("serious", "critical") for node in it["nodes"]]

    def shot(self, name):
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=True)

    def cookies(self):
        return self.context.storage_state()

    def close(self):
        self.context.close()
