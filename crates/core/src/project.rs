//! Projects: what a memory belongs to beside its repository. A repository may hold several, and one may span several.
//!
//! A project is kept as the tag `project:NAME`, so that every store, export and older program knows it.

use std::fmt;
use std::str::FromStr;

use apostille_text::secrets::mask_secrets;

/// What stands before the name in a tag.
const PREFIX: &str = "project:";
/// The longest name, in characters: with the prefix it is as long as a tag may be.
const MAX_CHARS: usize = 32;

/// The name of a project, in lower case.
///
/// ```
/// let project: apostille_core::project::ProjectName = "Billing".parse()?;
/// assert_eq!(project.to_tag(), "project:billing");
/// # Ok::<(), apostille_core::project::BadProjectName>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectName(String);

/// Text that is not the name of a project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a project's name: write 1 to {MAX_CHARS} letters, digits, '-', '_', '.' or '/'"
)]
pub struct BadProjectName(String);

impl ProjectName {
    /// The tag that memories of the project carry.
    pub fn to_tag(&self) -> String {
        format!("{PREFIX}{}", self.0)
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for ProjectName {
    type Err = BadProjectName;

    fn from_str(text: &str) -> Result<Self, BadProjectName> {
        let name = text.trim().trim_start_matches(PREFIX).to_lowercase();
        let is_good = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
        let is_long = name.chars().count() > MAX_CHARS;
        if name.is_empty() || is_long || !name.chars().all(is_good) {
            return Err(BadProjectName(
                mask_secrets(text).chars().take(60).collect(),
            ));
        }
        Ok(Self(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_names_are_checked() {
        let check = |text: &str, expected: Option<&str>| {
            let tag = text.parse::<ProjectName>().ok().map(|it| it.to_tag());
            assert_eq!(tag.as_deref(), expected, "{text:?}");
        };
        check(" Billing ", Some("project:billing"));
        check("project:billing", Some("project:billing"));
        check("api/v2", Some("project:api/v2"));
        check("Überweisung", Some("project:überweisung"));
        check("", None);
        check("two words", None);
        check(&"a".repeat(33), None);
    }
}
