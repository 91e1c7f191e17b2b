//! Tells a value that was drawn at random from one that a person or a program named.
//!
//! A pattern finds `token = something`; whether the something is a secret is decided here, and both errors hurt. A missed
//! key is on disk for ever; a refused sentence ("the token is called refresh_token_v2") teaches people to switch the check
//! off. Entropy alone does not tell them apart: over 20 letters `authentication_provider` and a key are nearly as varied.
//!
//! What does: random letters do not follow each other as in English, random strings change between lower case, upper case
//! and digits every few letters, and names change only where a word ends. So pairs of letters are counted that are common
//! in English, and the turns from one class to another. An alphabetical run (`abcdef`) counts as no English, because
//! people type it into examples.
//!
//! How much is asked of a value depends on what stands before it: after a vendor's own prefix nearly nothing, after
//! "password" little, since people choose short ones, and most where only a word nearby gives it a meaning. Where
//! only a word gives the meaning, values that point at a secret (`$TOKEN`, `env.API_KEY`, a path, an address) pass. Stand-ins
//! (`changeme`, `xxxx`) pass everywhere but in one case: what has the full shape of a vendor's token and is long is refused
//! even if "example" is in it.

use std::sync::LazyLock;

use super::{decode::decode_base64_run, word_index::WordIndex};
use crate::word_lists::is_in_word_list;

/// How strictly a matched value is looked at before its row may speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretJudge {
    /// The pattern says it all; only placeholders are let through.
    Shape,
    /// A short prefix such as `sk-`: what follows must look like a token, not like a word.
    Prefixed,
    /// The same behind `sk-`, which names of key types begin with as well: `sk-ssh-ed25519`.
    SecretKey,
    /// The password part of an address.
    Address,
    /// The value after a word like "password": people choose short ones.
    Password,
    /// A word of a sentence to which a word like "password" leads: `the password is …`.
    Sentence,
    /// A word beside such a word: `password …`.
    Beside,
    /// The second half of a name and a password: `log in with ana/…`.
    Pair,
    /// A word in the same sentence: only what nobody takes for a word or a name.
    Unmistakable,
    /// The value after a word like "token".
    Token,
    /// What follows `Basic` in a header: a name and a password in base64.
    Basic,
    /// A value with only a loose tie to its keyword.
    Strong,
    /// A value behind `my Acme key`, which names of content stand behind as well.
    BrandKey,
    /// A value that carries its keyword in its own name, as in `acme-secret-…`.
    Named,
    /// A vendor's prefix that the table does not know, and a random body.
    Branded,
    /// A prefix and a UUID: unless the prefix is that of a public identifier.
    BrandedUuid,
    /// The seed of a second factor, which is letters and few digits.
    Seed,
    /// The same in groups of four, which small words are too.
    SpacedSeed,
    /// The key of a web framework: any marks, and long.
    FrameworkKey,
    /// A key in hexadecimal or of one case beside the name of its service.
    KeyedHex,
    /// A short body that must mix upper case, lower case and digits.
    Mixed,
}

impl SecretJudge {
    /// Whether the row stands on the value's own shape, not on a word near it.
    pub(super) const fn has_own_shape(self) -> bool {
        matches!(
            self,
            Self::Shape
                | Self::Prefixed
                | Self::SecretKey
                | Self::SpacedSeed
                | Self::Address
                | Self::Basic
                | Self::Named
                | Self::Branded
                | Self::BrandedUuid
                | Self::Seed
                | Self::Mixed
        )
    }

    /// Whether the value passes for a secret.
    pub(super) fn accepts_value(self, whole: &str) -> bool {
        let value = whole.trim_end_matches(['.', ':', '!', '?', '*', '\\', '|', '=', '&']);
        let changes = || {
            value
                .as_bytes()
                .windows(2)
                .filter(|pair| pair[0] != pair[1])
        };
        // Nobody writes a stand-in that is as long as this and has the shape of a token, but for one letter over and
        // over, as in `hvs.xxxxxxxx…`.
        let is_long = self == Self::Shape && value.len() > 80 && changes().count() > REST_MAX;
        let is_cut = matches!(self, Self::Token | Self::Strong) && whole.contains("...");
        let is_stand_in = !is_long && is_placeholder_value(value);
        if is_cut || is_documented_value(value) || is_stand_in {
            return false;
        }
        match self {
            Self::Shape => true,
            Self::Prefixed => is_token_body(value),
            Self::SecretKey => is_token_body(value) && !is_key_type(value),
            Self::Address => is_address_password(value),
            Self::Password => !is_secret_reference(value) && is_password_value(value),
            Self::Sentence => {
                !is_secret_reference(value)
                    && (is_chosen_password(value)
                        || is_word_and_number(whole)
                        || is_joined_password(value))
            }
            Self::Pair => is_password_of_pair(whole, value),
            Self::Beside => {
                !is_secret_reference(value)
                    && (is_password_beside_word(value) || is_word_number_and_mark(whole))
            }
            Self::Unmistakable => {
                !is_secret_reference(value)
                    && (is_unmistakable(value) || is_word_number_and_mark(whole))
            }
            Self::Token => {
                !is_secret_reference(value)
                    && (is_random_value(value)
                        || has_mixed_segment(value, 8, 2)
                        || (value.len() >= 10 && is_unpronounceable(value)))
            }
            Self::Named => is_strong_value(value),
            // A bare Git or SHA-256 hash stands next to any word.
            Self::Strong => is_strong_value(value) && !is_bare_hash(value),
            Self::BrandKey => is_strong_value(value) && !is_bare_hash(value) && !is_uuid(value),
            Self::Basic => is_basic_login(value),
            Self::Branded => is_branded_token(value),
            Self::BrandedUuid => !is_public_brand(value),
            Self::Seed => value.bytes().any(|it| it.is_ascii_digit()) || is_unpronounceable(value),
            Self::SpacedSeed => ValueShape::from_value(value).digits >= 2,
            Self::FrameworkKey => {
                !is_secret_reference(value)
                    && ValueShape::from_value(value).digits > 0
                    && (is_random_value(value) || has_password_symbol(value))
            }
            Self::KeyedHex => ValueShape::from_value(value).kinds >= 6,
            Self::Mixed => {
                let shape = ValueShape::from_value(value);
                shape.digits >= 2 && shape.upper >= 3 && shape.lower >= 3 && !shape.is_wordy()
            }
        }
    }
}

/// Words that mark a value as a stand-in. All lower case.
const STAND_INS: &str = "example changeme change-me change_me redacted placeholder your- your_ yourtoken yourkey \
    yourapi yourpass yoursecret insert replace xxxx **** .... -here _here dummy todo masked \
    removed hidden my-token my-secret mysecret my_";

/// Names of algorithms and formats: letters and digits mixed, yet no secret.
const TERMS: &str = "base64 base64url base32 base58 sha1 sha256 sha384 sha512 sha3 md5 utf8 utf16 oauth2 \
    oauth1 argon2 argon2id argon2i pbkdf2 hs256 hs512 rs256 es256 ps256 ed25519 x25519 x509 \
    pkcs1 pkcs8 pkcs12 http2 http3 ipv4 ipv6 int32 int64 uint32 uint64 uint8 float64 win32 \
    win64 x86 amd64 arm64 aes128 aes256 secp256k1 v1beta1 v1alpha1 v1beta2 v2beta1 chacha20 \
    poly1305 blake2b blake3 cl100k o200k log4j neo4j auth0 web3 ec2 route53 k8s sha256crypt sha512crypt utf8mb4 \
    utf16le latin1 iso8601 rfc7617 rfc6749 gost94 mysql8 postgres14 postgres15 postgres16 python3 node18 node20 \
    java17 java21 php8 ntlmv2 smbv3 tls12 tls13 base16 crc32 fido2 oauth2.0 pkcs11 kdf2 scram256 windows10 windows11 1password";

/// Names of programs and fields that no word looks like.
const NAMES: &str = "zxcvbn passwd htpasswd mkpasswd chpasswd kubectl xxhash pwquality libxcrypt yescrypt pgpass vsftpd \
    mysqld httpd systemd pgcrypto haveibeenpwned xmlrpc dbpass userpw newpass oldpass jdbcurl sqlcmd bcryptjs gpgkey \
    stdin stdout stderr nullptr varchar nvarchar boolean getpass pwhash pwdhash psswrd";

/// Passwords that read like words, and that everybody knows.
const WELL_KNOWN: &str = "letmein qwerty qwertz azerty qwertyuiop asdfgh asdfghjkl asdfasdf zxcvbnm iloveyou swordfish \
    opensesame sunshine monkey dragon superman batman starwars abcdefgh trustnoone";

/// Parts of a word with a dash that no passphrase has: `case-sensitive`, `user-supplied`, `form-control`.
const DASHED_PARTS: &str = "non pre auto self well case per user read write two multi single same cross back front plain \
    hard pass password passwd key token secret config env var file name hash string field type value form input text \
    control login logout reset admin client server only free safe specific side end time level bound like wide off \
    out in up on at to by the of and or not via opt log sign built one first third party long short high low let must \
    app web api url uri http https docker compose linux gnu unknown aws gcp azure git hub cloud base line data store \
    content header body origin site service account manager policy less length id default none null true false empty \
    ready check test prod dev stage staging live local remote ssh ssl tls vault card real old new top down over under nicht leer pflicht ohne frei sicher";
/// Endings of the last part of such a word.
const DASHED_ENDINGS: [&str; 13] = [
    "ed", "ing", "ive", "able", "ible", "ly", "ic", "ous", "less", "ful", "ent", "ant", "ory",
];

/// Whether the name of a key type goes on so behind `sk-`.
fn is_key_type(value: &str) -> bool {
    value.starts_with("ssh-") || value.starts_with("ecdsa-")
}

/// Values that the pages of a vendor show to everyone, in lower case and cut short.
const DOCUMENTED: [&str; 13] = [
    "_test_1234567890abcdef",
    // From the documents that define OAuth, bearer tokens and basic authentication.
    "mf_9.b5f-4.1jqm",
    "2yotnfzfejr1zcsicmwpaa",
    "tgzv3jokf0xg5qx2tlkwia",
    "7fjfp0zbr1ktdrbnfvdmiw",
    "czzcagrsa3f0mz",
    "qwxhzgrpbjpvcgvuihnlc2ftzq",
    // The first account of a test chain, the key of a storage emulator.
    "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "eby8vdm02xnocqflquwjpllmetlcdxj1ouzft50usrz6",
    "4ec39hqlyjwdarj",
    "bqokikjovbii2hlw",
    "akiai44qh8dhb",
    "wjalrxutnfemi/k7mdeng/bpxrficyexample",
];

fn is_documented_value(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    // The last is what a rule for short keys reads of the first.
    DOCUMENTED.iter().any(|it| lower.contains(it)) || lower == "1234567890abcde"
}

fn is_placeholder_value(value: &str) -> bool {
    static INDEX: LazyLock<WordIndex> =
        LazyLock::new(|| WordIndex::new(STAND_INS.split(' ').map(|it| (it, 0))));
    INDEX.has_any_in(value.to_ascii_lowercase().as_bytes())
}

/// How much of a value that one letter fills may be something else: less than a secret takes.
const REST_MAX: usize = 16;

/// Variables, paths, addresses and expressions: they point at a secret instead of holding it.
fn is_secret_reference(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    value.starts_with(['$', '%', '/', '.', '~', '&', '*', '\\', '[', '?'])
        || ["::", "env.", "environ", "secrets.", "config."]
            .iter()
            .any(|part| lower.contains(part))
        || value
            .split_once("://")
            .is_some_and(|(scheme, _)| scheme.len() <= 16 && !scheme.contains(':'))
        || value
            .rsplit_once('@')
            .is_some_and(|(_, host)| host.contains('.'))
}

/// What the characters of a value are like.
#[derive(Default)]
struct ValueShape {
    len: usize,
    lower: usize,
    upper: usize,
    digits: usize,
    hex: usize,
    /// Changes between letters and digits.
    kinds: usize,
    /// Changes between lower case, upper case and digits.
    turns: usize,
    /// Neighbouring letters, and how many of those are common in English.
    pairs: usize,
    common: usize,
    /// Length of the alphabetical run (`abc…`) that is being read: it is no English.
    climb: usize,
}

impl ValueShape {
    fn from_value(value: &str) -> Self {
        let mut shape = Self::default();
        let mut last = None;
        let case = |byte: u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase());
        for byte in value.bytes().filter(u8::is_ascii_alphanumeric) {
            shape.len += 1;
            shape.lower += usize::from(byte.is_ascii_lowercase());
            shape.upper += usize::from(byte.is_ascii_uppercase());
            shape.digits += usize::from(byte.is_ascii_digit());
            shape.hex += usize::from(byte.is_ascii_hexdigit());
            let Some(previous) = last.replace(byte) else {
                continue;
            };
            let letters = (previous.is_ascii_alphabetic(), byte.is_ascii_alphabetic());
            shape.kinds += usize::from(letters.0 != letters.1);
            shape.turns += usize::from(case(previous) != case(byte));
            if letters == (true, true) {
                let climbs = byte == previous + 1;
                shape.climb = if climbs { shape.climb + 1 } else { 0 };
                shape.pairs += 1;
                let is_common = shape.climb < 2 && is_common_letter_pair(previous, byte);
                shape.common += usize::from(is_common);
            }
        }
        shape
    }

    fn letter_count(&self) -> usize {
        self.lower + self.upper
    }

    fn is_hex(&self) -> bool {
        self.hex == self.len
    }

    fn is_mixed(&self) -> bool {
        self.digits > 0 && self.letter_count() > 0
    }

    /// Reads like words. Chance gives about 35 % common pairs, English about 65 %.
    fn is_wordy(&self) -> bool {
        self.pairs >= 4 && self.common * 100 >= self.pairs * 45
    }

    /// Unlikely to be anything but drawn at random.
    fn is_dense(&self) -> bool {
        if self.digits == 0 {
            let cased = self.len >= 16 && self.turns * 100 >= self.len * 30;
            return (cased && !self.is_wordy())
                || (self.len >= 32 && self.is_hex())
                || (self.len >= 20 && self.common * 100 < self.pairs * 27);
        }
        if self.letter_count() == 0 {
            return self.len >= 20;
        }
        (self.len >= 16 && self.is_hex())
            || (self.len >= 8 && self.kinds >= 4)
            || (self.len >= 6 && self.kinds >= 3 && !self.is_wordy())
            || (self.len >= 12 && !self.is_wordy())
    }
}

/// The pairs of letters that make up most of English (and of the names in code).
const COMMON_PAIRS: &[u8] =
    b"th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co \
    me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us \
    ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa \
    im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke \
    fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl du \
    ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu \
    ui rg ib tl ny ki rk ys ob mm fu ph og ms ye ud mb ip ub oi rl gu dr hr cc tw ft wn nu af hu nn \
    eo vo rv nf xp gn sm fl iz ok nl my gl aw ju oa eq sy sl ps lf nv je nk kn gs dy hy ze ks xt bs \
    ik dd";

/// Whether two letters are a common pair.
fn is_common_letter_pair(first: u8, second: u8) -> bool {
    static TABLE: [[bool; 26]; 26] = {
        let (mut table, mut at) = ([[false; 26]; 26], 0);
        while at + 1 < COMMON_PAIRS.len() {
            table[(COMMON_PAIRS[at] - b'a') as usize][(COMMON_PAIRS[at + 1] - b'a') as usize] =
                true;
            at += 3;
        }
        table
    };
    let position = |letter: u8| usize::from(letter.to_ascii_lowercase() - b'a');
    TABLE[position(first)][position(second)]
}

/// For each letter, those that hardly ever follow it in a word of the languages that developers write in.
const RARE_FOLLOWERS: [&[u8]; 26] = [
    b"ajoq",
    b"dfghjknpqvwxz",
    b"bdgjmnqvwxz",
    b"hjkpqwxz",
    b"z",
    b"bcghjknpqvwxz",
    b"bcdjkpqvwxyz",
    b"bcdfghjkpqvwxz",
    b"hijquwy",
    b"bcdfghijklmnpqrtvwxyz",
    b"bcdfghjkmpqrvwxyz",
    b"ghjkmqrwxz",
    b"fghjknqrvwxyz",
    b"bjqrwxz",
    b"hqz",
    b"bfjkmnqvwxz",
    b"abcdefghijkmnopqrstvwxyz",
    b"bhjqxz",
    b"bgjvxz",
    b"bgjkqv",
    b"hjkquvwxyz",
    b"bcdfghjklmnpqrstuvwxyz",
    b"bcdfgjklmpqtuvwxyz",
    b"bdfghjklmnoqrsuvwxyz",
    b"acdfghjkqruvxyz",
    b"bcdfghjkmnpqrsvx",
];

/// Whether two letters are a pair that words hardly have.
fn is_rare_letter_pair(first: u8, second: u8) -> bool {
    let followers = RARE_FOLLOWERS[usize::from(first.to_ascii_lowercase() - b'a')];
    followers.contains(&second.to_ascii_lowercase())
}

/// The shapes of the parts of a value, without the names of algorithms. Every such name has a digit, and few parts do.
fn segment_shapes(value: &str) -> impl Iterator<Item = ValueShape> {
    let is_term = |part: &str| {
        part.bytes().any(|it| it.is_ascii_digit())
            && is_in_word_list(TERMS, &part.to_ascii_lowercase())
    };
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(move |part| !part.is_empty() && !is_term(part))
        .map(ValueShape::from_value)
}

/// A part of at least `len` characters that mixes letters with at least `digits` digits.
fn has_mixed_segment(value: &str, len: usize, digits: usize) -> bool {
    segment_shapes(value).any(|it| it.is_mixed() && it.len >= len && it.digits >= digits)
}

/// One dense part, or many parts (as in a UUID) that are dense together.
fn is_random_value(value: &str) -> bool {
    let whole = ValueShape::from_value(value);
    let scattered =
        whole.len >= 16 && whole.digits >= 3 && whole.letter_count() >= 3 && whole.kinds >= 3;
    let cased = whole.len >= 16
        && whole.turns * 100 >= whole.len * 40
        && whole.common * 100 < whole.pairs * 60;
    cased
        || (whole.len >= 10 && segment_shapes(value).any(|it| it.len >= 8 && it.is_dense()))
        || (scattered && (whole.is_hex() || !whole.is_wordy()))
}

fn is_bare_hash(value: &str) -> bool {
    matches!(value.len(), 40 | 64) && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_uuid(value: &str) -> bool {
    let is_hex = |it: &str| it.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lengths = value.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && value.split('-').all(is_hex)
}

fn is_strong_value(value: &str) -> bool {
    ValueShape::from_value(value).len >= 16 && is_random_value(value) && !is_secret_reference(value)
}

/// A name and a password, judged by the password; what does not read as text, by its looks.
fn is_basic_login(value: &str) -> bool {
    match decode_base64_run(value.trim_end_matches('=')) {
        Some(text) => text
            .split_once(':')
            .is_some_and(|(_, password)| is_address_password(password)),
        None => is_strong_value(value) && !is_bare_hash(value),
    }
}

fn is_password_value(value: &str) -> bool {
    let whole = ValueShape::from_value(value);
    let symbols = value
        .bytes()
        .filter(|byte| b"!@#$%^&*+?~".contains(byte))
        .count();
    let odd = symbols > 0 && whole.letter_count() >= 3 && (whole.upper > 0 || whole.digits > 0);
    value.len() >= 6 && (has_mixed_segment(value, 5, 1) || is_random_value(value) || odd)
}

/// What a person would choose, where the sentence says that a password follows.
fn is_chosen_password(value: &str) -> bool {
    let is_number = value.len() >= 6 && value.bytes().all(|it| it.is_ascii_digit());
    is_password_value(value)
        || is_number
        || is_unpronounceable(value)
        || is_short_leet(value)
        || measure_consonant_run(value) >= 6
        || is_scrambled(value)
        || is_passphrase(value, 2)
        || is_in_word_list(WELL_KNOWN, &value.to_ascii_lowercase())
}

/// The same beside the word "password", where most words go on with the sentence.
fn is_password_beside_word(value: &str) -> bool {
    let is_mixed =
        has_mixed_segment(value, 6, 1) && !value.contains('_') && !is_product_name(value);
    let is_marked = value.len() > 6 && has_password_symbol(value);
    (is_password_value(value) && (is_mixed || is_marked))
        || is_unpronounceable(value)
        || is_passphrase(value, 3)
}

/// A word, a joint or none, and a number, with marks behind or not: `Falcon-71`, `ocean.2595!`.
fn is_word_and_number(value: &str) -> bool {
    let body = value.trim_end_matches(['!', '*', '#', '$', '%', '&', '?', '.']);
    let word = body.trim_end_matches(|c: char| c.is_ascii_digit());
    let letters = word.trim_end_matches(['_', '-', '.']);
    let is_ticket = letters.bytes().all(|it| it.is_ascii_uppercase());
    let is_term = is_in_word_list(
        TERMS,
        &format!("{letters}{}", &body[word.len()..]).to_ascii_lowercase(),
    );
    (2..=6).contains(&(body.len() - word.len()))
        && word.len() - letters.len() <= 1
        && letters.len() >= 3
        && letters.bytes().all(|it| it.is_ascii_alphabetic())
        && !is_ticket
        && !is_term
}

/// The same with a mark, which no name has.
fn is_word_number_and_mark(value: &str) -> bool {
    value.ends_with(['!', '*', '#', '$', '%', '&']) && is_word_and_number(value)
}

/// A word and a version, as in `Keycloak24` and `Terraform1.6`.
fn is_product_name(value: &str) -> bool {
    let word = value.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_version = value.len() - word.len() <= 2 || value[word.len()..].contains('.');
    is_version && word.bytes().all(|it| it.is_ascii_alphabetic()) && !is_unpronounceable(word)
}

/// A short word with a digit inside, as in `adm1n`.
fn is_short_leet(value: &str) -> bool {
    let has_inner_digit = ValueShape::from_value(value).kinds >= 2;
    value.len() == 5 && has_inner_digit && has_mixed_segment(value, 5, 1)
}

/// Small letters that hardly follow each other so in English, where the sentence says that a password follows.
fn is_scrambled(value: &str) -> bool {
    let is_lower = value.len() >= 8 && value.bytes().all(|it| it.is_ascii_lowercase());
    if !is_lower {
        return false;
    }
    let pairs = value.as_bytes().windows(2);
    let rare = pairs.filter(|it| is_rare_letter_pair(it[0], it[1])).count();
    let shape = ValueShape::from_value(value);
    let is_odd = shape.common * 100 < shape.pairs * 38 || (rare > 0 && !shape.is_wordy());
    is_odd && !is_in_word_list(NAMES, value)
}

/// The longest run of lower-case letters that are no vowels.
fn measure_consonant_run(value: &str) -> usize {
    let is_end = |c: char| !c.is_ascii_lowercase() || "aeiouy".contains(c);
    value.split(is_end).map(str::len).max().unwrap_or(0)
}

/// Letters, digits and a mark in the middle, as in no word, name, path or address.
fn is_unmistakable(value: &str) -> bool {
    let shape = ValueShape::from_value(value);
    let is_marked = has_password_symbol(value) && !value.contains(['/', '=', '[', '\\']);
    let is_one_word = value.bytes().all(|it| it.is_ascii_alphanumeric());
    let is_drawn = is_one_word && shape.upper > 0 && shape.lower > 0 && shape.turns >= 3;
    value.len() >= 8
        && shape.is_mixed()
        && (is_marked || (is_drawn && !shape.is_hex() && !shape.is_wordy()))
}

/// Whether a mark that people put into passwords stands between other characters.
fn has_password_symbol(value: &str) -> bool {
    let inner = value.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    inner.contains(['!', '#', '$', '%', '^', '&', '*', '?', '@', '~'])
}

/// Letters that follow each other as in no word.
fn is_unpronounceable(value: &str) -> bool {
    let is_word = value.len() < 6 || !value.bytes().all(|it| it.is_ascii_alphabetic());
    let first = value.as_bytes().first();
    if is_word
        || value.bytes().all(|it| Some(&it) == first)
        || value.bytes().all(|it| it.is_ascii_uppercase())
    {
        return false;
    }
    // Where a word of a name ends and the next begins, any two letters meet.
    let is_inside = |it: &&[u8]| !(it[0].is_ascii_lowercase() && it[1].is_ascii_uppercase());
    let pairs = value.as_bytes().windows(2).filter(is_inside);
    let rare = pairs.filter(|it| is_rare_letter_pair(it[0], it[1])).count();
    let shape = ValueShape::from_value(value);
    let is_cased = shape.len >= 8 && shape.turns * 2 >= shape.len && !is_camel_case(value);
    let is_odd = rare >= 2 || is_cased || (rare == 1 && shape.common * 100 < shape.pairs * 45);
    is_odd && !is_in_word_list(NAMES, &value.to_ascii_lowercase())
}

/// Whether every word of a name begins with its only capital: `MaxAuthAge`.
fn is_camel_case(value: &str) -> bool {
    let mut words = value.split(|c: char| c.is_ascii_uppercase()).skip(1);
    words.all(|it| it.len() >= 2)
}

/// So many plain words with dashes between them, as in `correct-horse`, unless they are an adjective or a name.
fn is_passphrase(value: &str, least: usize) -> bool {
    let parts: Vec<&str> = value.split('-').collect();
    let is_word = |it: &&str| it.len() >= 3 && it.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_plain = |it: &&str| !is_in_word_list(DASHED_PARTS, it);
    let ends_like_adjective = parts
        .last()
        .is_some_and(|last| DASHED_ENDINGS.iter().any(|it| last.ends_with(it)));
    parts.len() >= least
        && parts.iter().all(is_word)
        && parts.iter().all(is_plain)
        && (parts.len() >= 3 || !ends_like_adjective)
}

/// Last parts of the names of files and hosts.
const FILE_ENDINGS: &str = "txt yml yaml json toml md rs py js ts jsx tsx rb go java kt php html htm css env conf cfg ini xml sql sh csv log pdf zip gz \
    tar pem key crt db lock com org net io dev local internal corp example lan svc cluster localhost";

/// Words and a number with joints between them, as in `Berlin-1989-wall` and `Orion.805x`, unless they are a name.
fn is_joined_password(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let parts: Vec<&str> = lower.split(['-', '_', '.']).collect();
    let is_part = |it: &&str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_number = |it: &&&str| it.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |it: &&str| {
        let is_version = it.starts_with('v') && it[1..].bytes().all(|byte| byte.is_ascii_digit());
        let is_term = is_in_word_list(DASHED_PARTS, it) || is_in_word_list(TERMS, it);
        is_version || (is_term && !is_in_word_list("the of and or to by at on in not one", it))
    };
    let letters = |it: &&str| it.bytes().filter(u8::is_ascii_alphabetic).count();
    let numbers = parts.iter().filter(is_number).count();
    let is_release = numbers > 1 && parts.len() - numbers < 2;
    let is_file = parts
        .last()
        .is_some_and(|it| is_in_word_list(FILE_ENDINGS, it));
    (2..=6).contains(&parts.len())
        && parts.iter().all(is_part)
        && parts.iter().any(|it| letters(it) >= 3)
        && lower.bytes().any(|it| it.is_ascii_digit())
        && value.bytes().any(|it| it.is_ascii_lowercase())
        && !is_release
        && !is_file
        && !parts.iter().any(is_name)
}

/// What looks like a password, and not like the end of a path or an address.
fn is_password_of_pair(whole: &str, value: &str) -> bool {
    let shape = ValueShape::from_value(value);
    let is_varied = shape.digits > 0 || has_password_symbol(value);
    let last = value.rsplit('.').next().unwrap_or_default();
    let is_file = value.contains('.') && is_in_word_list(FILE_ENDINGS, &last.to_ascii_lowercase());
    let is_like_password =
        is_chosen_password(value) || is_word_and_number(whole) || is_joined_password(value);
    is_varied
        && shape.letter_count() >= 3
        && !is_file
        && !is_bare_hash(value)
        && !is_secret_reference(value)
        && is_like_password
}

/// After a short prefix: one part that mixes letters and digits, or one that is too long for a word.
fn is_token_body(value: &str) -> bool {
    has_mixed_segment(value, 6, 1)
        || segment_shapes(value).any(|it| it.len >= 20 && !it.is_wordy())
        || is_random_value(value)
}

fn is_address_password(value: &str) -> bool {
    const SHOWN: &str = "pass pwd pw secret user postgres root admin token guest test key mysql redis foo bar anonymous";
    let lower = value.to_ascii_lowercase();
    let stands_in =
        is_in_word_list(SHOWN, &lower) || lower.contains("password") || lower.contains("passwd");
    let is_variable = value.starts_with('$') && !has_mixed_segment(value, 6, 1);
    !stands_in
        && !is_variable
        && !value.starts_with(['{', '<', '%', '*', '['])
        && !value.starts_with("${")
        && ValueShape::from_value(value).len >= 3
}

/// First words of identifiers whose body is as random as a key.
const OBJECT_IDS: &str =
    "toolu msg call chatcmpl cmpl resp req run thread asst evt cus price prod acct pi batch";

/// First words of public identifiers: of model traffic, payments, builds and hashes.
const PUBLIC_BRANDS: &str = "ord inv pay txn tkt toolu msg call chatcmpl cmpl resp req file run thread asst step evt event cus price \
    prod pi ch in sub org user proj session batch item rs fc ft sha1 sha256 sha512 sha md5 \
    commit hash img image cache id blob ref rev chunk digest snapshot trace span node job \
    task test build index main page layer tree object git txn tx pub pk api uuid v1 v2 \
    release asset bundle diff docs doc http https file www cdn urn arn sha384 h1 rgba var css js ts \
    svg png jpg agent conv conversation chat order pod vol vm host eni note ticket issue case account acct tenant \
    team group role policy device room channel post comment invoice payment customer client worker lock mem memory \
    entity record row app log plan flow kernel doc docs disk net db svc lib env urn tab win cid rid uid gid sid pid oid \
    woff2 font icon class nonce etag sri version";

/// A brand, a joint, and a body that is random from end to end.
fn is_branded_token(value: &str) -> bool {
    // The joint may be any of the first few: a body may have such marks of its own.
    let joints = value.match_indices(['_', '-', '.', '+', ':', '~']).take(4);
    !is_public_brand(value)
        && joints
            .map(|(at, joint)| (joint, &value[at + 1..]))
            .any(|(joint, body)| is_branded_body(joint, body))
}

/// Whether a value begins like a public identifier.
fn is_public_brand(value: &str) -> bool {
    is_in_word_list(PUBLIC_BRANDS, &read_brand(value).to_ascii_lowercase())
}

/// What stands before the first joint.
fn read_brand(value: &str) -> &str {
    let value = value.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let brand = value.split(['_', '-', '.', '+', ':', '~']).next();
    brand.unwrap_or_default()
}

/// Whether what follows the joint was drawn at random.
fn is_branded_body(joint: &str, body: &str) -> bool {
    let shape = ValueShape::from_value(body);
    let marks = body.len() - shape.len;
    // Parts of a name are words: a body has few marks.
    if shape.len < BRANDED_MIN || marks * 8 > body.len() {
        return false;
    }
    // File names and pods end in a dash and a hash, so a dash wants more than hexadecimal.
    let is_joint = joint == "_" || shape.hex + 6 <= shape.len;
    let is_one_case =
        is_joint && shape.is_mixed() && shape.kinds * 4 >= shape.len && !shape.is_wordy();
    let is_all_kinds = shape.digits >= 1 && shape.upper >= 3 && shape.lower >= 3;
    let is_restless = is_all_kinds && !shape.is_hex() && shape.turns * 100 >= shape.len * 45;
    // Random letters and digits turn at 62 of 100 places, names at 30: by chance one key in seven reads wordy.
    let is_drawn = is_restless && (shape.turns * 2 >= shape.len || !shape.is_wordy());
    is_restless_run(body) || (shape.len >= 24 && is_one_case) || is_drawn
}

/// Shortest body of a token whose brand the table does not know.
const BRANDED_MIN: usize = 16;

/// A run that no name, path or hash would look like: mixed case and digits all the way through.
pub(super) fn is_random_blob(run: &str) -> bool {
    let is_id = is_in_word_list(OBJECT_IDS, read_brand(run));
    !is_documented_value(run) && !is_id && is_restless_run(run)
}

fn is_restless_run(run: &str) -> bool {
    let shape = ValueShape::from_value(run);
    let all_kinds = shape.digits >= 2 && shape.upper >= 4 && shape.lower >= 4;
    let is_turning = shape.turns * 100 >= shape.len * 36 && !shape.is_wordy();
    all_kinds && !shape.is_hex() && (is_turning || shape.turns * 100 >= shape.len * 52)
}
