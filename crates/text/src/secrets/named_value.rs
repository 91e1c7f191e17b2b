//! A word that names a secret, and the value behind it: `token: …`, `the password for staging is …`.
//!
//! These words are common in ordinary text, so what follows them is read by hand: no pattern has to be compiled for a
//! text that merely talks about tokens.

use std::ops::Range;

use super::{judge::SecretJudge, login, sentence};

/// What a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretNoun {
    /// A password.
    Pass,
    /// A short word for a password, which must not be the end of another word.
    ShortPass,
    /// The name of an account, which its password may follow.
    Account,
    /// A name and a password together.
    Login,
    /// A word that speaks of a login.
    LoginWord,
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

/// The words, in lower case and separated by commas. A longer one stands before its own beginning.
pub(super) static NOUNS: &[(SecretNoun, &str)] = &[
    (
        SecretNoun::Pass,
        "password,passwd,passphrase,pass phrase,passcode,pass code,secret word,unlock code,access code,zugangscode,code d'accès,código de acceso,\
         código de acesso,codice di accesso,код доступа,passwort,kennwort,contraseña,contraseÑa,contrasena,mot de passe,mots de passe,phrase secrète,\
         senha,palavra-passe,palavra passe,parola d'ordine,parola chiave,пароль,Пароль,ПАРОЛЬ,паролем,пароля,паролю,пароли,Пароли,паролей,пароле,passwörter,kennwörter,wlan-schlüssel,\
         wlan schlüssel,netzwerkschlüssel,wifi-schlüssel,code wifi,code wi-fi,code du wifi,wifi code,wlan-code,clé wifi,clé wi-fi,clé du wifi,clé réseau,clave wifi,clave del wifi,clave de red,chave wifi,\
         chave do wifi,chave da rede,chiave wifi,chiave wi-fi,chiave di rete,ключ wi-fi,ключ wifi,ключ от wi-fi,ключ сети,パスなん,парольная фраза,кодовая фраза,кодовое слово,секретная фраза,ключевая фраза,\
         密码,密碼,口令,暗号,パスワード,パスフレーズ,合言葉,暗証番号,비밀번호,암호",
    ),
    (
        SecretNoun::ShortPass,
        "pwd,pw,p/w,pword,psw,пасс,пассворд,pswd,pass,mdp,clave",
    ),
    (SecretNoun::Account, sentence::ACCOUNTS),
    (SecretNoun::Login, sentence::LOGIN_NOUNS),
    (SecretNoun::LoginWord, login::LOGIN_WORDS),
    (
        SecretNoun::Token,
        "token,secret,令牌,密钥,密鑰,秘钥,トークン,토큰,токен",
    ),
    (
        SecretNoun::Loose,
        "credentials,credential,authorization,auth",
    ),
    (SecretNoun::ShortToken, "pat,sas"),
    (SecretNoun::Key, "key"),
    (SecretNoun::Part, "private,access"),
];

/// Words that make a key a secret one; a bare "key" names too much else.
const SECRET_KEYS: &str = "api app application auth access account admin client consumer deploy encryption ingest \
    integration license licence master personal private project secret server service session shared signing ssh \
    storage subscription user webhook write hmac jwt";
/// Words that make a token a place in a list.
const PLAIN_TOKENS: &str = "page next cursor continuation pagination sync resume skip";
/// Words that make it the key of a table or of a cache.
const PLAIN_KEYS: &str = "cache primary foreign partition sort public object hash index content commit group row lookup \
    dedupe idempotency map dict cookie i18n translation message locale shortcut hot composite unique surrogate natural \
    join query entry item lock storage routing shard redis bucket s3 file document record tenant node which this that same \
    first second new old valid default config metadata tag label site recaptcha ssh pgp gpg registry pub";

/// Words for a network whose key people type, and how far before the key they stand.
const NETWORKS: [&str; 5] = ["wifi", "wi-fi", "wlan", "ssid", "wpa"];
const NETWORK_MAX: usize = 48;

/// One way in which a value may follow a word: its name, the words that it holds for, where the value is, and how the
/// value is judged.
pub(super) type SecretPhrasing = (
    &'static str,
    fn(&SecretWord<'_>) -> bool,
    fn(ByteCursor<'_>) -> Option<Range<usize>>,
    SecretJudge,
);

/// All ways.
#[rustfmt::skip]
pub(super) static WAYS: &[SecretPhrasing] = &[
    ("password-assignment", |it| it.is_password(), find_assigned_value, SecretJudge::Sentence),
    ("password-in-prose", |it| it.is_password(), find_value_in_prose, SecretJudge::Password),
    ("secret-assignment", |it| it.is_token(), find_assigned_value, SecretJudge::Token),
    ("secret-in-prose", |it| it.is_token(), find_value_in_prose, SecretJudge::Token),
    ("secret-after-word", |it| it.is_plain_noun(), find_adjacent_value, SecretJudge::Strong),
    ("secret-in-name", |it| it.is_name_part(), find_value_in_name, SecretJudge::Named),
    ("secret-in-brackets", |it| it.is_token(), find_bracketed_value, SecretJudge::Named),
    ("secret-after-colon", |it| it.is_token(), find_value_after_colon, SecretJudge::Strong),
    ("key-of-brand", |it| it.is_key_of_brand(), find_near_value, SecretJudge::BrandKey),
    ("key-assignment", |it| it.is_branded(SecretNoun::Key), find_assigned_value, SecretJudge::Strong),
    ("access-assignment", |it| it.is_branded(SecretNoun::Part), find_unspaced_value, SecretJudge::Strong),
    ("secret-as-default", |it| it.is_plain_noun(), find_default_value, SecretJudge::Strong),
];

/// A word of the list where it stands in a text.
pub(super) struct SecretWord<'t> {
    pub noun: SecretNoun,
    /// What stands before it.
    pub before: &'t [u8],
}

impl SecretWord<'_> {
    pub(super) fn is_password(&self) -> bool {
        self.noun == SecretNoun::Pass
            || (self.noun == SecretNoun::ShortPass && self.is_standalone())
            || self.is_network_key()
    }

    /// `Wifi: Guests, key: …`
    fn is_network_key(&self) -> bool {
        let near = &self.before[self.before.len().saturating_sub(NETWORK_MAX)..];
        let names_network = |it: &str| near.windows(it.len()).any(|part| part == it.as_bytes());
        self.noun == SecretNoun::Key
            && self.is_standalone()
            && NETWORKS.iter().any(|it| names_network(it))
    }

    fn is_token(&self) -> bool {
        match self.noun {
            SecretNoun::Token => !ends_with_word_of(trim_joint(self.before), PLAIN_TOKENS),
            SecretNoun::Loose => true,
            SecretNoun::ShortToken => !self.before.is_empty() && self.is_standalone(),
            SecretNoun::Key => self.is_secret_key(),
            _ => false,
        }
    }

    fn is_plain_noun(&self) -> bool {
        let is_short = self.noun == SecretNoun::ShortToken;
        matches!(self.noun, SecretNoun::Token | SecretNoun::Pass)
            || self.is_secret_key()
            || (is_short && !self.before.is_empty() && self.is_standalone())
    }

    fn is_name_part(&self) -> bool {
        let is_key =
            self.noun == SecretNoun::Key && matches!(self.before.last(), Some(b'a'..=b'z' | b'-'));
        matches!(self.noun, SecretNoun::Token | SecretNoun::Part) || is_key || self.is_secret_key()
    }

    /// `ACME_KEY`, `acmeKEY`: the name of somebody, and no word for a key of another kind.
    fn is_branded(&self, noun: SecretNoun) -> bool {
        let brand = self.last_word();
        let is_name = brand.len() >= 3 && brand.iter().any(u8::is_ascii_alphabetic);
        self.noun == noun && is_name && !ends_with_word_of(brand, PLAIN_KEYS)
    }

    /// `my Acme key`: a word before it that makes no other thing of the key.
    fn is_key_of_brand(&self) -> bool {
        let Some(before) = self.before.strip_suffix(b" ") else {
            return false;
        };
        let start = before
            .iter()
            .rposition(|it| *it == b' ')
            .map_or(0, |it| it + 1);
        let brand = &before[start..];
        let is_name = brand.len() >= 3
            && brand
                .iter()
                .all(|it| it.is_ascii_alphanumeric() || b".-&".contains(it));
        self.noun == SecretNoun::Key
            && is_name
            && start > 0
            && !ends_with_word_of(brand, PLAIN_KEYS)
    }

    /// Whether no letter stands right before it.
    pub(super) fn is_standalone(&self) -> bool {
        !self.before.last().is_some_and(u8::is_ascii_lowercase)
    }

    fn is_secret_key(&self) -> bool {
        self.noun == SecretNoun::Key && ends_with_word_of(trim_joint(self.before), SECRET_KEYS)
    }

    /// What is joined to the word in front of it, without the joint.
    fn last_word(&self) -> &[u8] {
        let joint = usize::from(matches!(self.before.last(), Some(b'_' | b'-')));
        let before = &self.before[..self.before.len() - joint];
        let part = before.rsplit(|it| !it.is_ascii_alphanumeric()).next();
        part.unwrap_or_default()
    }
}

/// The text without the one mark that joins it to the next word.
fn trim_joint(text: &[u8]) -> &[u8] {
    let joint = usize::from(matches!(text.last(), Some(b' ' | b'_' | b'.' | b'-')));
    &text[..text.len() - joint]
}

fn ends_with_word_of(text: &[u8], words: &str) -> bool {
    words.split(' ').any(|it| text.ends_with(it.as_bytes()))
}

/// Shortest value.
const VALUE_MIN: usize = 6;
/// So much of a value is read: enough to judge it.
const VALUE_MAX: usize = 256;
/// What may stand between a name and its kind of use: `token_prod`, `secret_value`.
const SUFFIXES: &str = "value production prod dev test staging live key base b64 base64 string primary secondary old new";

/// White space of ASCII.
const BLANKS: &[u8] = b" \t\n\x0C\r";

/// A reader of bytes from left to right.
pub(super) struct ByteCursor<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> ByteCursor<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
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

    /// Skips up to `most` of these bytes.
    fn skip_any(&mut self, most: usize, bytes: &[u8]) -> usize {
        self.skip_while(most, |it| bytes.contains(&it))
    }

    fn eat_any(&mut self, words: &[&str]) -> bool {
        let found = words
            .iter()
            .find(|it| self.rest().starts_with(it.as_bytes()));
        self.at += found.map_or(0, |it| it.len());
        found.is_some()
    }

    /// Skips a quotation mark, which may be escaped.
    fn eat_quote(&mut self) -> bool {
        self.skip_any(1, b"\\");
        self.skip_any(1, b"\"'") == 1
    }

    /// Skips a suffix of the name, as in `token_prod` or `secret-2`.
    fn skip_name_suffix(&mut self) {
        let start = self.at;
        let is_joined = self.skip_any(1, b"_-") == 1;
        if is_joined && !SUFFIXES.split(' ').any(|it| self.eat_any(&[it])) {
            self.skip_any(1, b"v");
            if self.skip_any(1, b"0123456789") == 0 {
                self.at = start;
            }
        }
    }

    /// The value that begins here: ASCII only, up to a blank, quote, bracket, comma or semicolon.
    fn read_value(mut self) -> Option<Range<usize>> {
        let start = self.at;
        let len = self.skip_while(VALUE_MAX, |it| {
            it.is_ascii_alphanumeric() || b"!#$%&*+-./:=?@[\\]^_|~".contains(&it)
        });
        (len >= VALUE_MIN).then_some(start..start + len)
    }
}

/// `name = value` in code, data and markup.
fn find_assigned_value(mut reader: ByteCursor) -> Option<Range<usize>> {
    reader.skip_any(1, b"s");
    reader.skip_name_suffix();
    reader.skip_any(4, b"\"'`\\])*");
    reader.skip_any(4, BLANKS);
    if !reader.eat_any(&[
        ":=", "=>", "->", "===", "==", "=", ":", ">", "是", "为", "は",
    ]) {
        return None;
    }
    reader.skip_any(6, BLANKS);
    reader.skip_any(4, b"\"'`*\\");
    reader.read_value()
}

/// `name=value` and nothing else.
fn find_unspaced_value(mut reader: ByteCursor) -> Option<Range<usize>> {
    (reader.skip_any(1, b"=:") == 1).then(|| reader.read_value())?
}

/// `the name for staging is value`: at most five words in between.
fn find_value_in_prose(mut reader: ByteCursor) -> Option<Range<usize>> {
    reader.skip_name_suffix();
    reader.skip_any(1, b"s");
    for _ in 0..6 {
        if reader.skip_any(VALUE_MAX, BLANKS) == 0 {
            return None;
        }
        if let Some(value) = find_value_after_verb(ByteCursor { ..reader }) {
            return Some(value);
        }
        let is_part = |it: u8| it.is_ascii_alphanumeric() || b"_'./-".contains(&it);
        if reader.skip_while(VALUE_MAX, is_part) == 0 {
            return None;
        }
    }
    None
}

/// The value behind a verb that begins here.
fn find_value_after_verb(mut reader: ByteCursor) -> Option<Range<usize>> {
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
    if !reader.eat_any(VERBS) || reader.skip_any(3, b": \t\n\x0C\r") == 0 {
        return None;
    }
    reader.skip_any(3, b"\"'`*");
    reader.read_value()
}

/// `name value`, with nothing but a blank and a quote in between.
fn find_adjacent_value(mut reader: ByteCursor) -> Option<Range<usize>> {
    if reader.skip_any(2, b" ") == 0 {
        return None;
    }
    reader.skip_any(1, b"\"'`");
    reader.read_value()
}

/// A value that carries its name: `acme-secret-…`, with at most 24 letters more of the name.
fn find_value_in_name(mut reader: ByteCursor) -> Option<Range<usize>> {
    let is_body = |it: u8| it.is_ascii_alphanumeric() || b"_.+/=-".contains(&it);
    let is_joint = |it: u8| matches!(it, b'.' | b'_' | b'-');
    let more =
        ByteCursor { ..reader }.skip_while(24, |it| it.is_ascii_alphanumeric() || is_joint(it));
    (0..=more).find_map(|at| {
        let joint = *reader.text.get(at)?;
        reader.at = at + 1;
        let is_begun = reader.rest().first().is_some_and(u8::is_ascii_alphanumeric);
        let len = reader.skip_while(VALUE_MAX, is_body);
        (is_joint(joint) && is_begun && len >= 16).then_some(at + 1..at + 1 + len)
    })
}

/// `name (value)`.
fn find_bracketed_value(mut reader: ByteCursor) -> Option<Range<usize>> {
    reader.skip_any(1, b"s");
    let is_open = reader.skip_any(2, b" ") > 0 && reader.skip_any(1, b"(") == 1;
    let value = is_open.then(|| ByteCursor { ..reader }.read_value())??;
    (reader.text.get(value.end) == Some(&b')')).then_some(value)
}

/// Last words before a colon that make the value behind it public.
const PUBLIC_LABELS: [&[u8]; 12] = [
    b"id",
    b"uuid",
    b"sha",
    b"commit",
    b"hash",
    b"digest",
    b"checksum",
    b"print",
    b"revision",
    b"version",
    b"public",
    b"url",
];

/// `the name you asked for: value`: at most six words in between.
fn find_value_after_colon(mut reader: ByteCursor) -> Option<Range<usize>> {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || b"_'-".contains(&it);
    reader.skip_any(1, b"s");
    for _ in 0..6 {
        if reader.skip_any(1, b" ") == 0 || reader.skip_while(24, is_part) == 0 {
            return None;
        }
        if reader.rest().starts_with(b": ") {
            let label = &reader.text[..reader.at];
            let is_public = PUBLIC_LABELS.iter().any(|it| label.ends_with(it));
            reader.skip_any(4, b": \"'`");
            return (!is_public).then(|| reader.read_value())?;
        }
    }
    None
}

/// `name: value` and `name value`.
fn find_near_value(mut reader: ByteCursor) -> Option<Range<usize>> {
    reader.skip_any(1, b":=");
    (reader.skip_any(2, b" ") > 0).then_some(())?;
    reader.skip_any(1, b"\"'`(");
    reader.read_value()
}

/// `getenv('NAME', 'value')`.
fn find_default_value(mut reader: ByteCursor) -> Option<Range<usize>> {
    let is_named = reader.eat_quote();
    reader.skip_any(3, BLANKS);
    let is_next = reader.skip_any(1, b",") == 1;
    reader.skip_any(3, BLANKS);
    (is_named && is_next && reader.eat_quote()).then(|| reader.read_value())?
}
