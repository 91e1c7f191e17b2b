//! The arguments of a call. A struct declares them once: it is what the call reads, what an unknown name is held against,
//! and what the OpenAPI document tells.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use apostille_cite::citation::CodeLocation;
use apostille_tasks::report;
use apostille_text::secrets::mask_secrets;
use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use crate::json::text_schema::TextEncoded;
use crate::request_scope::RequestInput;
use crate::wire::{self, ArgumentError};

/// The name that the door reads, and every call takes.
pub(super) const REPO: &str = "repo";
/// How much of a name is repeated that nobody knows, in characters.
const MAX_TOLD: usize = 60;

/// One argument, as far as reading needs to know it before its value.
pub(super) struct ArgumentName {
    /// Its name.
    name: &'static str,
    /// Whether a query may say it more than once.
    is_list: bool,
    /// Whether it must be there.
    is_required: bool,
}

impl ArgumentName {
    pub(super) const fn new<T: ArgumentValue>(name: &'static str) -> Self {
        Self {
            name,
            is_list: T::IS_LIST,
            is_required: T::IS_REQUIRED,
        }
    }
}

/// The arguments of a call; [`arguments!`] makes them out of a struct.
pub(super) trait Arguments: JsonSchema + Sized {
    /// What there is, in the order of its declaration.
    const NAMES: &'static [ArgumentName];

    /// Reads each argument.
    fn from_fields(given: Map<String, Value>) -> Result<Self, ArgumentError>;
}

/// Declares the arguments of a call.
macro_rules! arguments {
    ($(#[$meta:meta])* struct $name:ident { $($(#[$about:meta])* $field:ident: $value:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, schemars::JsonSchema)]
        pub(super) struct $name { $($(#[$about])* pub(super) $field: $value,)* }

        impl $crate::calls::args::Arguments for $name {
            const NAMES: &'static [$crate::calls::args::ArgumentName] =
                &[$($crate::calls::args::ArgumentName::new::<$value>(stringify!($field)),)*];

            fn from_fields(
                #[allow(unused_mut, unused_variables, clippy::allow_attributes, reason = "some calls take nothing")]
                mut given: serde_json::Map<String, serde_json::Value>,
            ) -> Result<Self, $crate::wire::ArgumentError> {
                Ok(Self {
                    $($field: $crate::calls::args::ArgumentValue::read_argument(
                        stringify!($field),
                        given.remove(stringify!($field)),
                    )?,)*
                })
            }
        }
    };
}
pub(super) use arguments;

arguments! {
    /// Nothing is taken.
    struct NoArguments {}
}

/// The schema of arguments: an object, of which is required what reading requires.
pub(super) fn argument_schema<T: Arguments>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = T::json_schema(generator);
    let required: Vec<&str> = T::NAMES
        .iter()
        .filter(|it| it.is_required)
        .map(|it| it.name)
        .collect();
    schema.remove("required");
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema
}

/// A value of an argument, raw as it stands in the query or the body, which is nowhere but here.
pub(super) trait ArgumentValue: Sized {
    /// Whether a query may say it more than once.
    const IS_LIST: bool = false;
    /// Whether it must be there.
    const IS_REQUIRED: bool = true;

    /// Reads the value; a malformed one is named.
    fn read_argument(name: &str, value: Option<Value>) -> Result<Self, ArgumentError>;
}

impl ArgumentValue for String {
    fn read_argument(name: &str, value: Option<Value>) -> Result<Self, ArgumentError> {
        wire::read_required_text(name, value)
    }
}

/// No unless said.
impl ArgumentValue for bool {
    const IS_REQUIRED: bool = false;

    fn read_argument(name: &str, value: Option<Value>) -> Result<Self, ArgumentError> {
        wire::read_flag_field(name, value)
    }
}

impl<T: ArgumentValue> ArgumentValue for Option<T> {
    const IS_LIST: bool = T::IS_LIST;
    const IS_REQUIRED: bool = false;

    fn read_argument(name: &str, value: Option<Value>) -> Result<Self, ArgumentError> {
        value.map(|it| T::read_argument(name, Some(it))).transpose()
    }
}

impl<T: FromStr> ArgumentValue for TextEncoded<T>
where
    T::Err: Display,
{
    fn read_argument(name: &str, value: Option<Value>) -> Result<Self, ArgumentError> {
        let read = wire::read_parsed_field(name, value)?;
        read.map(TextEncoded)
            .ok_or_else(|| ArgumentError::new_missing(name))
    }
}

/// Several values, at most so many; none unless said.
#[derive(Debug)]
pub(super) struct ArgumentList<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> ArgumentList<TextEncoded<T>, MAX> {
    /// The values themselves.
    pub(super) fn into_values(self) -> Vec<T> {
        self.0.into_iter().map(|it| it.0).collect()
    }
}

impl<T: ArgumentValue, const MAX: usize> ArgumentValue for ArgumentList<T, MAX> {
    const IS_LIST: bool = true;
    const IS_REQUIRED: bool = false;

    fn read_argument(name: &str, value: Option<Value>) -> Result<Self, ArgumentError> {
        let items = match value {
            None => Vec::new(),
            Some(Value::Array(items)) if items.len() <= MAX => items,
            Some(Value::Array(_)) => {
                return Err(ArgumentError::new(name, format!("at most {MAX} at once")));
            }
            Some(_) => return Err(ArgumentError::new(name, "expected a list")),
        };
        let item = |(at, it)| T::read_argument(&format!("{name}[{at}]"), Some(it));
        let items: Result<_, _> = items.into_iter().enumerate().map(item).collect();
        Ok(Self(items?))
    }
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for ArgumentList<T, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Few".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        json_schema!({"type": "array", "items": items, "maxItems": MAX})
    }
}

/// Words to find a memory by.
pub(super) type TagList = ArgumentList<String, 100>;

impl<const MAX: usize> ArgumentList<String, MAX> {
    /// The texts themselves.
    pub(super) fn into_texts(self) -> Vec<String> {
        self.0
    }
}

/// Places such as `src/api.rs:12-18`.
#[derive(Debug)]
pub(super) struct CitationList(pub(super) Vec<CodeLocation>);

impl ArgumentValue for CitationList {
    const IS_LIST: bool = true;
    const IS_REQUIRED: bool = false;

    fn read_argument(_: &str, value: Option<Value>) -> Result<Self, ArgumentError> {
        wire::read_citation_list(value).map(Self)
    }
}

impl JsonSchema for CitationList {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Citations".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        ArgumentList::<TextEncoded<CodeLocation>, 100>::json_schema(generator)
    }
}

/// How many are asked for: from 1 up to what there may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageLimit<const MAX: usize>(usize);

impl<const MAX: usize> PageLimit<MAX> {
    /// What is asked for, or what is given unless said.
    pub(super) fn limit_or(limit: Option<Self>, default: usize) -> usize {
        limit.map_or(default, |it| it.0)
    }
}

impl<const MAX: usize> ArgumentValue for PageLimit<MAX> {
    fn read_argument(name: &str, value: Option<Value>) -> Result<Self, ArgumentError> {
        let number = wire::read_number_field(name, value)?
            .ok_or_else(|| ArgumentError::new_missing(name))?;
        match number as usize {
            0 => Err(ArgumentError::new(name, "ask for at least 1")),
            it if it > MAX => Err(ArgumentError::new(name, format!("ask for at most {MAX}"))),
            it => Ok(Self(it)),
        }
    }
}

impl<const MAX: usize> JsonSchema for PageLimit<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PageLimit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 1, "maximum": MAX})
    }
}

/// A time, or how long ago: what it means depends on now.
#[derive(Debug, JsonSchema)]
#[schemars(inline)]
pub(super) struct TimeArgument(
    #[schemars(
        regex(pattern = r"^([0-9]{1,6}[hdw]|[0-9]{4}-[01][0-9]-[0-3][0-9](T[0-9:.]+Z)?)$"),
        extend("examples" = ["2026-02-26"])
    )]
    String,
);

impl ArgumentValue for TimeArgument {
    fn read_argument(name: &str, value: Option<Value>) -> Result<Self, ArgumentError> {
        wire::read_required_text(name, value).map(Self)
    }
}

impl TimeArgument {
    /// The time that is meant by the argument of this name.
    pub(super) fn resolve_time(
        when: Option<Self>,
        name: &str,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, ArgumentError> {
        let wrong = || ArgumentError::new(name, "expected 7d, 24h, 2w, a date or a time");
        when.map(|it| report::parse_since(it.0.trim(), now).ok_or_else(wrong))
            .transpose()
    }
}

/// A name that nobody knows, and those there are.
fn describe_unknown_argument(
    what: &str,
    name: &str,
    known: &[ArgumentName],
    has_repo: bool,
) -> ArgumentError {
    let names = known
        .iter()
        .map(|it| it.name)
        .chain(has_repo.then_some(REPO));
    let names = names.collect::<Vec<_>>().join(", ");
    let known = if names.is_empty() {
        "there are none".into()
    } else {
        format!("there are: {names}")
    };
    let name: String = mask_secrets(name)
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_TOLD)
        .collect();
    ArgumentError::new(
        format!("{what} '{name}'"),
        format!("nobody knows it; {known}"),
    )
}

/// Reads what stands behind the question mark. What was left empty was not said.
pub(super) fn read_query_arguments<T: Arguments>(asked: &RequestInput) -> Result<T, ArgumentError> {
    let mut given: Map<String, Value> = Map::new();
    for (name, value) in asked.query.iter().filter(|it| it.0 != REPO) {
        let Some(known) = T::NAMES.iter().find(|it| it.name == name) else {
            return Err(describe_unknown_argument("query", name, T::NAMES, true));
        };
        if value.is_empty() {
            continue;
        }
        match given.get_mut(name) {
            Some(Value::Array(items)) => items.push(value.clone().into()),
            Some(_) => return Err(ArgumentError::new(name, "it is said twice")),
            None if known.is_list => drop(given.insert(name.clone(), vec![value.clone()].into())),
            None => drop(given.insert(name.clone(), value.clone().into())),
        }
    }
    T::from_fields(given)
}

/// Reads what was sent as an object; nothing at all is an empty one.
pub(super) fn read_body_arguments<T: Arguments>(body: &[u8]) -> Result<T, ArgumentError> {
    if body.trim_ascii().is_empty() {
        return T::from_fields(Map::new());
    }
    let value = serde_json::from_slice(body)
        .map_err(|it| ArgumentError::new("body", format!("no JSON: {it}")))?;
    let Value::Object(given) = value else {
        return Err(ArgumentError::new("body", "expected an object"));
    };
    let is_unknown = |name: &&String| T::NAMES.iter().all(|it| it.name != **name);
    match given.keys().find(is_unknown) {
        Some(name) => Err(describe_unknown_argument("field", name, T::NAMES, false)),
        None => T::from_fields(given),
    }
}
