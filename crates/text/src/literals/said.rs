//! What a text says: its words in plain dress, one after another, and its numbers with what is calculated of them.

use super::Literal;
use super::number::{self, Number};
use super::scan::{Kind, Token, scan};

/// A text, read once.
pub(super) struct Said<'a> {
    pub(super) text: &'a str,
    /// Its words and numbers, lower-case and without separators, joined: `max_retries: 5` is `maxretries5`.
    plain: String,
    /// For each of them: where it begins in `plain`, and where it ends in the text.
    joints: Vec<(usize, usize)>,
    /// Its numbers, and where each begins.
    pub(super) numbers: Vec<(usize, Number)>,
}

/// A word in plain dress: `MAX_RETRIES`, `maxRetries` and `max-retries` are one.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_plain(&mut out, text);
    out
}

fn push_plain(out: &mut String, text: &str) {
    for c in text.chars().filter(|it| it.is_alphanumeric()) {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase())
        } else {
            out.extend(c.to_lowercase())
        }
    }
}

impl<'a> Said<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let tokens = scan(text);
        let mut said = Self {
            text,
            plain: String::with_capacity(text.len()),
            joints: Vec::new(),
            numbers: Vec::new(),
        };
        for (n, token) in tokens.iter().enumerate() {
            if matches!(token.kind, Kind::Mark(_)) {
                continue;
            }
            said.joints.push((said.plain.len(), token.end));
            push_plain(&mut said.plain, token.of(text));
            said.count(&tokens, n);
        }
        said
    }

    /// Notes the numbers that begin at a token.
    fn count(&mut self, tokens: &[Token], n: usize) {
        let token = &tokens[n];
        let mut note = |it: Number| self.numbers.push((token.start, it));
        match &token.kind {
            Kind::Word => number::spelled(token.of(self.text))
                .map(Number::bare)
                .into_iter()
                .for_each(note),
            Kind::Number(number, _) => {
                let number = dressed(self.text, tokens, n, number);
                calculated(self.text, tokens, n, &number)
                    .into_iter()
                    .for_each(&mut note);
                note(number);
            }
            Kind::Ordinal | Kind::Mark(_) => {}
        }
    }

    /// Whether the text says this.
    pub(super) fn says(&self, literal: &Literal) -> bool {
        match literal {
            Literal::Number(text) => self.says_number(text),
            Literal::Name(text) => segments(text).any(|it| self.says_name(it)),
            Literal::Value(text) => self.says_name(text),
            Literal::Path(text) => self.says_path(text),
            Literal::Quoted(text) => self.text.contains(text.as_str()) || self.says_much_of(text),
        }
    }

    fn says_number(&self, text: &str) -> bool {
        match parsed(text) {
            Some(number) => self.numbers.iter().any(|(_, it)| number.agrees(it)),
            None => self.says_name(text),
        }
    }

    /// One of a few things is one of them: `RepoPaths` stands where `RepoPath` does.
    fn says_name(&self, name: &str) -> bool {
        let name = plain(name);
        let one = name.strip_suffix('s').filter(|it| it.len() > 3);
        self.mentions(&name)
            || one.is_some_and(|it| self.mentions(it))
            || self.mentions(&format!("{name}s"))
    }

    /// Whether a word in plain dress is among its words.
    pub(super) fn mentions(&self, plain: &str) -> bool {
        self.ends_of(plain).next().is_some()
    }

    /// Where in the text the mentions of a word in plain dress end: whole words only.
    pub(super) fn ends_of<'b>(&'b self, plain: &'b str) -> impl Iterator<Item = usize> + 'b {
        let hits = (!plain.is_empty()).then(|| self.plain.match_indices(plain));
        hits.into_iter().flatten().filter_map(|(at, _)| {
            self.joints.binary_search_by_key(&at, |it| it.0).ok()?;
            let next = self.joints.partition_point(|it| it.0 < at + plain.len());
            let is_end =
                self.joints.get(next).map_or(self.plain.len(), |it| it.0) == at + plain.len();
            is_end.then(|| self.joints[next - 1].1)
        })
    }

    /// The path, or the name of its file, as an import or a script would write it.
    fn says_path(&self, path: &str) -> bool {
        let file = path
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or(path);
        let stem = file.split('.').next().filter(|it| it.len() > 3);
        self.says_name(path) || self.says_name(file) || stem.is_some_and(|it| self.says_name(it))
    }

    /// A command or an expression in quotes stands when half of its words do: `npm run build` is `"build": …` there.
    fn says_much_of(&self, text: &str) -> bool {
        if self.mentions(&plain(text)) {
            return true;
        }
        let tokens = scan(text);
        let words: Vec<&str> = tokens
            .iter()
            .filter(|it| !matches!(it.kind, Kind::Mark(_)))
            .map(|it| it.of(text))
            .collect();
        let n_said = words.iter().filter(|it| self.mentions(&plain(it))).count();
        !words.is_empty() && n_said >= (words.len() / 2).max(1)
    }
}

/// The number that a literal is.
pub(super) fn parsed(text: &str) -> Option<Number> {
    match scan(text)
        .into_iter()
        .find(|it| !matches!(it.kind, Kind::Mark(_)))?
        .kind
    {
        Kind::Number(number, _) => Some(number),
        _ => None,
    }
}

/// The segments of a dotted name that may stand for it: the last, and those that only code would write.
fn segments(name: &str) -> impl Iterator<Item = &str> {
    let last = name.rsplit(['.', ':', '>', '#']).next().unwrap_or(name);
    let shaped = name
        .split(['.', ':', '>', '#', '-'])
        .filter(|it| super::find::is_shaped(it));
    [last].into_iter().chain(shaped)
}

/// A number in the unit that its name gives it (`from_secs(30)`, `minutes=5`), or a version where it is pinned.
fn dressed(text: &str, tokens: &[Token], n: usize, number: &Number) -> Number {
    let before = |back: usize| n.checked_sub(back).map(|it| &tokens[it]);
    let is_glued = before(1).is_some_and(|it| it.end == tokens[n].start);
    let pins = |it: &Token| matches!(it.kind, Kind::Mark(':' | '@' | '^' | '~'));
    let is_pinned = is_glued && before(1).is_some_and(pins) && number.is_bare();
    let number = if is_pinned {
        number.clone().pinned()
    } else {
        number.clone()
    };
    let is_between =
        |it: &&Token| matches!(it.kind, Kind::Mark('(' | '=' | ':' | '"' | '\'' | '*'));
    let at = tokens[..n]
        .iter()
        .rev()
        .take(4)
        .take_while(is_between)
        .count();
    let name = before(at + 1)
        .filter(|it| at > 0 && it.is_word())
        .map(|it| it.of(text));
    let unit = name
        .and_then(number::unit_of_name)
        .filter(|_| number.is_bare());
    unit.and_then(|it| number.in_unit(it)).unwrap_or(number)
}

/// How many factors are multiplied; days in milliseconds have five.
const MAX_FACTORS: usize = 6;

/// What is calculated from a number on: `5 * 1024 * 1024`, `10 * MB`, `30 * time.Second`, `1 << 20`, `2 ** 10`.
fn calculated(text: &str, tokens: &[Token], n: usize, first: &Number) -> Option<Number> {
    operator(&tokens[n + 1..])?;
    let mut result = None;
    let (mut at, mut so_far) = (n + 1, first.clone());
    for _ in 0..MAX_FACTORS {
        let Some((operator, next)) = operator(&tokens[at.min(tokens.len())..]) else {
            break;
        };
        at += next;
        so_far = match &tokens.get(at)?.kind {
            Kind::Number(number, _) => so_far.with(number, operator)?,
            Kind::Word => {
                let path = tokens[at..]
                    .iter()
                    .take(5)
                    .take_while(|it| it.is_word() || it.is_mark('.') || it.is_mark(':'));
                let last = path.filter(|it| it.is_word()).last()?;
                return so_far.in_unit(last.of(text)).or(result);
            }
            _ => return result,
        };
        result = Some(so_far.clone());
        at += 1;
    }
    result
}

type Operator = fn(f64, f64) -> f64;

fn operator(tokens: &[Token]) -> Option<(Operator, usize)> {
    let mark = |n: usize, it: char| tokens.get(n).is_some_and(|token| token.is_mark(it));
    match () {
        () if mark(0, '*') && mark(1, '*') => Some((f64::powf, 2)),
        () if mark(0, '*') => Some((|a, b| a * b, 1)),
        () if mark(0, '<') && mark(1, '<') => Some((|a, b| a * b.exp2(), 2)),
        () => None,
    }
}
