//! How the panel is opened and closed: the printed link, a token that is pasted, the end of a session.

use std::time::Instant;

use apostille_text::digest::Digest;
use axum::{body::Body, response::Response};
use hyper::{Request, body::Incoming};

use super::{
    HttpServer, auth,
    proxy::RequestPeer,
    response::{self, HttpRejection, HttpResult},
    route::PathParams,
    sessions::{self, SessionToken},
};
use apostille_api::{
    access_token::{AccessToken, TokenLookup},
    request_scope::HttpReply,
};
use apostille_mcp::concurrency::lock_despite_panic;

/// How long a form with a token in it may be: anybody can send one.
const MAX_FORM: usize = 4 * 1024;

impl HttpServer {
    /// Lets in whoever has the link, if nobody had it before.
    pub(super) fn login_by_link(
        &self,
        parts: &PathParams,
        peer: Option<RequestPeer>,
    ) -> HttpResult {
        let once = parts.first().map_or("", |it| &it.1);
        if lock_despite_panic(&self.sessions).use_login_link(once) {
            Ok(self.start_panel_session(None, "/", peer))
        } else {
            let why = "This link was used before, or is none of this server.";
            Err(self.reject_login(why, peer))
        }
    }

    /// Lets in whoever pastes a token.
    pub(super) async fn login_by_form(&self, request: Request<Incoming>) -> HttpResult {
        self.check_same_origin(&request)?;
        let peer = auth::read_peer(&request);
        let (asked, _held) = self
            .read_http_request(request, PathParams::new(), MAX_FORM, "")
            .await?;
        let token = auth::read_form_field(&asked, "token");
        let mut to = auth::read_form_field(&asked, "to");
        if !is_local_redirect(&to) {
            to = "/".into();
        }
        let digest = Digest::hash_bytes(token.trim().as_bytes());
        match self.look_up_token(Some(digest)).await? {
            TokenLookup::Granted(AccessToken { name, .. }) => {
                self.gate.check_rate(&name, Instant::now())?;
                let token = SessionToken { digest, name };
                Ok(self.start_panel_session(Some(token), &to, peer))
            }
            _ => Err(HttpRejection {
                to,
                ..self.reject_login("There is no such token.", peer)
            }),
        }
    }

    /// Why somebody is not let in, and the form that may help.
    fn reject_login(&self, why: &str, peer: Option<RequestPeer>) -> HttpRejection {
        let turned = auth::build_login_rejection();
        let turned = HttpRejection {
            why: format!("{why} {}", turned.why),
            ..turned
        };
        self.throttle_guesses(turned, peer)
    }

    fn start_panel_session(
        &self,
        token: Option<SessionToken>,
        to: &str,
        peer: Option<RequestPeer>,
    ) -> Response<Body> {
        let now = self.now();
        let mut sessions = lock_despite_panic(&self.sessions);
        let name = format!("session {}", sessions.next_session_number());
        let key = self.plan.host.sign_text(&name);
        sessions.open_session(&key, token, now);
        drop(sessions);
        self.redirect_with_cookie(to, Some(&key), peer)
    }

    /// Leads to a page, with a cookie that holds this key.
    fn redirect_with_cookie(
        &self,
        to: &str,
        key: Option<&str>,
        peer: Option<RequestPeer>,
    ) -> Response<Body> {
        let is_secure = peer.is_some_and(|it| it.is_secure);
        let cookie = sessions::format_session_cookie(self.plan.port, key, is_secure);
        let mut reply = HttpReply::see_other(to);
        reply.headers.push(("set-cookie", cookie));
        response::build_http_response(reply)
    }

    /// Ends a session.
    pub(super) async fn end_panel_session(
        &self,
        request: Request<Incoming>,
        csrf_token: &str,
    ) -> HttpResult {
        self.check_same_origin(&request)?;
        let peer = auth::read_peer(&request);
        let is_secure = peer.is_some_and(|it| it.is_secure);
        let key = sessions::read_session_cookie(request.headers(), self.plan.port, is_secure)
            .unwrap_or_default();
        let (asked, _held) = self
            .read_http_request(request, PathParams::new(), MAX_FORM, "panel")
            .await?;
        auth::verify_csrf_token(&asked, csrf_token)?;
        lock_despite_panic(&self.sessions).close_session(&key);
        Ok(self.redirect_with_cookie("/", None, peer))
    }
}

/// Whether this is a page of this server: a path, and nothing that a browser takes for another server's name.
fn is_local_redirect(to: &str) -> bool {
    let is_plain = |it: u8| it.is_ascii_graphic() && it != b'\\';
    to.starts_with('/') && !to.starts_with("//") && to.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signing_in_leads_nowhere_else() {
        let check =
            |to: &str, expected: bool| assert_eq!(is_local_redirect(to), expected, "{to:?}");
        check("/", true);
        check("/memories/m-1?repo=a/b", true);
        check("", false);
        check("memories", false);
        check("//evil.example", false);
        check("/\\evil.example", false);
        check("/\t/evil.example", false);
        check("/\n", false);
        check("https://evil.example/", false);
    }
}
