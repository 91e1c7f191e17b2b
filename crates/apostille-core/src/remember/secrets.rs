//! Refuses texts that look as if they held a secret.
//!
//! A text is folded first (zero-width characters dropped, full-width letters mapped to ASCII),
//! then one pass over it finds which rows of the table can match at all. Only those rows compile
//! their pattern, and what a pattern finds is judged once more: a placeholder, a path or an
//! ordinary word is no secret.

mod judge;
mod rules;

use judge::Judge;
use regex::bytes::{Captures, Regex, RegexBuilder};
use rules::{ROWS, Row};
use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

/// Shortest text that can hold a secret: `pwd: abc`.
const SHORTEST: usize = 8;
/// Shortest run that counts as a blob when nothing around it says what it is.
const BLOB_MIN: usize = 32;
/// Shortest token that is looked for across a line break.
const SPLIT_MIN: usize = 16;
/// Shortest run for which rows without a keyword are tried.
const RUN_MIN: usize = 20;
/// Name that [`find`] gives for such a blob.
const BLOB: &str = "high-entropy-blob";
/// Buckets of the keyword index: a power of two, so that a mask picks one.
const BUCKETS: usize = 1024;
/// One bit per row; a test keeps the table within it.
type RowSet = [u64; 8];

/// The rule that a text trips, if it looks as if it held a secret. Never carries the secret itself.
pub fn find(text: &str) -> Option<&'static str> {
    if text.len() < SHORTEST {
        return None;
    }
    let folded = fold(text);
    find_in(&folded, false).or_else(|| {
        // A token broken over two lines is whole again only without the break.
        unbroken(&folded).and_then(|joined| find_in(&joined, true))
    })
}

/// Looks through one form of the text. Joined lines glue unrelated words together, so there a
/// value must be random to the eye unless it has a shape of its own.
fn find_in(text: &str, joined: bool) -> Option<&'static str> {
    let plain = without_public(text);
    let lower = plain.to_ascii_lowercase();
    let seen = rows_seen(&lower);
    let by_row = ROWS.iter().enumerate().find(|&(index, row)| {
        let loose = joined && !row.judge.has_own_shape();
        let judge = if loose { Judge::Strong } else { row.judge };
        has(&seen, index) && row_matches(index, row, judge, &plain, &lower)
    });
    match by_row {
        Some((_, row)) => Some(row.name),
        None if !joined && has_blob(&plain) => Some(BLOB),
        None => None,
    }
}

/// Whether the row's pattern finds something that the judge takes for a secret.
fn row_matches(index: usize, row: &Row, judge: Judge, plain: &str, lower: &str) -> bool {
    let pattern = pattern(index, row);
    let subject = if row.is_caseless() { lower } else { plain }.as_bytes();
    let mut at = 0;
    while let Some(found) = pattern.captures_at(subject, at) {
        let Some(value) = found.get(1).or_else(|| found.get(0)) else {
            return false;
        };
        // What is called is code, whatever its name looks like.
        let called = !judge.has_own_shape() && subject.get(value.end()) == Some(&b'(');
        // Lower-casing ASCII moves nothing, so the range holds in both forms. The text is read
        // lossily, since an edge may cut through a character before the value.
        if !called && judge.accepts(&String::from_utf8_lossy(&plain.as_bytes()[value.range()])) {
            return true;
        }
        // Go on right behind the start of the value: a keyword may hide inside a harmless one.
        at = value.start() + 1;
        if at > subject.len() {
            return false;
        }
    }
    false
}

/// The row's pattern, compiled on first use.
fn pattern(index: usize, row: &Row) -> &'static Regex {
    static COMPILED: [OnceLock<Regex>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];
    COMPILED[index].get_or_init(|| compile(&rules::expand(row)))
}

/// Compiles for bytes: neighbouring CJK text must not count as part of a word.
#[expect(clippy::expect_used, reason = "patterns are constants; a test compiles every row")]
fn compile(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).unicode(false).build().expect("pattern in the rule table is valid")
}

/// Keywords that share a start, each with the index of its row.
type Bucket = Vec<(&'static [u8], usize)>;

/// The keywords of all rows, bucketed by their first two bytes.
static KEYWORDS: LazyLock<Vec<Bucket>> = LazyLock::new(|| {
    let mut buckets = vec![Vec::new(); BUCKETS];
    for (index, row) in ROWS.iter().enumerate() {
        for keyword in row.keywords {
            let keyword = keyword.as_bytes();
            buckets[bucket(keyword)].push((keyword, index));
        }
    }
    buckets
});

/// Bucket of the first two bytes; every keyword has at least two.
fn bucket(start: &[u8]) -> usize {
    match start {
        [first, second, ..] => (usize::from(*first) * 37 + usize::from(*second)) & (BUCKETS - 1),
        _ => 0,
    }
}

/// Rows with a keyword in the text, whatever its case. Rows without one need a long run instead.
fn rows_seen(lower: &str) -> RowSet {
    let mut seen = if has_odd_run(lower) { *WITHOUT_KEYWORD } else { RowSet::default() };
    let lower = lower.as_bytes();
    for start in 0..lower.len() {
        let rest = &lower[start..];
        for &(keyword, index) in &KEYWORDS[bucket(rest)] {
            if rest.starts_with(keyword) {
                add(&mut seen, index);
            }
        }
    }
    seen
}

/// The rows that name no keyword.
static WITHOUT_KEYWORD: LazyLock<RowSet> = LazyLock::new(|| {
    let mut rows = RowSet::default();
    let without = ROWS.iter().enumerate().filter(|(_, row)| row.keywords.is_empty());
    without.for_each(|(index, _)| add(&mut rows, index));
    rows
});

fn add(rows: &mut RowSet, index: usize) {
    rows[index / 64] |= 1 << (index % 64);
}

fn has(seen: &RowSet, index: usize) -> bool {
    seen[index / 64] & (1 << (index % 64)) != 0
}

/// The text in plain letters: what a reader does not see is dropped, what merely looks like ASCII
/// becomes ASCII.
fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter_map(fold_char).collect())
}

fn fold_char(c: char) -> Option<char> {
    let code = u32::from(c);
    match code {
        // Zero-width and bidirectional controls, soft hyphen, variation selectors.
        0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F => None,
        0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFFA0 => None,
        0xFE00..=0xFE0F | 0xFEFF | 0xFFF9..=0xFFFB | 0xE0100..=0xE01EF => None,
        0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0),
        0xA0 | 0x2000..=0x200A | 0x202F | 0x205F | 0x3000 => Some(' '),
        // Tag characters carry invisible ASCII.
        0xE0020..=0xE007E => char::from_u32(code - 0xE0000),
        0xE0000..=0xE007F => None,
        // Mathematical letters and digits, in runs of A-Z a-z and 0-9.
        0x1D400..=0x1D6A3 => Some(math_letter((code - 0x1D400) % 52)),
        0x1D7CE..=0x1D7FF => char::from_digit((code - 0x1D7CE) % 10, 10),
        _ => Some(c),
    }
}

fn math_letter(position: u32) -> char {
    let base = if position < 26 { 'A' } else { 'a' };
    char::from_u32(u32::from(base) + position % 26).unwrap_or(base)
}

/// The text without its line breaks and the blanks around them, if a token may be whole only then.
fn unbroken(text: &str) -> Option<String> {
    let lines = text.split(['\n', '\r']).map(|line| line.trim().trim_end_matches('\\'));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let broken = lines.windows(2).any(|pair| matches!(pair, [above, below] if splits_token(above, below)));
    broken.then(|| lines.concat())
}

/// Whether the last word above and the first word below could be the halves of one token.
fn splits_token(above: &str, below: &str) -> bool {
    let tail = above.rsplit(char::is_whitespace).next().unwrap_or_default();
    let head = below.split(char::is_whitespace).next().unwrap_or_default();
    let digits = tail.bytes().chain(head.bytes()).any(|byte| byte.is_ascii_digit());
    let len = tail.len() + head.len();
    (digits && len >= SPLIT_MIN) || len >= 2 * SPLIT_MIN
}

/// The text without what is long and random but public by nature: digests, images, public keys.
fn without_public(text: &str) -> Cow<'_, str> {
    static PUBLIC: LazyLock<Regex> = LazyLock::new(|| compile(rules::PUBLIC));
    if longest_run(text) < rules::PUBLIC_MIN {
        return Cow::Borrowed(text);
    }
    match PUBLIC.replace_all(text.as_bytes(), blank_unless_odd_digest) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// A digest has one of few lengths; anything else behind its name stays and is looked at.
fn blank_unless_odd_digest(found: &Captures<'_>) -> Vec<u8> {
    let length = |digest: &[u8]| {
        let escapes = digest.iter().filter(|&&byte| byte == b'%').count();
        digest.len() - 2 * escapes
    };
    match found.get(1).map(|digest| length(digest.as_bytes())) {
        None | Some(27 | 28 | 40 | 43 | 44 | 64 | 86 | 87 | 88 | 96 | 128) => b" ".to_vec(),
        Some(_) => found[0].to_vec(),
    }
}

/// Whether some run is long and has digits in it, as few names do.
fn has_odd_run(text: &str) -> bool {
    let runs = text.split(|c: char| c == '/' || !is_blob_char(c));
    runs.filter(|run| run.len() >= RUN_MIN).any(|run| run.bytes().filter(u8::is_ascii_digit).count() >= 3)
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| !is_blob_char(c));
    runs.map(str::len).max().unwrap_or(0)
}

fn is_blob_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '-')
}

/// Whether the text holds a long random run outside of an address.
fn has_blob(text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '('));
    words
        .filter(|word| word.len() >= BLOB_MIN && !word.contains("://"))
        .flat_map(|word| word.split(|c| !is_blob_char(c)))
        .any(|run| run.len() >= BLOB_MIN && judge::is_blob(run))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b";
    const MIXED: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    const DIGEST: &str = "dGhpcyBpcyBub3QgYSBzZWNyZXQsIGp1c3QgYSBkaWc";

    fn refused(text: &str) {
        assert!(find(text).is_some(), "must be refused: {text}");
    }

    fn passes(text: &str) {
        assert_eq!(find(text), None, "must pass: {text}");
    }

    #[test]
    fn sk() {
        refused("my API key is sk-abc123...");
        refused(&format!("use sk-{MIXED} for now"));
        refused(&format!("sk-proj-{MIXED}"));
        passes("pip install sk-learn and task-4711 is done");
        passes("keys start with `sk-`, as in sk-... or sk-your-api-key-here");
        passes("div.sk-container-id-1 in the notebook");
    }

    #[test]
    fn ghp() {
        refused(&format!("remote uses ghp_{MIXED}"));
        passes("classic tokens start with ghp_, see the docs");
        passes("ghp_xxxxxxxxxxxxxxxxxxxx");
    }

    #[test]
    fn gho() {
        refused(&format!("gho_{MIXED}"));
        passes("`gho_` marks an OAuth token");
    }

    #[test]
    fn glpat() {
        refused(&format!("clone with glpat-{}", &MIXED[..20]));
        passes("tokens look like glpat-<20 characters>");
    }

    #[test]
    fn xoxb() {
        refused(&format!("xoxb-1234567890-{}", &MIXED[..24]));
        passes("bot tokens start with xoxb-");
    }

    #[test]
    fn xoxp() {
        refused(&format!("xoxp-1234567890-{}", &MIXED[..24]));
        passes("user tokens start with xoxp-");
    }

    #[test]
    fn bearer() {
        refused("curl -H 'Authorization: Bearer a1b2c3d4e5f6'");
        refused(&format!("Bearer {MIXED}"));
        passes("Bearer authentication is required, a bearer token works too");
        passes("headers['Authorization'] = `Bearer ${session.accessToken}`;");
    }

    #[test]
    fn token() {
        refused("token: abcd1234efgh");
        refused("TOKEN=9f8e7d6c5b4a");
        refused(&format!("https://a.b/c?access_token={MIXED}"));
        passes("the token: see docs");
        passes("token: <your-token>");
        passes("repo-token: ${{ secrets.GITHUB_TOKEN }}");
        passes("token: CancellationToken) => Thenable<ChatSessionItem>");
        passes("max token = 128000, next_token: null");
    }

    #[test]
    fn password() {
        refused("password: hunter2");
        refused("the database password is Tr0ub4dor&3");
        refused("PGPASSWORD=s3cr3tpw psql");
        refused("passwd = \"Winter2024!\"");
        refused("pwd=Winter2024!");
        refused("密码：abc12345");
        passes("password: must be 12 characters");
        passes("password: ${DB_PASSWORD}");
        passes("password: base64 of the input, sha256-hashed");
        passes("pwd=/home/user1/project2");
        passes("NEO4J_PASSWORD=your-password");
    }

    #[test]
    fn secret_and_api_key() {
        for name in
            ["secret", "api_key", "api key", "apikey", "API-KEY", "clientSecret", "aws_secret_access_key"]
        {
            refused(&format!("{name} = \"{}\"", &MIXED[..24]));
            refused(&format!("the {name} for staging is {HEX}"));
            passes(&format!("{name} = process.env.ACME_KEY2"));
            passes(&format!("{name}: see section 4.2 of the docs"));
        }
    }

    #[test]
    fn high_entropy_blob() {
        refused(&format!("it printed {MIXED} at the end"));
        refused("wJalrXUtnFEMI/K7MDENG/bPxRfiCYzq8w2Kd0Lm");
        passes("ResolveSlackAppMentionIngressPolicyParamsForWorkspace2024");
        passes("src/main/java/com/acme/Service2/Http2ConnectionPoolFactoryTest.java");
    }

    #[test]
    fn every_row_catches_its_sample() {
        for (index, row) in ROWS.iter().enumerate() {
            let sample = row.sample.concat();
            let lower = sample.to_ascii_lowercase();
            assert!(has(&rows_seen(&lower), index), "{}: keyword", row.name);
            assert!(row_matches(index, row, row.judge, &sample, &lower), "{}: {sample}", row.name);
            refused(&format!("Ran it with {sample} and it passed."));
        }
    }

    #[test]
    fn every_row_lets_its_clean_sample_pass() {
        ROWS.iter().for_each(|row| passes(&row.clean.concat()));
    }

    #[test]
    fn table_is_well_formed() {
        assert!(ROWS.len() <= RowSet::default().len() * 64);
        for keyword in ROWS.iter().flat_map(|row| row.keywords) {
            assert!(keyword.len() >= 2 && *keyword == keyword.to_ascii_lowercase(), "{keyword}");
        }
    }

    #[test]
    fn evasions() {
        let token = format!("ghp_{}", &MIXED[..36]);
        let (head, tail) = token.split_at(19);
        let wide: String = token.chars().filter_map(|c| char::from_u32(u32::from(c) + 0xFEE0)).collect();
        refused(&format!("{head}\u{200b}{tail}"));
        refused(&format!("{head}\u{ad}\u{2060}{tail}"));
        refused(&wide);
        refused(&format!("{head}\n{tail}"));
        refused(&format!("{head} \r\n    {tail}"));
        refused(&format!("令牌{token}密钥"));
        refused(&format!("使用AKIA{}部署", "A2B3C4D5E6F7G2H3"));
    }

    #[test]
    fn public_values_pass() {
        passes(&format!("fixed in {HEX}"));
        passes(&format!("checksum = \"{HEX}{}\"", &HEX[..24]));
        passes("id 0a1b2c3d-4e5f-4a7b-8c9d-0e1f2a3b4c5d");
        passes(&format!("\"integrity\": \"sha256-{DIGEST}=\""));
        passes(&format!("\"integrity\": \"sha512-{DIGEST}{DIGEST}==\","));
        passes(&format!("github.com/a/b v1.2.3 h1:{DIGEST}="));
        passes(&format!("data:image/png;base64,iVBORw0KGgo{MIXED}{MIXED}=="));
        passes(&format!("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{MIXED}{MIXED} me@host"));
        passes(&format!(
            "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq{MIXED}\n{MIXED}\n-----END PUBLIC KEY-----"
        ));
        passes("https://docs.example.org/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit");
        refused(&format!("sha256-{MIXED}{}", &MIXED[..20].repeat(2)));
    }

    #[test]
    fn placeholders_pass() {
        for value in
            ["xxxxxxxxxxxxxxxxxxxx1", "<token>", "${VAR2}", "changeme123", "REDACTED", "$TOKEN_2", "***"]
        {
            passes(&format!("api_key={value}"));
            passes(&format!("password: {value}"));
        }
    }
}
