"""What was decided in a conversation comes back in the next: each agent decides, is reminded, changes its mind, and is asked to forget it for once.

Every conversation is a session of its own. What a session leaves behind is gone through in the background, so that is waited for.
"""

TROUBLE = "The upstream blocks the retrier with 429 again. How many attempts fit before its rate limit window resets?"
DECIDED = "We measured the window: seven attempts fit, the eighth trips it. Keep the retrier at seven attempts, never eight."
ASKED = "The retrier runs into the rate limit of the upstream again, it blocks us with 429. Restore the intended number of attempts."
AMENDED = "Amendment for the retrier: the upstream widened its rate limit window, 429 comes only at the tenth. Nine attempts from now on, not seven."
UNRELATED = "Write a changelog entry for the new logo in the footer."
SEVEN, NINE = "seven attempts fit, the eighth trips it", "Nine attempts from now on"


def tell_decisions(story, soon):
    """Runs the conversations of one agent; gives how many checks failed."""
    story.settle_program()
    story.agent.settle(story.world, story.model.address)
    story.before = {}
    client = {"claude": "claude-code"}.get(story.agent.name, story.agent.name)
    done = story.apostille("init", "--yes", "--client", client)
    story.check("init", done.returncode == 0, done.stdout + done.stderr)

    def begin(*prompts):
        story.prompts = 0
        return [story.say(it)[-1] for it in prompts][-1]

    def kept(words):
        said = lambda: story.apostille("recall", "--said", words, "--json").stdout
        story.check(f"the archive has “{words}”", soon(lambda: words in said()), said())

    begin(TROUBLE, DECIDED)
    kept(SEVEN)
    first = begin(ASKED)
    story.check("the next conversation is told what was decided, in the user's words", SEVEN in told(first), told(first) or first[-900:])
    begin(AMENDED, "Yes, exactly.")
    kept(NINE)
    later = told(begin(ASKED))
    story.check("after the amendment that is told", NINE in later, later)
    story.check("before what it amends", SEVEN not in later or later.index(NINE) < later.index(SEVEN), later)
    silent = told(begin(f"Ignore memory. {ASKED}"))
    story.check("'ignore memory' is silent", not silent, silent)
    quiet = told(begin(UNRELATED))
    story.check("an unrelated prompt is told nothing of it", not quiet, quiet)
    wrong = story.complaints()
    story.check("the agent's own notes tell of no hook that failed", not wrong, wrong[:3])
    return story.failed


def told(text):
    """What the user said in past conversations, as a model was told."""
    title = "What your user said in past conversations"
    return title + text.split(title)[-1].split("</memory-context>")[0] if title in text else ""
