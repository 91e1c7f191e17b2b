"""Every page as it looks: in light, in dark, on a phone, and without script. Each is kept as a picture."""

from panel.window import DESK, PHONE, Window

# Every page, by the name of its picture.
PAGES = {
    "memories": "/",
    "found": "/?q=RETRIES",
    "filtered": "/?status=any&kind=project",
    "nothing-found": "/?tag=no-such-tag",
    "memory-holds": "/memories/m-5",
    "memory-moved": "/memories/m-6",
    "memory-changed": "/memories/m-7",
    "memory-gone": "/memories/m-8",
    "memory-superseded": "/memories/m-10",
    "memory-pending": "/memories/m-15",
    "memory-of-a-person": "/memories/u-1",
    "review": "/review",
    "sessions": "/sessions",
    "session": "/sessions/panel-session-1",
    "conversations": "/conversations",
    "conversations-found": "/conversations?q=how+many+attempts+does+the+retrier+make",
    "conversation": "/conversations/c-1",
    "tasks": "/tasks",
    "task": "/tasks/move-the-api-to-version-4",
    "task-done": "/tasks/rename-the-cache",
    "report": "/tasks?since=2026-01-01",
    "health": "/vitals",
    "health-long": "/vitals?days=90",
    "ask": "/ask",
    "asked": "/ask?prompt=How+many+RETRIES+does+a+call+have%3F",
}
LOOKS = {
    "light": {"color_scheme": "light", "viewport": DESK},
    "dark": {"color_scheme": "dark", "viewport": DESK},
    "phone": {"color_scheme": "light", "viewport": PHONE, "has_touch": True},
}

# Every control that can be seen, in the order of the page; what is in a closed part is not seen.
CONTROLS = """() => [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
    .filter(it => it.checkVisibility({ visibilityProperty: true }) && !it.disabled).length"""
# The control that has the focus, whether that is seen, and whether it was met before.
FOCUS = """() => {
    const it = document.activeElement;
    if (!it || it === document.body) return null;
    const style = getComputedStyle(it);
    const is_new = !it.dataset.met;
    it.dataset.met = 'yes';
    return { is_new, what: it.outerHTML.slice(0, 120), is_seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 };
}"""


def looks(browser, address, cookies):
    """What is wrong with the looks of any page."""
    for look, options in LOOKS.items():
        window = Window(browser, address, storage_state=cookies, **options)
        for name, path in PAGES.items():
            window.go(path)
            yield from (f"{look} {name}: wider than the window: {it}" for it in window.overflow())
            # What is folded up is looked at, too.
            window.page.evaluate("() => document.querySelectorAll('main details').forEach(it => { it.open = true; })")
            yield from (f"{look} {name}, unfolded: wider than the window: {it}" for it in window.overflow())
            if look != "phone":
                yield from (f"{look} {name}: {it}" for it in window.faults())
            window.page.evaluate("() => document.querySelectorAll('main details').forEach(it => { it.open = false; })")
            window.shot(f"{name}-{look}")
        yield from window.wrong
        window.close()


def painted_alone(browser, address, cookies):
    """The first paint comes from this server alone."""
    window = Window(browser, address, storage_state=cookies)
    window.go("/")
    window.page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length > 0")
    fetched = window.page.evaluate("() => performance.getEntriesByType('resource').map(it => it.name)")
    yield from (f"fetched from elsewhere: {it}" for it in fetched if not it.startswith(address + "/"))
    yield from window.wrong
    window.close()


def plain(browser, address, cookies):
    """Without script everything can be read, looked for and done."""
    window = Window(browser, address, storage_state=cookies, java_script_enabled=False)
    for name, path in PAGES.items():
        page = window.go(path)
        if len(page.locator("main").inner_text()) < 40:
            yield f"without script {name}: next to nothing is there"
    page = window.go("/")
    page.get_by_role("searchbox").fill("RETRIES")
    page.get_by_role("button", name="Search", exact=True).click()
    if page.locator(".entry .handle").first.inner_text() != "m-5":
        yield "without script: a search does not find m-5"
    page = window.go("/vitals")
    page.locator("#stages summary").click()
    if page.locator("#stages tbody tr").count() != 30:
        yield "without script: the figures of a plot are not 30 days"
    yield from window.wrong
    window.close()


def focus(browser, address, cookies):
    """Tab leads to every control that is seen, and one sees where it is."""
    window = Window(browser, address, storage_state=cookies)
    for name in ["memories", "memory-changed", "review", "session", "tasks", "task", "health", "ask"]:
        page = window.go(PAGES[name])
        wanted, met = page.evaluate(CONTROLS), 0
        for _ in range(wanted + 5):
            page.keyboard.press("Tab")
            it = page.evaluate(FOCUS)
            if it is None or not it["is_new"]:
                break
            met += 1
            if not it["is_seen"]:
                yield f"{name}: nobody sees that this has the focus: {it['what']}"
        if met < wanted:
            yield f"{name}: Tab leads to {met} of {wanted} controls"
    yield from window.wrong
    window.close()


def alarms(browser, address, cookies):
    """Whatever must not happen is noticed when it does."""
    window = Window(browser, address, storage_state=cookies)
    page = window.go("/vitals")
    page.evaluate("() => { const it = document.createElement('img'); it.src = '/panel.css'; document.querySelector('main').append(it); }")
    if not any(it.startswith("image-alt") for it in window.faults()):
        yield "a picture without words is not noticed"
    page.evaluate("() => { const it = document.createElement('div'); it.style.width = '3000px'; it.textContent = 'wide'; document.body.append(it); }")
    if not window.overflow():
        yield "what is too wide is not noticed"
    policy = page.expect_console_message(lambda it: it.text.startswith("policy: "))
    with policy, page.expect_console_message(lambda it: it.text == "told"), page.expect_event("pageerror"):
        page.evaluate("""() => {
            setTimeout(() => { throw new Error('on purpose'); });
            fetch('https://example.invalid/').catch(() => console.error('told'));
        }""")
    said = " ".join(window.wrong)
    yield from (f"{it} is not noticed" for it in ["script: on purpose", "policy: connect-src", "console: told"] if it not in said)
    page = window.go("/")
    page.evaluate("() => document.querySelectorAll('a').forEach(it => { it.style.outline = 'none'; })")
    page.keyboard.press("Tab")
    if page.evaluate(FOCUS)["is_seen"]:
        yield "a focus that nobody sees is not noticed"
    window.close()
