use super::*;
use crate::{
    capture::capture_lines,
    follow::{CitationFollower, CitedClaim, NEAR},
    source::{Source, SourceBlob, SourceError, SourceTree},
    verdict::Change,
};

/// The id of the version that is cited.
const WAS: &str = "a";

/// A repository with one file, of which the other version is at hand.
struct Versions<'a> {
    path: &'a str,
    was: &'a str,
    now: &'a str,
    /// Whether the old version can be read.
    has_was: bool,
}

impl Source for Versions<'_> {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        Ok(SourceTree::default())
    }
    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        let id = if self.now == self.was { WAS } else { "b" };
        let (id, bytes) = (Some(id.to_owned()), self.now.into());
        Ok((path.as_str() == self.path).then_some(SourceBlob { id, bytes }))
    }
    fn read_object(&self, id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        Ok((id == WAS && self.has_was).then(|| self.was.into()))
    }
}

fn capture(path: &str, text: &str, lines: &str) -> Citation {
    let old = Versions {
        path,
        was: text,
        now: text,
        has_was: true,
    };
    let place = format!("{path}:{lines}").parse().expect("a place");
    capture_lines(&old, &place).expect("lines to cite")
}

/// How a fact that cites these lines of the first version stands in the second.
fn stand(path: &str, was: &str, lines: &str, now: &str, fact: &str) -> String {
    let source = Versions {
        path,
        was,
        now,
        has_was: true,
    };
    judge(&source, capture(path, was, lines), fact)
}

fn judge(source: &Versions, citation: Citation, fact: &str) -> String {
    let in_time = || false;
    let mut follower = CitationFollower::new(source, Change::Comment, &in_time, NEAR);
    let claim = CitedClaim {
        fact,
        citations: &[citation],
    };
    follower.judge_claims(&[claim])[0]
        .judgement
        .standing
        .to_string()
}

#[test]
fn facts_are_judged_by_what_they_say() {
    let check = |path: &str, was: &str, lines: &str, now: &str, fact: &str, expected: &str| {
        assert_eq!(
            stand(path, was, lines, now, fact),
            expected,
            "{fact}\n{was}\n→\n{now}"
        );
    };
    let manifest = "[dependencies]\nlog = \"0.3\"\nmemchr = \"2\"\nregex = \"1\"\n";
    let later = "[dependencies]\nlog = \"0.4\"\nmemchr = \"2.1\"\nregex = \"1\"\n";
    check(
        "Cargo.toml",
        manifest,
        "1-4",
        later,
        "`memchr` is set to \"2\"",
        "contradicted",
    );
    check(
        "Cargo.toml",
        manifest,
        "1-4",
        later,
        "`regex` is set to \"1\"",
        "stands",
    );
    let state = "function f() {\n  const a = {\n    temps: 0,\n    vOnce: 0,\n  }\n}\n";
    let grown = "function f() {\n  const a = {\n    temps: 0,\n    more: new Set(),\n    vOnce: 0,\n  }\n}\n";
    check(
        "a.ts",
        state,
        "1-6",
        grown,
        "`vOnce` is 0 in a.ts",
        "stands",
    );
    let limits =
        "/// The proxy in front cuts uploads off here.\npub const MAX_UPLOAD: u64 = 10 * MB;\n";
    let raised = limits.replace("10 * MB", "25 * MB");
    check(
        "src/limits.rs",
        limits,
        "1-2",
        &raised,
        "uploads are limited to 10 MB, because the proxy cuts them off there",
        "contradicted",
    );
    let widened = limits.replace("u64", "usize");
    check(
        "src/limits.rs",
        limits,
        "1-2",
        &widened,
        "uploads are limited to 10 MB by `MAX_UPLOAD`",
        "stands",
    );
    check(
        "src/limits.rs",
        limits,
        "1-2",
        &widened,
        "uploads are limited, because the proxy cuts them off",
        "check",
    );
    let twins = "class A:\n    def tag(self, value: Any) -> Any:\n        return 1\n\n\nclass B:\n    def tag(self, value: Any) -> Any:\n        return 2\n";
    let changed = twins.replacen("-> Any", "-> str", 1);
    check(
        "a.py",
        twins,
        "2",
        &changed,
        "`tag` returns `Any`",
        "contradicted",
    );
    let shells = "type shell int\n\nconst (\n\tunknown shell = iota\n\tcmd\n)\n\nvar used = 1\n";
    let more = shells.replace("cmd\n", "cmd\n\tpwsh\n");
    let other = shells.replace("used = 1", "used = 2");
    for fact in [
        "the members of `shell` are `unknown` and `cmd`",
        "`shell` can be `unknown` or `cmd`",
        "`shell` has two variants: unknown, cmd",
    ] {
        check("a.go", shells, "1-8", &more, fact, "contradicted");
        check("a.go", shells, "1-8", &other, fact, "stands");
    }
    // The item that the fact names is the same; what it says of it stands beside it.
    let beside = "struct Limits;\n\nconst MOST: u32 = 3;\n";
    let lowered = beside.replace('3', "2");
    let fact = "`Limits` allows 3 at most";
    check("a.rs", beside, "1-3", &lowered, fact, "check");
    let script = "function warn(resp) {\n  log(resp)\n}\n";
    let passed = script.replace("(resp) {", "(self, resp) {");
    let fact = "call `warn` with one argument: `resp`";
    check("a.js", script, "1-3", &passed, fact, "contradicted");
    let method = "class A:\n    def warn(self, resp):\n        log(resp)\n";
    let logged = method.replace("log(", "self.log(");
    check("a.py", method, "1-3", &logged, fact, "stands");
}

#[test]
fn the_item_is_known_where_the_old_version_is_not() {
    let check = |path: &str, was: &str, lines: &str, now: &str, fact: &str, expected: [&str; 2]| {
        let source = Versions {
            path,
            was,
            now,
            has_was: false,
        };
        let citation = capture(path, was, lines);
        let without_item = Citation {
            item: None,
            ..citation.clone()
        };
        let got = [without_item, citation].map(|it| judge(&source, it, fact));
        assert_eq!(got, expected, "{fact}\n{was}\n→\n{now}");
    };
    let twins = "class A:\n    def tag(self):\n        limit = 3\n\n\nclass B:\n    def tag(self):\n        limit = 3\n";
    let changed = "class A:\n    def tag(self):\n        limit = 3\n\n\nclass B:\n    def tag(self):\n        limit = 5\n";
    check(
        "a.py",
        twins,
        "8",
        changed,
        "the limit of a tag is 3",
        ["stands", "check"],
    );
    let server = "impl Server {\n    fn bind(&self, port: u16) {\n        self.retry(3);\n        self.open(port);\n    }\n}\n";
    let moved = "struct Pool;\n\nimpl Server {\n    fn bind(&self, port: u16, host: &str) {\n        self.open(port);\n        self.log(host);\n        self.retry(3);\n    }\n}\n";
    check(
        "a.rs",
        server,
        "3",
        moved,
        "`bind` calls `retry` with 3",
        ["stands", "stands"],
    );
    // The lines end before the class does, so its methods cannot be counted.
    let class = "class A:\n    def f(self):\n        x(1)\n\n    def g(self):\n        x(2)\n\n    def h(self):\n        x(3)\n";
    check(
        "a.py",
        class,
        "1-6",
        &class.replace("x(2)", "y(2)"),
        "`A` has 3 methods",
        ["contradicted", "check"],
    );
}
