//! A row of the table of calls: how it is reached, what it takes and what it answers.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::args::NoArguments;
use crate::{
    CallFault,
    access_token::Access,
    json::KeptReply,
    request_scope::{HttpMethod, HttpReply, RequestInput, RequestScope, Route},
    wire::generate_input_schema,
};

/// What makes the schema of what a call answers.
pub type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// One call, with what the document tells about it.
#[derive(Debug, Clone, Copy)]
pub struct ApiCall {
    /// How it is reached, and what answers.
    pub route: Route,
    /// Its name for programs.
    pub id: &'static str,
    /// What it belongs to.
    pub tag: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The schema of what may stand behind the question mark, beside `repo`.
    pub query: fn() -> Value,
    /// What is sent along.
    pub body: RequestBody,
    /// What comes back when it goes well.
    pub done: AnswerBody,
    /// What comes back with status 201, where something new can be kept.
    pub created: Option<SchemaFn>,
    /// Whether something can be refused, with status 422.
    pub may_refuse: bool,
}

/// What is sent along with a call.
#[derive(Debug, Clone, Copy)]
pub enum RequestBody {
    /// Nothing.
    None,
    /// A JSON object of this schema, with one as a program would send it.
    Json(fn() -> Value, &'static str),
    /// A file as it is.
    File,
}

/// What comes back.
#[derive(Debug, Clone, Copy)]
pub enum AnswerBody {
    /// JSON of this shape.
    Json(SchemaFn),
    /// JSON that is what it is, or text of one of these kinds.
    Kinds(&'static [&'static str]),
}

impl ApiCall {
    /// A call that takes nothing and answers any object, until more is said about it.
    pub(super) const fn new(
        method: HttpMethod,
        path: &'static str,
        need: Access,
        run: fn(&RequestScope, &RequestInput) -> Result<HttpReply, CallFault>,
    ) -> Self {
        Self {
            route: Route {
                method,
                path,
                need,
                run,
            },
            id: "",
            tag: "",
            summary: "",
            query: generate_input_schema::<NoArguments>,
            body: RequestBody::None,
            done: AnswerBody::Json(SchemaGenerator::subschema_for::<Map<String, Value>>),
            created: None,
            may_refuse: false,
        }
    }

    pub(super) const fn with_description(
        self,
        id: &'static str,
        tag: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            id,
            tag,
            summary,
            ..self
        }
    }

    pub(super) const fn with_query<T: JsonSchema>(mut self) -> Self {
        self.query = generate_input_schema::<T>;
        self
    }

    pub(super) const fn with_body<T: JsonSchema>(mut self, example: &'static str) -> Self {
        self.body = RequestBody::Json(generate_input_schema::<T>, example);
        self
    }

    pub(super) const fn with_file_body(mut self) -> Self {
        self.body = RequestBody::File;
        self
    }

    pub(super) const fn with_answer<T: JsonSchema>(mut self) -> Self {
        self.done = AnswerBody::Json(SchemaGenerator::subschema_for::<T>);
        self
    }

    pub(super) const fn with_answer_kinds(mut self, kinds: &'static [&'static str]) -> Self {
        self.done = AnswerBody::Kinds(kinds);
        self
    }

    /// Of a call that keeps something new, or answers this where it does not.
    pub(super) const fn with_kept_answer<T: JsonSchema>(mut self) -> Self {
        self.created = Some(SchemaGenerator::subschema_for::<KeptReply>);
        self.with_answer::<T>().with_refusals()
    }

    pub(super) const fn with_refusals(mut self) -> Self {
        self.may_refuse = true;
        self
    }
}
