//! Passwords in sentences: `with password …`, `use … as the password`, `Das Kennwort lautet …`, `admin / …`.
//!
//! An assignment names its value; a sentence does not say where the value is. So the words behind and before a word for
//! "password" are read one by one, and how much is asked of a word depends on what leads to it: after a verb or a colon
//! a short chosen password counts, beside the noun it must not read like a word, and further away it must be unmistakable.

use std::ops::Range;

use super::{
    judge::SecretJudge,
    named_value::{SecretNoun, SecretWord},
};
use crate::word_lists::is_in_word_list;

/// Verbs and adverbs that stand right before the value.
const VERBS: &str = "is was are now equals becomes remains currently still ist war lautet lauten jetzt nun heißt est sont \
    désormais maintenant c'est es son ahora sigue é são agora è sono ora adesso это теперь сейчас стал будет dient called";
/// Words that lead to a value after a verb of change, and to much else besides.
const LEADS: &str = "to as with using of for auf zu als mit für von en à par avec comme pour de du a al con como para del em \
    com do da in di per come на с как от для и and und et y e the";
/// Begins of verbs that make the word behind `to` the new password.
const CHANGES: [&str; 16] = [
    "chang",
    "set",
    "reset",
    "rotat",
    "updat",
    "wurde",
    "änder",
    "gesetzt",
    "cambi",
    "impost",
    "mud",
    "alter",
    "смени",
    "измени",
    "поменя",
    "défini",
];
/// What stands before "password" where its value follows: `with password …`, `user app and password …`.
const GIVERS: &str = "with using use and via by or mit und verwende avec et utilise con y usa com e use usando con е и с со \
    по new the la le das dem o a nuova nueva nouveau neue neues новый";
/// What joins a value to the word "password" behind it.
const LINKS: &str = "as is als ist comme est como es é come è как качестве это";
/// Begins of such a joint in scripts without blanks.
const CJK_LINKS: [&str; 9] = ["作为", "作為", "是", "为", "當", "当", "を", "が", "は"];
/// What makes another thing of a password: `password hash`, `password policy`.
const COMPOUNDS: &str = "hash hashes hashing hashed manager managers policy policies field fields column prompt prompts reset \
    resets rotation strength file files input inputs form forms store stores table check checks checker length protection \
    authentication auth grant flow hint hints parameter param argument option flag variable env encryption algorithm scheme \
    history expiry expiration recovery change changes validation validator verification complexity requirements rules \
    generator generation entry dialog box page screen string callback function method based protected less";
/// Names of accounts that stand before their password: `admin / …`.
pub(super) const ACCOUNTS: &str =
    "admin,root,deploy,administrator,postgres,guest,test,user,jenkins,ubuntu,oracle,sa,ci,qa,demo";
/// What tells that a name and a password follow.
const LOGINS: [&str; 24] = [
    "creds",
    "credential",
    "login",
    "log in",
    "logon",
    "sign in",
    "signin",
    "account",
    "user",
    "zugang",
    "anmeld",
    "konto",
    "identifiant",
    "connex",
    "credenc",
    "credenz",
    "acceso",
    "accesso",
    "логин",
    "учётн",
    "账号",
    "账户",
    "ログイン",
    "登录",
];
/// How many words are read.
const WORDS_MAX: usize = 8;
/// How many bytes before a noun are read.
const BEFORE_MAX: usize = 160;

/// How far before the name of an account a login is spoken of.
const LOGIN_MAX: usize = 60;

/// One word of a sentence, and what stands between it and the word before.
struct SentenceWord<'t> {
    gap: &'t str,
    text: &'t str,
    at: Range<usize>,
}

impl SentenceWord<'_> {
    fn is_cjk(&self) -> bool {
        self.text.chars().next().is_some_and(is_cjk_char)
    }

    /// Whether the word could be a value: letters of other alphabets make it a word.
    fn is_plain(&self) -> bool {
        self.text.is_ascii()
    }

    /// Whether code or a stand-in follows: `password", "…"`, `password || …`, `password="<…>"`.
    fn is_in_code(&self) -> bool {
        let marks = ["||", "\",", "',", "<", "{", "[", ")", "\")"];
        marks.iter().any(|it| self.gap.contains(it))
    }

    /// Whether a colon or a dash leads to the word behind this one.
    fn leads_on(&self) -> bool {
        self.text.ends_with([':', '='])
    }

    fn has_link(&self) -> bool {
        self.gap.contains([':', '=', '—', '–', '>', '→']) || self.gap.ends_with(" - ")
    }

    fn is_quoted(&self) -> bool {
        let is_quote = |c| {
            matches!(
                c,
                '"' | '\'' | '`' | '«' | '„' | '“' | '”' | '「' | '『' | '‘' | '‚'
            )
        };
        self.gap.trim_end().ends_with(is_quote)
    }

    /// A word ends the sentence with its mark; of a password such as `Winter24!` the mark is a part.
    fn ends_sentence(&self) -> bool {
        let body = self.text.trim_end_matches(['!', '?']);
        let is_exclaimed = body.len() < self.text.len() && body.chars().all(char::is_alphabetic);
        self.text.ends_with(['.', ';']) || is_exclaimed
    }
}

fn is_cjk_char(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}')
}

fn is_value_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&*+-./:=?@[\\]^_|~".contains(c)
}

fn is_gap_char(c: char) -> bool {
    !is_cjk_char(c)
        && !c.is_alphanumeric()
        && (!is_value_char(c) || matches!(c, ':' | '=' | '*' | '|'))
}

/// The words of a text with their gaps, up to the end of the sentence.
fn split_sentence(text: &str) -> impl Iterator<Item = SentenceWord<'_>> {
    let (mut at, mut is_done) = (0, false);
    std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        let rest = &text[at..];
        let gap = &rest[..measure_gap(rest)];
        let word = &rest[gap.len()..][..measure_word(&rest[gap.len()..])];
        if word.is_empty() || gap.contains(['\n', '。', ';']) {
            return None;
        }
        let start = at + gap.len();
        at = start + word.len();
        let word = SentenceWord {
            gap,
            text: word,
            at: start..at,
        };
        is_done = word.ends_sentence();
        Some(word)
    })
}

/// How long the gap is that begins here. A dash or an arrow belongs to it when a blank stands behind.
fn measure_gap(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_dash = matches!(c, '-' | '/')
            && chars
                .peek()
                .is_none_or(|(_, next)| matches!(next, ' ' | '>'));
        if !is_gap_char(c) && !is_dash {
            return at;
        }
    }
    text.len()
}

/// How long the word is that begins here: of one script.
fn measure_word(text: &str) -> usize {
    let Some(first) = text.chars().next() else {
        return 0;
    };
    let is_part = |c: char| {
        if is_cjk_char(first) {
            return is_cjk_char(c);
        }
        is_value_char(c) || (c.is_alphanumeric() && !is_cjk_char(c)) || c == '’' || c == '\''
    };
    let len = text.find(|c| !is_part(c)).unwrap_or(text.len());
    // A quote inside belongs to a word (`c'est`), one at the end does not.
    text[..len].trim_end_matches(['\'', '’']).len()
}

/// Where a password stands behind the word for one, and how it is judged. Both texts are in lower case.
pub(super) fn find_after_noun(
    noun: &SecretWord,
    text: &str,
    after: &str,
    mut accepts: impl FnMut(SecretJudge, Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let is_cjk = text.ends_with(is_cjk_char);
    if !is_cjk && after.starts_with(is_more_of_name) {
        return None;
    }
    let before =
        String::from_utf8_lossy(&noun.before[noun.before.len().saturating_sub(BEFORE_MAX)..]);
    let is_given = is_cjk || is_given_by(&before);
    if noun.noun == SecretNoun::ShortPass && !is_given {
        return None;
    }
    let mut is_changed = before.split_whitespace().rev().take(3).any(is_change);
    let mut last: Option<SentenceWord> = None;
    for (index, word) in split_sentence(after).take(WORDS_MAX).enumerate() {
        if index == 0 && is_in_word_list(COMPOUNDS, word.text) && !word.has_link() {
            return None;
        }
        if word.is_in_code() {
            return None;
        }
        let judge = judge_behind_noun(&word, last.as_ref(), is_given, is_changed);
        if word.is_plain() && accepts(judge, word.at.clone()) {
            return Some(word.at);
        }
        is_changed |= is_change(word.text);
        last = Some(word);
    }
    None
}

fn is_change(word: &str) -> bool {
    CHANGES.iter().any(|it| word.starts_with(it))
}

/// Whether the noun goes on here, as in `password_hash` and `password-based`.
fn is_more_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '(' | '.' | '/')
}

/// How much is asked of a word behind the noun.
fn judge_behind_noun(
    word: &SentenceWord,
    last: Option<&SentenceWord>,
    is_given: bool,
    is_changed: bool,
) -> SecretJudge {
    let Some(last) = last else {
        let is_told = word.has_link() || word.is_quoted() || is_given;
        return if is_told {
            SecretJudge::Sentence
        } else {
            SecretJudge::Beside
        };
    };
    let is_verb = is_in_word_list(VERBS, last.text);
    let is_told = word.has_link() || last.leads_on() || last.is_cjk() || is_verb;
    let is_led = word.is_quoted() || !last.text.is_ascii() || is_in_word_list(LEADS, last.text);
    match (is_told, is_led) {
        (true, _) => SecretJudge::Sentence,
        (false, true) if is_changed => SecretJudge::Sentence,
        (false, true) => SecretJudge::Beside,
        _ => SecretJudge::Unmistakable,
    }
}

/// Whether the words before the noun let its value follow.
fn is_given_by(before: &str) -> bool {
    let trimmed = before.trim_end();
    trimmed.ends_with([',', '、', '/', '&', '+', '(', ';'])
        || trimmed
            .chars()
            .next_back()
            .is_some_and(|c| is_cjk_char(c) && c != 'の')
        || trimmed
            .rsplit(char::is_whitespace)
            .next()
            .is_some_and(|it| is_in_word_list(GIVERS, it))
}

/// Where a password stands before the word for one: `use … as the password`, `… is the password`.
pub(super) fn find_before_noun(
    before: &str,
    after: &str,
    mut accepts: impl FnMut(SecretJudge, Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let mut next = split_sentence(after);
    let is_compound = next
        .next()
        .is_some_and(|it| it.gap.trim().is_empty() && is_in_word_list(COMPOUNDS, it.text));
    if is_compound
        || after.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '('))
    {
        return None;
    }
    let start = find_char_boundary(before, before.len().saturating_sub(BEFORE_MAX));
    let words = read_last_sentence(&before[start..]);
    let link = find_joint(&words, &before[start..])?;
    let value = words.get(link.checked_sub(1)?)?;
    // `… в качестве пароля`, `… (that is the password)`.
    let is_stand_in = is_in_word_list("в that this which das dies ce eso isso questo", value.text);
    let value = if is_stand_in {
        words.get(link.checked_sub(2)?)?
    } else {
        value
    };
    let at = start + value.at.start..start + value.at.end;
    (value.is_plain() && accepts(SecretJudge::Sentence, at.clone())).then_some(at)
}

/// The words of the sentence that is still open at the end of the text.
fn read_last_sentence(text: &str) -> Vec<SentenceWord<'_>> {
    let mut words: Vec<SentenceWord> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let mut read = at;
        words.clear();
        for word in split_sentence(&text[at..]) {
            read = at + word.at.end;
            let range = at + word.at.start..at + word.at.end;
            words.push(SentenceWord { at: range, ..word });
        }
        at = read.max(at) + measure_gap(&text[read.max(at)..]);
        if read == at {
            break;
        }
    }
    words
}

/// The index of the word that joins a value to the noun behind it; at most three words stand between.
fn find_joint(words: &[SentenceWord], before: &str) -> Option<usize> {
    let end = words.last().map_or(0, |it| it.at.end);
    if before[end..].contains(['—', '–']) {
        return Some(words.len());
    }
    let is_joint = |it: &SentenceWord| {
        is_in_word_list(LINKS, it.text) || CJK_LINKS.iter().any(|link| it.text.starts_with(link))
    };
    let nearest = words.iter().enumerate().rev().take(4);
    nearest
        .filter(|(_, it)| is_joint(it))
        .map(|(index, _)| index)
        .next()
}

/// The first place at or behind this one where a character begins.
fn find_char_boundary(text: &str, from: usize) -> usize {
    (from..text.len())
        .find(|it| text.is_char_boundary(*it))
        .unwrap_or(text.len())
}

/// Whether what follows this character is a part of a longer name.
fn is_inside_name(c: char) -> bool {
    (c.is_alphanumeric() && !is_cjk_char(c)) || matches!(c, '_' | '-' | '/' | '.' | '@' | '$' | ':')
}

/// Where a password stands behind the name of an account: `admin / …`, and `root:…` where a login is spoken of.
pub(super) fn find_after_account(
    before: &str,
    after: &str,
    mut accepts: impl FnMut(SecretJudge, Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let is_spaced = after.starts_with(" / ");
    if !is_spaced && !after.starts_with(['/', ':']) || before.ends_with(is_inside_name) {
        return None;
    }
    let start = find_char_boundary(before, before.len().saturating_sub(LOGIN_MAX));
    let is_login = LOGINS.iter().any(|it| before[start..].contains(it));
    let judge = match (is_spaced, is_login) {
        (true, true) => SecretJudge::Sentence,
        (false, true) if after.starts_with(':') && !after.starts_with(": ") => {
            SecretJudge::Sentence
        }
        (true, false) | (false, true) => SecretJudge::Beside,
        (false, false) => SecretJudge::Unmistakable,
    };
    let joint = if is_spaced { 3 } else { 1 };
    let rest = after[joint..].trim_start_matches(['"', '\'', '`', ' ']);
    let start = after.len() - rest.len();
    let at = start..start + measure_word(rest);
    (after[at.clone()].is_ascii() && accepts(judge, at.clone())).then_some(at)
}
