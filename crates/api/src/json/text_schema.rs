//! What a derive of `JsonSchema` cannot see: which texts a field may hold.
//!
//! The core knows no schemas. Its enums are written as words, and answers carry those words as text; a field says whose
//! words they are with `#[schemars(with = "TextEncoded<TourRepository>")]`.

use std::borrow::Cow;
use std::{fmt::Display, str::FromStr};

use apostille_agents::{client::Client, session::Moment};
use apostille_audit::{Class, Severity, review::ReviewCare};
use apostille_cite::{
    citation::{ItemKind, RepoPath},
    citation_request::CitationRequest,
    standing::{Showing, Standing},
    verdict::Change,
};
use apostille_core::{
    event::{Breaker, EventKind},
    evidence::{EvidenceKind, NameKind, ReviewAuthority},
    memory::{Channel, Kind, Layer, MemoryName, ModerationMark, Origin, Stage},
    remember::DraftRelation,
    verify::VerifyAction,
};
use apostille_import::export;
use apostille_tasks::task::TaskStatus;
use apostille_text::digest::Digest;
use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de::Error};

/// A value that is written as a text, and which texts these are.
pub trait TextSchema {
    /// The schema of the text.
    fn text_schema() -> Schema;
}

/// A value that stands in JSON, or in a query, as its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoded<T>(pub T);

impl<T: TextSchema> JsonSchema for TextEncoded<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Written".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        T::text_schema()
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for TextEncoded<T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let text = String::deserialize(reader)?;
        text.trim().parse().map(Self).map_err(D::Error::custom)
    }
}

/// One of these words.
pub(super) fn build_enum_schema<'a>(words: impl IntoIterator<Item = &'a str>) -> Schema {
    let words: Vec<&str> = words.into_iter().collect();
    json_schema!({"type": "string", "enum": words})
}

/// A text of this pattern.
fn build_pattern_schema(pattern: &str, example: &str) -> Schema {
    json_schema!({"type": "string", "pattern": pattern, "examples": [example]})
}

macro_rules! words_of {
    ($($words:ty),+ $(,)?) => {
        $(impl TextSchema for $words {
            fn text_schema() -> Schema {
                build_enum_schema(<$words>::ALL.iter().map(|it| it.as_str()))
            }
        })+
    };
}

words_of![
    Breaker,
    EvidenceKind,
    ReviewAuthority,
    NameKind,
    Change,
    Channel,
    Class,
    Client,
    VerifyAction,
    EventKind,
    ItemKind,
    Kind,
    Layer,
    ModerationMark,
    Moment,
    Origin,
    Severity,
    Stage,
    TaskStatus,
    Standing,
    Showing,
    export::ExportFormat,
    apostille_import::format::ForeignFormat,
];

impl TextSchema for ReviewCare {
    fn text_schema() -> Schema {
        let all = [
            Self::Safe,
            Self::Unproven,
            Self::Doubtful,
            Self::Outside,
            Self::Suspicious,
        ];
        build_enum_schema(all.map(Self::as_str))
    }
}

impl TextSchema for DraftRelation {
    fn text_schema() -> Schema {
        build_enum_schema([Self::NearDuplicate, Self::Contradiction].map(Self::as_str))
    }
}

/// The word of a verdict about one citation.
pub(super) struct VerdictWord;

impl TextSchema for VerdictWord {
    fn text_schema() -> Schema {
        build_enum_schema(["holds", "moved", "changed", "gone", "unknown"])
    }
}

/// The word for how a memory stood when it was shown; sessions of earlier versions wrote verdicts.
pub(super) struct ShownStandingWord;

impl TextSchema for ShownStandingWord {
    fn text_schema() -> Schema {
        let verdicts = ["holds", "moved", "changed", "unverified"];
        build_enum_schema(Standing::ALL.iter().map(|it| it.as_str()).chain(verdicts))
    }
}

/// A time in UTC.
impl TextSchema for Timestamp {
    fn text_schema() -> Schema {
        json_schema!({"type": "string", "format": "date-time"})
    }
}

/// A handle, or an id.
impl TextSchema for MemoryName {
    fn text_schema() -> Schema {
        build_pattern_schema(
            "^([mu]-[1-9][0-9]{0,11}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$",
            "m-1",
        )
    }
}

impl TextSchema for CitationRequest {
    fn text_schema() -> Schema {
        build_pattern_schema(
            "^.+:([1-9][0-9]{0,6}(-[1-9][0-9]{0,6})?|:.+)$",
            "src/api.rs:3",
        )
    }
}

/// `owner/name`.
pub(crate) struct RepoNameWord;

impl TextSchema for RepoNameWord {
    fn text_schema() -> Schema {
        build_pattern_schema("^([A-Za-z0-9._-]+/){1,7}[A-Za-z0-9._-]+$", "myorg/myapp")
    }
}

/// Hexadecimal.
impl TextSchema for Digest {
    fn text_schema() -> Schema {
        json_schema!({"type": "string"})
    }
}

/// A path inside the repository.
impl TextSchema for RepoPath {
    fn text_schema() -> Schema {
        json_schema!({"type": "string", "minLength": 1})
    }
}
