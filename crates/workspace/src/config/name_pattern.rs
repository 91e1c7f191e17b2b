//! Lists of repositories as a user writes them: `octo/app, octo/lib`, or `octo/*` for all that lie directly below.

use apostille_core::space::Space;

/// The names of repositories, some with a star as their last part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct NamePatterns {
    patterns: Vec<String>,
}

impl NamePatterns {
    /// Reads a list whose names have this many parts; `expected` says what one looks like.
    pub(super) fn parse_list(
        text: &str,
        n_parts: std::ops::RangeInclusive<usize>,
        expected: &str,
    ) -> Result<Self, String> {
        let patterns = text.split([',', ' ']).filter(|it| !it.is_empty());
        let check = |pattern: &str| {
            let name = pattern.strip_suffix("/*").map(|it| format!("{it}/all"));
            let name = name.as_deref().unwrap_or(pattern);
            match Space::repo(name) {
                Ok(_) if n_parts.contains(&name.split('/').count()) => {
                    Ok(pattern.to_ascii_lowercase())
                }
                _ => Err(format!(
                    "'{pattern}' is not a repository; expected {expected}"
                )),
            }
        };
        Ok(Self {
            patterns: patterns.map(check).collect::<Result<_, _>>()?,
        })
    }

    /// Whether a name, in lower case, is on the list.
    pub(super) fn has_name(&self, name: &str) -> bool {
        let is_it = |pattern: &String| match pattern.strip_suffix("/*") {
            Some(above) => {
                let last = name.strip_prefix(above).and_then(|it| it.strip_prefix('/'));
                last.is_some_and(|it| !it.is_empty() && !it.contains('/'))
            }
            None => name == pattern,
        };
        self.patterns.iter().any(is_it)
    }
}

impl std::fmt::Display for NamePatterns {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match &self.patterns[..] {
            [] => f.write_str("none"),
            patterns => f.write_str(&patterns.join(", ")),
        }
    }
}
