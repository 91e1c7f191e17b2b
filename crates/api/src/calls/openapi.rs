//! The OpenAPI document, made out of the table of calls and the derived schemas of what they take and answer. The same
//! table gives the same bytes.

use std::collections::BTreeMap;

use schemars::{
    Schema, SchemaGenerator,
    generate::SchemaSettings,
    transform::{Transform, transform_subschemas},
};
use serde_json::{Map, Value, json};

use super::{
    call::{AnswerBody, ApiCall, RequestBody},
    list_api_calls,
};
use crate::{
    json::{
        ErrorReply, RefusedReply, SimilarReply,
        text_schema::{RepoNameWord, TextSchema},
    },
    wire::REPO,
};

const ABOUT: &str = "Verified, shared memory for coding agents. Every call needs a bearer token; what a token may do is \
                     read, write or review, in the spaces that it names. Answers have the shapes of `--json` on the \
                     command line.";
const ABOUT_REPO: &str =
    "owner/name: another repository of the store; its citations are then unknown";
/// A file for the call that takes one.
const FILE: &str = "# House rules\n\n- Run the linter before every commit\n";

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
pub fn build_openapi_document() -> Value {
    let mut schemas = SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|it| it.definitions_path = "/components/schemas".into())
        .with_transform(StrictSchemaTransform)
        .into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for call in list_api_calls() {
        let item = paths.entry(call.route.path).or_insert_with(|| json!({}));
        item[call.route.method.as_str()] = describe_operation(&mut schemas, call);
    }
    paths.insert("/api/live".into(), describe_live_stream());
    let responses = describe_common_responses(&mut schemas);
    let definitions: BTreeMap<_, _> = schemas.take_definitions(true).into_iter().collect();
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
            "schemas": definitions,
            "responses": responses,
        },
    })
}

/// Says what is true of every shape here and a derive does not say: objects have no other fields, and what may be left
/// out is left out, and never null. The widths of Rust's numbers mean nothing to a caller.
#[derive(Clone)]
struct StrictSchemaTransform;

impl Transform for StrictSchemaTransform {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else {
            return;
        };
        if object.get("type") == Some(&"object".into()) {
            object.entry("additionalProperties").or_insert(false.into());
        }
        if matches!(object.get("format"), Some(Value::String(it)) if it != "date-time") {
            object.remove("format");
        }
        object.remove("default");
        if let Some(Value::String(text)) = object.get_mut("description") {
            *text = text.replace('\n', " ");
        }
        let required = object.get("required").and_then(Value::as_array);
        let required = required.cloned().unwrap_or_default();
        let properties = object.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            if !required.contains(&name.as_str().into()) {
                forbid_schema_null(property);
            }
        }
    }
}

/// Takes null off what a value may be.
fn forbid_schema_null(schema: &mut Value) {
    for word in ["type", "enum", "anyOf"] {
        let Some(Value::Array(items)) = schema.get_mut(word) else {
            continue;
        };
        let is_null = |it: &Value| it.is_null() || it == "null" || it["type"] == "null";
        items.retain(|it| !is_null(it));
        if items.len() != 1 || word == "enum" {
            continue;
        }
        // A type stands in the place of a list of types, or a schema in the place of a choice of schemas.
        match (items.remove(0), schema.as_object_mut()) {
            (Value::Object(fields), Some(object)) => {
                object.remove(word);
                object.extend(fields);
            }
            (plain, _) => schema[word] = plain,
        }
    }
}

fn describe_common_responses(schemas: &mut SchemaGenerator) -> Map<String, Value> {
    let error = schemas.subschema_for::<ErrorReply>();
    let refused = schemas.subschema_for::<RefusedReply>();
    let similar = schemas.subschema_for::<SimilarReply>();
    let one = |(status, name, about): (u16, &str, &str)| {
        let schema = if status == 404 {
            json!({"anyOf": [error, refused]})
        } else {
            json!(error)
        };
        (name.to_owned(), describe_json_response(about, &schema))
    };
    let turned_away = describe_json_response(
        "refused, with the class and the way out",
        &json!({"anyOf": [refused, similar]}),
    );
    DOOR.into_iter()
        .map(one)
        .chain([("Refused".to_owned(), turned_away)])
        .collect()
}

fn describe_json_response(about: &str, schema: &Value) -> Value {
    json!({"description": about, "content": {"application/json": {"schema": schema}}})
}

fn describe_response(schemas: &mut SchemaGenerator, about: &str, body: AnswerBody) -> Value {
    match body {
        AnswerBody::Json(schema) => describe_json_response(about, schema(schemas).as_value()),
        AnswerBody::Kinds(kinds) => {
            let kind = |kind: &&str| {
                let is_json = *kind == "application/json";
                let word = if is_json { "object" } else { "string" };
                ((*kind).to_owned(), json!({"schema": {"type": word}}))
            };
            let content: Map<_, _> = kinds.iter().map(kind).collect();
            json!({"description": about, "content": content})
        }
    }
}

fn describe_operation(schemas: &mut SchemaGenerator, call: &ApiCall) -> Value {
    let mut responses = Map::new();
    responses.insert("200".into(), describe_response(schemas, "done", call.done));
    if let Some(created) = call.created {
        let created = describe_response(schemas, "done", AnswerBody::Json(created));
        responses.insert("201".into(), created);
    }
    let refusal = call.may_refuse.then_some((422, "Refused", ""));
    responses.extend(
        DOOR.into_iter()
            .chain(refusal)
            .map(refer_to_common_response),
    );
    let mut told = json!({
        "operationId": call.id,
        "summary": call.summary,
        "description": format!("Needs a token that may {}.", call.route.need.as_str()),
        "tags": [call.tag],
        "parameters": list_parameters(call),
        "responses": responses,
    });
    if let Some(body) = describe_request_body(call.body) {
        told["requestBody"] = body;
    }
    told
}

fn refer_to_common_response((status, name, _): (u16, &str, &str)) -> (String, Value) {
    let place = format!("#/components/responses/{name}");
    (status.to_string(), json!({"$ref": place}))
}

/// The schema of what a call takes.
fn describe_arguments(schema: fn() -> Value) -> Value {
    let mut schema = Schema::try_from(schema()).unwrap_or_default();
    StrictSchemaTransform.transform(&mut schema);
    schema.to_value()
}

fn list_parameters(call: &ApiCall) -> Vec<Value> {
    let parts = call.route.path.split(['{', '}']).skip(1).step_by(2);
    let is_memory = call.route.path.starts_with("/api/memories/");
    let schema = if is_memory {
        apostille_core::memory::MemoryName::text_schema().to_value()
    } else {
        json!({"type": "string", "minLength": 1})
    };
    let part = |name: &str| json!({"name": name, "in": "path", "required": true, "schema": schema});
    let query = describe_arguments(call.query);
    let queried = query["properties"].as_object().into_iter().flatten();
    parts
        .map(part)
        .chain(queried.map(|(name, schema)| describe_parameter(name, schema.clone())))
        .chain([describe_repo_parameter()])
        .collect()
}

/// A parameter of the query. No call needs one.
fn describe_parameter(name: &str, mut schema: Value) -> Value {
    let about = schema
        .as_object_mut()
        .and_then(|it| it.remove("description"));
    let mut told = json!({"name": name, "in": "query", "required": false, "schema": schema});
    if let Some(about) = about {
        told["description"] = about;
    }
    told
}

fn describe_repo_parameter() -> Value {
    let mut schema = RepoNameWord::text_schema();
    schema.insert("description".into(), ABOUT_REPO.into());
    describe_parameter(REPO, schema.to_value())
}

fn describe_request_body(body: RequestBody) -> Option<Value> {
    match body {
        RequestBody::None => None,
        RequestBody::File => Some(json!({
            "required": true,
            "content": {"text/plain": {"schema": {"type": "string", "minLength": 1}, "example": FILE}},
        })),
        RequestBody::Json(schema, example) => {
            let schema = describe_arguments(schema);
            let is_required = schema["required"].is_array();
            let mut content = json!({"schema": schema});
            if let Ok(example) = serde_json::from_str::<Value>(example) {
                content["example"] = example;
            }
            Some(json!({"required": is_required, "content": {"application/json": content}}))
        }
    }
}

/// The stream of changes: no call of the table, because its answer does not end.
fn describe_live_stream() -> Value {
    let mut responses: Map<String, Value> =
        DOOR.into_iter().map(refer_to_common_response).collect();
    responses.insert(
        "200".into(),
        json!({
            "description": "events, until the client goes",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }),
    );
    json!({"get": {
        "operationId": "live",
        "summary": "Changes as they happen, as server-sent events without any text of a memory; it does not end",
        "description": "Needs a token that may read.",
        "tags": ["live"],
        "parameters": [
            {"name": "Last-Event-ID", "in": "header", "required": false, "schema": {"type": "string"},
             "description": "the id of the last event that was seen: what was missed since is told first"},
            describe_repo_parameter(),
        ],
        "responses": responses,
    }})
}
