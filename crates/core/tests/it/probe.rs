//! Planted facts among distractors, each asked in five ways, through the real paths: remembered, then recalled.

use apostille_core::memory::{Draft, DuplicateChoice};
use apostille_core::{policy::Policy, recall::RecallRequest};

use crate::world::{World, note, repo};

/// A fact, and how it is asked: keywords, question, part or inflection, typing error, identifier.
const PLANTED: [(&str, [&str; 5]); 12] = [
    (
        "useCheckoutTotals rounds each line before summing, never after.",
        [
            "checkout rounding",
            "How are line sums rounded at checkout?",
            "checkout totals",
            "chekcout totlas",
            "useCheckoutTotals",
        ],
    ),
    (
        "Postgres migrations need the advisory lock 7741 or two pods race.",
        [
            "postgres migration lock",
            "Why do migrations take an advisory lock?",
            "migrating races",
            "postgers migratoins",
            "7741",
        ],
    ),
    (
        "MAX_UPLOAD_BYTES is enforced by nginx, not by the Go handler.",
        [
            "nginx upload limit",
            "Where is the upload size enforced?",
            "max upload byte",
            "uplaod enforcd",
            "MAX_UPLOAD_BYTES",
        ],
    ),
    (
        "The invoice PDF renderer lives in billing/render_invoice.py and must stay synchronous.",
        [
            "invoice pdf",
            "Which file renders the invoice PDF?",
            "invoices rendering",
            "invioce rendrer",
            "render_invoice.py",
        ],
    ),
    (
        "HTTPRetryPolicy gives up after four attempts because the gateway bans noisy clients.",
        [
            "retry attempts gateway",
            "How many times do we retry against the gateway?",
            "http retries",
            "gatewya attemps",
            "HTTPRetryPolicy",
        ],
    ),
    (
        "Feature flags are read once at boot; restart the worker after changing LaunchToggle.",
        [
            "flags restart worker",
            "Why is my flag change not picked up?",
            "launch toggles",
            "featrue falgs",
            "LaunchToggle",
        ],
    ),
    (
        "Snapshot tests in packages/design-tokens fail on Windows line endings; run them in the container.",
        [
            "snapshot windows",
            "Why do snapshot tests fail on Windows?",
            "design token snapshots",
            "snapshto contaner",
            "design-tokens",
        ],
    ),
    (
        "Session cookies are signed with the key in vault path kv/session-signing, rotated monthly.",
        [
            "cookie signing key",
            "Where is the key that signs session cookies?",
            "rotating cookies",
            "sesion cookeis",
            "session-signing",
        ],
    ),
    (
        "The search box debounces by 180ms; shorter values flood the suggest endpoint.",
        [
            "search debounce",
            "What debounce does the search box use?",
            "debouncing suggestions",
            "debuonce serach",
            "180ms",
        ],
    ),
    (
        "parseCurrencyAmount accepts a comma as decimal mark only for locale de-AT.",
        [
            "decimal comma locale",
            "Which locale may use a comma as decimal mark?",
            "currency amounts",
            "curency deciml",
            "parseCurrencyAmount",
        ],
    ),
    (
        "Never bump protobuf past 3.20: the Kotlin stubs break at runtime.",
        [
            "protobuf kotlin",
            "Which protobuf version may we use?",
            "stub breaking kotlin",
            "protbuf koltin",
            "3.20",
        ],
    ),
    (
        "Nightly exports stream through s3://ledger-archive; the bucket denies unencrypted puts.",
        [
            "nightly export bucket",
            "Where do the nightly exports go?",
            "archived ledgers",
            "nigthly exprots",
            "ledger-archive",
        ],
    ),
];

const WHO: [&str; 8] = [
    "The api",
    "The worker",
    "OrderService",
    "The cart page",
    "src/jobs/mailer.ts",
    "The session store",
    "Search indexing",
    "The gateway",
];
const DOES: [&str; 8] = [
    "retries",
    "logs",
    "validates",
    "caches",
    "renders",
    "exports",
    "rejects",
    "uploads",
];
const WHAT: [&str; 7] = [
    "user events",
    "invoice lines",
    "http requests",
    "feature settings",
    "test fixtures",
    "line totals",
    "file names",
];

/// A repository that needs no citations and knows everything.
fn planted() -> World {
    let world = World::new(Policy {
        require_citations: false,
        ..Policy::default()
    });
    // Keeps it beside whatever is much like it; half of the distractors differ in a number alone.
    let keep = |fact: &str| {
        world.kept(Draft {
            on_duplicate: DuplicateChoice::Create("planted".into()),
            ..note(fact)
        })
    };
    PLANTED.iter().for_each(|(fact, _)| drop(keep(fact)));
    for (n, who) in WHO.iter().enumerate() {
        for (m, does) in DOES.iter().enumerate() {
            for (k, what) in WHAT.iter().enumerate() {
                let (port, rule) = (4000 + 64 * n + m, 10 * m + k);
                keep(&format!(
                    "{who} {does} {what} on port {port}, see rule {rule}."
                ));
            }
        }
    }
    world
}

fn finds(world: &World, fact: &str, text: &str) -> bool {
    // Every showing is logged; the budget of characters is left out of the question.
    let ask = RecallRequest {
        text: text.into(),
        spaces: vec![repo()],
        chars: Some(10_000),
        ..RecallRequest::default()
    };
    let shown = world.recall(&ask).shown;
    assert!(shown.len() <= 10, "{text}");
    shown.iter().any(|it| it.hit.memory.fact == fact)
}

fn missed(world: &World, way: usize) -> Vec<&'static str> {
    let asked = PLANTED
        .iter()
        .filter(|(fact, ways)| !finds(world, fact, ways[way]));
    asked.map(|(_, ways)| ways[way]).collect()
}

#[test]
fn facts_are_found_however_they_are_asked_for() {
    let world = planted();
    let check = |way: usize, name: &str, at_least: usize| {
        let missed = missed(&world, way);
        assert!(
            PLANTED.len() - missed.len() >= at_least,
            "{name} missed {missed:?}"
        );
    };
    check(0, "keywords", 12);
    check(1, "question", 12);
    check(2, "part or inflection", 12);
    check(3, "typing error", 11);
    check(4, "identifier", 12);
}
