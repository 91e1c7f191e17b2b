//! What somebody typed into a form.

use std::fmt::Display;
use std::str::FromStr;

use apostille_cite::citation_request::CitationRequest;
use apostille_core::{memory::Draft, space::Space};

use apostille_api::request_scope::{RequestInput, RequestScope};

/// What somebody typed and wanted done, kept on the page when it was not.
#[derive(Debug, Default)]
pub struct SubmittedForm {
    pub(crate) verb: &'static str,
    form: Vec<(String, String)>,
}

impl SubmittedForm {
    /// What was sent to do this.
    pub fn new(verb: &'static str, asked: &RequestInput) -> Self {
        Self {
            verb,
            form: asked.form_fields(),
        }
    }

    /// A form that is filled in with this beforehand.
    pub fn from_fields(fields: [(&str, &str); 2]) -> Self {
        let form = fields.map(|(name, value)| (name.into(), value.into()));
        Self {
            verb: "",
            form: form.into(),
        }
    }

    /// What was typed into a field of this verb's form.
    pub fn value_for(&self, verb: &str, name: &str) -> Option<&str> {
        (self.verb == verb).then(|| self.field(name))?
    }

    /// What was typed into a field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.form
            .iter()
            .find(|it| it.0 == name)
            .map(|it| it.1.as_str())
    }

    /// What was chosen in a field, where that is something.
    pub fn parse_filled<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>, String> {
        let chosen = self.field(name).filter(|it| !it.is_empty());
        chosen
            .map(str::parse)
            .transpose()
            .map_err(|error: T::Err| error.to_string())
    }

    /// What was typed into a field, where it says something.
    pub fn filled_text(&self, name: &str) -> Option<String> {
        let text = self.field(name)?.trim();
        (!text.is_empty()).then(|| text.into())
    }

    /// The places that were typed, one a line.
    pub fn parse_places(&self) -> Result<Vec<CitationRequest>, String> {
        let lines = self.field("citations").unwrap_or_default().lines();
        let lines = lines.map(str::trim).filter(|it| !it.is_empty());
        lines
            .map(|it| it.parse().map_err(|error| format!("{error}")))
            .collect()
    }

    /// What was typed as a draft of this space; a person may vouch for it.
    pub fn parse_draft(&self, scope: &RequestScope, space: &Space) -> Result<Draft, String> {
        let tags = self.field("tags").unwrap_or_default().split(',');
        let fact = self.filled_text("fact").unwrap_or_default();
        Ok(Draft {
            subject: self.filled_text("subject"),
            reason: self.filled_text("reason"),
            tags: tags
                .map(|it| it.trim().trim_start_matches('#').to_owned())
                .filter(|it| !it.is_empty())
                .collect(),
            citations: self.parse_places()?,
            ..Draft::new(space.clone(), fact, scope.voice())
        }
        .with_vouching(self.field("force").is_some(), scope.person()))
    }
}
