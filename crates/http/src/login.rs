//! How the panel is opened and closed: the printed link, a token that is pasted, the end of a session.

use std::time::Instant;

use apostille_text::digest::Digest;
use axum::{body::Body, response::Response};
use hyper::{Request, body::Incoming};

use super::{
    HttpServer, auth,
    response::{self, HttpRejection, HttpResult},
    route::PathParams,
    sessions::{self, SessionToken},
};
use apostille_api::{access_token::AccessToken, request_scope::HttpReply};
use apostille_mcp::concurrency::lock_despite_panic;

/// How long a form with a token in it may be: anybody can send one.
const MAX_FORM: usize = 4 * 1024;

impl HttpServer {
    /// Lets in whoever has the link, if nobody had it before.
    pub(super) fn login_by_link(&self, parts: &PathParams) -> HttpResult {
        let once = parts.first().map_or("", |it| &it.1);
        if lock_despite_panic(&self.sessions).use_login_link(once) {
            Ok(self.start_panel_session(None, "/"))
        } else {
            Err(self.reject_login("This link was used before, or is none of this server."))
        }
    }

    /// Lets in whoever pastes a token.
    pub(super) async fn login_by_form(&self, request: Request<Incoming>) -> HttpResult {
        auth::check_same_origin(&request, self.plan.port)?;
        let (asked, _held) = self
            .read_http_request(request, PathParams::new(), MAX_FORM, "")
            .await?;
        let token = auth::read_form_field(&asked, "token");
        let mut to = auth::read_form_field(&asked, "to");
        if !is_local_redirect(&to) {
            to = "/".into();
        }
        let digest = Digest::hash_bytes(token.trim().as_bytes());
        match self.plan.keys.authenticate_token(Some(&digest)) {
            Some(AccessToken { name, .. }) => {
                self.gate.check_rate(&name, Instant::now())?;
                let token = SessionToken { digest, name };
                Ok(self.start_panel_session(Some(token), &to))
            }
            None => Err(HttpRejection {
                to,
                ..self.reject_login("There is no such token.")
            }),
        }
    }

    /// Why somebody is not let in, and the form that may help.
    fn reject_login(&self, why: &str) -> HttpRejection {
        let turned = auth::build_login_rejection();
        self.throttle_guesses(HttpRejection {
            why: format!("{why} {}", turned.why),
            ..turned
        })
    }

    fn start_panel_session(&self, token: Option<SessionToken>, to: &str) -> Response<Body> {
        let now = self.now();
        let mut sessions = lock_despite_panic(&self.sessions);
        let name = format!("session {}", sessions.next_session_number());
        let key = self.plan.host.sign_text(&name);
        sessions.open_session(&key, token, now);
        drop(sessions);
        self.redirect_with_cookie(to, Some(&key))
    }

    /// Leads to a page, with a cookie that holds this key.
    fn redirect_with_cookie(&self, to: &str, key: Option<&str>) -> Response<Body> {
        let cookie = sessions::format_session_cookie(self.plan.port, key);
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
        auth::check_same_origin(&request, self.plan.port)?;
        let key =
            sessions::read_session_cookie(request.headers(), self.plan.port).unwrap_or_default();
        let (asked, _held) = self
            .read_http_request(request, PathParams::new(), MAX_FORM, "panel")
            .await?;
        auth::verify_csrf_token(&asked, csrf_token)?;
        lock_despite_panic(&self.sessions).close_session(&key);
        Ok(self.redirect_with_cookie("/", None))
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
