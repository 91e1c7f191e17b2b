//! The words that the rules know, set apart by spaces.

/// Programs and libraries of which a project uses one or the other.
pub(super) const TOOLS: &str = "npm pnpm yarn bun deno npx pip pipx uv poetry pipenv conda mamba cargo nextest make just gradle maven mvn bazel buck \
    docker podman nerdctl kubectl helm terraform pulumi tofu ansible jest vitest mocha ava pytest unittest nose tox nox black ruff \
    flake8 pylint mypy pyright isort prettier biome eslint dprint standard rspec minitest rubocop git gh glab jj svn hg postgres \
    postgresql mysql mariadb sqlite redis valkey mongodb rebase squash tabs spaces axios moment dayjs date-fns luxon lodash \
    ramda rxjs jquery react vue svelte angular webpack vite rollup esbuild turbopack rspack swc tsc babel enzyme cypress playwright \
    selenium puppeteer structlog loguru requests httpx aiohttp flask fastapi django rails sinatra express koa fastify nest anyhow \
    thiserror tokio async-std println tracing log4j logback junit testng kotlin java typescript javascript scss sass tailwind \
    bootstrap brew apt nix asdf mise nvm fnm volta pyenv rbenv bundler composer nuget gofmt goimports golangci-lint clang-format \
    cmake meson ninja zsh bash fish vim emacs vscode jenkins circleci travis buildkite";

/// What a project has of which a person states where or what it is.
pub(super) const THINGS: &str = "port host hostname url domain branch database databases db schema version region bucket command timeout directory folder \
    env environment environments cluster namespace registry server servers service services api apis backend frontend ci pipeline pipelines \
    convention conventions policy rule rules style stack package manager runner suite tests docs documentation wiki repo repository \
    codebase monorepo deploys deployments releases release migrations queue topic license owner team channel gateway proxy vpn \
    staging production prod qa sandbox account accounts limit limits quota schedule schedules cron job jobs config configs settings \
    secrets vault budget deadline office customers tenants sdk client clients cache bot hook hooks linter formatter default image images \
    dashboards alerts logs metrics flags mirror submodules fixtures snapshots commits branches builds artifacts";

/// What a person speaks of when it is about the work in hand.
pub(super) const IN_HAND: &str = "endpoint call user bug loop test error problem issue function method variable button header footer output result results file line code answer fix \
    condition check argument parameter class import type query component page reason cause question solution idea approach plan \
    step first second third last next other one point field column row cell value key index array list string number name title label \
    text color colour icon link image form modal dialog menu order sign brackets indentation typo";

/// Verbs of the way an agent works, not of what its code does.
pub(super) const WAYS: &str = "use run commit push pull write ask check format prefer keep include put name explain answer reply respond sign squash rebase deploy merge \
    rewrite create test add edit touch delete remove change modify install tag release bump update review document mock import \
    force-push amend skip disable ignore suppress leave assume guess confirm verify follow stick read work branch fix build lint \
    bypass reformat generate hardcode prefix pin upgrade downgrade cherry-pick reset stash apply destroy drop migrate translate speak";

/// Verbs that say what a project does.
pub(super) const DOINGS: &str = "use uses deploy deploys host hosts release releases ship ships support supports target targets generate generates squash follow follows require \
    requires publish publishes pin pins version sign run runs test tests write writes name names rebase merge tag format lint commit \
    review mock pair prefix bump push force-push develop prefer prefers";

/// What things of ours are by choice, so that it is enough to say what they are.
pub(super) const CHOICES: &str = "convention conventions policy rule rules default style stack license branch manager runner formatter linter registry owner";

/// Verbs of what an agent does time and again, and code hardly ever.
pub(super) const HABITS: &str = "silence swallow mention tell repeat rename split abbreviate say claim invent duplicate paste comment wrap catch squash open start end avoid apologi[sz]e summari[sz]e";

/// Verbs of what code does as well: about the way of work only where the project is named.
pub(super) const CODE_HABITS: &str = "log return call make copy rely depend print pass store place group order handle treat declare reference sort wrap";

/// What an agent makes in any piece of work, in the plural: without an article it is all of them.
pub(super) const WORK: &str = "tests commits messages subjects prs descriptions titles branches names identifiers functions methods modules files scripts comments docs \
    migrations dependencies libraries packages crates mocks stubs fixtures snapshots answers replies questions versions releases tags \
    components controllers handlers exports imports reviews macros annotations decorators examples documentation docstrings plans diffs code";

/// Things that are good or bad wherever they stand.
pub(super) const MANNERS: &str = "casts sleeps emojis emoji summaries headings checklists singletons globals abbreviations refactorings refactors refactoring merges todos \
    acronyms apologies placeholders suppressions workarounds force-pushes pushes numbers";

/// What a rule of the project is about, where it is the subject of a sentence: things of the work, hardly of a product.
pub(super) const SUBJECTS: &str = "tests commits commit_messages commit_subjects commit_titles prs pull_requests pr_descriptions pr_titles branches branch_names [a-z]+_names \
    functions methods modules [a-z]+_files scripts code_comments todo_comments docs docstrings documentation migrations dependencies libraries \
    crates mocks fixtures snapshots releases components helpers exports imports code_reviews merges macros deploys deployments builds \
    hotfixes logging linting formatting testing versioning database_columns database_tables (?:api|schema|config|breaking)_changes \
    error_messages log_messages feature_flags frontend backend controllers handlers apis errors exceptions public_[a-z]+";

/// Whether a text has one of a list's words.
pub(super) fn has_listed_word(list: &str, text: &str) -> bool {
    text.split_whitespace()
        .any(|it| list.split_whitespace().any(|word| word == it))
}
