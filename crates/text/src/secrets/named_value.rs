//! A word that names a secret, and the value behind it: `token: …`, `the password for staging is …`.
//!
//! These words are common in ordinary text, so what follows them is read by hand: no pattern has to be compiled for a
//! text that merely talks about tokens.

use std::ops::Range;

use super::judge::SecretJudge;

/// What a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretNoun {
    /// A password.
    Pass,
    /// A short word for a password, which must not be the end of another word.
    ShortPass,
    /// A token or the like.
    Token,
    /// The same, but seldom right before its value: `auth`, `credentials`.
    Loose,
    /// A short word for a token, which must not be the end of another word.
    ShortToken,
    /// A key: whether of the secret kind is told by the word before it.
    Key,
    /// Only a part of a longer name, as in `acme-private-…`.
    Part,
}

/// The words, in lower case. A longer one stands before its own beginning.
pub(super) static NOUNS: &[(&str, SecretNoun)] = &[
    ("password", SecretNoun::Pass),
    ("passwd", SecretNoun::Pass),
    ("passphrase", SecretNoun::Pass),
    ("passcode", SecretNoun::Pass),
    ("passwort", SecretNoun::Pass),
    ("contraseña", SecretNoun::Pass),
    ("contrasena", SecretNoun::Pass),
    ("mot de passe", SecretNoun::Pass),
    ("senha", SecretNoun::Pass),
    ("пароль", SecretNoun::Pass),
    ("密码", SecretNoun::Pass),
    ("密碼", SecretNoun::Pass),
    ("口令", SecretNoun::Pass),
    ("パスワード", SecretNoun::Pass),
    ("비밀번호", SecretNoun::Pass),
    ("암호", SecretNoun::Pass),
    ("pwd", SecretNoun::ShortPass),
    ("pw", SecretNoun::ShortPass),
    ("pass", SecretNoun::ShortPass),
    ("token", SecretNoun::Token),
    ("secret", SecretNoun::Token),
    ("令牌", SecretNoun::Token),
    ("密钥", SecretNoun::Token),
    ("密鑰", SecretNoun::Token),
    ("秘钥", SecretNoun::Token),
    ("トークン", SecretNoun::Token),
    ("토큰", SecretNoun::Token),
    ("токен", SecretNoun::Token),
    ("credentials", SecretNoun::Loose),
    ("credential", SecretNoun::Loose),
    ("authorization", SecretNoun::Loose),
    ("auth", SecretNoun::Loose),
    ("pat", SecretNoun::ShortToken),
    ("sas", SecretNoun::ShortToken),
    ("key", SecretNoun::Key),
    ("private", SecretNoun::Part),
    ("access", SecretNoun::Part),
];

/// Words that make a key a secret one; a bare "key" names too much else.
const SECRET_KEYS: &str = "api app application auth access account admin client consumer deploy encryption ingest \
    integration license licence master personal private project secret server service session shared signing ssh \
    storage subscription user webhook write hmac jwt";
/// Words that make it the key of a table or of a cache.
const PLAIN_KEYS: &str = "cache primary foreign partition sort public object hash index content commit group row lookup \
    dedupe idempotency map dict cookie i18n translation message locale shortcut hot composite unique surrogate natural \
    join query entry item lock storage routing shard redis bucket s3 file";

/// One way in which a value may follow.
pub(super) struct SecretPhrasing {
    /// What is reported.
    pub name: &'static str,
    /// Which words it holds for.
    takes: fn(&SecretWord<'_>) -> bool,
    /// Where the value is, seen from the end of the word.
    value: fn(&[u8]) -> Option<Range<usize>>,
    /// How the value is judged.
    pub judge: SecretJudge,
    /// Must be caught, once the pieces are joined.
    #[cfg(test)]
    pub sample: &'static [&'static str],
    /// Must pass.
    #[cfg(test)]
    pub clean: &'static str,
}

macro_rules! ways {
    ($($name:literal: $takes:ident, $value:ident, $judge:ident, $sample:expr, $clean:expr;)*) => {
        /// All ways.
        pub(super) static WAYS: &[SecretPhrasing] = &[$(SecretPhrasing {
            name: $name, takes: |it| it.$takes(), value: $value, judge: SecretJudge::$judge,
            #[cfg(test)] sample: $sample,
            #[cfg(test)] clean: $clean,
        }),*];
    };
}

ways! {
    "password-assignment": is_password, find_assigned_value, Password, &["DB_PASSWORD=", "n0tThe1"], "password: must be 12 characters";
    "password-in-prose": is_password, find_value_in_prose, Password, &["the password for prod is ", "n0tThe1"], "the password field is base64-encoded";
    "secret-assignment": is_token, find_assigned_value, Token, &["token: ", "a1B2c3D4e5F6g7H8"], "api_key = os.environ[\"OPENAI_API_KEY\"]";
    "secret-in-prose": is_token, find_value_in_prose, Token, &["the API key for staging is ", "a2b3c4d5e6f7g2h3j4k5l6m7n2p3q4r5"], "the token usage is tracked per-request";
    "secret-after-word": is_plain_noun, find_adjacent_value, Strong, &["use api key ", "a1B2c3D4e5F6g7H8i9J0k1L2"], "the token CancellationTokenSourceFactory2";
    "secret-in-name": is_name_part, find_value_in_name, Named, &["acme-secret-", "0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d"], "access-control-allow-credentials-header";
    "key-assignment": is_branded_key, find_assigned_value, Strong, &["STRIPE_KEY=", "a1B2c3D4e5F6g7H8i9J0k1L2"], "cache_key: feature-flags-v2";
    "access-assignment": is_branded_part, find_unspaced_value, Strong, &["acmeACCESS=", "a1B2c3D4e5F6g7H8i9J0k1L2"], "quick access: a1 then b2";
    "secret-as-default": is_plain_noun, find_default_value, Strong, &["getenv('SECRET_KEY', '", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0", "')"], "getenv('DB_PASSWORD', 'test1234')";
}

/// A word of the list where it stands in a text.
pub(super) struct SecretWord<'t> {
    noun: SecretNoun,
    before: &'t [u8],
}

impl SecretWord<'_> {
    /// The word that stands at this place, seen with what stands before it.
    pub(super) fn new(noun: SecretNoun, before: &[u8]) -> SecretWord<'_> {
        SecretWord { noun, before }
    }

    fn is_password(&self) -> bool {
        self.noun == SecretNoun::Pass
            || (self.noun == SecretNoun::ShortPass && self.is_standalone())
    }

    fn is_token(&self) -> bool {
        match self.noun {
            SecretNoun::Token | SecretNoun::Loose => true,
            SecretNoun::ShortToken => !self.before.is_empty() && self.is_standalone(),
            SecretNoun::Key => self.is_secret_key(),
            _ => false,
        }
    }

    fn is_plain_noun(&self) -> bool {
        matches!(self.noun, SecretNoun::Token | SecretNoun::Pass) || self.is_secret_key()
    }

    fn is_name_part(&self) -> bool {
        let is_key =
            self.noun == SecretNoun::Key && matches!(self.before.last(), Some(b'a'..=b'z' | b'-'));
        matches!(self.noun, SecretNoun::Token | SecretNoun::Part) || is_key || self.is_secret_key()
    }

    /// `ACME_KEY`, `acmeKEY`: the name of somebody, and no word for a key of another kind.
    fn is_branded_key(&self) -> bool {
        self.noun == SecretNoun::Key && self.is_branded()
    }

    fn is_branded_part(&self) -> bool {
        self.noun == SecretNoun::Part && self.is_branded()
    }

    fn is_branded(&self) -> bool {
        let brand = self.last_word();
        let is_name = brand.len() >= 3 && brand.iter().any(u8::is_ascii_alphabetic);
        is_name
            && !PLAIN_KEYS
                .split(' ')
                .any(|it| brand.ends_with(it.as_bytes()))
    }

    /// Whether no letter stands right before it.
    fn is_standalone(&self) -> bool {
        !self.before.last().is_some_and(u8::is_ascii_lowercase)
    }

    fn is_secret_key(&self) -> bool {
        let joint = usize::from(matches!(
            self.before.last(),
            Some(b' ' | b'_' | b'.' | b'-')
        ));
        let before = &self.before[..self.before.len() - joint];
        self.noun == SecretNoun::Key
            && SECRET_KEYS
                .split(' ')
                .any(|it| before.ends_with(it.as_bytes()))
    }

    /// What is joined to the word in front of it, without the joint.
    fn last_word(&self) -> &[u8] {
        let before = self
            .before
            .strip_suffix(b"_")
            .or(self.before.strip_suffix(b"-"))
            .unwrap_or(self.before);
        let len = before
            .iter()
            .rev()
            .take_while(|it| it.is_ascii_alphanumeric())
            .count();
        &before[before.len() - len..]
    }
}

impl SecretPhrasing {
    /// The value behind a word, with the way's judge to hear.
    pub(super) fn find_value(&self, word: &SecretWord<'_>, behind: &[u8]) -> Option<Range<usize>> {
        // What follows is quicker to tell than what the word is.
        (self.value)(behind).filter(|_| (self.takes)(word))
    }
}

/// Shortest value.
const VALUE_MIN: usize = 6;
/// So much of a value is read: enough to judge it.
const VALUE_MAX: usize = 256;
/// What may stand between a name and its kind of use: `token_prod`, `secret_value`.
const SUFFIXES: &str =
    "value production prod dev test staging live key b64 base64 string primary secondary old new";

/// A reader of bytes from left to right.
struct ByteCursor<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> ByteCursor<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'t [u8] {
        &self.text[self.at..]
    }

    /// Skips up to `most` bytes of which this holds, and says how many there were.
    fn skip_while(&mut self, most: usize, is: impl Fn(u8) -> bool) -> usize {
        let n = self
            .rest()
            .iter()
            .take(most)
            .take_while(|it| is(**it))
            .count();
        self.at += n;
        n
    }

    fn eat_any(&mut self, words: &[&str]) -> bool {
        let found = words
            .iter()
            .find(|it| self.rest().starts_with(it.as_bytes()));
        self.at += found.map_or(0, |it| it.len());
        found.is_some()
    }

    /// The value that begins here.
    fn read_value(mut self) -> Option<Range<usize>> {
        let start = self.at;
        let len = self.skip_while(VALUE_MAX, is_secret_value_byte);
        (len >= VALUE_MIN).then_some(start..start + len)
    }
}

/// ASCII only, up to a blank, quote, bracket, comma or semicolon.
fn is_secret_value_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&*+-./:=?@[\\]^_|~".contains(&byte)
}

/// Steps over a suffix of the name, as in `token_prod` or `secret-2`.
fn skip_name_suffix(reader: &mut ByteCursor<'_>) {
    let start = reader.at;
    if reader.skip_while(1, |it| matches!(it, b'_' | b'-')) == 0 {
        return;
    }
    let is_known = SUFFIXES.split(' ').any(|it| reader.eat_any(&[it]));
    if !is_known {
        reader.skip_while(1, |it| it == b'v');
        if reader.skip_while(1, |it| it.is_ascii_digit()) == 0 {
            reader.at = start;
        }
    }
}

/// `name = value` in code, data and markup.
fn find_assigned_value(text: &[u8]) -> Option<Range<usize>> {
    let mut reader = ByteCursor::new(text);
    skip_name_suffix(&mut reader);
    reader.skip_while(4, |it| b"\"'`\\])*".contains(&it));
    reader.skip_while(4, |it| it.is_ascii_whitespace());
    if !reader.eat_any(&[
        ":=", "=>", "->", "===", "==", "=", ":", ">", "是", "为", "は",
    ]) {
        return None;
    }
    reader.skip_while(6, |it| it.is_ascii_whitespace());
    reader.skip_while(4, |it| b"\"'`*\\".contains(&it));
    reader.read_value()
}

/// `name=value` and nothing else.
fn find_unspaced_value(text: &[u8]) -> Option<Range<usize>> {
    let mut reader = ByteCursor::new(text);
    if reader.eat_any(&["=", ":"]) {
        reader.read_value()
    } else {
        None
    }
}

/// `the name for staging is value`: at most five words in between.
fn find_value_in_prose(text: &[u8]) -> Option<Range<usize>> {
    let mut reader = ByteCursor::new(text);
    skip_name_suffix(&mut reader);
    reader.eat_any(&["s"]);
    for _ in 0..6 {
        if reader.skip_while(VALUE_MAX, |it| it.is_ascii_whitespace()) == 0 {
            return None;
        }
        if let Some(value) = find_value_after_verb(reader.rest()) {
            return Some(reader.at + value.start..reader.at + value.end);
        }
        if reader.skip_while(VALUE_MAX, |it| {
            it.is_ascii_alphanumeric() || b"_'./-".contains(&it)
        }) == 0
        {
            return None;
        }
    }
    None
}

/// The value behind a verb that begins here.
fn find_value_after_verb(text: &[u8]) -> Option<Range<usize>> {
    const VERBS: &[&str] = &[
        "is",
        "was",
        "are",
        "becomes",
        "equals",
        "set to",
        "reset to",
        "changed to",
        "rotated to",
        "updated to",
    ];
    let mut reader = ByteCursor::new(text);
    if !reader.eat_any(VERBS)
        || reader.skip_while(3, |it| it.is_ascii_whitespace() || it == b':') == 0
    {
        return None;
    }
    reader.skip_while(3, |it| b"\"'`*".contains(&it));
    reader.read_value()
}

/// `name value`, with nothing but a blank and a quote in between.
fn find_adjacent_value(text: &[u8]) -> Option<Range<usize>> {
    let mut reader = ByteCursor::new(text);
    if reader.skip_while(2, |it| it == b' ') == 0 {
        return None;
    }
    reader.skip_while(1, |it| b"\"'`".contains(&it));
    reader.read_value()
}

/// A value that carries its name: `acme-secret-…`, with at most 24 letters more of the name.
fn find_value_in_name(text: &[u8]) -> Option<Range<usize>> {
    let is_body = |it: &u8| it.is_ascii_alphanumeric() || b"_.+/=-".contains(it);
    let is_joint = |it: u8| matches!(it, b'.' | b'_' | b'-');
    let more = text
        .iter()
        .take(24)
        .take_while(|it| it.is_ascii_alphanumeric() || is_joint(**it))
        .count();
    (0..=more).find_map(|at| {
        let (&joint, behind) = text.get(at..)?.split_first()?;
        let len = behind
            .iter()
            .take(VALUE_MAX)
            .take_while(|it| is_body(it))
            .count();
        let is_whole = is_joint(joint) && len >= 16 && behind[0].is_ascii_alphanumeric();
        is_whole.then_some(at + 1..at + 1 + len)
    })
}

/// `getenv('NAME', 'value')`.
fn find_default_value(text: &[u8]) -> Option<Range<usize>> {
    let mut reader = ByteCursor::new(text);
    let is_between = skip_quote_mark(&mut reader) && {
        reader.skip_while(3, |it| it.is_ascii_whitespace());
        reader.eat_any(&[","])
    };
    reader.skip_while(3, |it| it.is_ascii_whitespace());
    if is_between && skip_quote_mark(&mut reader) {
        reader.read_value()
    } else {
        None
    }
}

fn skip_quote_mark(reader: &mut ByteCursor<'_>) -> bool {
    reader.skip_while(1, |it| it == b'\\');
    reader.skip_while(1, |it| matches!(it, b'"' | b'\'')) == 1
}
