//! What somebody typed into a form.

use apostille_cite::citation::CodeLocation;

use apostille_api::request_scope::RequestInput;

/// What somebody typed and wanted done, kept on the page when it was not.
#[derive(Debug, Default)]
pub struct SubmittedForm {
    pub(super) verb: &'static str,
    form: Vec<(String, String)>,
}

impl SubmittedForm {
    /// What was sent to do this.
    #[must_use]
    pub fn new(verb: &'static str, asked: &RequestInput) -> Self {
        Self {
            verb,
            form: asked.form_fields(),
        }
    }

    /// A form that is filled in with this beforehand.
    #[must_use]
    pub fn from_fields(fields: &[(&str, &str)]) -> Self {
        let form = fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Self { verb: "", form }
    }

    /// Nothing was typed; this is what to do next.
    pub(super) fn for_next_step(verb: &'static str) -> Self {
        Self {
            verb,
            form: Vec::new(),
        }
    }

    /// What was typed into a field of this verb's form.
    pub(super) fn value_for(&self, verb: &str, name: &str) -> Option<&str> {
        (self.verb == verb).then(|| self.field(name))?
    }

    /// What was typed into a field.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.form
            .iter()
            .find(|it| it.0 == name)
            .map(|it| it.1.as_str())
    }

    /// The same, where it says something.
    #[must_use]
    pub fn filled_text(&self, name: &str) -> Option<String> {
        self.field(name)
            .map(str::trim)
            .filter(|it| !it.is_empty())
            .map(Into::into)
    }

    /// The places that were typed, one a line.
    pub fn parse_places(&self) -> Result<Vec<CodeLocation>, String> {
        let lines = self.field("citations").unwrap_or_default().lines();
        let lines = lines.map(str::trim).filter(|it| !it.is_empty());
        lines
            .map(|it| {
                it.parse::<CodeLocation>()
                    .map_err(|error| error.to_string())
            })
            .collect()
    }

    /// The tags that were typed.
    #[must_use]
    pub fn parse_tags(&self) -> Vec<String> {
        let tags = self.field("tags").unwrap_or_default().split(',');
        tags.map(|it| it.trim().trim_start_matches('#').to_owned())
            .filter(|it| !it.is_empty())
            .collect()
    }
}
