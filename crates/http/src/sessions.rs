//! Who has the panel open: sessions in memory, few of them, and not for long.

use apostille_text::digest::Digest;
use hyper::header::{self, HeaderMap};
use jiff::{SignedDuration, Timestamp};

/// How long a session lasts, in hours.
const HOURS: i64 = 12;
/// How many there may be that were opened with a token; the oldest of them goes.
const MOST: usize = 64;
/// How many of them with the same one; its own oldest goes.
const MOST_OF_ONE: usize = 4;

/// One browser that was let in.
#[derive(Debug, Clone)]
pub(super) struct PanelSession {
    key: Digest,
    /// What it was let in with; the printed link is none.
    pub(super) token: Option<SessionToken>,
    until: Timestamp,
}

/// The token that opened a session, and what it is called. Where everybody is let in, a token that was revoked is known by
/// another name, which is none of the session's.
#[derive(Debug, Clone)]
pub(super) struct SessionToken {
    pub(super) digest: Digest,
    pub(super) name: String,
}

/// Everybody who was let in, the oldest first.
#[derive(Default)]
pub(super) struct PanelSessions {
    open: Vec<PanelSession>,
    /// The link that was not used yet.
    once: Option<Digest>,
    made: u64,
}

impl PanelSessions {
    /// Nobody yet, and a link that works once.
    pub(super) fn new(once: &str) -> Self {
        Self {
            once: Some(Digest::hash_bytes(once.as_bytes())),
            ..Self::default()
        }
    }

    /// Whether this is the link that was not used yet; now it was.
    ///
    /// The link speaks as the person who started the server, so it may open one session and no more. Terminals are
    /// scrolled back, recorded and pasted into chats, and a browser keeps addresses in its history: a link that went on
    /// working would be a password lying about. Who finds it later gets nothing, and if it was used by another first,
    /// the owner sees that it does not work any more. A wrong guess does not use it up, else anybody could shut the owner out.
    /// The session it opens is not evicted to make room for others, because it cannot be had again without a restart.
    pub(super) fn use_login_link(&mut self, once: &str) -> bool {
        self.once
            .take_if(|it| *it == Digest::hash_bytes(once.as_bytes()))
            .is_some()
    }

    /// The number of the next session, from which its key is made.
    pub(super) fn next_session_number(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    /// Opens a session with this key.
    pub(super) fn open_session(&mut self, key: &str, token: Option<SessionToken>, now: Timestamp) {
        if let Some(token) = &token {
            self.evict_oldest(MOST_OF_ONE, |it| it.name == token.name);
            self.evict_oldest(MOST, |_| true);
        }
        let until = now
            .checked_add(SignedDuration::from_hours(HOURS))
            .unwrap_or(now);
        self.open.push(PanelSession {
            key: Digest::hash_bytes(key.as_bytes()),
            token,
            until,
        });
    }

    /// Ends the oldest of these, where there are so many. A session of the printed link, which cannot be had again, is
    /// none of them.
    fn evict_oldest(&mut self, most: usize, is_one: impl Fn(&SessionToken) -> bool) {
        let is_one = |it: &PanelSession| it.token.as_ref().is_some_and(&is_one);
        if self.open.iter().filter(|it| is_one(it)).count() >= most
            && let Some(oldest) = self.open.iter().position(is_one)
        {
            self.open.remove(oldest);
        }
    }

    /// The session with this key, while it lasts.
    pub(super) fn get(&mut self, key: &str, now: Timestamp) -> Option<PanelSession> {
        self.open.retain(|it| it.until > now);
        let key = Digest::hash_bytes(key.as_bytes());
        self.open.iter().find(|it| it.key == key).cloned()
    }

    /// Ends a session.
    pub(super) fn close_session(&mut self, key: &str) {
        let key = Digest::hash_bytes(key.as_bytes());
        self.open.retain(|it| it.key != key);
    }
}

/// Cookies know no ports: two servers on one machine must not take each other's. Over `https` the name has a prefix that
/// browsers guard: no other host of the domain, and no page without encryption, can set such a cookie.
fn format_cookie_name(port: u16, is_secure: bool) -> String {
    let prefix = if is_secure { "__Host-" } else { "" };
    format!("{prefix}apostille-{port}")
}

/// The key that a browser brings.
pub(super) fn read_session_cookie(
    headers: &HeaderMap,
    port: u16,
    is_secure: bool,
) -> Option<String> {
    let name = format_cookie_name(port, is_secure);
    let cookies = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|it| it.to_str().ok());
    let mut pairs = cookies
        .flat_map(|it| it.split(';'))
        .filter_map(|it| it.trim().split_once('='));
    pairs.find(|it| it.0 == name).map(|it| it.1.to_owned())
}

/// The cookie that a browser is to keep; no key takes it away.
pub(super) fn format_session_cookie(port: u16, key: Option<&str>, is_secure: bool) -> String {
    let seconds = key.map_or(0, |_| HOURS * 3600);
    let name = format_cookie_name(port, is_secure);
    let key = key.unwrap_or_default();
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{name}={key}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours)
    }

    #[test]
    fn a_link_works_once_and_a_session_twelve_hours() {
        let mut sessions = PanelSessions::new("link");
        assert!(!sessions.use_login_link("guess"));
        assert!(sessions.use_login_link("link"));
        assert!(!sessions.use_login_link("link"));
        sessions.open_session("key", None, at(0));
        assert!(sessions.get("key", at(11)).is_some());
        assert!(sessions.get("other", at(11)).is_none());
        assert!(sessions.get("key", at(12)).is_none());
        sessions.open_session("key", None, at(0));
        sessions.close_session("key");
        assert!(sessions.get("key", at(0)).is_none());
    }

    #[test]
    fn there_are_never_too_many_and_the_link_s_stays() {
        let mut sessions = PanelSessions::new("link");
        let token = |name: usize| {
            Some(SessionToken {
                digest: Digest::hash_bytes(b""),
                name: name.to_string(),
            })
        };
        sessions.open_session("link", None, at(0));
        for n in 0..=MOST_OF_ONE {
            sessions.open_session(&format!("a{n}"), token(0), at(0));
        }
        let mut is_open = |key: &str| sessions.get(key, at(0)).is_some();
        assert_eq!(
            ["link", "a0", "a1", "a4"].map(&mut is_open),
            [true, false, true, true]
        );
        for n in 1..=MOST {
            sessions.open_session(&format!("b{n}"), token(n), at(0));
        }
        let mut is_open = |key: &str| sessions.get(key, at(0)).is_some();
        assert_eq!(
            ["link", "a4", "b1", "b64"].map(&mut is_open),
            [true, false, true, true]
        );
        assert_eq!(sessions.open.len(), MOST + 1);
    }

    #[test]
    fn a_cookie_is_found_by_its_name() {
        let check = |header: &str, is_secure: bool, expected: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, header.parse().unwrap());
            assert_eq!(
                read_session_cookie(&headers, 7, is_secure).as_deref(),
                expected,
                "{header:?}"
            );
        };
        check("apostille-7=k", false, Some("k"));
        check("a=b; apostille-7=k; c=d", false, Some("k"));
        check("apostille-8=k", false, None);
        check("apostille-7", false, None);
        check("__Host-apostille-7=k", true, Some("k"));
        check("apostille-7=k", true, None);
        check("__Host-apostille-7=k", false, None);
    }

    #[test]
    fn cookie_is_secure_where_the_connection_is() {
        let cookie = |is_secure: bool| format_session_cookie(7, Some("k"), is_secure);
        let rest = "=k; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200";
        assert_eq!(cookie(false), format!("apostille-7{rest}"));
        assert_eq!(cookie(true), format!("__Host-apostille-7{rest}; Secure"));
    }
}
