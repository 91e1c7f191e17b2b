//! Which memories may answer, as a caller says it: the same names in every face.

use apostille_cite::citation::RepoPath;
use apostille_core::{
    address::MemoryAddress, memory::Kind, project::ProjectName, recall::RecallFilter, space::Space,
};
use apostille_tasks::report;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{ArgumentError, OptionalText, read_arguments};

/// A time, or how long ago: what it means depends on now.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct TimeArgument(
    #[schemars(
        regex(pattern = r"^([0-9]{1,6}[hdw]|[0-9]{4}-[01][0-9]-[0-3][0-9](T[0-9:.]+Z)?)$"),
        extend("examples" = ["2026-02-26"])
    )]
    String,
);

impl TimeArgument {
    /// The time that is meant by the argument of this name.
    pub fn resolve_time(
        when: Option<Self>,
        name: &str,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, ArgumentError> {
        let wrong = || ArgumentError::new(name, "expected 7d, 24h, 2w, a date or a time");
        when.map(|it| report::parse_since(it.0.trim(), now).ok_or_else(wrong))
            .transpose()
    }
}

/// Which memories may answer.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecallFilterInput {
    /// Only with this tag
    pub tag: OptionalText<String>,
    /// Only of this project
    pub project: OptionalText<ProjectName>,
    /// Only of this kind
    #[schemars(extend("enum" = ["project", "reference", "feedback", "user"]))]
    pub kind: OptionalText<Kind>,
    /// Only citing this file, or a file below this folder
    pub citing: OptionalText<RepoPath>,
    /// Recorded since: 7d, 24h, 2w or a date
    pub since: OptionalText<String>,
    /// Recorded before
    pub until: OptionalText<String>,
    /// /owner/name/knowledge/, /owner/name/episodes/task/, /owner/name/review-rules/ or users/name/
    pub address: OptionalText<MemoryAddress>,
}

impl RecallFilterInput {
    /// From the texts of a form; what is empty was not said.
    pub fn from_texts<'a>(said: impl Fn(&str) -> &'a str) -> Result<Self, ArgumentError> {
        let names = [
            "tag", "project", "kind", "citing", "since", "until", "address",
        ];
        let fields = names.into_iter().map(|it| (it.to_owned(), said(it).into()));
        read_arguments(&Value::Object(fields.collect()))
    }

    /// What is meant now, and which of the spaces in play are asked. A space beyond them is refused, whether or not there
    /// is one.
    pub fn resolve(
        self,
        now: Timestamp,
        spaces: Vec<Space>,
    ) -> Result<(RecallFilter, Vec<Space>), ArgumentError> {
        let time = |text: OptionalText<String>, name| {
            TimeArgument::resolve_time(text.0.map(TimeArgument), name, now)
        };
        let spaces = narrow_to_address(spaces, self.address.0.as_ref())?;
        let project = self.project.0.map(|it| it.to_tag());
        let filter = RecallFilter {
            tags: self.tag.0.into_iter().chain(project).collect(),
            kinds: self.kind.0.into_iter().collect(),
            citing: self.citing.0,
            since: time(self.since, "since")?,
            until: time(self.until, "until")?,
            address: self.address.0,
        };
        Ok((filter, spaces))
    }
}

/// Those of the spaces in play that an address means.
pub(crate) fn narrow_to_address(
    spaces: Vec<Space>,
    address: Option<&MemoryAddress>,
) -> Result<Vec<Space>, ArgumentError> {
    match address {
        Some(it) => it
            .narrow_spaces(&spaces)
            .map_err(|error| ArgumentError::new("address", error)),
        None => Ok(spaces),
    }
}
