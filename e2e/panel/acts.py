"""Everything that can be done in the panel, done as a person does it. The order matters: they share one store."""

import datetime
import json

from playwright.sync_api import expect


def handles(page):
    return page.locator(".entry .handle").all_inner_texts()


def told(page, text):
    """The page says what was done."""
    expect(page.locator(".notice").first).to_contain_text(text)


def unfolded(page, name):
    """A part of the page that is folded up, opened."""
    part = page.locator("details", has=page.locator("summary", has_text=name)).first
    part.locator("summary").first.click()
    return part


def one_time_link(window, stage, link):
    """The printed link opened the panel, and opens it to nobody else."""
    answer = window.page.goto(link)
    assert answer.status == 401, answer.status
    expect(window.page.locator("body")).to_contain_text("used before")


def search(window, stage, link):
    page = window.go("/")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("how many RETRIES")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?*q=how*")
    assert handles(page)[0] == "m-5", handles(page)


def filters(window, stage, link):
    """Each value of each filter is taken, and those that something is known of find it."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    known = {
        "layer": {"identity": "u-1", "session": "m-9"},
        "kind": {"user": "u-2", "reference": "m-4"},
        "status": {"superseded": "m-10", "invalid": "m-12", "retired": "m-2", "pending": "m-15"},
        "origin": {"user": "m-69", "agent": "m-84"},
        "verdict": {"stands": "m-5", "contradicted": "m-7", "gone": "m-8", "stated": "m-82"},
    }
    for name, some in known.items():
        page = window.go("/")
        unfolded(page, "Filters")
        for value in page.locator(f"#{name} option").evaluate_all("all => all.map(it => it.value).filter(it => it)"):
            # The filters stay open while one is in use.
            page.select_option(f"#{name}", value)
            page.get_by_role("button", name="Filter", exact=True).click()
            page.wait_for_url(f"**{name}={value}**")
            expect(page.locator(f"#{name}")).to_have_value(value)
            found = handles(page)
            assert some.get(value) is None or some[value] in found, f"{name}={value}: {found}"
            if name == "verdict":
                badges = set(page.locator(".entry .margin .badge").all_inner_texts())
                assert badges <= {value}, f"{value}: {badges}"
    for name, value, wanted in [
        ("tag", "limits", "m-5"), ("path", "src/limits.rs", "m-11"), ("since", str(today), "m-84"),
        ("until", str(today - datetime.timedelta(days=1)), None),
    ]:
        window.go("/")
        unfolded(page, "Filters")
        page.fill(f"#{name}", value)
        page.get_by_role("button", name="Filter", exact=True).click()
        page.wait_for_url(f"**{name}=**")
        found = handles(page)
        assert (wanted in found) if wanted else not found, f"{name}={value}: {found}"


def paging(window, stage, link):
    page = window.go("/?layer=knowledge")
    seen = handles(page)
    while page.locator("a[rel=next]").count():
        page.locator("a[rel=next]").click()
        page.wait_for_load_state()
        assert not set(seen) & set(handles(page)), "a memory stands on two pages"
        seen += handles(page)
    assert len(seen) > 60, len(seen)
    page.locator("a[rel=first]").click()
    page.wait_for_load_state()
    assert handles(page)[0] == seen[0]


def edit(window, stage, link):
    page = window.go("/memories/m-6")
    part = unfolded(page, "Edit or correct")
    part.get_by_label("Fact").fill("PAGE_SIZE is 50 rows")
    part.get_by_role("button", name="Save").click()
    told(page, "takes the place of the one before")
    page.get_by_role("button", name="Undo").click()
    told(page, "Taken back")


def correct(window, stage, link):
    page = window.go("/memories/m-3")
    part = unfolded(page, "Edit or correct")
    part.get_by_label("Fact").fill("Reviews ask for a test with every change")
    part.get_by_label("What is it?").select_option("correction")
    part.get_by_role("button", name="Save").click()
    told(page, "correction")


def refresh(window, stage, link):
    page = window.go("/memories/m-5")
    unfolded(page, "Refresh").get_by_role("button", name="Refresh").click()
    told(page, "Refreshed")


def invalidate(window, stage, link):
    page = window.go("/memories/m-5")
    part = unfolded(page, "Invalidate")
    part.get_by_label("What is wrong?").fill("only for this test")
    part.get_by_role("button", name="Invalidate").click()
    told(page, "Marked as wrong")
    expect(page.locator("main")).to_contain_text("invalid")
    page.get_by_role("button", name="Undo").click()
    told(page, "Taken back")
    assert stage.ana("show", "m-5")["memory"]["status"] == "active"


def promote(window, stage, link):
    page = window.go("/memories/m-9")
    unfolded(page, "Promote").get_by_role("button").click()
    told(page, "Promoted")


def forget(window, stage, link):
    page = window.go("/memories/m-4")
    unfolded(page, "Forget").get_by_role("button", name="Forget for good").click()
    # Nothing is forgotten by a slip of the hand.
    expect(page.locator(".notice")).to_be_visible()
    assert stage.ana("show", "m-4")["memory"]["status"] == "active"
    page = window.go("/memories/m-4")
    part = unfolded(page, "Forget")
    part.get_by_label("I know that this cannot be undone").check()
    part.get_by_role("button", name="Forget for good").click()
    told(page, "Forgotten")
    assert page.goto(f"{window.address}/memories/m-4").status == 404
    assert "Tests run with" not in json.dumps(stage.ana("log", "--limit", "500"))


def approve_and_reject(window, stage, link):
    page = window.go("/memories/m-16")
    unfolded(page, "Approve").get_by_role("button", name="Approve").click()
    told(page, "Accepted")
    page = window.go("/memories/m-15")
    unfolded(page, "Reject").get_by_role("button", name="Reject").click()
    told(page, "Rejected")


def close_breaker(window, stage, link):
    page = window.go("/vitals")
    expect(page.locator(".tripped")).to_contain_text("13 new memories")
    page.get_by_role("button", name="Close this breaker").click()
    told(page, "Closed")
    expect(page.locator("main")).to_contain_text("No breaker is open")
    assert stage.ana("breaker")["breakers"] == []


def accept_safe(window, stage, link):
    page = window.go("/review")
    page.get_by_role("button", name="Accept all that is safe").click()
    told(page, "Accepted all that was safe")
    page.get_by_role("button", name="Undo").click()
    told(page, "Taken back")


def review_by_mouse(window, stage, link):
    page = window.go("/review?all=1")
    before = page.locator(".waiting").count()
    page.locator(".waiting", has_text="m-84").get_by_role("button", name="Merge into m-4").click()
    told(page, "Merged")
    page = window.go("/review?all=1")
    assert page.locator(".waiting").count() == before - 1
    card = page.locator(".waiting", has_text="m-17").first
    card.locator("summary", has_text="Edit").click()
    card.get_by_label("Fact").fill("RETRIES is 5 for every call")
    card.get_by_role("button", name="Keep these words").click()
    expect(page.locator(".notice").first).to_be_visible()


def review_by_keyboard(window, stage, link):
    page = window.go("/review?all=1")
    at = lambda: page.locator(".waiting.here .handle").first.inner_text()
    first = at()
    page.keyboard.press("j")
    second = at()
    assert first != second
    page.keyboard.press("k")
    assert at() == first
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    expect(page.locator(".waiting.here textarea").first).to_be_focused()
    page.keyboard.press("Escape")
    page = window.go("/review?all=1")
    page.keyboard.press("a")
    told(page, "Accepted")
    page.keyboard.press("u")
    told(page, "Taken back")
    page = window.go("/review?all=1")
    page.keyboard.press("j")
    # The key leads to the reason, where no letter is a key any more; what is typed there is sent with Enter.
    page.keyboard.press("r")
    page.keyboard.type("untrue")
    page.keyboard.press("Enter")
    told(page, "Rejected")


def ask(window, stage, link):
    page = window.go("/ask")
    page.get_by_label("What would you ask an agent here?").fill("How many RETRIES does a call have?")
    page.get_by_role("button", name="See what it would be given").click()
    expect(page.locator("pre").first).to_contain_text("RETRIES = 5")
    expect(page.locator(".factors").first).to_contain_text("relevance")
    page.get_by_label("What would you ask an agent here?").fill("ignore memory: what is two and two?")
    page.get_by_role("button", name="See what it would be given").click()
    expect(page.locator("main")).to_contain_text("asks to leave memory out of it")


def sessions(window, stage, link):
    page = window.go("/sessions")
    expect(page.locator(".entry", has_text="panel-session-1")).to_contain_text("words from outside")
    page.get_by_role("link", name="panel-session-1").click()
    expect(page.locator("main")).to_contain_text("you asked to leave memory out of it")
    expect(page.locator(".showing", has_text="m-7")).to_contain_text("withheld")
    page.locator(".showing", has_text="m-5").locator("summary").click()
    expect(page.locator(".showing", has_text="m-5")).to_contain_text("relevance")
    page.locator(".showing", has_text="m-5").get_by_role("link").click()
    page.wait_for_url("**/memories/m-5**")


def conversations(window, stage, link):
    """What was said is found, the later conversation first; it becomes a memory, and is forgotten."""
    page = window.go("/conversations")
    page.keyboard.press("/")
    page.keyboard.type("how many attempts does the retrier make")
    page.keyboard.press("Enter")
    page.wait_for_url("**/conversations?*q=how*")
    expect(page.locator(".entry").first).to_contain_text("later than c-1, about the same thing")
    expect(page.locator(".entry").first).to_contain_text("at most 9 attempts")
    page.get_by_role("link", name="c-2").click()
    part = page.locator("#p-3")
    part.get_by_text("Remember this").click()
    part.get_by_label("Fact").fill("The retrier makes at most 9 attempts")
    part.get_by_role("button", name="Remember").click()
    page.wait_for_url("**/memories/m-**")
    told(page, "Remembered")
    expect(page.locator("main")).to_contain_text("said by the user")
    page = window.go("/conversations/c-1")
    told(page, "You spoke about the same thing later")
    part = page.locator("#p-3")
    part.get_by_text("Forget this").click()
    part.get_by_role("button", name="Forget for good").click()
    told(page, "tick the box first")
    part.get_by_label("I know that this cannot be undone").check()
    part.get_by_role("button", name="Forget for good").click()
    told(page, "Forgotten")
    expect(page.locator("main")).not_to_contain_text("at most 7 attempts")


def tasks(window, stage, link):
    page = window.go("/tasks")
    expect(page.locator(".entry").first).to_contain_text("active")
    page.get_by_role("link", name="Move the API to version 4").first.click()
    expect(page.locator(".timeline")).to_contain_text("unblocked")
    expect(page.locator("main")).to_contain_text("Waiting for the mobile client")
    expect(page.get_by_role("img", name="The phases and gates")).to_be_visible()
    page.get_by_role("link", name="← All tasks").click()
    page.get_by_role("link", name="Rename the cache").first.click()
    expect(page.locator("main")).to_contain_text("The cache has its new name everywhere")


def report(window, stage, link):
    page = window.go("/tasks")
    for name in ["Today", "7 days", "30 days"]:
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "true")
        expect(page.locator("main")).to_contain_text("The cache has its new name everywhere")
    part = unfolded(page, "Another span")
    part.get_by_label("Since").fill("2020-01-01")
    part.get_by_label("Until").fill("2020-02-01")
    part.get_by_role("button", name="Show").click()
    expect(page.locator("main")).to_contain_text("Nothing was written down in this time")
    page.get_by_label("Since").fill("the day before")
    page.get_by_role("button", name="Show").click()
    told(page, "is neither")


def health(window, stage, link):
    page = window.go("/vitals")
    for days in ["7", "90", "30"]:
        page.get_by_role("link", name=f"{days} days", exact=True).click()
        page.wait_for_url(f"**days={days}**")
        assert page.locator("#stages tbody tr").count() == int(days)
    for name in ["Memories by status", "Verification", "Applied of shown", "Refusals by class", "Hook latency"]:
        expect(page.get_by_role("img", name=name)).to_be_visible()
    page.locator("#refused summary").click()
    expect(page.locator("#refused table")).to_be_visible()
    stale = page.locator(".finding", has_text="stale")
    stale.locator("summary").first.click()
    stale.get_by_role("link", name="m-7").click()
    page.wait_for_url("**/memories/m-7**")


def export(window, stage, link):
    page = window.go("/")
    for name, ending, begins in [("JSON", "json", "{"), ("Markdown", "md", "#"), ("JSON lines", "jsonl", "{")]:
        with page.expect_download() as got:
            page.get_by_role("link", name=name, exact=True).click()
        assert got.value.suggested_filename == f"myorg-myapp.{ending}", got.value.suggested_filename
        text = open(got.value.path()).read()
        assert text.startswith(begins) and "RETRIES = 5" in text, text[:200]


def theme(window, stage, link):
    page = window.go("/")
    colour = lambda: page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    light = colour()
    page.get_by_role("button", name="Switch between light and dark").click()
    dark = colour()
    assert light != dark
    page = window.go("/vitals")
    assert colour() == dark, "the theme is forgotten on the next page"
    page.get_by_role("button", name="Switch between light and dark").click()
    assert colour() == light


def live(window, stage, link):
    """A page says so when somebody else writes."""
    with window.page.expect_response("**/live**") as got:
        page = window.go("/")
    assert got.value.ok, got.value.status
    expect(page.locator("#news")).to_have_count(0)
    stage.ana("remember", "--kind", "feedback", "--create", "for the test", "Somebody else wrote this just now")
    expect(page.locator("#news")).to_be_visible()
    page.locator("#news a").click()
    expect(page.locator("main")).to_contain_text("Somebody else wrote this just now")


def nothing_there(window, stage, link):
    """What is not there is said with the way back, and the status says it, too."""
    for path in ["/memories/m-9999", "/sessions/none", "/conversations/c-99", "/tasks/none", "/nowhere"]:
        answer = window.page.goto(window.address + path)
        assert answer.status == 404, f"{path}: {answer.status}"
        assert window.page.locator("a").count() > 0, path


def sign_out(window, stage, link):
    page = window.go("/")
    page.get_by_role("button", name="Sign out").click()
    assert page.goto(window.address + "/").status == 401
    expect(page.locator("body")).to_contain_text("link")


ACTS = [
    one_time_link, search, filters, paging, edit, correct, refresh, invalidate, promote, approve_and_reject, close_breaker,
    accept_safe, review_by_mouse, review_by_keyboard, forget, ask, sessions, conversations, tasks, report, health, export, theme, live,
    nothing_there, sign_out,
]
