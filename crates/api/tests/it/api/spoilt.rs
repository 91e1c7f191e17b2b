//! Requests that nobody would make on purpose: nothing panics, nothing breaks, and every answer is bounded.

use apostille_api::access_token::Access;
use apostille_api::{
    calls::{
        call::{ApiCall, RequestBody},
        list_api_calls,
    },
    request_scope::RequestInput,
};
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{Desk, TestCaller};

/// Far more than any answer to a small store needs, the document aside.
const MAX_ANSWER: usize = 200_000;

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        "(m|u)-[0-9]{1,22}",
        "[a-z./]{1,20}:[0-9]{1,12}(-[0-9]{1,12})?",
        "(newest|oldest|refreshed|x)\\.-?[0-9]{1,20}\\.[0-9]{1,22}\\.[a-z/]{1,12}",
        "[0-9]{1,20}(d|h|w|)",
        "(true|false|active|knowledge|user|json|rules|notes)",
        Just("\0".to_owned()),
        Just("x".repeat(70_000)),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let object = prop::collection::vec(("[a-z_]{1,8}", inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            object.prop_map(|it| Value::Object(it.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// The names that a call takes.
fn properties(schema: fn() -> Value) -> Vec<String> {
    let schema = schema();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flat_map(|it| it.keys().cloned())
        .collect()
}

/// A call with names that it knows, mostly, and values that mean nothing.
fn asked(
    call: &ApiCall,
    part: &str,
    query: &[(prop::sample::Index, String)],
    body: Vec<u8>,
) -> RequestInput {
    let mut names = properties(call.query);
    names.push("colour".into());
    let query = query
        .iter()
        .map(|(at, value)| (names[at.index(names.len())].clone(), value.clone()));
    let parts = ["name", "slug"].map(|it| (it.to_owned(), part.to_owned()));
    RequestInput {
        parts: parts.to_vec(),
        query: query.collect(),
        body,
    }
}

fn object(call: &ApiCall, fields: &[(prop::sample::Index, Value)]) -> Vec<u8> {
    let RequestBody::Json(schema, _) = call.body else {
        return Vec::new();
    };
    let known = properties(schema);
    if known.is_empty() {
        return Vec::new();
    }
    let field = |(at, value): &(prop::sample::Index, Value)| {
        (known[at.index(known.len())].clone(), value.clone())
    };
    Value::Object(fields.iter().map(field).collect())
        .to_string()
        .into_bytes()
}

fn any_call() -> impl Strategy<Value = &'static ApiCall> {
    prop::sample::select(list_api_calls().collect::<Vec<_>>())
}

/// Asks; that the answer is of a status and a shape that is told is looked at by the caller.
fn checked(call: &ApiCall, asked: &RequestInput) -> Result<(), TestCaseError> {
    let desk = Desk::new();
    let reply = TestCaller::new(&desk, Access::Review).sends(call, asked);
    prop_assert!(reply.status < 500, "{} {}", reply.status, reply.body);
    prop_assert!(
        reply.body.len() <= MAX_ANSWER || call.id == "openapi",
        "{} bytes",
        reply.body.len()
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_query_is_answered(
        call in any_call(),
        part in prop_oneof![Just("m-1".to_owned()), any_text()],
        query in prop::collection::vec((any::<prop::sample::Index>(), any_text()), 0..4),
    ) {
        checked(call, &asked(call, &part, &query, Vec::new()))?;
    }

    #[test]
    fn any_fields_are_answered(
        call in any_call(),
        fields in prop::collection::vec((any::<prop::sample::Index>(), any_json()), 0..5),
        fact in prop::option::of(any_text()),
    ) {
        let mut body = object(call, &fields);
        if let (Some(fact), Ok(mut value)) = (fact, serde_json::from_slice::<Value>(&body)) {
            value["fact"] = fact.into();
            body = value.to_string().into_bytes();
        }
        checked(call, &asked(call, "m-1", &[], body))?;
    }

    #[test]
    fn any_bytes_are_answered(
        call in any_call(),
        body in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            any_json().prop_map(|it| it.to_string().into_bytes()),
            "(# [a-z]{1,9}\n\n|- [a-z ]{1,40}\n|\\{\"text\":\"[a-z ]{0,20}\"\\}\n){0,6}".prop_map(String::into_bytes),
        ],
        format in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let formats = apostille_import::format::ForeignFormat::ALL;
        let mut asked = asked(call, "m-4", &[], body);
        if call.id == "import" {
            asked.query.extend(format.map(|it| ("format".to_owned(), formats[it.index(formats.len())].to_string())));
        }
        checked(call, &asked)?;
    }
}
