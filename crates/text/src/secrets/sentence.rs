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
const VERBS: &str = "is was are be being been now equals becomes became remains stays currently still again ist war lautet lauten \
    lautete jetzt nun heißt bleibt sei est sont était sera reste demeure devient désormais maintenant c'est es son era será ahora \
    sigue siendo queda é são era será agora continua sendo fica è sono era sarà resta rimane ora adesso это теперь сейчас стал стала \
    будет был остаётся остается такой dient called \
    its it's it’s that's thats previously formerly always just simply actually probably bisher aktuell derzeit noch immer wieder früher \
    vorher momentan actuellement toujours encore avant actualmente siempre todavía antes atualmente sempre ainda attualmente ancora prima \
    пока раньше всегда ещё еще вроде reads got gilt bitte please vaut valent quedó quedo vale ficou resulta выглядит";
/// Words behind which the last word of a sentence is a place, a time or a tool: `… is hidden on Android14`.
const PLACES: &str = "on by from under over at since until than via per through bei nach seit von vom dans par sur chez depuis por desde \
    pelo pela dal dalla su из через при после";
/// Verbs that a value follows where the sentence speaks of a password behind it: `type … at the password prompt`.
const ENTERS: &str = "type types typed enter enters entered typing entering supply provide paste try answer gib tippe eingeben entre \
    entrez tape tapez saisis saisissez introduce introduzca escribe teclea ingresa digite digita insira inserisci immetti \
    введи введите вводи вводите набери наберите 输入 填写";
/// Verbs of which the same holds where the sentence says that something is asked for.
const USES: &str =
    "use put give nimm nutze verwende utilise utilisez usa utiliza usi используй используйте";
/// Verbs of asking.
const ASKS: &str = "asks asked prompts prompted requests fragt gefragt demande chiede pide pregunta pede pergunta спросит просит попросит";
/// What joins the name of an account to its password, where a login is spoken of.
pub(super) const PAIRS: &str = "and with plus pass password und mit et avec y con e com и с";
/// Such joints with the blanks around them.
const PAIR_JOINTS: [&str; 16] = [
    " / ", "/", ":", " and ", " with ", " und ", " mit ", " et ", " avec ", " y ", " con ", " e ",
    " com ", " и ", " с ", ", ",
];
/// Words for a name and a password together.
pub(super) const LOGIN_NOUNS: &str = "credentials,creds,user/pass,user:pass,username/pass,login/pass,id/pw,u/p,usuario/contraseña,usuário/senha,benutzer/passwort,\
    utente/password,логин/пароль,креды,кредами,доступы,zugangsdaten,anmeldedaten,identifiants,credenciales,credenciais,credenziali,\
    логин и пароль,учётные данные,учетные данные,账号密码,帐号密码,凭据,ログイン情報,認証情報";
/// Words that lead to a value after a verb of change, and to much else besides.
const LEADS: &str = "to as with using of for auf zu als mit für von en à par avec comme pour de du a al con como para del em \
    com do da in di per come на с как от для и and und et y e the";
/// Begins of verbs that make the word behind `to` the new password.
const CHANGES: [&str; 23] = [
    "réinit",
    "restablec",
    "redefin",
    "reimpost",
    "reinici",
    "сброс",
    "zurück",
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
/// Short words for a password that mean nothing else.
const SURE_SHORT: &str = "pw psw pwd mdp pswd";
/// Plurals that do not end in `s`.
const PLURALS: &str = "пароли Пароли passwörter kennwörter mots de passe";
/// Where a password is used, before each one of a list.
const ENVIRONMENTS: &str = "prod production staging stage dev development test testing qa live preprod local produktion produção homologação \
    producción pruebas desarrollo préprod recette produzione collaudo прод стейдж тест дев продакшен";
/// What joins a value to the word "password" behind it.
const LINKS: &str =
    "that's thats it's its c'est as is als ist comme est como es é come è как качестве это";
/// What joins them in sentences about the choice of a method as well: `use … for the password`.
const LOOSE_LINKS: &str = "for für pour para per для";
/// Ends of words in scripts without blanks that a value follows.
const CJK_TELLS: [char; 12] = [
    '是', '为', '為', '成', '叫', '作', '到', '即', 'は', 'を', 'に', 'が',
];
/// Words that name an account not far before `pass`.
const USERS: &str = "user username login account benutzer benutzername konto utilisateur identifiant compte usuario usuário cuenta \
    conta utente логин пользователь";
/// Begins of such a joint in scripts without blanks.
const CJK_LINKS: [&str; 10] = ["作", "做", "设为", "是", "为", "當", "当", "を", "が", "は"];
/// What makes another thing of a password: `password hash`, `password policy`.
const COMPOUNDS: &str = "hash hashes hashing hashed manager managers policy policies field fields column prompt prompts reset \
    resets rotation strength file files input inputs form forms store stores table check checks checker length protection \
    authentication auth grant flow hint hints parameter param argument option flag variable env encryption algorithm scheme \
    history expiry expiration recovery change changes validation validator verification complexity requirements rules \
    login logins endpoint service services generator generation entry dialog box page screen string callback function method based protected less";
/// Names of accounts that stand before their password: `admin / …`.
pub(super) const ACCOUNTS: &str = "admin,root,deploy,administrator,postgres,guest,test,user,jenkins,ubuntu,oracle,sa,ci,qa,demo,backup,support,editor,\
    operator,service";
/// What tells that a name and a password follow.
const LOGINS: [&str; 26] = [
    "auth is",
    "auth:",
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
pub(super) struct SentenceWord<'t> {
    pub gap: &'t str,
    pub text: &'t str,
    pub at: Range<usize>,
}

impl SentenceWord<'_> {
    pub(super) fn is_cjk(&self) -> bool {
        self.text.chars().next().is_some_and(is_cjk_char)
    }

    /// Whether the value follows a word of a script without blanks.
    fn tells(&self) -> bool {
        self.is_cjk() && (self.text.ends_with(CJK_TELLS) || self.text.ends_with("として"))
    }

    /// Whether the word could be a value: letters of other alphabets make it a word.
    fn is_plain(&self) -> bool {
        self.text.is_ascii()
    }

    /// Whether code or a stand-in follows: `password", "…"`, `password || …`, `password="<…>"`.
    fn is_in_code(&self) -> bool {
        let marks = ["||", "\",", "',", "<", "{", "[", ")", "\")"];
        // `mdp admin (préprod) : …`
        let is_remark = self.gap.starts_with(')')
            && self.at.start > self.gap.len()
            && self.gap.contains([':', '–', '—', '→']);
        let gap = if is_remark { &self.gap[1..] } else { self.gap };
        marks.iter().any(|it| gap.contains(it))
    }

    /// Whether a mark joins the word to the name before it: `ana / …`, `ana → …`.
    pub(super) fn is_joined_by_mark(&self) -> bool {
        let has_mark = self.gap.contains(['/', '→', '>', '–', '—', '|']);
        let bare = self.gap.trim_matches([' ', '`', '"', '\'', '*']);
        has_mark || self.gap.ends_with(" - ") || bare == ":"
    }

    /// Whether what stands before the word lets a name and a password follow.
    pub(super) fn opens_pair(&self) -> bool {
        self.gap.contains(['(', ':', ',', '–', '—', '→', '（']) || self.gap.ends_with(" - ")
    }

    /// Whether a colon or a dash leads to the word behind this one.
    pub(super) fn leads_on(&self) -> bool {
        self.text.ends_with([':', '='])
    }

    fn has_link(&self) -> bool {
        self.gap.contains([':', '=', '—', '–', '>', '→', '?', '：']) || self.gap.ends_with(" - ")
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
        let body = self.text.trim_end_matches('!');
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

/// Whether the word is nothing but digits, as the code of a door is, and not a day.
fn is_number_code(word: &str) -> bool {
    let is_day = word.len() == 8 && (word.starts_with("20") || word.starts_with("19"));
    (6..=12).contains(&word.len()) && !is_day && word.bytes().all(|it| it.is_ascii_digit())
}

fn is_gap_char(c: char) -> bool {
    !is_cjk_char(c)
        && !c.is_alphanumeric()
        && (!is_value_char(c) || matches!(c, ':' | '=' | '*' | '|'))
}

/// The words of a text with their gaps, up to the end of the sentence.
fn split_sentence(text: &str) -> impl Iterator<Item = SentenceWord<'_>> {
    let mut is_done = false;
    split_words(text).map_while(move |word| {
        if is_done || word.gap.contains(['\n', '。', ';']) {
            return None;
        }
        is_done = word.ends_sentence();
        Some(word)
    })
}

/// All words of a text with their gaps.
pub(super) fn split_words(text: &str) -> impl Iterator<Item = SentenceWord<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let gap = &rest[..measure_gap(rest)];
        let word = &rest[gap.len()..][..measure_word(&rest[gap.len()..])];
        if word.is_empty() {
            return None;
        }
        let start = at + gap.len();
        at = start + word.len();
        Some(SentenceWord {
            gap,
            text: word,
            at: start..at,
        })
    })
}

/// How long the gap is that begins here. A dash or an arrow belongs to it when a blank stands behind.
fn measure_gap(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_dash = matches!(c, '-' | '/' | '?' | '&' | '+')
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
    // `é` is a letter, too: `ép` is not where a word begins.
    let is_inside_word = |c: char| c.is_alphabetic() && !c.is_ascii() && !is_cjk_char(c);
    if !is_cjk && before.ends_with(is_inside_word) {
        return None;
    }
    let is_given = is_cjk
        || is_given_by(&before)
        || is_in_word_list(SURE_SHORT, text)
        || is_before_latin(text, after);
    let mut is_changed = before.split_whitespace().rev().take(3).any(is_change);
    let is_short = noun.noun == SecretNoun::ShortPass && !is_given;
    if is_short && text == "pass" && !is_changed && !is_linked(after) && !is_question(after) {
        return None;
    }
    let is_listed = is_plural(text) && is_linked(after);
    let mut last: Option<SentenceWord> = None;
    for (index, word) in split_sentence(after).take(WORDS_MAX).enumerate() {
        if index == 0 && is_in_word_list(COMPOUNDS, word.text) && !word.has_link() {
            return None;
        }
        if word.is_in_code() {
            return None;
        }
        let is_final = after[word.at.end..]
            .trim_end_matches(is_sentence_end)
            .is_empty();
        let judge = match judge_behind_noun(&word, last.as_ref(), is_given, is_changed) {
            SecretJudge::Unmistakable if is_listed && last.as_ref().is_some_and(names_place) => {
                SecretJudge::Sentence
            }
            SecretJudge::Unmistakable if is_listed => SecretJudge::Beside,
            SecretJudge::Unmistakable if is_final && !last.as_ref().is_some_and(leads_to_place) => {
                SecretJudge::Beside
            }
            judge => judge,
        };
        let is_asked = !is_short || judge == SecretJudge::Sentence;
        if is_asked && word.is_plain() && accepts(judge, word.at.clone()) {
            return Some(word.at);
        }
        is_changed |= is_change(word.text);
        last = Some(word);
    }
    None
}

/// Whether a colon or a dash stands right behind the noun.
fn is_linked(after: &str) -> bool {
    split_words(after).next().is_some_and(|it| it.has_link())
}

/// Whether a question ends soon behind the noun: `pass for the db? …`.
fn is_question(after: &str) -> bool {
    split_sentence(after)
        .take(6)
        .any(|it| it.text.ends_with('?'))
}

/// Whether Latin letters stand right behind a Cyrillic noun, where the sentence would go on in its own.
fn is_before_latin(noun: &str, after: &str) -> bool {
    let is_cyrillic = noun.starts_with(|c| matches!(c, 'а'..='я'));
    is_cyrillic
        && after
            .trim_start()
            .starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Whether the noun speaks of several passwords: `passwords: prod …, staging …`.
fn is_plural(noun: &str) -> bool {
    (noun.ends_with('s') && noun != "pass") || is_in_word_list(PLURALS, noun)
}

/// Whether a word of a list names what its password is for.
fn names_place(word: &SentenceWord) -> bool {
    is_in_word_list(ENVIRONMENTS, word.text) || ACCOUNTS.split(',').any(|it| it == word.text)
}

fn leads_to_place(word: &SentenceWord) -> bool {
    is_in_word_list(PLACES, word.text)
}

/// What may stand behind the last word of a sentence.
fn is_sentence_end(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '.' | ')' | '"' | '\'' | '`' | '»' | '“' | '”' | '。' | '」'
        )
}

fn is_change(word: &str) -> bool {
    let word = word.trim_start_matches(['"', '\'', '`', '“', '„', '«', '(']);
    CHANGES.iter().any(|it| word.starts_with(it))
}

/// Whether the noun goes on here, as in `password_hash` and `password-based`.
fn is_more_of_name(c: char) -> bool {
    c.is_alphanumeric() && !is_cjk_char(c) || matches!(c, '_' | '-' | '(' | '.' | '/')
}

/// How much is asked of a word behind the noun.
fn judge_behind_noun(
    word: &SentenceWord,
    last: Option<&SentenceWord>,
    is_given: bool,
    is_changed: bool,
) -> SecretJudge {
    let Some(last) = last else {
        let is_led = word.has_link() || word.is_quoted() || is_given;
        let is_told = is_led || is_number_code(word.text);
        return if is_told {
            SecretJudge::Sentence
        } else {
            SecretJudge::Beside
        };
    };
    let is_verb = is_in_word_list(VERBS, last.text);
    let is_answer = last.text.ends_with('?');
    let is_told = word.has_link() || last.leads_on() || last.tells() || is_verb || is_answer;
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
        || names_account(trimmed)
}

/// Whether an account is named in the last words: `user upload pass …`.
fn names_account(before: &str) -> bool {
    let mut words = before.split_whitespace().rev().take(2);
    let is_account = |it: &str| ACCOUNTS.split(',').any(|name| name == it);
    words.any(|it| {
        let it = it.trim_end_matches([':', ',']);
        is_in_word_list(USERS, it) || is_account(it)
    })
}

/// Where a password stands before the word for one: `use … as the password`, `type … at the password prompt`.
pub(super) fn find_before_noun(
    before: &str,
    after: &str,
    mut accepts: impl FnMut(SecretJudge, Range<usize>) -> bool,
) -> Option<Range<usize>> {
    if after.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '(')) {
        return None;
    }
    let start = find_char_boundary(before, before.len().saturating_sub(BEFORE_MAX));
    let words = read_last_sentence(&before[start..]);
    let shift = |it: &SentenceWord| start + it.at.start..start + it.at.end;
    let mut takes = |judge, it: &&SentenceWord| it.is_plain() && accepts(judge, shift(it));
    // `… (password)`.
    let is_bracketed = before.ends_with('(') && after.starts_with(')');
    let bracketed = words.last().filter(|_| is_bracketed);
    let joined = bracketed
        .or_else(|| find_joined_word(&words, &before[start..]))
        .filter(|_| !is_compound_noun(after))
        .filter(|it| takes(SecretJudge::Sentence, it));
    if joined.is_some() {
        return joined.map(shift);
    }
    let loose = find_loosely_joined_word(&words).filter(|_| !is_compound_noun(after));
    let dashed = find_dashed_word(&words).filter(|_| !is_compound_noun(after));
    let mut near = [loose, dashed].into_iter().flatten();
    near.find(|it| takes(SecretJudge::Beside, it))
        .or_else(|| {
            let is_joined =
                |it: &&SentenceWord| it.text.len() >= 8 && it.text.contains(['-', '_', '.']);
            dashed
                .filter(is_joined)
                .filter(|it| takes(SecretJudge::Pair, it))
        })
        .or_else(|| {
            let judges = [SecretJudge::Beside, SecretJudge::Pair];
            find_entered_word(&words).filter(|it| judges.iter().any(|judge| takes(*judge, it)))
        })
        .or_else(|| {
            let mut nearest = words.iter().rev().take(WORDS_MAX);
            nearest.find(|it| takes(SecretJudge::Unmistakable, it))
        })
        .map(shift)
}

/// Whether the word behind the noun makes another thing of it.
fn is_compound_noun(after: &str) -> bool {
    let next = split_sentence(after).next();
    next.is_some_and(|it| it.gap.trim().is_empty() && is_in_word_list(COMPOUNDS, it.text))
}

/// The word that is joined to the noun behind it.
fn find_joined_word<'w, 't>(
    words: &'w [SentenceWord<'t>],
    before: &str,
) -> Option<&'w SentenceWord<'t>> {
    let link = find_joint(words, before)?;
    let value = words.get(link.checked_sub(1)?)?;
    // `… в качестве пароля`, `… (that is the password)`.
    let is_stand_in = is_in_word_list(
        "в works serves used set funciona fonctionne funziona that this which das dies ce eso isso questo",
        value.text,
    );
    if is_stand_in {
        return words.get(link.checked_sub(2)?);
    }
    Some(value)
}

/// The word before `for the`, next to the noun.
fn find_loosely_joined_word<'w, 't>(words: &'w [SentenceWord<'t>]) -> Option<&'w SentenceWord<'t>> {
    let mut nearest = words.iter().enumerate().rev().take(3);
    let (link, _) = nearest.find(|(_, it)| is_in_word_list(LOOSE_LINKS, it.text))?;
    words.get(link.checked_sub(1)?)
}

/// The word before a dash or a bracket, where a few words more lead to the noun: `… - admin password`.
fn find_dashed_word<'w, 't>(words: &'w [SentenceWord<'t>]) -> Option<&'w SentenceWord<'t>> {
    let is_joint = |it: &str| {
        it.ends_with(" - ") || it.contains(['—', '–', '←', '(', '=']) || it.contains("<-")
    };
    let mut nearest = words.iter().enumerate().rev().take(4);
    let (index, _) = nearest.find(|(_, it)| is_joint(it.gap))?;
    words.get(index.checked_sub(1)?)
}

/// The word behind a verb of typing.
fn find_entered_word<'w, 't>(words: &'w [SentenceWord<'t>]) -> Option<&'w SentenceWord<'t>> {
    let is_asked = words.iter().any(|it| is_in_word_list(ASKS, it.text));
    let is_verb = |it: &SentenceWord| {
        is_in_word_list(ENTERS, it.text) || (is_asked && is_in_word_list(USES, it.text))
    };
    let pair = words.windows(2).rfind(|it| is_verb(&it[0]))?;
    pair.get(1)
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

/// The index of the word that joins a value to the noun behind it; at most four words stand between.
fn find_joint(words: &[SentenceWord], before: &str) -> Option<usize> {
    let end = words.last().map_or(0, |it| it.at.end);
    let gap = &before[end..];
    if gap.contains(['—', '–', '←']) || gap.contains("<-") {
        return Some(words.len());
    }
    let is_joint = |it: &SentenceWord| {
        is_in_word_list(LINKS, it.text) || CJK_LINKS.iter().any(|link| it.text.starts_with(link))
    };
    let nearest = words.iter().enumerate().rev().take(5);
    nearest
        .filter(|(_, it)| is_joint(it))
        .map(|(index, _)| index)
        .next()
}

/// The first place at or behind this one where a character begins.
pub(super) fn find_char_boundary(text: &str, from: usize) -> usize {
    (from..text.len())
        .find(|it| text.is_char_boundary(*it))
        .unwrap_or(text.len())
}

/// Whether what follows this character is a part of a longer name.
fn is_inside_name(c: char) -> bool {
    (c.is_alphanumeric() && !is_cjk_char(c)) || matches!(c, '_' | '-' | '/' | '.' | '@' | '$' | ':')
}

/// Where a password stands behind the name of an account: `admin / …`, `use root and … to log in`, and `root:…` where a
/// login is spoken of.
pub(super) fn find_after_account(
    before: &str,
    after: &str,
    mut accepts: impl FnMut(SecretJudge, Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let joint = PAIR_JOINTS.iter().find(|it| after.starts_with(**it))?;
    let start = find_char_boundary(before, before.len().saturating_sub(LOGIN_MAX));
    let end = find_char_boundary(after, LOGIN_MAX.min(after.len()));
    let speaks_of_login = |text: &str| LOGINS.iter().any(|it| text.contains(it));
    let is_login = speaks_of_login(&before[start..]);
    if before.ends_with(is_inside_name) && !(is_login && before.ends_with(':')) {
        return None;
    }
    let is_tight = *joint == ":" && !after.starts_with(": ");
    let judge = match *joint {
        " / " if is_login => SecretJudge::Sentence,
        ":" if is_login && is_tight => SecretJudge::Sentence,
        " / " => SecretJudge::Beside,
        ":" | "/" if is_login => SecretJudge::Beside,
        ":" | "/" => SecretJudge::Unmistakable,
        _ if is_login || speaks_of_login(&after[..end]) => SecretJudge::Beside,
        _ => return None,
    };
    let rest = after[joint.len()..].trim_start_matches(['"', '\'', '`', ' ']);
    let start = after.len() - rest.len();
    let at = start..start + measure_word(rest);
    // `owner/name@commit` names code.
    let is_code = *joint == "/" && after[at.clone()].contains('@') && !is_login;
    (!is_code && after[at.clone()].is_ascii() && accepts(judge, at.clone())).then_some(at)
}

/// Where a password stands behind a word for a name and a password: `the credentials are ana and …`, `creds: ana/…`.
pub(super) fn find_after_login(
    after: &str,
    mut accepts: impl FnMut(SecretJudge, Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let mut last: Option<SentenceWord> = None;
    for word in split_sentence(after).take(WORDS_MAX) {
        if word.is_in_code() {
            return None;
        }
        let is_joined = |it: &SentenceWord| {
            word.gap.contains('/') || it.leads_on() || is_in_word_list(PAIRS, it.text)
        };
        let is_second = last.as_ref().is_some_and(is_joined);
        let inner = word.text.find(['/', ':']).map(|it| it + 1);
        let start = word.at.start + inner.unwrap_or(0);
        let value = &after[start..word.at.end];
        let is_whole = value.is_ascii() && !value.contains('/');
        if (is_second || inner.is_some())
            && is_whole
            && accepts(SecretJudge::Beside, start..word.at.end)
        {
            return Some(start..word.at.end);
        }
        last = Some(word);
    }
    None
}
