//! The arguments of a call. A struct declares them once: it is what the call reads, what an unknown name is held against,
//! and what the OpenAPI document tells.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use apostille_cite::citation::Cite;
use apostille_tasks::report;
use apostille_text::secrets::masked;
use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use crate::json::schema::Written;
use crate::visit::Asked;
use crate::wire::{self, Malformed};

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
    pub(super) const fn of<T: ArgumentValue>(name: &'static str) -> Self {
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
    fn read(given: Map<String, Value>) -> Result<Self, Malformed>;
}

/// Declares the arguments of a call.
macro_rules! arguments {
    ($(#[$meta:meta])* struct $name:ident { $($(#[$about:meta])* $field:ident: $value:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, schemars::JsonSchema)]
        pub(super) struct $name { $($(#[$about])* pub(super) $field: $value,)* }

        impl $crate::calls::args::Arguments for $name {
            const NAMES: &'static [$crate::calls::args::ArgumentName] =
                &[$($crate::calls::args::ArgumentName::of::<$value>(stringify!($field)),)*];

            fn read(
                #[allow(unused_mut, unused_variables, clippy::allow_attributes, reason = "some calls take nothing")]
                mut given: serde_json::Map<String, serde_json::Value>,
            ) -> Result<Self, $crate::wire::Malformed> {
                Ok(Self {
                    $($field: $crate::calls::args::ArgumentValue::read(
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
    fn read(name: &str, value: Option<Value>) -> Result<Self, Malformed>;
}

impl ArgumentValue for String {
    fn read(name: &str, value: Option<Value>) -> Result<Self, Malformed> {
        wire::required(name, value)
    }
}

/// No unless said.
impl ArgumentValue for bool {
    const IS_REQUIRED: bool = false;

    fn read(name: &str, value: Option<Value>) -> Result<Self, Malformed> {
        wire::flag(name, value)
    }
}

impl<T: ArgumentValue> ArgumentValue for Option<T> {
    const IS_LIST: bool = T::IS_LIST;
    const IS_REQUIRED: bool = false;

    fn read(name: &str, value: Option<Value>) -> Result<Self, Malformed> {
        value.map(|it| T::read(name, Some(it))).transpose()
    }
}

impl<T: FromStr> ArgumentValue for Written<T>
where
    T::Err: Display,
{
    fn read(name: &str, value: Option<Value>) -> Result<Self, Malformed> {
        let read = wire::parsed(name, value)?;
        read.map(Written).ok_or_else(|| Malformed::missing(name))
    }
}

/// Several values, at most so many; none unless said.
#[derive(Debug)]
pub(super) struct Few<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> Few<Written<T>, MAX> {
    /// The values themselves.
    pub(super) fn into_values(self) -> Vec<T> {
        self.0.into_iter().map(|it| it.0).collect()
    }
}

impl<T: ArgumentValue, const MAX: usize> ArgumentValue for Few<T, MAX> {
    const IS_LIST: bool = true;
    const IS_REQUIRED: bool = false;

    fn read(name: &str, value: Option<Value>) -> Result<Self, Malformed> {
        let items = match value {
            None => Vec::new(),
            Some(Value::Array(items)) if items.len() <= MAX => items,
            Some(Value::Array(_)) => {
                return Err(Malformed::new(name, format!("at most {MAX} at once")));
            }
            Some(_) => return Err(Malformed::new(name, "expected a list")),
        };
        let item = |(at, it)| T::read(&format!("{name}[{at}]"), Some(it));
        let items: Result<_, _> = items.into_iter().enumerate().map(item).collect();
        Ok(Self(items?))
    }
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for Few<T, MAX> {
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
pub(super) type TagList = Few<String, 100>;

impl<const MAX: usize> Few<String, MAX> {
    /// The texts themselves.
    pub(super) fn into_texts(self) -> Vec<String> {
        self.0
    }
}

/// Places such as `src/api.rs:12-18`.
#[derive(Debug)]
pub(super) struct Citations(pub(super) Vec<Cite>);

impl ArgumentValue for Citations {
    const IS_LIST: bool = true;
    const IS_REQUIRED: bool = false;

    fn read(_: &str, value: Option<Value>) -> Result<Self, Malformed> {
        wire::cites(value).map(Self)
    }
}

impl JsonSchema for Citations {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Citations".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Few::<Written<Cite>, 100>::json_schema(generator)
    }
}

/// How many are asked for: from 1 up to what there may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageLimit<const MAX: usize>(usize);

impl<const MAX: usize> PageLimit<MAX> {
    /// What is asked for, or what is given unless said.
    pub(super) fn or(limit: Option<Self>, default: usize) -> usize {
        limit.map_or(default, |it| it.0)
    }
}

impl<const MAX: usize> ArgumentValue for PageLimit<MAX> {
    fn read(name: &str, value: Option<Value>) -> Result<Self, Malformed> {
        let number = wire::number(name, value)?.ok_or_else(|| Malformed::missing(name))?;
        match number as usize {
            0 => Err(Malformed::new(name, "ask for at least 1")),
            it if it > MAX => Err(Malformed::new(name, format!("ask for at most {MAX}"))),
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
pub(super) struct When(
    #[schemars(
        regex(pattern = r"^([0-9]{1,6}[hdw]|[0-9]{4}-[01][0-9]-[0-3][0-9](T[0-9:.]+Z)?)$"),
        extend("examples" = ["2026-02-26"])
    )]
    String,
);

impl ArgumentValue for When {
    fn read(name: &str, value: Option<Value>) -> Result<Self, Malformed> {
        wire::required(name, value).map(Self)
    }
}

impl When {
    /// The time that is meant by the argument of this name.
    pub(super) fn at(
        when: Option<Self>,
        name: &str,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, Malformed> {
        let wrong = || Malformed::new(name, "expected 7d, 24h, 2w, a date or a time");
        when.map(|it| report::since(it.0.trim(), now).ok_or_else(wrong))
            .transpose()
    }
}

/// A name that nobody knows, and those there are.
fn name_unknown(what: &str, name: &str, known: &[ArgumentName], has_repo: bool) -> Malformed {
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
    let name: String = masked(name)
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_TOLD)
        .collect();
    Malformed::new(
        format!("{what} '{name}'"),
        format!("nobody knows it; {known}"),
    )
}

/// Reads what stands behind the question mark. What was left empty was not said.
pub(super) fn read_query<T: Arguments>(asked: &Asked) -> Result<T, Malformed> {
    let mut given: Map<String, Value> = Map::new();
    for (name, value) in asked.query.iter().filter(|it| it.0 != REPO) {
        let Some(known) = T::NAMES.iter().find(|it| it.name == name) else {
            return Err(name_unknown("query", name, T::NAMES, true));
        };
        if value.is_empty() {
            continue;
        }
        match given.get_mut(name) {
            Some(Value::Array(items)) => items.push(value.clone().into()),
            Some(_) => return Err(Malformed::new(name, "it is said twice")),
            None if known.is_list => drop(given.insert(name.clone(), vec![value.clone()].into())),
            None => drop(given.insert(name.clone(), value.clone().into())),
        }
    }
    T::read(given)
}

/// Reads what was sent as an object; nothing at all is an empty one.
pub(super) fn read_body<T: Arguments>(body: &[u8]) -> Result<T, Malformed> {
    if body.trim_ascii().is_empty() {
        return T::read(Map::new());
    }
    let value = serde_json::from_slice(body)
        .map_err(|it| Malformed::new("body", format!("no JSON: {it}")))?;
    let Value::Object(given) = value else {
        return Err(Malformed::new("body", "expected an object"));
    };
    let is_unknown = |name: &&String| T::NAMES.iter().all(|it| it.name != **name);
    match given.keys().find(is_unknown) {
        Some(name) => Err(name_unknown("field", name, T::NAMES, false)),
        None => T::read(given),
    }
}
