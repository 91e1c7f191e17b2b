//! The names of a repository and of its owner say nothing inside of it: every memory there is about them.

use crate::space::Space;
use apostille_text::terms::extract_terms;

/// What is left of the weight of a word that is such a name.
const WHOLE: f32 = 0.1;
/// What is left of the weight of a word that is a part of one: `analyzer` in `rust-analyzer`.
const PART: f32 = 0.5;

/// The terms of a space's own names, each with what is left of its weight.
pub(super) struct OwnNames(Vec<(String, f32)>);

impl OwnNames {
    pub(super) fn of_space(space: &Space) -> Self {
        let names = space.as_str().rsplit('/').take(2);
        let names = names.filter(|_| !space.is_user());
        let terms = names.flat_map(|it| {
            let terms = extract_terms(it);
            let last = terms.len().saturating_sub(1);
            let weigh = move |(at, (term, _)): (usize, (String, u32))| {
                (term, if at == last { WHOLE } else { PART })
            };
            terms.into_iter().enumerate().map(weigh)
        });
        Self(terms.collect())
    }

    /// How much of its weight a term keeps.
    pub(super) fn kept_weight(&self, term: &str) -> f32 {
        let own = self.0.iter().filter(|it| it.0 == term).map(|it| it.1);
        own.fold(1.0, f32::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_names_keep_little_weight() {
        let check = |space: &str, term: &str, expected: f32| {
            let names = OwnNames::of_space(&space.parse().unwrap());
            assert_eq!(names.kept_weight(term), expected, "{term} in {space}");
        };
        check("github.com/octo/app", "app", 0.1);
        check("github.com/octo/app", "octo", 0.1);
        check("github.com/octo/app", "github", 1.0);
        check("rust-lang/rust-analyzer", "rustanalyzer", 0.1);
        check("rust-lang/rust-analyzer", "analyz", 0.5);
        check("users/octo", "octo", 1.0);
    }
}
