//! Where the literals of a fact are: what is quoted, and what only code would write.

use super::Literal;
use super::{
    chars::is_word_char,
    number::LiteralNumber,
    scan::{LiteralToken, LiteralTokenKind, scan_literal_tokens},
};

/// A literal and where it stands in the fact.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundLiteral {
    pub literal: Literal,
    pub start: usize,
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
pub(super) fn find_literals(fact: &str) -> Vec<FoundLiteral> {
    let mut found = Vec::new();
    let mut taken = Vec::new();
    find_quoted_literals(fact, &mut found, &mut taken);
    find_chunk_literals(fact, &mut found, &mut taken);
    taken.sort_unstable();
    find_plain_literals(fact, &taken, &mut found);
    found.sort_by_key(|it| it.start);
    found
}

/// Everything in quotes, and which parts of the fact that covers.
fn find_quoted_literals(
    fact: &str,
    found: &mut Vec<FoundLiteral>,
    taken: &mut Vec<(usize, usize)>,
) {
    let (mut at, mut before) = (0, ' ');
    while let Some(c) = fact[at..].chars().next() {
        let next = at + c.len_utf8();
        let close = QUOTES
            .iter()
            .find(|it| it.0 == c)
            .and_then(|it| find_closing_quote(&fact[next..], before, *it));
        let Some(len) = close else {
            (at, before) = (next, c);
            continue;
        };
        let end = next + len;
        push_quoted_literals(&fact[next..end], next, c == '`', found);
        let after = end + fact[end..].chars().next().map_or(0, char::len_utf8);
        taken.push((at, after));
        (at, before) = (after, '`');
    }
}

/// How long the text in a quote is, which opens where `rest` begins.
fn find_closing_quote(rest: &str, before: char, (open, close): (char, char)) -> Option<usize> {
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
fn push_quoted_literals(quoted: &str, start: usize, is_code: bool, found: &mut Vec<FoundLiteral>) {
    let text = quoted.trim();
    let is_digit = text.chars().all(|it| it.is_ascii_digit());
    if text.is_empty() || (!is_code && !is_digit && text.chars().count() < 2) {
        return;
    }
    let literal = if is_number_literal(text) {
        Literal::Number(text.into())
    } else if is_path_literal(text) {
        Literal::Path(text.into())
    } else if text.chars().all(|it| is_word_char(it) || it == '-') {
        let kind = if is_code {
            Literal::Name
        } else {
            Literal::Value
        };
        kind(text.into())
    } else if let Some(name) = extract_called_name(text).filter(|_| is_code) {
        Literal::Name(name.into())
    } else {
        Literal::Quoted(text.into())
    };
    let is_expression = matches!(literal, Literal::Quoted(_));
    found.push(FoundLiteral { literal, start });
    if is_expression {
        let n_found = found.len();
        find_plain_literals(quoted, &[], found);
        found[n_found..].iter_mut().for_each(|it| it.start += start);
    }
}

fn is_number_literal(text: &str) -> bool {
    let tokens = scan_literal_tokens(text);
    let skip = usize::from(tokens.first().is_some_and(|it| it.is_mark('-')));
    matches!(tokens.get(skip), Some(LiteralToken { kind: LiteralTokenKind::Number(_, end), .. }) if *end == text.len())
}

/// The name that is called or pointed at: `Foo::bar()`, `this.state`, `println!`.
fn extract_called_name(text: &str) -> Option<&str> {
    let name = text.split('(').next().unwrap_or(text).trim_end_matches('!');
    let name = name.trim_start_matches(['$', '@', '&', '-', '.']);
    let is_name = |it: char| is_word_char(it) || matches!(it, '.' | ':' | '-' | '>' | '#');
    let is_whole = text.len() == name.len() || !text.contains('(') || text.ends_with("()");
    (is_whole && name.chars().any(is_word_char) && name.chars().all(is_name)).then_some(name)
}

/// What is one thing between two spaces: paths, links, flags; and what is no literal at all: times, dates, references.
fn find_chunk_literals(fact: &str, found: &mut Vec<FoundLiteral>, taken: &mut Vec<(usize, usize)>) {
    let quotes = taken.clone();
    let mut next = 0;
    for chunk in fact.split_inclusive(|it: char| it.is_whitespace() || matches!(it, '(' | ')')) {
        let start = next;
        next += chunk.len();
        let (start, chunk) = trim_chunk(start, chunk);
        let end = start + chunk.len();
        if chunk.len() < 2 || quotes.iter().any(|it| it.0 < end && start < it.1) {
            continue;
        }
        let literal = parse_chunk_literal(chunk);
        if literal.is_some() || is_date_or_reference(chunk) {
            taken.push((start, end));
        }
        found.extend(literal.map(|literal| FoundLiteral { literal, start }));
    }
}

fn trim_chunk(start: usize, chunk: &str) -> (usize, &str) {
    let is_part = |it: char, marks: &str| is_word_char(it) || marks.contains(it);
    let front = chunk.trim_start_matches(|it| !is_part(it, "-/.#~@$"));
    let back = front.trim_end_matches(|it| !is_part(it, "/%"));
    (start + chunk.len() - front.len(), back)
}

fn parse_chunk_literal(chunk: &str) -> Option<Literal> {
    if chunk.contains("://") {
        return Some(Literal::Quoted(chunk.into()));
    }
    let flag = chunk.strip_prefix("--");
    if let Some(flag) = flag.filter(|it| it.starts_with(|it: char| it.is_ascii_alphabetic())) {
        return Some(Literal::Name(flag.split('=').next().unwrap_or(flag).into()));
    }
    // `src/api.rs:12-18` is the path; the lines are a place, not a value.
    let path = chunk.split(':').next().unwrap_or(chunk);
    is_path_literal(path).then(|| Literal::Path(path.into()))
}

/// A time of day, a date, a ratio, an issue: nothing that code would say.
fn is_date_or_reference(chunk: &str) -> bool {
    let count = |is_it: fn(&u8) -> bool| chunk.bytes().filter(is_it).count();
    let digits = count(u8::is_ascii_digit);
    let colons = count(|it| *it == b':');
    let dashes = count(|it| matches!(it, b'-' | b'/'));
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

fn is_path_literal(text: &str) -> bool {
    let is_part = |it| is_word_char(it) || ".-/~@*[]$".contains(it);
    if !text.contains(['/', '.']) || !text.chars().any(is_word_char) || !text.chars().all(is_part) {
        return false;
    }
    let file = text.rsplit('/').next().unwrap_or(text);
    let extension = file.rsplit_once('.').map_or("", |it| it.1);
    let root = text.split('/').next().unwrap_or(text);
    let is_deep =
        text.matches('/').count() > 1 && !text.starts_with(|it: char| it.is_ascii_digit());
    let is_rooted = text.contains('/')
        && (is_in_caseless_word_list(ROOTS, root)
            || root.starts_with(['.', '~'])
            || text.starts_with('/'));
    let is_folder = text.ends_with('/') && !text.starts_with('/');
    (is_in_caseless_word_list(EXTENSIONS, extension) || is_rooted || is_deep || is_folder)
        && !is_brand_name(text)
}

/// Products and companies are written like types and are none.
const BRANDS: &str = "github gitlab gitea typescript javascript postgresql mysql sqlite nosql mongodb dynamodb graphql openapi \
    oauth oauth2 websocket websockets youtube macos ios ipados devops cloudfront cloudformation cloudflare \
    powershell intellij webstorm pycharm vscode latex bitbucket circleci jetbrains openai chatgpt linkedin \
    nan nans paypal rabbitmq clickhouse influxdb mariadb redhat freebsd openbsd openssl openssh wordpress nodejs \
    node.js next.js vue.js nuxt.js three.js d3.js express.js asp.net phd gmbh ebay iphone ipad ipv4 ipv6 \
    webassembly opentelemetry elasticsearch opensearch bigquery pytorch tensorflow numpy fastapi sqlalchemy \
    eslint jquery wifi e.g i.e a.m p.m z.b d.h u.a";

fn is_brand_name(word: &str) -> bool {
    is_in_caseless_word_list(BRANDS, word)
}

/// Names and numbers outside quotes.
fn find_plain_literals(fact: &str, taken: &[(usize, usize)], found: &mut Vec<FoundLiteral>) {
    let all = scan_literal_tokens(fact);
    let is_free = |it: &LiteralToken| {
        let n = taken.partition_point(|range| range.1 <= it.start);
        taken.get(n).is_none_or(|range| it.end <= range.0)
    };
    let mut at = 0;
    while let Some(token) = all.get(at) {
        let start = token.start;
        let n = if token.is_word() {
            count_dotted_tokens(&all[at..])
        } else {
            1
        };
        let literal = match &token.kind {
            _ if !is_free(token) => None,
            LiteralTokenKind::Word => parse_name_literal(fact, &all, at, n),
            LiteralTokenKind::Number(number, end) => is_stated_value(fact, &all, at, number)
                .then(|| Literal::Number(fact[start..*end].into())),
            _ => None,
        };
        found.extend(literal.map(|literal| FoundLiteral { literal, start }));
        at += n;
    }
}

/// How many tokens a dotted name has: `Foo::bar.baz`.
fn count_dotted_tokens(tokens: &[LiteralToken]) -> usize {
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

fn parse_name_literal(fact: &str, all: &[LiteralToken], at: usize, n: usize) -> Option<Literal> {
    let (start, end) = (all[at].start, all[at + n - 1].end);
    let text = &fact[start..end];
    let is_called = fact[end..].starts_with("()");
    let is_variable = fact[..start].ends_with('$');
    let mut parts = text.split(['.', ':', '-', '>']);
    let is_dotted = n > 1 && parts.any(|it| it.chars().count() > 1);
    let is_name = is_called || is_variable || is_dotted || is_code_shaped(text);
    (is_name && !is_brand_name(text)).then(|| Literal::Name(text.into()))
}

/// Whether a word is written as only code writes it: `snake_case`, `camelCase`, `HTTPServer`.
pub(super) fn is_code_shaped(word: &str) -> bool {
    if word.bytes().skip(1).all(|it| it.is_ascii_lowercase()) && !word.starts_with('_') {
        return false;
    }
    let has_joint =
        word.trim_matches('_').contains('_') || (word.starts_with('_') && word.len() > 2);
    let mut pairs = word.chars().zip(word.chars().skip(1));
    let lowers = word
        .chars()
        .rev()
        .take_while(|it| it.is_lowercase())
        .count();
    let uppers = word.chars().take_while(|it| it.is_uppercase()).count();
    let is_initialled = uppers > 2 && lowers > 2 && uppers + lowers == word.chars().count();
    (has_joint && word.chars().any(char::is_alphabetic))
        || pairs.any(|(a, b)| a.is_lowercase() && b.is_uppercase())
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
    endroits fichiers lugares archivos tests rules names flavours flavors modes states sections \
    parameters parameter arguments argument args arg members member methods method functions function classes class \
    keys key overloads branches subcommands commands flags headers values elements";

/// Words after which another thing begins: in `0 in packages/core` nothing is counted.
const PREPOSITIONS: &str = "in of for at from with on by to and or per";

/// Whether a number states a value: it does not count, order, date or refer to something.
fn is_stated_value(fact: &str, all: &[LiteralToken], at: usize, number: &LiteralNumber) -> bool {
    let token = &all[at];
    let is_word_in = |list: &str, at: Option<usize>| {
        let word = at.and_then(|it| all.get(it)).filter(|it| it.is_word());
        word.is_some_and(|it| is_in_caseless_word_list(list, it.slice_from(fact)))
    };
    let is_year = number.is_unitless()
        && number
            .value()
            .is_some_and(|it| (1990.0..=2039.0).contains(&it))
        && token.end - token.start == 4
        && is_word_in(BEFORE_YEARS, at.checked_sub(1));
    let is_reference = is_word_in(REFERENCES, at.checked_sub(1))
        || is_range_end(&all[..at]) && is_word_in(REFERENCES, at.checked_sub(3));
    // How many there are of what the fact goes on to tell, as in `3 environments: dev, staging, prod`.
    let is_count = || {
        let is_counted = |at| is_word_in(COUNTED, Some(at));
        number.is_small_count()
            && (is_counted(at + 1)
                || is_counted(at + 2) && !is_word_in(PREPOSITIONS, Some(at + 1))
                || matches!(&all[at + 1..], [word, colon, ..] if word.is_word() && colon.is_mark(':')))
    };
    let is_plural = || fact[token.end..].starts_with("'s") || fact[token.end..].starts_with("’s");
    !(is_year
        || is_plural()
        || is_reference
        || is_count()
        || is_number_in_name(fact, all, at)
        || is_list_marker(fact, all, at))
}

/// Whether a number and a dash come before, as in `lines 12-18`.
fn is_range_end(before: &[LiteralToken]) -> bool {
    let [.., first, dash] = before else {
        return false;
    };
    matches!(first.kind, LiteralTokenKind::Number(..))
        && matches!(dash.kind, LiteralTokenKind::ModerationMark('-' | '–'))
}

/// Whether a list of words, set apart by spaces, holds one, whatever its case.
pub(super) fn is_in_caseless_word_list(list: &str, word: &str) -> bool {
    let is_same = |it: &str| it.eq_ignore_ascii_case(word);
    !word.is_empty() && list.split_ascii_whitespace().any(is_same)
}

/// `UTF-8`, `HTTP/2`, `C++20`, `#12`: the number is part of a name.
fn is_number_in_name(fact: &str, all: &[LiteralToken], at: usize) -> bool {
    let joint = at.checked_sub(1).map(|it| &all[it]);
    joint.is_some_and(|it| {
        it.end == all[at].start
            && match it.kind {
                LiteralTokenKind::ModerationMark('#' | '§') => true,
                LiteralTokenKind::ModerationMark('-' | '/' | '+') => {
                    fact[..it.start].ends_with(|it: char| it.is_alphabetic() || it == '+')
                }
                _ => false,
            }
    })
}

/// The `1.` or `1)` that a line begins with.
fn is_list_marker(fact: &str, all: &[LiteralToken], at: usize) -> bool {
    let token = &all[at];
    let is_mark = |it: &LiteralToken| (it.is_mark('.') || it.is_mark(')')) && it.start == token.end;
    let before = fact[..token.start].trim_end_matches([' ', '\t']);
    let is_followed = all.get(at + 1).is_some_and(is_mark) && all.len() > at + 2;
    is_followed && (before.is_empty() || before.ends_with('\n'))
}
