//! How the panel is opened and closed: the printed link, a token that is pasted, the end of a session.

use std::time::Instant;

use apostille_text::digest::Digest;
use axum::body::Body;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;

use super::response::{self, HttpRejection};
use super::route::PathParams;
use super::sessions::{self, SessionToken};
use super::{HttpServer, auth, route_job};
use apostille_api::request_scope::{HttpReply, RequestInput};

/// How long a form with a token in it may be: anybody can send one.
const MAX_FORM: usize = 4 * 1024;

impl HttpServer {
    /// Lets in whoever has the link, if nobody had it before.
    pub(super) fn login_by_link(
        &self,
        parts: &PathParams,
    ) -> Result<Response<Body>, HttpRejection> {
        let once = parts.first().map_or("", |it| &it.1);
        if !self.lock_sessions().use_login_link(once) {
            let why = format!(
                "This link was used before, or is none of this server. {}",
                auth::build_login_rejection().why
            );
            return Err(self.throttle_guesses(HttpRejection {
                why,
                ..auth::build_login_rejection()
            }));
        }
        Ok(self.start_panel_session(None, "/"))
    }

    /// Lets in whoever pastes a token.
    pub(super) async fn login_by_form(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, HttpRejection> {
        auth::check_same_origin(&request, self.plan.port)?;
        let (asked, _held) =
            route_job::read_http_request(request, PathParams::new(), self.body_limit(MAX_FORM, ""))
                .await?;
        let (token, to) = (
            read_login_field(&asked, "token"),
            read_login_field(&asked, "to"),
        );
        let to = if is_local_redirect(&to) {
            to.as_str()
        } else {
            "/"
        };
        let digest = Digest::hash_bytes(token.trim().as_bytes());
        match self.plan.keys.authenticate_token(Some(&digest)) {
            Some(pass) => {
                self.gate.check_rate(&pass.name, Instant::now())?;
                Ok(self.start_panel_session(
                    Some(SessionToken {
                        digest,
                        pass: pass.name,
                    }),
                    to,
                ))
            }
            None => {
                let why = format!(
                    "There is no such token. {}",
                    auth::build_login_rejection().why
                );
                Err(self
                    .throttle_guesses(HttpRejection {
                        why,
                        ..auth::build_login_rejection()
                    })
                    .with_return_path(to))
            }
        }
    }

    fn start_panel_session(&self, token: Option<SessionToken>, to: &str) -> Response<Body> {
        let now = self.now();
        let mut sessions = self.lock_sessions();
        let key = self
            .plan
            .host
            .sign_text(&format!("session {}", sessions.next_session_number()));
        sessions.open_session(&key, token, now);
        drop(sessions);
        let mut reply = HttpReply::see_other(to);
        reply.headers.push((
            "set-cookie",
            sessions::format_session_cookie(self.plan.port, Some(&key)),
        ));
        response::build_http_response(reply)
    }

    /// Ends a session.
    pub(super) async fn end_panel_session(
        &self,
        request: Request<Incoming>,
        seal: &str,
    ) -> Result<Response<Body>, HttpRejection> {
        auth::check_same_origin(&request, self.plan.port)?;
        let key =
            sessions::read_session_cookie(request.headers(), self.plan.port).unwrap_or_default();
        let (asked, _held) = route_job::read_http_request(
            request,
            PathParams::new(),
            self.body_limit(MAX_FORM, "panel"),
        )
        .await?;
        auth::verify_csrf_token(&asked, seal)?;
        self.lock_sessions().close_session(&key);
        let mut reply = HttpReply::see_other("/");
        reply.headers.push((
            "set-cookie",
            sessions::format_session_cookie(self.plan.port, None),
        ));
        Ok(response::build_http_response(reply))
    }
}

/// Whether this is a page of this server: a path, and nothing that a browser takes for another server's name.
fn is_local_redirect(to: &str) -> bool {
    let is_plain = |it: u8| it.is_ascii_graphic() && it != b'\\';
    to.starts_with('/') && !to.starts_with("//") && to.bytes().all(is_plain)
}

fn read_login_field(asked: &RequestInput, name: &str) -> String {
    asked
        .form_fields()
        .into_iter()
        .find(|it| it.0 == name)
        .map(|it| it.1)
        .unwrap_or_default()
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
