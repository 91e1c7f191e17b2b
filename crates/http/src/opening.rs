//! How the panel is opened and closed: the printed link, a token that is pasted, the end of a session.

use std::time::Instant;

use apostille_text::digest::Digest;
use axum::body::Body;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;

use super::answer::{self, Turned};
use super::route::Parts;
use super::sessions::{self, Token};
use super::{Door, entry, work};
use apostille_api::visit::{Asked, Reply};

/// How long a form with a token in it may be: anybody can send one.
const MAX_FORM: usize = 4 * 1024;

impl Door {
    /// Lets in whoever has the link, if nobody had it before.
    pub(super) fn by_link(&self, parts: &Parts) -> Result<Response<Body>, Turned> {
        let once = parts.first().map_or("", |it| &it.1);
        if !self.sessions().use_up(once) {
            let why = format!(
                "This link was used before, or is none of this server. {}",
                entry::outside().why
            );
            return Err(self.guessed(Turned {
                why,
                ..entry::outside()
            }));
        }
        Ok(self.opened(None, "/"))
    }

    /// Lets in whoever pastes a token.
    pub(super) async fn by_form(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, Turned> {
        entry::same_origin(&request, self.plan.port)?;
        let (asked, _held) = work::asked(request, Parts::new(), self.size(MAX_FORM, "")).await?;
        let (token, to) = (field(&asked, "token"), field(&asked, "to"));
        let to = if is_own(&to) { to.as_str() } else { "/" };
        let digest = Digest::of(token.trim().as_bytes());
        match self.plan.keys.pass(Some(&digest)) {
            Some(pass) => {
                self.gate.paced(&pass.name, Instant::now())?;
                Ok(self.opened(
                    Some(Token {
                        digest,
                        pass: pass.name,
                    }),
                    to,
                ))
            }
            None => {
                let why = format!("There is no such token. {}", entry::outside().why);
                Err(self
                    .guessed(Turned {
                        why,
                        ..entry::outside()
                    })
                    .asked_for(to))
            }
        }
    }

    fn opened(&self, token: Option<Token>, to: &str) -> Response<Body> {
        let now = self.now();
        let mut sessions = self.sessions();
        let key = self.plan.host.seal(&format!("session {}", sessions.next()));
        sessions.open(&key, token, now);
        drop(sessions);
        let mut reply = Reply::see_other(to);
        reply
            .headers
            .push(("set-cookie", sessions::cookie(self.plan.port, Some(&key))));
        answer::response(reply)
    }

    /// Ends a session.
    pub(super) async fn close(
        &self,
        request: Request<Incoming>,
        seal: &str,
    ) -> Result<Response<Body>, Turned> {
        entry::same_origin(&request, self.plan.port)?;
        let key = sessions::brought(request.headers(), self.plan.port).unwrap_or_default();
        let (asked, _held) =
            work::asked(request, Parts::new(), self.size(MAX_FORM, "panel")).await?;
        entry::sealed(&asked, seal)?;
        self.sessions().close(&key);
        let mut reply = Reply::see_other("/");
        reply
            .headers
            .push(("set-cookie", sessions::cookie(self.plan.port, None)));
        Ok(answer::response(reply))
    }
}

/// Whether this is a page of this server: a path, and nothing that a browser takes for another server's name.
fn is_own(to: &str) -> bool {
    let is_plain = |it: u8| it.is_ascii_graphic() && it != b'\\';
    to.starts_with('/') && !to.starts_with("//") && to.bytes().all(is_plain)
}

fn field(asked: &Asked, name: &str) -> String {
    asked
        .form()
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
        let check = |to: &str, expected: bool| assert_eq!(is_own(to), expected, "{to:?}");
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
