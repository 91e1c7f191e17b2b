//! The OpenAPI document, made out of the table of calls. The same table gives the same bytes.

use serde_json::{Map, Value, json};

use super::about::{Body, Call, Content, Field, Shape};
use super::args::REPO;
use super::{CALLS, examples, shapes};
use crate::pass::Access;
use crate::visit::Method;

const ABOUT: &str = "Verified, shared memory for coding agents. Every call needs a bearer token; what a token may do is \
                     read, write or review, in the spaces that it names. Answers have the shapes of `--json` on the \
                     command line.";
const ABOUT_REPO: &str =
    "owner/name: another repository of the store; its citations are then unknown";

/// What the door answers, whatever is called: status, name, what it means.
const DOOR: [(u16, &str, &str); 10] = [
    (
        400,
        "Malformed",
        "the request is not what the call takes; the message names the field",
    ),
    (401, "NoToken", "no token, or one that opens nothing"),
    (
        403,
        "NotAllowed",
        "the token does not allow this, or not here",
    ),
    (404, "NotFound", "there is no such thing here"),
    (408, "TooSlow", "the request came too slowly"),
    (409, "Conflict", "another writer was first; try again"),
    (413, "TooLarge", "the request is too long"),
    (
        429,
        "TooMany",
        "too many requests; the answer says when to try again",
    ),
    (500, "Broken", "the store or the program is broken"),
    (
        503,
        "Busy",
        "the server or the store is busy; the answer says when to try again",
    ),
];

/// The document.
#[must_use]
pub fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for call in CALLS {
        let item = paths.entry(call.route.path).or_insert_with(|| json!({}));
        item[verb(call.route.method)] = operation(call);
    }
    paths.insert("/api/live".into(), live());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Apostille",
            "description": ABOUT,
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": env!("CARGO_PKG_LICENSE")},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": named(),
            "responses": door(),
        },
    })
}

fn verb(method: Method) -> &'static str {
    match method {
        Method::Get => "get",
        Method::Post => "post",
        Method::Delete => "delete",
    }
}

fn named() -> Map<String, Value> {
    shapes::NAMED
        .iter()
        .map(|(name, shape)| ((*name).to_owned(), schema(shape)))
        .collect()
}

fn door() -> Map<String, Value> {
    let refused = Shape::Either(&[Shape::Of("Refused"), Shape::Of("Similar")]);
    let not_found = Shape::Either(&[Shape::Of("Error"), Shape::Of("Refused")]);
    let one = |(status, name, about): (u16, &str, &str)| {
        let shape = if status == 404 {
            not_found
        } else {
            Shape::Of("Error")
        };
        (name.to_owned(), answer(about, &Content::Json(shape)))
    };
    let turned_away = answer(
        "refused, with the class and the way out",
        &Content::Json(refused),
    );
    DOOR.into_iter()
        .map(one)
        .chain([("Refused".to_owned(), turned_away)])
        .collect()
}

fn answer(about: &str, content: &Content) -> Value {
    let content: Map<String, Value> = match content {
        Content::Json(shape) => [(
            "application/json".to_owned(),
            json!({"schema": schema(shape)}),
        )]
        .into_iter()
        .collect(),
        Content::Kinds(kinds) => kinds
            .iter()
            .map(|it| ((*it).to_owned(), json!({"schema": plain(it)})))
            .collect(),
    };
    json!({"description": about, "content": content})
}

fn plain(kind: &str) -> Value {
    if kind == "application/json" {
        json!({"type": "object"})
    } else {
        json!({"type": "string"})
    }
}

fn operation(call: &Call) -> Value {
    let about = &call.about;
    let mut responses: Map<String, Value> = about
        .done
        .iter()
        .map(|(status, content)| (status.to_string(), answer("done", content)))
        .collect();
    let refusal = about.may_refuse.then_some((422, "Refused", ""));
    for (status, name, _) in DOOR.into_iter().chain(refusal) {
        responses.insert(
            status.to_string(),
            json!({"$ref": format!("#/components/responses/{name}")}),
        );
    }
    let mut told = json!({
        "operationId": about.id,
        "summary": about.summary,
        "description": format!("Needs a token that may {}.", need(call.route.need)),
        "tags": [about.tag],
        "parameters": parameters(call),
        "responses": responses,
    });
    if let Some(body) = body(about.id, about.body) {
        told["requestBody"] = body;
    }
    told
}

fn need(access: Access) -> &'static str {
    access.as_str()
}

fn parameters(call: &Call) -> Vec<Value> {
    let parts = call.route.path.split(['{', '}']).skip(1).step_by(2);
    let is_memory = call.route.path.starts_with("/api/memories/");
    let shape = schema(if is_memory {
        &shapes::NAME
    } else {
        &Shape::Said
    });
    let part = |name: &str| json!({"name": name, "in": "path", "required": true, "schema": shape});
    let repo = Field {
        name: REPO,
        shape: shapes::REPO,
        is_required: false,
        about: ABOUT_REPO,
    };
    parts
        .map(part)
        .chain(call.about.query.iter().chain([&repo]).map(queried))
        .collect()
}

fn queried(it: &Field) -> Value {
    let mut told = json!({"name": it.name, "in": "query", "required": it.is_required, "schema": schema(&it.shape)});
    if !it.about.is_empty() {
        told["description"] = it.about.into();
    }
    told
}

fn body(id: &str, body: Body) -> Option<Value> {
    match body {
        Body::None => None,
        Body::File => Some(json!({
            "required": true,
            "content": {"text/plain": {"schema": {"type": "string", "minLength": 1}, "example": examples::FILE}},
        })),
        Body::Fields(fields) => {
            let mut content = json!({"schema": schema(&Shape::Object(fields))});
            if let Some(example) = examples::body(id).and_then(|it| serde_json::from_str(it).ok()) {
                content["example"] = example;
            }
            let is_required = fields.iter().any(|it| it.is_required);
            Some(json!({"required": is_required, "content": {"application/json": content}}))
        }
    }
}

/// The stream of changes: no call of the table, because its answer does not end.
fn live() -> Value {
    let repo = Field {
        name: REPO,
        shape: shapes::REPO,
        is_required: false,
        about: ABOUT_REPO,
    };
    let mut responses: Map<String, Value> = DOOR
        .into_iter()
        .map(|(status, name, _)| {
            (
                status.to_string(),
                json!({"$ref": format!("#/components/responses/{name}")}),
            )
        })
        .collect();
    responses.insert(
        "200".into(),
        answer(
            "events, until the client goes",
            &Content::Kinds(&["text/event-stream"]),
        ),
    );
    json!({"get": {
        "operationId": "live",
        "summary": "Changes as they happen, as server-sent events without any text of a memory; it does not end",
        "description": "Needs a token that may read.",
        "tags": ["live"],
        "parameters": [
            {"name": "Last-Event-ID", "in": "header", "required": false, "schema": {"type": "string"},
             "description": "the id of the last event that was seen: what was missed since is told first"},
            queried(&repo),
        ],
        "responses": responses,
    }})
}

/// A shape as JSON Schema.
fn schema(shape: &Shape) -> Value {
    match shape {
        Shape::Any => json!({}),
        Shape::Text => json!({"type": "string"}),
        Shape::Said => json!({"type": "string", "minLength": 1}),
        Shape::Like(pattern, one) => {
            json!({"type": "string", "pattern": pattern, "examples": [one]})
        }
        Shape::Time => json!({"type": "string", "format": "date-time"}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Is(it) => json!({"type": "boolean", "const": it}),
        Shape::Count => json!({"type": "integer", "minimum": 0}),
        Shape::UpTo(most) => json!({"type": "integer", "minimum": 1, "maximum": most}),
        Shape::Number => json!({"type": "number"}),
        Shape::Words(words) => json!({"type": "string", "enum": words()}),
        Shape::Of(name) => json!({"$ref": format!("#/components/schemas/{name}")}),
        Shape::List(items) => json!({"type": "array", "items": schema(items)}),
        Shape::Few(items, most) => {
            json!({"type": "array", "items": schema(items), "maxItems": most})
        }
        Shape::Map(values) => json!({"type": "object", "additionalProperties": schema(values)}),
        Shape::OrNull(it) => json!({"anyOf": [schema(it), {"type": "null"}]}),
        Shape::Either(shapes) => json!({"anyOf": shapes.iter().map(schema).collect::<Vec<_>>()}),
        Shape::Object(fields) => object(fields),
    }
}

fn object(fields: &[Field]) -> Value {
    let property = |it: &Field| {
        let mut told = schema(&it.shape);
        if !it.about.is_empty() {
            told["description"] = it.about.into();
        }
        (it.name.to_owned(), told)
    };
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    let required: Vec<&str> = fields
        .iter()
        .filter(|it| it.is_required)
        .map(|it| it.name)
        .collect();
    let mut told =
        json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        told["required"] = json!(required);
    }
    told
}
