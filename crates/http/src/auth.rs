//! Who is let in: under which name the server was called, from which page, with which token or session.

use std::{sync::Arc, time::Instant};

use apostille_core::format;
use apostille_text::digest::Digest;
use hyper::{
    Method as Verb, Request,
    header::{self, HeaderMap},
};

use super::{
    HttpServer,
    proxy::RequestPeer,
    response::{HttpRejection, HttpResult},
    route::AuthKind,
    sessions,
};
use apostille_api::{
    access_token::{Access, AccessToken, OWNER, TokenLookup},
    request_scope::RequestInput,
};
use apostille_mcp::concurrency::lock_despite_panic;

/// The names of this machine to itself. Any other one was made to lead here by somebody else.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The ports of an origin that says none.
const HTTP: u16 = 80;
const HTTPS: u16 = 443;

fn read_header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).map(|it| it.to_str().unwrap_or_default())
}

/// Whether this is one of the server's own addresses; `unsaid` is the port where none is said.
fn is_own_authority(authority: &str, unsaid: u16, port: u16) -> bool {
    let port_behind = |name: &str| {
        let (head, rest) = authority.split_at_checked(name.len())?;
        let rest = head.eq_ignore_ascii_case(name).then_some(rest)?;
        match rest.strip_prefix(':') {
            Some(said) => said.parse().ok(),
            None => rest.is_empty().then_some(unsaid),
        }
    };
    NAMES.into_iter().find_map(port_behind) == Some(port)
}

/// Who sent a request; it is noted when the request comes in.
pub(super) fn read_peer<B>(request: &Request<B>) -> Option<RequestPeer> {
    request.extensions().get().copied()
}

/// Turns away whoever may not do that.
pub(super) fn check_route_access(token: &AccessToken, need: Access) -> HttpResult<()> {
    let why = format!(
        "'{}' may only {}, and this takes {need}",
        token.name, token.access
    );
    HttpRejection::forbid_unless(token.allows_access(need), why)
}

/// Turns away a form that this visitor's own page did not make.
///
/// The threat is a page in the same browser: it can send a form to a server on loopback, and the browser adds the cookie by
/// itself. There are four fences, because each has a gap. `SameSite=Strict` on the cookie does not help between two
/// servers on one host, which are the same site whatever their ports are. Requests without
/// `Origin` or `Sec-Fetch-Site` have to pass, because not every browser and no plain client sends them. The seal has no
/// such gap: it is made from the session's key and this process's secret (`Host::sign_text`), stands only in pages
/// that the session was shown, and a foreign page cannot read those. It is checked last, on every form.
///
/// A token never counts here, and a cookie never counts at `/api` and `/mcp`: a program has no page to be tricked by, and a
/// browser has no token that it would send by itself.
pub(super) fn verify_csrf_token(asked: &RequestInput, csrf_token: &str) -> HttpResult<()> {
    let brought = read_form_field(asked, "seal");
    // Digests are compared, so that how long it takes tells nothing.
    HttpRejection::forbid_unless(
        Digest::hash_bytes(brought.as_bytes()) == Digest::hash_bytes(csrf_token.as_bytes()),
        "this form is not from your open page; go back, reload it and send it again",
    )
}

/// What was typed into a field of a form.
pub(super) fn read_form_field(asked: &RequestInput, name: &str) -> String {
    let mut fields = asked.form_fields().into_iter();
    fields
        .find(|it| it.0 == name)
        .map_or_else(String::new, |it| it.1)
}

/// The token that a request brings; of several, nobody knows which one is meant.
pub(super) fn read_bearer_token(headers: &HeaderMap) -> Option<Digest> {
    if headers.get_all(header::AUTHORIZATION).iter().count() > 1 {
        return None;
    }
    let (scheme, token) = read_header_text(headers, "authorization")?.split_once(' ')?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    is_bearer.then(|| Digest::hash_bytes(token.trim().as_bytes()))
}

impl HttpServer {
    /// Whether this is one of the server's addresses, with this port where none is said.
    fn is_server_address(&self, authority: &str, unsaid: u16) -> bool {
        let (own, hosts) = (self.plan.port, &self.plan.reach.hosts);
        is_own_authority(authority, unsaid, own)
            || hosts
                .iter()
                .any(|it| it.is_authority(authority, unsaid, own))
    }

    /// Turns away what was sent to another name: a page can make its own name lead to this machine. A browser says the port,
    /// so whoever leaves it out is none, or calls the usual one.
    pub(super) fn check_host_header<B>(&self, request: &Request<B>) -> HttpResult<()> {
        let port = self.plan.port;
        let mut hosts = request.headers().get_all(header::HOST).iter();
        let is_own = |it: &str| {
            self.is_server_address(it, port)
                || self
                    .plan
                    .reach
                    .hosts
                    .iter()
                    .any(|host| host.name.eq_ignore_ascii_case(it))
        };
        let is_meant = request
            .uri()
            .authority()
            .is_none_or(|it| is_own(it.as_str()));
        let host = hosts.next().and_then(|it| it.to_str().ok());
        let name = match self.plan.reach.hosts.first() {
            Some(host) => host.to_string(),
            None => format!("127.0.0.1:{port}"),
        };
        HttpRejection::forbid_unless(
            is_meant && host.is_some_and(is_own) && hosts.next().is_none(),
            match self.plan.reach.is_public {
                false => format!("this server is called {name}, and by no other name"),
                true => format!(
                    "this server is called {name}; other names need --public-host where it is started"
                ),
            },
        )
    }

    /// Turns away what another page sent, where something is to be done.
    pub(super) fn check_same_origin<B>(&self, request: &Request<B>) -> HttpResult<()> {
        if [Verb::GET, Verb::HEAD].contains(request.method()) {
            return Ok(());
        }
        let is_secure = read_peer(request).is_some_and(|it| it.is_secure);
        let (scheme, port) = if is_secure {
            ("https://", HTTPS)
        } else {
            ("http://", HTTP)
        };
        let is_ours = read_header_text(request.headers(), "origin").is_none_or(|it| {
            it.strip_prefix(scheme)
                .is_some_and(|it| self.is_server_address(it, port))
        });
        let is_near = read_header_text(request.headers(), "sec-fetch-site")
            .is_none_or(|it| matches!(it, "same-origin" | "none"));
        HttpRejection::forbid_unless(
            is_ours && is_near,
            "this was sent by another page; only the panel's own pages may send it",
        )
    }

    /// Who asks, and the seal on the forms of whoever has a session.
    pub(super) async fn authenticate_request(
        &self,
        area: AuthKind,
        headers: &HeaderMap,
        is_secure: bool,
    ) -> HttpResult<(AccessToken, String)> {
        if area == AuthKind::Panel {
            let session = self.authenticate_session(headers, is_secure).await?;
            return session.ok_or_else(build_login_rejection);
        }
        let token = read_bearer_token(headers);
        match self.look_up_token(token).await? {
            TokenLookup::Granted(access) => Ok((access, String::new())),
            found => Err(reject_unknown_token(token.is_some(), &found)),
        }
    }

    /// What a token opens. Where it is kept may answer late or never, so that is waited for beside everything else. Only who
    /// was refused learns so: a token that cannot be looked up is not called wrong.
    pub(super) async fn look_up_token(&self, token: Option<Digest>) -> HttpResult<TokenLookup> {
        let keys = Arc::clone(&self.plan.keys);
        let Some(digest) = token else {
            // Where nothing is brought, nothing has to be asked.
            return keys
                .look_up_token(None)
                .map_err(|_| build_lookup_rejection());
        };
        let look = async {
            let turn = self.lookups.wait_for_turn(&digest).await;
            let look = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                keys.look_up_token(Some(&digest))
            });
            look.await
        };
        match tokio::time::timeout(self.plan.limits.wait, look).await {
            Ok(Ok(Ok(found))) => {
                self.lookups.note_answer(digest, &found);
                Ok(found)
            }
            Ok(Err(error)) => Err(error.into()),
            Ok(Ok(Err(_))) | Err(_) => Err(build_lookup_rejection()),
        }
    }

    async fn authenticate_session(
        &self,
        headers: &HeaderMap,
        is_secure: bool,
    ) -> HttpResult<Option<(AccessToken, String)>> {
        let session = || {
            let key = sessions::read_session_cookie(headers, self.plan.port, is_secure)?;
            let session = lock_despite_panic(&self.sessions).get(&key, self.now())?;
            Some((key, session))
        };
        let Some((key, session)) = session() else {
            return Ok(None);
        };
        let access = match session.token {
            // The token may have been revoked meanwhile.
            Some(token) => match self.look_up_token(Some(token.digest)).await? {
                TokenLookup::Granted(access) if access.name == token.name => access,
                _ => return Ok(None),
            },
            // Whoever has the printed link.
            None => AccessToken {
                name: OWNER.into(),
                spaces: None,
                user: None,
                access: self.plan.panel,
                is_panel: true,
            },
        };
        let access = AccessToken {
            is_panel: true,
            ..access
        };
        Ok(Some((
            access,
            self.plan.host.sign_text(&format!("form {key}")),
        )))
    }

    /// The same refusal, or another one where that was tried too often.
    pub(super) fn throttle_guesses(
        &self,
        turned: HttpRejection,
        peer: Option<RequestPeer>,
    ) -> HttpRejection {
        // On one machine everybody has the same address.
        let address = peer
            .filter(|_| self.plan.reach.is_public)
            .map(|it| it.address);
        let paced = self.gate.check_guess_rate(address, Instant::now());
        paced.err().unwrap_or(turned)
    }
}

fn build_lookup_rejection() -> HttpRejection {
    let why = "tokens cannot be looked up for now; come back in a moment";
    HttpRejection::new(503, why).with_header("retry-after", "1")
}

/// What somebody is told who brought no token that opens anything. Only who has a token as it was made learns more of it:
/// whatever else is brought is equally unknown.
fn reject_unknown_token(is_sent: bool, found: &TokenLookup) -> HttpRejection {
    let why = match found {
        _ if !is_sent => "no token was sent".into(),
        TokenLookup::Expired(since) => {
            format!(
                "this token is over since {}",
                format::format_timestamp(*since)
            )
        }
        _ => "this token is not known here, or was revoked".into(),
    };
    let way_in = "send one as \"Authorization: Bearer <token>\": the one that `apostille serve` printed, or one of \
                  `apostille token create`";
    HttpRejection::new(401, format!("{why}; {way_in}"))
        .with_header("www-authenticate", "Bearer realm=\"apostille\"")
}

/// What somebody without a session is told.
pub(super) fn build_login_rejection() -> HttpRejection {
    let why = "Open the link that `apostille serve` printed when it started; it works once. Or paste a token here: the \
               one it printed, or one that `apostille token create NAME` makes.";
    HttpRejection {
        has_form: true,
        ..HttpRejection::new(401, why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_has_three_names() {
        let check = |host: &str, expected: bool| {
            assert_eq!(is_own_authority(host, 7787, 7787), expected, "{host:?}")
        };
        check("127.0.0.1:7787", true);
        check("localhost:7787", true);
        check("LocalHost:7787", true);
        check("[::1]:7787", true);
        check("localhost", true);
        check("localhost:80", false);
        check("localhost:", false);
        check("localhost:7787x", false);
        check("localhost.evil.example:7787", false);
        check("evil.example", false);
        check("127.0.0.1.evil.example:7787", false);
        check("", false);
        assert!(
            is_own_authority("localhost", HTTP, 80) && !is_own_authority("localhost", HTTP, 7787)
        );
        assert!(is_own_authority("[::1]", HTTP, 80) && !is_own_authority("[::1]", HTTP, 7787));
    }

    #[test]
    fn only_a_bearer_brings_a_token() {
        let check = |header: &str, expected: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, header.parse().unwrap());
            assert_eq!(
                read_bearer_token(&headers),
                expected.map(|it| Digest::hash_bytes(it.as_bytes())),
                "{header:?}"
            );
        };
        check("Bearer s3", Some("s3"));
        check("bearer  s3 ", Some("s3"));
        check("Basic s3", None);
        check("s3", None);
        check("", None);
    }
}
