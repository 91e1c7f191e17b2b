use proptest::prelude::*;
use serde_json::json;

use super::*;

fn value(text: &str) -> Value {
    parse_jsonc(text).unwrap().unwrap().to_value()
}

#[test]
fn an_entry_is_put_beside_the_others() {
    let check = |text: &str, expected: &str| {
        let found = set_jsonc_value(text, &["m", "x"], &json!({"a": ["b"]})).unwrap();
        assert_eq!(found, expected, "{text:?}");
        assert_eq!(
            set_jsonc_value(&found, &["m", "x"], &json!({"a": ["b"]})).map(|it| value(&it)),
            Ok(value(&found))
        );
    };
    check(
        "",
        "{\n  \"m\": {\n    \"x\": {\n      \"a\": [\"b\"]\n    }\n  }\n}\n",
    );
    check(
        "{}",
        "{\n  \"m\": {\n    \"x\": {\n      \"a\": [\"b\"]\n    }\n  }\n}",
    );
    check("{\"k\":1}", "{\"k\":1,\"m\":{\"x\":{\"a\":[\"b\"]}}}");
    check("{\"m\":{}}\n", "{\"m\":{\"x\":{\"a\":[\"b\"]}}}\n");
    check(
        "{\n\t\"m\": {\n\t\t\"y\": 1 // why\n\t}\n}",
        "{\n\t\"m\": {\n\t\t\"y\": 1, // why\n\t\t\"x\": {\n\t\t\t\"a\": [\"b\"]\n\t\t}\n\t}\n}",
    );
    check(
        "{\r\n    \"m\": { \"y\": 1 },\r\n}\r\n",
        "{\r\n    \"m\": { \"y\": 1, \"x\": {\"a\": [\"b\"]} },\r\n}\r\n",
    );
    check(
        "{\n  \"m\": {\n    \"y\": 1, // last\n  },\n}",
        "{\n  \"m\": {\n    \"y\": 1, // last\n    \"x\": {\n      \"a\": [\"b\"]\n    },\n  },\n}",
    );
    check(
        "{\n  \"m\": {\n    // nothing yet\n  }\n}",
        "{\n  \"m\": {\n    // nothing yet\n    \"x\": {\n      \"a\": [\"b\"]\n    }\n  }\n}",
    );
    check(
        "// only this\n",
        "// only this\n{\n  \"m\": {\n    \"x\": {\n      \"a\": [\"b\"]\n    }\n  }\n}\n",
    );
}

#[test]
fn an_entry_is_taken_out_from_between_the_others() {
    let check = |text: &str, expected: &str| {
        assert_eq!(
            remove_jsonc_entry(text, &[JsonStep::Key("x")]).unwrap(),
            expected,
            "{text:?}"
        );
    };
    check("{\"a\":1,\"x\":2}", "{\"a\":1}");
    check("{\"x\": 2, \"a\": 1}", "{\"a\": 1}");
    check(
        "{\n  \"a\": 1, // of a\n  \"x\": 2\n}\n",
        "{\n  \"a\": 1 // of a\n}\n",
    );
    check(
        "{\n  \"x\": 2,\n  // of a\n  \"a\": 1\n}\n",
        "{\n  // of a\n  \"a\": 1\n}\n",
    );
    check(
        "{\r\n  \"a\": 1,\r\n  \"x\": 2,\r\n}",
        "{\r\n  \"a\": 1,\r\n}",
    );
    check("{\n  \"x\": 2\n}", "{}");
    check("{\n  // kept\n  \"x\": 2\n}", "{\n  // kept\n}");
    check(
        "{\n  \"a\": 1, // of a\n  \"x\": 2 }\n",
        "{\n  \"a\": 1 // of a\n  }\n",
    );
    check("{\"a\": 1}", "{\"a\": 1}");
}

#[test]
fn what_cannot_be_changed_is_said() {
    let check = |text: &str, expected: &str| {
        assert_eq!(
            set_jsonc_value(text, &["m", "x"], &json!(1)).unwrap_err(),
            expected,
            "{text:?}"
        );
    };
    check("[]", "it is not an object");
    check("{\"m\": []}", "`m` is not an object");
    check(
        "{\n\"m\" 1}",
        "line 2: expected colon after the string or word in object property",
    );
    check("{\"m\": 1 \"n\": 2}", "line 1: expected comma");
    check("{m: 1}", "line 1: expected string for object property");
    check(
        "{} x",
        "line 1: text cannot contain more than one JSON value",
    );
    check("{\"m\": /* ", "line 1: unterminated comment block");
    check("{\"m\": nil}", "line 1: unexpected token");
    check("{\n\"m\": \"a\nb\"}", "line 2: invalid value");
    check(&"[".repeat(1_000), "line 1: maximum nesting depth exceeded");
    assert_eq!(
        push_jsonc_element("{\"m\": {}}", &["m"], &json!(1)).unwrap_err(),
        "`m` is not a list"
    );
}

/// A JSON value of the shapes that settings have.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\/{},\u{e9}\u{65e5} ]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-e]", inner, 0..4)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

/// The same value as somebody may have typed it: spaces and comments drawn one after the other.
fn typed(value: &Value, gaps: &mut dyn FnMut() -> &'static str, is_last_comma: bool) -> String {
    let (open, close, parts) = match value {
        Value::Object(map) => {
            let mut part = |(key, it): (&String, &Value)| {
                let head = quote_json_text(key);
                format!(
                    "{}{head}{}:{}{}",
                    gaps(),
                    gaps(),
                    gaps(),
                    typed(it, gaps, is_last_comma)
                )
            };
            ('{', '}', map.iter().map(&mut part).collect::<Vec<_>>())
        }
        Value::Array(list) => (
            '[',
            ']',
            list.iter()
                .map(|it| format!("{}{}", gaps(), typed(it, gaps, is_last_comma)))
                .collect(),
        ),
        scalar => return scalar.to_string(),
    };
    let extra = if is_last_comma && !parts.is_empty() {
        ","
    } else {
        ""
    };
    let inner: Vec<String> = parts.into_iter().map(|it| it + gaps()).collect();
    format!("{open}{}{extra}{}{close}", inner.join(","), gaps())
}

const GAPS: [&str; 8] = [
    "",
    " ",
    "\n",
    "\n  ",
    "\r\n\t",
    " // a , } \" remark\n",
    "/* { */",
    "\n    ",
];

/// A document, as a value and as somebody may have typed it.
pub(crate) fn documents() -> impl Strategy<Value = (Value, String)> {
    let members = proptest::collection::btree_map("[a-e]", values(), 0..4);
    (
        members,
        proptest::collection::vec(0..GAPS.len(), 1..40),
        any::<bool>(),
    )
        .prop_map(|(members, draws, comma)| {
            let value = Value::Object(members.into_iter().collect());
            let mut n = 0;
            let mut gaps = || {
                n += 1;
                GAPS[draws[n % draws.len()]]
            };
            let text = typed(&value, &mut gaps, comma);
            (value, text)
        })
}

/// Everything of the old text is in the new one, in its order.
fn is_kept(old: &str, new: &str) -> bool {
    let mut rest = new.chars();
    old.split_whitespace()
        .flat_map(str::chars)
        .all(|c| rest.any(|it| it == c))
}

proptest! {
    #[test]
    fn whatever_was_typed_stays((before, text) in documents(), new in values()) {
        prop_assert_eq!(value(&text), before.clone());
        let with = set_jsonc_value(&text, &["zz", "y"], &new).unwrap();
        let mut expected = before.clone();
        expected["zz"] = json!({"y": new});
        prop_assert_eq!(value(&with), expected, "{}\n=>\n{}", text, with);
        prop_assert!(is_kept(&text, &with), "{}\n=>\n{}", text, with);
        let without = remove_jsonc_entry(&with, &[JsonStep::Key("zz")]).unwrap();
        prop_assert_eq!(value(&without), before, "{}\n=>\n{}", with, without);
    }

    #[test]
    fn every_entry_can_be_taken_out((before, text) in documents(), key in "[a-e]") {
        let without = remove_jsonc_entry(&text, &[JsonStep::Key(&key)]).unwrap();
        let mut expected = before.clone();
        expected.as_object_mut().unwrap().shift_remove(&key);
        prop_assert_eq!(value(&without), expected, "{}\n=>\n{}", text, without);
    }
}
