//! A small reader of JSON Schema: as much of it as the document uses, and it fails at a word that it does not know.

use apostille_api::calls::build_openapi_document;
use apostille_api::{
    calls::call::ApiCall,
    request_scope::{HttpMethod, HttpReply},
};
use serde_json::Value;

/// Holds an answer against what the document says of it.
pub(super) fn fits(call: &ApiCall, reply: &HttpReply) {
    let document = build_openapi_document();
    let method = match call.route.method {
        HttpMethod::Get => "get",
        HttpMethod::Post => "post",
        HttpMethod::Delete => "delete",
    };
    let operation = &document["paths"][call.route.path][method];
    let declared = resolved(&document, &operation["responses"][reply.status.to_string()]);
    assert!(
        declared.is_object(),
        "{} {} answers {}, which is not told",
        method,
        call.route.path,
        reply.status
    );
    let kind = reply.kind;
    let content = &declared["content"][kind];
    assert!(
        content.is_object(),
        "{} answers {kind}, which is not told",
        call.route.path
    );
    if kind == "application/json" {
        let value: Value = serde_json::from_str(&reply.body).unwrap();
        if let Err(why) = check(&document, &content["schema"], &value, "$") {
            panic!(
                "{method} {} {}: {why}\n{}",
                call.route.path, reply.status, reply.body
            );
        }
    }
}

fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(place) => document
            .pointer(place.trim_start_matches('#'))
            .unwrap_or(&Value::Null),
        None => value,
    }
}

fn check(document: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let schema = resolved(document, schema);
    for (word, rule) in schema.as_object().ok_or(format!("{at}: no schema"))? {
        let is_kept = match word.as_str() {
            "description"
            | "examples"
            | "pattern"
            | "format"
            | "$ref"
            | "properties"
            | "additionalProperties" => true,
            "type" => is_of(rule, value),
            "const" => rule == value,
            "enum" => rule.as_array().is_some_and(|it| it.contains(value)),
            "minimum" => value.as_f64() >= rule.as_f64(),
            "maximum" => value.as_f64() <= rule.as_f64(),
            "minLength" => value
                .as_str()
                .is_none_or(|it| it.chars().count() as u64 >= rule.as_u64().unwrap()),
            "minItems" => value
                .as_array()
                .is_none_or(|it| it.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value
                .as_array()
                .is_none_or(|it| it.len() as u64 <= rule.as_u64().unwrap()),
            "required" => rule
                .as_array()
                .unwrap()
                .iter()
                .all(|it| value.get(it.as_str().unwrap()).is_some()),
            "items" => return each(document, rule, value, at),
            "anyOf" => {
                let tried: Vec<_> = rule
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|it| check(document, it, value, at))
                    .collect();
                if tried.iter().any(Result::is_ok) {
                    continue;
                }
                return Err(format!("{at}: none of {tried:?}"));
            }
            other => panic!("the word {other} of a schema is not known here"),
        };
        if !is_kept {
            return Err(format!("{at}: {word} {rule} is not kept by {value}"));
        }
    }
    fields(document, schema, value, at)
}

fn each(document: &Value, rule: &Value, value: &Value, at: &str) -> Result<(), String> {
    let items = value.as_array().ok_or(format!("{at}: no list"))?;
    (0..)
        .zip(items)
        .try_for_each(|(n, it)| check(document, rule, it, &format!("{at}[{n}]")))
}

fn fields(document: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Some(object) = value.as_object() else {
        return Ok(());
    };
    for (name, it) in object {
        let at = format!("{at}.{name}");
        match (&schema["properties"][name], &schema["additionalProperties"]) {
            (Value::Null, Value::Null | Value::Bool(true)) => {}
            (Value::Null, Value::Bool(false)) => return Err(format!("{at} is not told")),
            (Value::Null, rule) => check(document, rule, it, &at)?,
            (rule, _) => check(document, rule, it, &at)?,
        }
    }
    Ok(())
}

fn is_of(rule: &Value, value: &Value) -> bool {
    if let Some(types) = rule.as_array() {
        return types.iter().any(|it| is_of(it, value));
    }
    match rule.as_str().unwrap() {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("the type {other} is not known here"),
    }
}
