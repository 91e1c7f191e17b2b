//! Where two memories apply: to the same folders, to nested ones, or apart.

use std::collections::BTreeSet;

use crate::{memory::Memory, review_remarks::scope::RuleScope};

/// Where two memories apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleOverlap {
    /// To the same folders.
    Same,
    /// One of them to a part of what the other applies to.
    Nested,
    /// To folders that have nothing to do with each other.
    Apart,
}

/// Where two memories apply: to the folders of what they cite; a reviewer's rule, to those that its comments were about; what
/// cites nothing, to the whole repository.
pub fn compare_modules(a: &Memory, b: &Memory) -> ModuleOverlap {
    let (a, b) = (list_cited_folders(a), list_cited_folders(b));
    let holds = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer);
        outer.is_empty() || rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
    };
    let is_nested = |x: &&str| b.iter().any(|y| holds(x, y) || holds(y, x));
    if a == b {
        ModuleOverlap::Same
    } else if a.iter().any(is_nested) {
        ModuleOverlap::Nested
    } else {
        ModuleOverlap::Apart
    }
}

fn list_cited_folders(memory: &Memory) -> BTreeSet<&str> {
    if memory.citations.is_empty() {
        return BTreeSet::from([RuleScope::of_memory(memory).folder]);
    }
    let paths = memory.citations.iter().map(|it| it.path.as_str());
    paths
        .map(|it| it.rsplit_once('/').map_or("", |(folder, _)| folder))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_the_folders_of_what_is_cited() {
        let memory = |paths: &[&str]| {
            let line = r#"{"id":"m-1","text":"t","ts":"2026-02-26T12:00:00Z"}"#;
            let note = crate::notebook::NotebookNote::parse_line(line).unwrap();
            let mut memory = note.into_memory(crate::space::Space::repo("o/n").unwrap());
            let captured = |it: &&str| {
                let blob = apostille_cite::source::SourceBlob {
                    id: None,
                    bytes: b"a\n".to_vec(),
                };
                apostille_cite::capture::build_citation(
                    &format!("{it}:1").parse().unwrap(),
                    &blob,
                    None,
                )
                .unwrap()
            };
            memory.citations = paths.iter().map(captured).collect();
            memory
        };
        let check = |a: &[&str], b: &[&str], expected: ModuleOverlap| {
            assert_eq!(
                compare_modules(&memory(a), &memory(b)),
                expected,
                "{a:?} {b:?}"
            );
            assert_eq!(
                compare_modules(&memory(b), &memory(a)),
                expected,
                "{b:?} {a:?}"
            );
        };
        check(&[], &[], ModuleOverlap::Same);
        check(&["src/api/a.rs"], &["src/api/b.rs"], ModuleOverlap::Same);
        check(&["Cargo.toml"], &[], ModuleOverlap::Same);
        check(&["src/api/a.rs"], &[], ModuleOverlap::Nested);
        check(&["src/api/a.rs"], &["src/a.rs"], ModuleOverlap::Nested);
        check(&["a/x", "b/x"], &["b/y"], ModuleOverlap::Nested);
        check(&["a/x"], &["b/x"], ModuleOverlap::Apart);
        check(&["src/api/a.rs"], &["src/apis/a.rs"], ModuleOverlap::Apart);
    }
}
