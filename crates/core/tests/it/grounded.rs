//! How often a fact is found grounded that is, and caught that is not: facts as agents write them, code as it is.

use apostille_text::literals::{
    find_line_that_says, find_ungrounded_literals, find_ungrounded_statement,
    find_unproven_statements,
};

/// A fact, the path it cites, and the lines there.
type Pair = (&'static str, &'static str, &'static str);

/// The cited lines say it.
const GROUNDED: &[Pair] = &[
    (
        "The HTTP client retries idempotent requests at most 4 times with exponential backoff",
        "src/http/client.rs",
        "const RETRIES: u32 = 4;\n\nfn backoff(n: u32) -> Duration {\n    Duration::from_millis(100 * 2u64.pow(n))\n}",
    ),
    (
        "`Session::renew` must be called before the 15 minute token lifetime ends",
        "src/session.rs",
        "pub const TOKEN_TTL: Duration = Duration::from_secs(15 * 60);\n\nimpl Session {\n    pub fn renew(&mut self) {}",
    ),
    (
        "Uploads over 25 MB are rejected by nginx, so MAX_UPLOAD must stay below it",
        "deploy/nginx.conf",
        "    client_max_body_size 25m;\n    proxy_read_timeout 60s;",
    ),
    (
        "The API listens on port 8080, health checks on 8081",
        "docker-compose.yml",
        "    ports:\n      - \"8080:8080\"\n      - \"8081:8081\"",
    ),
    (
        "Integration tests need PostgreSQL 16 and `DATABASE_URL`",
        ".github/workflows/ci.yml",
        "      db:\n        image: postgres:16-alpine\n    env:\n      DATABASE_URL: postgres://localhost/test",
    ),
    (
        "Pagination defaults to 50 items per page and caps at 200",
        "api/pagination.py",
        "DEFAULT_PAGE_SIZE = 50\nMAX_PAGE_SIZE = 200",
    ),
    (
        "useCheckoutTotals memoises on cartId, so mutate the cart through the reducer only",
        "web/hooks/useCheckoutTotals.ts",
        "export function useCheckoutTotals(cartId: string) {\n  return useMemo(() => totals(cartId), [cartId]);\n}",
    ),
    (
        "Handlers return errors as values, never panic",
        "src/handlers/mod.rs",
        "pub type Reply = Result<Response, AppError>;",
    ),
    (
        "API_VERSION must match between client SDK, server routes and documentation",
        "src/client/constants.ts",
        "export const API_VERSION = \"v2\";",
    ),
    (
        "The cache keeps entries for 24 hours",
        "internal/cache/cache.go",
        "const ttl = 24 * time.Hour",
    ),
    (
        "Rate limiting allows 100 requests per minute per key",
        "app/limits.py",
        "RATE_LIMIT = \"100/minute\"",
    ),
    (
        "Worker memory is limited to 512 MB in production",
        "k8s/worker.yaml",
        "        resources:\n          limits:\n            memory: 512Mi\n            cpu: 500m",
    ),
    (
        "The minimum supported Rust version is 1.91",
        "Cargo.toml",
        "edition = \"2024\"\nrust-version = \"1.91.0\"",
    ),
    (
        "Coverage below 80 % fails the build",
        "jest.config.js",
        "  coverageThreshold: { global: { branches: 80, lines: 80 } },",
    ),
    (
        "Sampling keeps 10% of traces",
        "otel/config.yaml",
        "processors:\n  probabilistic_sampler:\n    ratio: 0.1",
    ),
    (
        "The migration lock expires after 5 minutes",
        "src/db/lock.ts",
        "const LOCK_TTL = 5 * 60 * 1000;",
    ),
    (
        "Run `npm run build` before `npm run deploy`, deploy does not build",
        "package.json",
        "  \"scripts\": {\n    \"build\": \"tsc -p .\",\n    \"deploy\": \"node scripts/deploy.js\"",
    ),
    (
        "All timestamps are stored as UTC with millisecond precision, RFC 3339",
        "src/format.rs",
        "/// A time as it is written: UTC, to the millisecond.\npub fn timestamp(at: Timestamp) -> String {",
    ),
    (
        "Feature flags are read from config/flags.toml at start-up only",
        "src/flags.rs",
        "static FLAGS: LazyLock<Flags> = LazyLock::new(|| load(\"config/flags.toml\"));",
    ),
    (
        "The project uses TypeScript strict mode",
        "tsconfig.json",
        "{\n  \"compilerOptions\": {\n    \"strict\": true,\n    \"target\": \"ES2022\"",
    ),
    (
        "MAX_RETRIES must not be 0, the loop would never end",
        "lib/retry.go",
        "const MAX_RETRIES = 3",
    ),
    (
        "POOL_SIZE must stay below the 100 connections that the database allows",
        "settings.py",
        "POOL_SIZE = 20",
    ),
    (
        "When BATCH_SIZE is raised to 1000 the broker drops messages",
        "consumer/config.ts",
        "export const BATCH_SIZE = 250;",
    ),
    (
        "MAX_DEPTH is 64 because the parser recurses and the stack of a thread is 2 MB",
        "src/parser.rs",
        "/// Deeper input is refused.\nconst MAX_DEPTH: usize = 64;",
    ),
    (
        "Der Timeout des Gateways beträgt 30 Sekunden",
        "gateway/config.yaml",
        "upstream:\n  timeout: 30s",
    ),
    (
        "Le délai d’attente de `fetchUser` est de 1,5 s",
        "src/user.ts",
        "export const fetchUser = withTimeout(rawFetch, 1500);",
    ),
    (
        "上传大小限制为10MB，由MAX_UPLOAD控制",
        "src/limits.rs",
        "pub const MAX_UPLOAD: u64 = 10 * 1024 * 1024;",
    ),
    (
        "`PlanAuditor` excludes the transient failure classification",
        "agents/PlanAuditor.agent.md",
        "Failure classification: all but `transient`.",
    ),
    (
        "CI runs at most three integration test files in parallel, more than 3 time out",
        ".github/workflows/test.yml",
        "      - run: vitest --maxWorkers=3",
    ),
    (
        "The feature flag service falls back to `off` when LaunchDarkly is unreachable",
        "src/flags/client.ts",
        "  } catch {\n    return { variation: 'off' };\n  }",
    ),
    (
        "Passwords are hashed with Argon2id, 19 MiB of memory and 2 iterations",
        "auth/hash.rs",
        "let params = Params::new(19 * 1024, 2, 1, None)?;\nArgon2::new(Algorithm::Argon2id, Version::V0x13, params)",
    ),
    (
        "The log level defaults to \"warn\" unless LOG_LEVEL is set",
        "cmd/root.go",
        "level := os.Getenv(\"LOG_LEVEL\")\nif level == \"\" {\n\tlevel = \"warn\"\n}",
    ),
    (
        "Every migration needs a down.sql, see migrations/README.md",
        "migrations/README.md",
        "Each folder holds `up.sql` and `down.sql`; a migration that cannot be undone is not merged.",
    ),
    (
        "Colour `#ff8800` is the only accent, taken from theme.accent",
        "web/theme.css",
        "  --accent: #FF8800;",
    ),
    (
        "user_id is a UUIDv7 and sorts by creation time",
        "schema.sql",
        "create table users (\n  user_id uuid primary key default uuid_generate_v7(),",
    ),
    (
        "The websocket reconnects after 2, 4 and 8 seconds, then gives up",
        "src/ws.ts",
        "const DELAYS = [2000, 4000, 8000];",
    ),
    (
        "git blame ignores the reformatting: `.git-blame-ignore-revs` has to be configured",
        ".git-blame-ignore-revs",
        "# cargo fmt\n3f2a9bc1d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0",
    ),
    (
        "Error codes from 0x8000 on are reserved for plugins",
        "include/errors.h",
        "#define ERR_PLUGIN_BASE 32768",
    ),
    (
        "The queue holds 10k jobs; `enqueue` blocks when it is full",
        "src/queue.rs",
        "let (tx, rx) = bounded(10_000);\npub fn enqueue(job: Job) {",
    ),
    (
        "`validate_email` accepts addresses up to 254 characters, the limit of SMTP",
        "app/validators.py",
        "def validate_email(value: str) -> bool:\n    return len(value) <= 254 and PATTERN.match(value) is not None",
    ),
    (
        "Snapshots live beside their tests in __snapshots__/ and are reviewed like code",
        "web/__snapshots__/cart.test.ts.snap",
        "exports[`cart 1`] = `<div/>`;",
    ),
    (
        "The Dockerfile pins node 20, the same as `.nvmrc`",
        "Dockerfile",
        "FROM node:20.11-slim AS build\nWORKDIR /app",
    ),
];

/// The cited lines say it in another form, or the fact only mentions what they do not say.
const SAID_OTHERWISE: &[Pair] = &[
    (
        "The first history format is v0",
        "src/history.rs",
        "pub const HISTORY_VERSION_V0: &str = \"first\";",
    ),
    (
        "`isoption` takes 4 parameters (text, shortopt, longopt, short_opts)",
        "src/main.c",
        "static int isoption(const char** text, char shortopt, const char* longopt, int *short_opts) {\n  if (text[0][0] != '-' || text[0][1] == '-') *short_opts = 0;",
    ),
    (
        "set sign for everything, including 0's and NaNs",
        "src/dtoa.c",
        "if (word0(&u) & Sign_bit) {\n\t*sign = 1;\n\tword0(&u) &= ~Sign_bit;",
    ),
    (
        "Healthy returns true if the remote host is currently known to be healthy or \"up\".",
        "hosts.go",
        "func (u *Upstream) Healthy() bool {\n\treturn !u.unhealthy.Load()",
    ),
    (
        "emits should be defined via defineEmits().",
        "setup.ts",
        "  emits?: E | EE[]",
    ),
    (
        "String reconstructs the address string to the form expected by ParseNetworkAddress().",
        "listeners.go",
        "func (na NetworkAddress) String() string {\n\treturn JoinNetworkAddress(na.Network, na.Host, na.port())",
    ),
    (
        "Accept accepts connections until Close() is called.",
        "listeners.go",
        "func (fcl *fakeCloseListener) Accept() (net.Conn, error) {\n\treturn fcl.Listener.Accept()",
    ),
    (
        "`get_debug_flag`: The default is `True` if `get_env` returns `'development'`, or `False` otherwise.",
        "helpers.py",
        "def get_debug_flag() -> bool:\n    val = os.environ.get(\"FLASK_DEBUG\")\n    if not val:\n        return get_env() == \"development\"",
    ),
    (
        "flags can technically be undefined, but it can still be used in bitwise operations just like 0.",
        "scheduler.ts",
        "  flags?: SchedulerJobFlags",
    ),
];

/// The cited lines say something else, or nothing of it.
const UNGROUNDED: &[Pair] = &[
    (
        "MAX_RETRIES is 5",
        "src/retry.rs",
        "pub const MAX_RETRIES: u32 = 3;",
    ),
    (
        "The client gives up after 7 attempts",
        "src/retry.rs",
        "pub const MAX_RETRIES: u32 = 3;",
    ),
    (
        "API_VERSION is \"v3\"",
        "src/client.ts",
        "export const API_VERSION = \"v2\";",
    ),
    (
        "`LOG_LEVEL` defaults to `debug`",
        "settings.py",
        "LOG_LEVEL = os.getenv(\"LOG_LEVEL\", \"info\")",
    ),
    (
        "The cache keeps entries for 48 hours",
        "cache.go",
        "const ttl = 24 * time.Hour",
    ),
    (
        "MAX_UPLOAD is 25 MB",
        "src/limits.rs",
        "pub const MAX_UPLOAD: u64 = 10 * MB;",
    ),
    (
        "Uploads are limited to 25 MB",
        "src/limits.rs",
        "pub const MAX_UPLOAD: u64 = 10 * 1024 * 1024;",
    ),
    (
        "The API listens on port 9090",
        "docker-compose.yml",
        "    ports:\n      - \"8080:8080\"",
    ),
    (
        "`PaymentGateway` must be closed by hand",
        "src/cart.rs",
        "impl Cart {\n    pub fn total(&self) -> Money {",
    ),
    (
        "parse_config ignores unknown keys",
        "src/main.rs",
        "fn main() -> ExitCode {\n    run()\n}",
    ),
    (
        "The minimum Rust version is 1.91",
        "Cargo.toml",
        "rust-version = \"1.85\"",
    ),
    (
        "Integration tests need PostgreSQL 16",
        "ci.yml",
        "        image: postgres:14-alpine",
    ),
    (
        "REQUEST_TIMEOUT is 30 s",
        "src/http.rs",
        "const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);",
    ),
    (
        "REQUEST_TIMEOUT is 30 s",
        "src/http.rs",
        "const REQUEST_TIMEOUT: Duration = Duration::from_millis(30);",
    ),
    (
        "Pagination caps at 500",
        "api/pagination.py",
        "DEFAULT_PAGE_SIZE = 50\nMAX_PAGE_SIZE = 200",
    ),
    (
        "MAX_PAGE_SIZE is 500",
        "api/pagination.py",
        "DEFAULT_PAGE_SIZE = 50\nMAX_PAGE_SIZE = 200",
    ),
    (
        "Sampling keeps 25 % of traces",
        "otel.yaml",
        "    ratio: 0.1",
    ),
    (
        "Worker memory is limited to 2 GB",
        "k8s/worker.yaml",
        "            memory: 512Mi",
    ),
    (
        "Coverage below 90 % fails the build",
        "jest.config.js",
        "coverageThreshold: { global: { lines: 80 } },",
    ),
    (
        "poolSize must be 20 in every service",
        "db.ts",
        "  poolSize: 10,\n  idleTimeoutMillis: 30000,",
    ),
    (
        "Der Wert von MAX_RETRIES ist 5",
        "src/retry.rs",
        "pub const MAX_RETRIES: u32 = 3;",
    ),
    (
        "MAX_RETRIES的值是5",
        "src/retry.rs",
        "pub const MAX_RETRIES: u32 = 3;",
    ),
    (
        "Run `make proto` after editing",
        "package.json",
        "    \"lint\": \"eslint .\"",
    ),
    (
        "The session cookie is called \"sid\"",
        "src/session.ts",
        "app.use(session({ name: 'connect.sid.v2x' }));",
    ),
    (
        "STRICT_MODE is off in tests",
        "config/test.toml",
        "strict_mode = true",
    ),
];

fn alarms(pairs: &[Pair]) -> Vec<(&'static str, Vec<String>)> {
    let named =
        |(fact, path, snippet): &Pair| (*fact, find_ungrounded_literals(fact, &[(path, snippet)]));
    pairs
        .iter()
        .map(named)
        .filter(|it| !it.1.is_empty())
        .collect()
}

#[test]
fn grounded_facts_raise_no_alarm() {
    assert!(GROUNDED.len() >= 40);
    assert_eq!(alarms(GROUNDED), []);
}

#[test]
fn what_is_said_in_another_form_raises_no_alarm() {
    assert_eq!(alarms(SAID_OTHERWISE), []);
}

/// A subject that the lines define leaves the names beside it in peace, and no value.
#[test]
fn the_subject_tells_what_the_lines_are_about() {
    let check = |fact: &str, snippet: &str, expected: &[&str]| {
        let evidence = [("src/a.py", snippet)];
        let found = find_ungrounded_statement(Some("register"), fact, &evidence);
        assert_eq!(found, expected, "{fact}");
    };
    let lines = "def register(self, app, options):\n    self._got_registered_once = True";
    check(
        "Called by `Flask.register_blueprint` to add a blueprint to the application.",
        lines,
        &[],
    );
    check("Called at most 5 times", lines, &["5"]);
    check("The hook is `on_register`", lines, &["on_register"]);
    check("Called by `Flask.run`", "def other(self):", &["Flask.run"]);
}

#[test]
fn the_line_that_says_it_is_found() {
    let file = "retries = 3\n\nfn a() {}\nfn b() {}\nlet limit = 5;\nlet other = 5;\n";
    let check = |fact: &str, unsaid: &[&str], expected: Option<usize>| {
        let unsaid: Vec<String> = unsaid.iter().map(|it| (*it).into()).collect();
        let found = find_line_that_says(fact, &unsaid, file, (3, 3));
        assert_eq!(found, expected, "{fact}");
    };
    check("the limit is 5", &["5"], Some(5));
    check("it retries 3 times", &["3"], Some(1));
    check("the timeout is 5 s", &["5 s"], None);
    check("the limit is 7", &["7"], None);
}

#[test]
fn ungrounded_facts_are_caught() {
    let is_caught = |(fact, path, snippet): &&Pair| {
        !find_ungrounded_literals(fact, &[(path, snippet)]).is_empty()
    };
    let let_pass: Vec<&str> = UNGROUNDED
        .iter()
        .filter(|it| !is_caught(it))
        .map(|it| it.0)
        .collect();
    // Words are not compared, and a part of a dotted string is a word of it.
    let known = vec![
        "The session cookie is called \"sid\"",
        "STRICT_MODE is off in tests",
    ];
    assert_eq!((UNGROUNDED.len(), let_pass), (25, known));
}

#[test]
fn what_is_missing_is_named_in_the_order_of_the_fact() {
    let check = |fact: &str, snippet: &str, expected: &[&str]| {
        assert_eq!(
            find_ungrounded_literals(fact, &[("src/a.rs", snippet)]),
            expected,
            "{fact}"
        );
    };
    check(
        "`RETRY_LIMIT` is 5",
        "pub const API_VERSION: u32 = 7;",
        &["RETRY_LIMIT", "5"],
    );
    check("MAX_RETRIES is 5", "MAX_RETRIES = 3", &["5"]);
    check("MAX_RETRIES is 5, it was 3 once", "MAX_RETRIES = 3", &[]);
    check(
        "MAX_RETRIES is 5 times the base",
        "let n = MAX_RETRIES;",
        &[],
    );
    check(
        "MAX_RETRIES bounds every call; the proxy gives up after 30 s",
        "MAX_RETRIES = 3",
        &[],
    );
    check("5 and 5 and x_y and 5", "nothing", &["5", "x_y"]);
    assert_eq!(
        find_ungrounded_literals("MAX_RETRIES is 5", &[]),
        Vec::<String>::new()
    );
    assert_eq!(
        find_ungrounded_literals(
            "MAX_RETRIES is 5",
            &[("a", "MAX_RETRIES = n"), ("b", "n = 5")]
        ),
        Vec::<String>::new()
    );
    assert_eq!(
        find_ungrounded_literals("src/a.rs is generated", &[("src/a.rs", "// DO NOT EDIT")]),
        Vec::<String>::new()
    );
}

/// What the lines say is not held back for its second statement.
#[test]
fn grounded_facts_have_no_unproven_statement() {
    for (fact, path, lines) in GROUNDED {
        let found = find_unproven_statements(fact, &[(path, lines)]);
        assert_eq!(found, [""; 0], "{fact}");
    }
}
