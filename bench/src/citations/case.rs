//! The cases: citations made at one commit of a real repository, and what became of them at another.

use std::path::Path;

use anyhow::Result;
use serde::Deserialize;

/// What kind of truth a case has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Class {
    /// The exact text is alive.
    Valid,
    /// Only spaces or the layout differ.
    Harmless,
    /// A person should look: a comment changed, or lines came in between.
    Review,
    /// The text is no longer there, or never was.
    Invalid,
}

/// A place as the cases spell it: path, first line, last line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Place(pub(crate) String, pub(crate) u32, pub(crate) u32);

impl Place {
    /// Whether the two have a line in common.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.0 == other.0 && self.1 <= other.2 && other.1 <= self.2
    }
}

/// One citation, with what really happened to it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Case {
    /// Its name.
    pub(crate) id: String,
    /// The short name of its repository.
    pub(crate) repo: String,
    /// The language of the file.
    pub(crate) lang: String,
    /// The commit that was cited.
    #[serde(rename = "A")]
    pub(crate) then: String,
    /// The commit at which it is looked up.
    #[serde(rename = "B")]
    pub(crate) now: String,
    /// How many commits lie between, roughly: a number or a word.
    dist_class: serde_json::Value,
    /// The cited file.
    pub(crate) path: String,
    /// The first cited line.
    pub(crate) line_start: u32,
    /// The last cited line.
    pub(crate) line_end: u32,
    /// The digest of the cited lines.
    pub(crate) snippet_sha256: String,
    /// What happened.
    pub(crate) label: String,
    /// The group of the label.
    pub(crate) class: Class,
    /// Where the text is alive.
    pub(crate) expected: Vec<Place>,
    #[serde(default)]
    ambiguous: Option<String>,
}

impl Case {
    /// The cited place.
    pub(crate) fn place(&self) -> Place {
        Place(self.path.clone(), self.line_start, self.line_end)
    }

    /// How far the two commits are apart, as a word.
    pub(crate) fn distance(&self) -> String {
        self.dist_class
            .as_str()
            .map_or_else(|| self.dist_class.to_string(), str::to_owned)
    }

    /// Why the truth of this case is open to dispute; such cases are left out of every measure.
    pub(crate) fn ambiguous(&self) -> Option<&str> {
        self.ambiguous.as_deref().filter(|it| !it.is_empty())
    }
}

/// Reads cases, one JSON object a line, packed with gzip where the name says so; at most `first` of them.
pub(crate) fn read(path: &Path, first: Option<usize>) -> Result<Vec<Case>> {
    crate::lines::read(path, first, "case")
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs::File;
    use std::io::Write as _;

    use super::*;

    /// A case of this label and class whose text is alive at these places.
    pub(crate) fn case(label: &str, class: &str, expected: &[(&str, u32, u32)]) -> Case {
        let value = serde_json::json!({
            "id": label, "repo": "app", "lang": "rust", "A": "a", "B": "b", "dist_class": 10, "path": "a.rs",
            "line_start": 3, "line_end": 4, "snippet_sha256": "", "label": label, "class": class,
            "expected": expected, "ambiguous": null,
        });
        serde_json::from_value(value).unwrap()
    }

    impl Case {
        pub(crate) fn set_ambiguous(&mut self, why: &str) {
            self.ambiguous = Some(why.into());
        }
    }

    #[test]
    fn cases_are_read_plain_and_packed() {
        let line = |id: &str, dist: &str| {
            format!(
                r#"{{"id":"{id}","repo":"jq","lang":"c","A":"a","B":"b","dist_class":{dist},"path":"x.c","line_start":1,
                "line_end":2,"snippet_sha256":"","label":"intact","class":"valid","expected":[["x.c",1,2]],"new":1}}"#
            )
            .replace('\n', " ")
        };
        let text = format!("{}\n\n{}\n", line("one", "10"), line("two", "\"HEAD\""));
        let dir = tempfile::tempdir().unwrap();
        let (plain, packed) = (dir.path().join("c.jsonl"), dir.path().join("c.jsonl.gz"));
        std::fs::write(&plain, &text).unwrap();
        let mut gz = flate2::write::GzEncoder::new(
            File::create(&packed).unwrap(),
            flate2::Compression::fast(),
        );
        gz.write_all(text.as_bytes()).unwrap();
        gz.finish().unwrap();
        for path in [&plain, &packed] {
            let cases = read(path, None).unwrap();
            assert_eq!(
                cases.iter().map(Case::distance).collect::<Vec<_>>(),
                ["10", "HEAD"]
            );
            assert_eq!(cases[0].expected, [Place("x.c".into(), 1, 2)]);
            assert_eq!(read(path, Some(1)).unwrap().len(), 1);
        }
        std::fs::write(&plain, "{}\n").unwrap();
        assert!(format!("{:#}", read(&plain, None).unwrap_err()).contains("line 1"));
    }
}
