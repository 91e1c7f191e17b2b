//! A name and its password where a login is spoken of: `log in with ana/…`, `login (ana / …)`, `sign in as ana:…`.
//!
//! No word for a password stands in such a sentence, so the pair has to be told from a path, a branch and a choice
//! (`read/write`): by what leads to it, and by a second half that looks like a password.

use std::ops::Range;

use super::{
    judge::SecretJudge,
    sentence::{ACCOUNTS, PAIRS, SentenceWord, find_char_boundary, split_words},
};
use crate::word_lists::is_in_word_list;

/// Words that speak of a login, in lower case.
pub(super) const LOGIN_WORDS: &str = "log in,login,logged in,log into,logging in,logon,log on,sign in,signin,signed in,signing in,authenticate,basic auth,\
    auth is,auth:,account,access details,access data,zugang,anmeld,einlogg,eingelogg,logge dich,konto,connecte,se connecter,connexion,identifi,accès,acceso,accede,\
    iniciar sesión,inicia sesión,entrar con,entra con,ingresa,acesso,acesse,entre com,entrar com,entra com,accesso,accedi,accedere,entrare con,заход,Заход,зайти,\
    Зайти,зайди,войти,войди,вход,Вход,логин,Логин,учётк,учетк,учётн,учетн,доступ,Доступ,登录,登陆,登入,登錄,账号,帐号,帳號,账户,ログイン,サインイン,\
    アカウント,接続,ssh in,ssh as,unlock,decrypt,get in with,gets you in,entsperr,déverrouill,desbloque,sblocca,разблокир,解锁,解压";
/// Words right before the name of an account.
const PAIR_LEADS: &str = "with as using use is are was under try mit als unter ist sind lauten lautet verwende nimm avec comme sont est utilise \
    sous con como es son usa usando com são é use come sono è под с со как это используй login logins details credentials creds account user \
    zugangsdaten identifiants acceso acesso accesso логин";
/// First halves of what is a path, a branch or a choice.
const PATH_HEADS: &str = "users accounts api app apps src lib docs doc feature features fix bugfix hotfix release origin refs heads auth oauth oauth2 sso saml \
    login logout signin signup account http https test tests spec pages components routes views controllers models issues pull and or \
    read client server v1 v2 v3 node image images port host localhost at in on to step version error status code e.g i.e note etc";
/// Words before what a login, a lock or an archive is opened with.
const MEANS: &str = "with using mit avec con com с 用 使用";
/// How far around the word a pair is looked for.
const BEFORE_MAX: usize = 80;
const AFTER_MAX: usize = 120;

/// Where the password of a pair stands near a word that speaks of a login. The text is in lower case.
pub(super) fn find_login_pair(
    text: &str,
    noun: &Range<usize>,
    mut accepts: impl FnMut(SecretJudge, Range<usize>) -> bool,
) -> Option<Range<usize>> {
    if text[..noun.start].ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let line = find_line_around(text, noun);
    let words: Vec<SentenceWord> = split_words(&text[line.clone()]).collect();
    (0..words.len()).find_map(|index| {
        let (judge, value) = read_pair(&words, index)?;
        let at = line.start + value.start..line.start + value.end;
        let half = &text[at.clone()];
        let is_whole = half.is_ascii() && !half.contains('/') && !names_commit(half);
        (is_whole && accepts(judge, at.clone())).then_some(at)
    })
}

/// The part of the line around a word that is looked through.
fn find_line_around(text: &str, noun: &Range<usize>) -> Range<usize> {
    let from = find_char_boundary(text, noun.start.saturating_sub(BEFORE_MAX));
    let to = find_char_boundary(text, (noun.end + AFTER_MAX).min(text.len()));
    let start = text[from..noun.start]
        .rfind('\n')
        .map_or(from, |it| from + it + 1);
    let end = text[noun.end..to].find('\n').map_or(to, |it| noun.end + it);
    start..end
}

/// The pair whose name is, or is in, this word: how its second half is judged, and where it stands.
fn read_pair(words: &[SentenceWord], index: usize) -> Option<(SecretJudge, Range<usize>)> {
    let word = &words[index];
    let last = index.checked_sub(1).map(|it| &words[it]);
    let name = word.text.split(['/', ':']).next().unwrap_or_default();
    let is_known = ACCOUNTS.split(',').any(|it| it == name);
    let is_led = is_known || word.opens_pair() || last.is_some_and(leads_to_pair);
    let led = |judge| if is_led { SecretJudge::Pair } else { judge };
    if let Some(joint) = word
        .text
        .find(['/', ':'])
        .filter(|it| is_account_name(&word.text[..*it]))
    {
        let value = word.at.start + joint + 1..word.at.end;
        return (!value.is_empty()).then_some((led(SecretJudge::Unmistakable), value));
    }
    let next = words.get(index + 1)?;
    let is_means = is_in_word_list(MEANS, word.text) && next.gap.len() <= 2;
    if is_means && !next.text.contains(['/', ':']) {
        return Some((SecretJudge::Unmistakable, next.at.clone()));
    }
    if !is_account_name(word.text) {
        return None;
    }
    if next.is_joined_by_mark() {
        return Some((led(SecretJudge::Beside), next.at.clone()));
    }
    let third = words.get(index + 2).filter(|_| is_led)?;
    let is_joined = is_in_word_list(PAIRS, next.text) && next.gap == " ";
    is_joined.then(|| (SecretJudge::Beside, third.at.clone()))
}

/// Whether the second half of `owner/name@commit` or `owner/name@v4` is meant.
fn names_commit(half: &str) -> bool {
    let Some((_, commit)) = half.rsplit_once('@') else {
        return false;
    };
    let version = commit.strip_prefix('v').unwrap_or(commit);
    let is_release = version.bytes().all(|it| it.is_ascii_digit() || it == b'.');
    let is_hash = commit.len() >= 7 && commit.bytes().all(|it| it.is_ascii_hexdigit());
    is_release || is_hash
}

fn leads_to_pair(word: &SentenceWord) -> bool {
    word.is_cjk() || word.leads_on() || is_in_word_list(PAIR_LEADS, word.text)
}

/// Whether a word could name an account, by its letters and by what it is not.
fn is_account_name(name: &str) -> bool {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || b"._-@+".contains(&it);
    (2..=40).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(is_part)
        && !is_in_word_list(PATH_HEADS, name)
}
