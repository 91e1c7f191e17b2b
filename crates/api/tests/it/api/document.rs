//! The document is what is committed, and tells of everything.

use std::fs;
use std::path::Path;

use apostille_api::{
    access_token::Access,
    calls::{build_openapi_document, list_api_calls},
};
use serde_json::Value;

use super::{Desk, TestCaller};

/// `APOSTILLE_BLESS=1` writes the document anew.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "whoever runs the test says whether to write it anew"
)]
fn the_committed_document_is_that_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let made = serde_json::to_string_pretty(&build_openapi_document()).unwrap() + "\n";
    if std::env::var_os("APOSTILLE_BLESS").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "docs/openapi.json is another one; APOSTILLE_BLESS=1 writes it anew"
    );
}

#[test]
fn every_call_is_told_with_what_the_door_answers() {
    let document = build_openapi_document();
    assert_eq!(
        document["components"]["securitySchemes"]["token"]["scheme"],
        "bearer"
    );
    assert_eq!(document["security"], serde_json::json!([{"token": []}]));
    let mut ids: Vec<&str> = list_api_calls().map(|it| it.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let n_calls = list_api_calls().count();
    assert_eq!(ids.len(), n_calls, "two calls have one name");
    let told: Vec<&Value> = document["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|it| it.as_object().unwrap().values())
        .collect();
    // The stream of changes is told, and is no call of the table: its answer does not end.
    assert_eq!(told.len(), n_calls + 1);
    assert!(
        document["paths"]["/api/live"]["get"]["responses"]["200"]["content"]["text/event-stream"]
            .is_object()
    );
    for call in told {
        for status in ["400", "401", "403", "429", "503"] {
            assert!(
                call["responses"][status].is_object(),
                "{} does not tell {status}",
                call["operationId"]
            );
        }
        let has_repo = call["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["name"] == "repo");
        assert!(has_repo, "{} takes no repo", call["operationId"]);
    }
}

/// Each body that is shown is one that the call takes.
#[test]
fn every_body_has_an_example_that_is_taken() {
    let document = build_openapi_document();
    for call in list_api_calls() {
        let path = call.route.path;
        let content = &document["paths"][path][verb(call.route.method).to_lowercase()]["requestBody"]
            ["content"];
        let Some((kind, told)) = content.as_object().and_then(|it| it.iter().next()) else {
            continue;
        };
        let example = &told["example"];
        let body = example
            .as_str()
            .map_or_else(|| example.to_string(), Into::into);
        assert!(!example.is_null(), "{path} has no example");
        if kind == "application/json" {
            let desk = Desk::new();
            let asked = format!(
                "{} {} {body}",
                verb(call.route.method),
                path.replace("{name}", "m-1")
            );
            let reply = TestCaller::new(&desk, Access::Review).asks(&asked);
            assert!(
                [200, 201, 422].contains(&reply.status),
                "{asked}: {} {}",
                reply.status,
                reply.body
            );
        }
    }
}

/// Every reference leads somewhere, and every shape that has a name is used.
#[test]
fn the_document_hangs_together() {
    let document = build_openapi_document();
    let text = document.to_string();
    let places: Vec<&str> = text
        .split("\"$ref\":\"#")
        .skip(1)
        .map(|it| it.split('"').next().unwrap())
        .collect();
    for place in &places {
        assert!(document.pointer(place).is_some(), "{place} leads nowhere");
    }
    for group in ["schemas", "responses"] {
        for name in document["components"][group].as_object().unwrap().keys() {
            let place = format!("/components/{group}/{name}");
            assert!(places.contains(&place.as_str()), "nothing leads to {place}");
        }
    }
}

/// A derive leaves objects open unless it is told otherwise: a field that is answered and not told would pass then.
#[test]
fn schemas_of_answers_and_bodies_are_closed() {
    fn check(schema: &Value, at: &str) {
        if schema["type"] == "object" {
            let rest = &schema["additionalProperties"];
            assert!(rest == false || rest.is_object(), "{at} is open");
        }
        match schema {
            Value::Object(fields) => fields
                .iter()
                .for_each(|(name, it)| check(it, &format!("{at}/{name}"))),
            Value::Array(items) => items.iter().for_each(|it| check(it, at)),
            _ => {}
        }
    }
    let document = build_openapi_document();
    check(&document["components"]["schemas"], "schemas");
    for call in list_api_calls() {
        let told = &document["paths"][call.route.path][verb(call.route.method).to_lowercase()];
        check(&told["requestBody"], call.id);
    }
}

#[test]
fn the_document_can_be_asked_for() {
    let desk = Desk::new();
    let reply = TestCaller::new(&desk, Access::Read).asks("GET /api/openapi.json");
    assert_eq!(
        serde_json::from_str::<Value>(&reply.body).unwrap(),
        build_openapi_document()
    );
}

/// Each call at least once with something in the answer; that it fits is looked at with every answer.
#[test]
fn every_call_answers_what_is_told() {
    let name = |it: &str| {
        it.replace("{name}", "m-1")
            .replace("{slug}", "warm-the-cache")
    };
    for call in list_api_calls() {
        let path = name(call.route.path).replace("sessions/m-1", "sessions/s-1");
        let desk = Desk::new();
        let reply = TestCaller::new(&desk, Access::Review)
            .asks(&format!("{} {path}", verb(call.route.method)));
        assert!(
            [200, 201, 400, 422].contains(&reply.status),
            "{path}: {} {}",
            reply.status,
            reply.body
        );
    }
}

fn verb(method: apostille_api::request_scope::HttpMethod) -> &'static str {
    use apostille_api::request_scope::HttpMethod;
    match method {
        HttpMethod::Get => "GET",
        HttpMethod::Post => "POST",
        HttpMethod::Delete => "DELETE",
    }
}
