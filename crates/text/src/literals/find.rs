//! Where the literals of a fact are: what is quoted, and what only code would write.

use super::Literal;
use super::chars::is_word_char;
use super::number::Number;
use super::scan::{Kind, Token, scan};

/// A literal and where it stands in the fact.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) literal: Literal,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The quotes that may enclose a literal: how each opens and closes.
const QUOTES: &[(char, char)] = &[
    ('`', '`'),
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('„', '“'),
    ('‘', '’'),
    ('«', '»'),
    ('»', '«'),
    ('「', '」'),
];

/// The longest text between straight or typographic quotes that is taken for a value.
const MAX_QUOTED_BYTES: usize = 200;

/// The literals of a fact, in order.
pub(super) fn find(fact: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut taken = Vec::new();
    quoted(fact, &mut found, &mut taken);
    chunks(fact, &mut found, &mut taken);
    taken.sort_unstable();
    plain(fact, &taken, &mut found);
    found.sort_by_key(|it| it.start);
    found
}

/// Everything in quotes, and which parts of the fact that covers.
fn quoted(fact: &str, found: &mut Vec<Found>, taken: &mut Vec<(usize, usize)>) {
    let (mut at, mut before) = (0, ' ');
    while let Some(c) = fact[at..].chars().next() {
        let next = at + c.len_utf8();
        let close = QUOTES
            .iter()
            .find(|it| it.0 == c)
            .and_then(|it| closing(&fact[next..], before, *it));
        let Some(len) = close else {
            (at, before) = (next, c);
            continue;
        };
        let (start, end) = (next, next + len);
        inside(fact, start, end, c == '`', found);
        at = end + fact[end..].chars().next().map_or(0, char::len_utf8);
        taken.push((start - c.len_utf8(), at));
        before = '`';
    }
}

/// How long the text in a quote is, which opens where `rest` begins.
fn closing(rest: &str, before: char, (open, close): (char, char)) -> Option<usize> {
    let reach = if open == '`' {
        rest.len()
    } else {
        rest.floor_char_boundary(MAX_QUOTED_BYTES)
    };
    let len = rest[..reach].find(close).filter(|it| *it > 0)?;
    // An apostrophe is no quote: those stand outside words.
    let is_apostrophe = before.is_alphanumeric()
        || rest[len + close.len_utf8()..].starts_with(char::is_alphanumeric);
    (!matches!(open, '\'' | '‘') || !is_apostrophe).then_some(len)
}

/// What stands in one quote: one literal, and where it is an expression those within it too.
fn inside(fact: &str, start: usize, end: usize, is_code: bool, found: &mut Vec<Found>) {
    let text = fact[start..end].trim();
    let mut keep = |literal| {
        found.push(Found {
            literal,
            start,
            end,
        })
    };
    if text.is_empty() || (!is_code && text.chars().count() < 2) {
        return;
    }
    if is_number(text) {
        keep(Literal::Number(text.into()));
    } else if is_path(text) {
        keep(Literal::Path(text.into()));
    } else if text.chars().all(|it| is_word_char(it) || it == '-') {
        let text = text.to_owned();
        keep(if is_code {
            Literal::Name(text)
        } else {
            Literal::Value(text)
        });
    } else if let Some(name) = called(text).filter(|_| is_code) {
        keep(Literal::Name(name.into()));
    } else {
        keep(Literal::Quoted(text.into()));
        let shift = |it: Found| Found {
            start: it.start + start,
            end: it.end + start,
            ..it
        };
        let mut within = Vec::new();
        plain(&fact[start..end], &[], &mut within);
        found.extend(within.into_iter().map(shift));
    }
}

fn is_number(text: &str) -> bool {
    let tokens = scan(text);
    let skip = usize::from(tokens.first().is_some_and(|it| it.is_mark('-')));
    matches!(tokens.get(skip), Some(Token { kind: Kind::Number(_, end), .. }) if *end == text.len())
}

/// The name that is called or pointed at: `Foo::bar()`, `this.state`, `println!`.
fn called(text: &str) -> Option<&str> {
    let name = text
        .split('(')
        .next()
        .unwrap_or(text)
        .trim_end_matches('!')
        .trim_start_matches(['$', '@', '&', '-', '.']);
    let is_name = |it: char| is_word_char(it) || matches!(it, '.' | ':' | '-' | '>' | '#');
    let is_whole = text.len() == name.len() || !text.contains('(') || text.ends_with("()");
    (is_whole && name.chars().any(is_word_char) && name.chars().all(is_name)).then_some(name)
}

/// What is one thing between two spaces: paths, links, flags; and what is no literal at all: times, dates, references.
fn chunks(fact: &str, found: &mut Vec<Found>, taken: &mut Vec<(usize, usize)>) {
    let quotes = taken.clone();
    let is_gap = |it: char| it.is_whitespace() || it == '(' || it == ')';
    let mut next = 0;
    for chunk in fact.split_inclusive(is_gap) {
        let start = next;
        next += chunk.len();
        let (start, chunk) = trimmed(start, chunk);
        let end = start + chunk.len();
        if chunk.len() < 2 || quotes.iter().any(|it| it.0 < end && start < it.1) {
            continue;
        }
        let literal = whole(chunk);
        if literal.is_some() || is_reference(chunk) {
            taken.push((start, end));
        }
        found.extend(literal.map(|literal| Found {
            literal,
            start,
            end,
        }));
    }
}

fn trimmed(start: usize, chunk: &str) -> (usize, &str) {
    let is_outer =
        |it: char| !(is_word_char(it) || matches!(it, '-' | '/' | '.' | '#' | '~' | '@' | '$'));
    let front = chunk.trim_start_matches(is_outer);
    let is_outer = |it: char| !(is_word_char(it) || matches!(it, '/' | '%'));
    (
        start + chunk.len() - front.len(),
        front.trim_end_matches(is_outer),
    )
}

fn whole(chunk: &str) -> Option<Literal> {
    if chunk.contains("://") {
        return Some(Literal::Quoted(chunk.into()));
    }
    let flag = chunk
        .strip_prefix("--")
        .filter(|it| it.starts_with(|it: char| it.is_ascii_alphabetic()));
    if let Some(flag) = flag {
        return Some(Literal::Name(flag.split('=').next().unwrap_or(flag).into()));
    }
    // `src/api.rs:12-18` is the path; the lines are a place, not a value.
    let path = chunk.split(':').next().unwrap_or(chunk);
    is_path(path).then(|| Literal::Path(path.into()))
}

/// A time of day, a date, a ratio, an issue: nothing that code would say.
fn is_reference(chunk: &str) -> bool {
    let digits = chunk.bytes().filter(u8::is_ascii_digit).count();
    let colons = chunk.bytes().filter(|it| *it == b':').count();
    let dashes = chunk.bytes().filter(|it| matches!(it, b'-' | b'/')).count();
    let is_of = |marks: &str| {
        chunk
            .chars()
            .all(|it| it.is_ascii_digit() || marks.contains(it))
    };
    let is_clock = colons > 0 && digits <= 3 * colons + 3 && is_of(":.Z");
    let is_date = dashes == 2 && digits >= 6 && is_of("-/:.TZ+");
    is_clock || is_date || (chunk.starts_with('#') && is_of("#"))
}

const EXTENSIONS: &str = "rs go py ts tsx js jsx mjs cjs json jsonl toml yaml yml md sql sh bash css scss html lock proto c h cc cpp \
    hpp java kt kts rb php cs swift tf tfvars txt xml ini cfg conf mod sum gradle vue svelte ex exs erl hs ml \
    scala clj lua r ipynb csv snap env mk cmake bat ps1 dockerfile graphql prisma zig nix";
const ROOTS: &str = "src lib tests test docs doc crates packages apps app cmd pkg internal scripts bin config configs \
    migrations vendor .github api server client web frontend backend tools examples bench benches infra deploy";

fn is_path(text: &str) -> bool {
    let is_part = |it: char| {
        is_word_char(it) || matches!(it, '.' | '-' | '/' | '~' | '@' | '*' | '[' | ']' | '$')
    };
    if !text.contains(['/', '.']) || !text.chars().any(is_word_char) || !text.chars().all(is_part) {
        return false;
    }
    let file = text.rsplit('/').next().unwrap_or(text);
    let extension = file.rsplit_once('.').map_or("", |it| it.1);
    let root = text.split('/').next().unwrap_or(text);
    let is_deep =
        text.matches('/').count() > 1 && !text.starts_with(|it: char| it.is_ascii_digit());
    let is_rooted = text.contains('/')
        && (holds(ROOTS, root) || root.starts_with(['.', '~']) || text.starts_with('/'));
    let is_folder = text.ends_with('/') && !text.starts_with('/');
    (holds(EXTENSIONS, extension) || is_rooted || is_deep || is_folder) && !is_brand(text)
}

/// Products and companies are written like types and are none.
const BRANDS: &str = "github gitlab gitea typescript javascript postgresql mysql sqlite nosql mongodb dynamodb graphql openapi \
    oauth oauth2 websocket websockets youtube macos ios ipados devops cloudfront cloudformation cloudflare \
    powershell intellij webstorm pycharm vscode latex bitbucket circleci jetbrains openai chatgpt linkedin \
    paypal rabbitmq clickhouse influxdb mariadb redhat freebsd openbsd openssl openssh wordpress nodejs \
    node.js next.js vue.js nuxt.js three.js d3.js express.js asp.net phd gmbh ebay iphone ipad ipv4 ipv6 \
    webassembly opentelemetry elasticsearch opensearch bigquery pytorch tensorflow numpy fastapi sqlalchemy \
    eslint jquery wifi e.g i.e a.m p.m z.b d.h u.a";

fn is_brand(word: &str) -> bool {
    holds(BRANDS, word)
}

/// Names and numbers outside quotes.
fn plain(fact: &str, taken: &[(usize, usize)], found: &mut Vec<Found>) {
    let all = scan(fact);
    let is_free = |it: &Token| {
        let n = taken.partition_point(|range| range.1 <= it.start);
        taken.get(n).is_none_or(|range| it.end <= range.0)
    };
    let mut at = 0;
    while at < all.len() {
        let token = &all[at];
        let n = if token.is_word() {
            chain(&all[at..])
        } else {
            1
        };
        if is_free(token) {
            found.extend(match &token.kind {
                Kind::Word => name(fact, &all, at, n),
                Kind::Number(number, end) if is_stated(fact, &all, at, number) => {
                    let (start, end) = (token.start, *end);
                    Some(Found {
                        literal: Literal::Number(fact[start..end].into()),
                        start,
                        end,
                    })
                }
                _ => None,
            });
        }
        at += n;
    }
}

/// How many tokens a dotted name has: `Foo::bar.baz`.
fn chain(tokens: &[Token]) -> usize {
    let glued = |n: usize| {
        tokens
            .get(n)
            .is_some_and(|it| it.start == tokens[n - 1].end)
    };
    let mark = |n: usize, it: char| glued(n) && tokens[n].is_mark(it);
    let mut n = 1;
    loop {
        let joint = if mark(n, '.') {
            1
        } else if (mark(n, ':') && mark(n + 1, ':')) || (mark(n, '-') && mark(n + 1, '>')) {
            2
        } else {
            return n;
        };
        if !(glued(n + joint) && tokens[n + joint].is_word()) {
            return n;
        }
        n += joint + 1;
    }
}

fn name(fact: &str, all: &[Token], at: usize, n: usize) -> Option<Found> {
    let (start, end) = (all[at].start, all[at + n - 1].end);
    let text = &fact[start..end];
    let is_called = fact[end..].starts_with("()");
    let is_variable = at > 0 && all[at - 1].is_mark('$') && all[at - 1].end == start;
    let is_dotted = n > 1
        && !text
            .split(['.', ':', '-', '>'])
            .all(|it| it.chars().count() < 2);
    let is_name = is_called || is_variable || is_dotted || is_shaped(text);
    (is_name && !is_brand(text)).then(|| Found {
        literal: Literal::Name(text.into()),
        start,
        end,
    })
}

/// Whether a word is written as only code writes it: `snake_case`, `camelCase`, `HTTPServer`.
pub(super) fn is_shaped(word: &str) -> bool {
    if word.bytes().skip(1).all(|it| it.is_ascii_lowercase()) && !word.starts_with('_') {
        return false;
    }
    let has_joint =
        word.trim_matches('_').contains('_') || (word.starts_with('_') && word.len() > 2);
    let pairs = || word.chars().zip(word.chars().skip(1));
    let lowers = word
        .chars()
        .rev()
        .take_while(|it| it.is_lowercase())
        .count();
    let uppers = word.chars().take_while(|it| it.is_uppercase()).count();
    let is_initialled = uppers > 2 && lowers > 2 && uppers + lowers == word.chars().count();
    (has_joint && word.chars().any(char::is_alphabetic))
        || pairs().any(|(a, b)| a.is_lowercase() && b.is_uppercase())
        || is_initialled
}

/// Words before a number that make it a place or a name and not a value.
const REFERENCES: &str = "line lines issue pr ticket bug rfc iso ieee step steps section chapter page item rule seed adr phase \
    figure table note utf sha oauth http tls ssl wcag ecmascript zeile zeilen ligne lignes línea líneas";
/// Words before a year.
const BEFORE_YEARS: &str = "in since from until by of year before after © copyright january february march april may june july august \
    september october november december seit im en desde depuis";
/// What a fact counts when it goes on to list it.
const COUNTED: &str = "places place files file ways way steps kinds things thing modules layers parts stages environments \
    locations spots cases reasons options variants types phases levels services components packages crates \
    callers tables fields columns copies sources repos repositories teams people stellen dateien orten \
    endroits fichiers lugares archivos tests rules names flavours flavors modes states sections";

/// Whether a number states a value: it does not count, order, date or refer to something.
fn is_stated(fact: &str, all: &[Token], at: usize, number: &Number) -> bool {
    let before = at
        .checked_sub(1)
        .map(|it| word(fact, all, it))
        .unwrap_or_default();
    let is_year = number.is_bare()
        && number
            .value()
            .is_some_and(|it| (1990.0..=2039.0).contains(&it))
        && all[at].end - all[at].start == 4
        && holds(BEFORE_YEARS, before);
    let is_reference = holds(REFERENCES, before) || is_range_of_lines(fact, all, at);
    !(is_year
        || is_reference
        || counts(fact, all, at, number)
        || is_part(fact, all, at)
        || is_listed(fact, all, at))
}

/// The word that a token is; empty when it is none.
fn word<'a>(fact: &'a str, all: &[Token], at: usize) -> &'a str {
    all.get(at)
        .filter(|it| it.is_word())
        .map(|it| it.of(fact))
        .unwrap_or_default()
}

/// Whether a list of words, set apart by spaces, holds one, whatever its case.
pub(super) fn holds(list: &str, word: &str) -> bool {
    let is_same = |it: &str| it.eq_ignore_ascii_case(word);
    !word.is_empty() && list.split_ascii_whitespace().any(is_same)
}

/// `UTF-8`, `HTTP/2`, `C++20`, `#12`: the number is part of a name.
fn is_part(fact: &str, all: &[Token], at: usize) -> bool {
    let joint = at
        .checked_sub(1)
        .map(|it| &all[it])
        .filter(|it| it.end == all[at].start);
    match joint.map(|it| (&it.kind, it.start)) {
        Some((Kind::Mark('#' | '§'), _)) => true,
        Some((Kind::Mark('-' | '/' | '+'), start)) => {
            fact[..start].ends_with(|it: char| it.is_alphabetic() || it == '+')
        }
        _ => false,
    }
}

/// The `1.` or `1)` that a line begins with.
fn is_listed(fact: &str, all: &[Token], at: usize) -> bool {
    let token = &all[at];
    let is_mark = |it: &Token| (it.is_mark('.') || it.is_mark(')')) && it.start == token.end;
    let is_followed = all.get(at + 1).is_some_and(is_mark) && all.len() > at + 2;
    is_followed
        && fact[..token.start]
            .trim_end_matches([' ', '\t'])
            .chars()
            .next_back()
            .is_none_or(|it| it == '\n')
}

/// Whether a number says how many there are of what the fact goes on to tell.
fn counts(fact: &str, all: &[Token], at: usize, number: &Number) -> bool {
    let is_counted = |at: usize| holds(COUNTED, word(fact, all, at));
    number.is_small_count() && (is_counted(at + 1) || is_counted(at + 2) || lists(all, at))
}

/// `3 environments: dev, staging, prod`.
fn lists(all: &[Token], at: usize) -> bool {
    all.get(at + 1).is_some_and(Token::is_word) && all.get(at + 2).is_some_and(|it| it.is_mark(':'))
}

/// The second number of `lines 12-18`.
fn is_range_of_lines(fact: &str, all: &[Token], at: usize) -> bool {
    let Some(first) = at.checked_sub(3) else {
        return false;
    };
    let is_range = matches!(all[at - 1].kind, Kind::Mark('-' | '–'))
        && matches!(all[at - 2].kind, Kind::Number(..));
    is_range && holds(REFERENCES, word(fact, all, first))
}
