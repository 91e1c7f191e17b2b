//! A request after it was let in, and its reply: the one shape that the API and the panel are functions over.
//!
//! Nothing here knows a socket. A route is a row in a table: method, path, what it takes to be let in, and the function
//! that answers. So every page and every call can be tested as text in, text out.

use apostille_core::Context;
use apostille_core::{
    memory::{Channel, Voice},
    space::Space,
    speaker::{ConnectionFacts, Person, Speaker},
};
use apostille_text::words::words;
use serde::Serialize;

use crate::{
    CallFault, Caller,
    access_token::{Access, AccessToken},
};

words! {
    /// How a request is made.
    HttpMethod as "method" {
        /// Looks.
        Get = "get",
        /// Does something.
        Post = "post",
        /// Removes something.
        Delete = "delete",
    }
}

/// One row of a table of routes.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// How it is asked for.
    pub method: HttpMethod,
    /// The path, with `{name}` for what varies.
    pub path: &'static str,
    /// What a token must allow.
    pub need: Access,
    /// What answers.
    pub run: fn(&RequestScope<'_>, &RequestInput) -> Result<HttpReply, CallFault>,
}

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct RequestInput {
    /// What varies in the path, decoded.
    pub parts: Vec<(String, String)>,
    /// What stands behind the question mark, decoded.
    pub query: Vec<(String, String)>,
    /// The body as it came.
    pub body: Vec<u8>,
}

impl RequestInput {
    /// A part of the path.
    pub fn path_part(&self, name: &str) -> &str {
        self.parts
            .iter()
            .find(|it| it.0 == name)
            .map_or("", |it| &it.1)
    }

    /// What the query says under this name; a field that was left empty says nothing.
    #[must_use]
    pub fn query_value(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|it| it.0 == name)
            .map(|it| it.1.as_str())
            .filter(|it| !it.is_empty())
    }

    /// The fields of a form that was sent.
    pub fn form_fields(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(&self.body).into_owned().collect()
    }
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpReply {
    /// The status.
    pub status: u16,
    /// What the body is.
    pub kind: &'static str,
    /// Headers beside the usual ones.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
    /// Whether memories were changed, so that whoever listens is told.
    pub is_change: bool,
}

impl HttpReply {
    /// A page.
    pub fn new_html(status: u16, body: impl Into<String>) -> Self {
        Self::new(status, "text/html; charset=utf-8", body.into())
    }

    /// An object as JSON.
    pub fn new_json(status: u16, body: &impl Serialize) -> Result<Self, CallFault> {
        Ok(Self::new(
            status,
            "application/json",
            serde_json::to_string(body)?,
        ))
    }

    /// Goes to another page, after something was done.
    pub fn see_other(path: impl Into<String>) -> Self {
        let mut reply = Self::new(303, "text/plain; charset=utf-8", String::new());
        reply.headers.push(("location", path.into()));
        reply
    }

    /// A body of this kind.
    pub fn new(status: u16, kind: &'static str, body: String) -> Self {
        Self {
            status,
            kind,
            headers: Vec::new(),
            body,
            is_change: false,
        }
    }

    /// The same, of something that changed memories.
    #[must_use]
    pub fn mark_changed(self) -> Self {
        Self {
            is_change: true,
            ..self
        }
    }
}

/// What a request works with: the place, and how far its token reaches.
pub struct RequestScope<'a> {
    /// Store, source, rules, time.
    pub cx: &'a Context<'a>,
    /// The place.
    pub caller: &'a Caller<'a>,
    /// Who is asking.
    pub token: &'a AccessToken,
    /// The secret that the forms of this visitor carry, so that no other page can send one.
    pub csrf_token: &'a str,
    /// The holder of the token, where it came through a socket; else whoever the caller is.
    holder: Option<Speaker>,
}

impl<'a> RequestScope<'a> {
    /// A request of the holder of this token.
    pub fn new(
        cx: &'a Context<'a>,
        caller: &'a Caller<'a>,
        token: &'a AccessToken,
        csrf_token: &'a str,
    ) -> Self {
        let holder = Speaker::on_connection(ConnectionFacts {
            channel: Channel::Http,
            token: Some(token.to_facts()),
            ..ConnectionFacts::default()
        });
        Self {
            holder: Some(holder),
            csrf_token,
            ..Self::on_standard_input(cx, caller, token)
        }
    }

    /// A request of the program that started this one. It speaks as the caller does: starting a server makes nobody a person.
    pub fn on_standard_input(
        cx: &'a Context<'a>,
        caller: &'a Caller<'a>,
        token: &'a AccessToken,
    ) -> Self {
        Self {
            cx,
            caller,
            token,
            csrf_token: "",
            holder: None,
        }
    }

    /// The spaces in play that the token reaches, the repository's first.
    pub fn reachable_spaces(&self) -> Vec<Space> {
        self.caller
            .spaces()
            .into_iter()
            .filter(|it| self.token.reaches_space(it))
            .collect()
    }

    /// Whose words a request brings: a person's in the panel, where it was opened by one; else a program's.
    #[must_use]
    pub fn voice(&self) -> Voice {
        self.speaker().voice().clone()
    }

    /// Who speaks, and what that allows.
    pub fn speaker(&self) -> &Speaker {
        self.holder.as_ref().unwrap_or(self.caller.speaker)
    }

    /// The person whose decision a request brings. A route of decisions takes a token that reviews, so that there is one
    /// wherever the table of routes says so.
    pub fn deciding_person(&self) -> Result<&Person, CallFault> {
        self.person().ok_or(CallFault::NotAPerson)
    }

    /// The person whose words a request brings, where one speaks.
    pub fn person(&self) -> Option<&Person> {
        self.speaker().person()
    }
}
