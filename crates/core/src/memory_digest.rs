//! The digest of what a memory says: whoever has the text can tell whether it is the text that was kept.

use crate::memory::Memory;
use apostille_text::digest::Digest;

/// What the canonical form begins with, so that no other text has the same one.
const FORM: &str = "apostille memory 1";

impl Memory {
    /// The SHA-256 of what it says: whose it is, layer and kind, subject, fact, reason and task, who said it, its tags and
    /// what it cites. Where it stands, its number, its times and its counters are not part of it.
    ///
    /// The canonical form is a row of parts, each written as its length in bytes, a colon and its bytes; `-` is a part
    /// that is not there. The parts are: `apostille memory 1`; space; layer; kind; subject; fact; reason; task; origin;
    /// channel; `tainted` or nothing; `exposed` or nothing; author; session; the number of tags and each tag; and the number of citations and, for each,
    /// its path, first and last line, commit, and the SHA-256 of the cited text in hexadecimal digits.
    #[must_use]
    pub fn content_digest(&self) -> Digest {
        let mut form = CanonicalForm::default();
        form.push_part(FORM)
            .push_part(self.space.as_str())
            .push_part(self.layer.as_str())
            .push_part(self.kind.as_str());
        form.push_optional(self.subject.as_deref())
            .push_part(&self.fact)
            .push_optional(self.reason.as_deref());
        form.push_optional(self.task.as_deref())
            .push_part(self.voice.origin.as_str());
        form.push_part(self.voice.channel.as_str())
            .push_optional(self.voice.tainted.then_some("tainted"));
        form.push_optional(self.voice.exposed.then_some("exposed"));
        form.push_optional(self.voice.author.as_deref())
            .push_optional(self.voice.session.as_deref());
        form.push_part(&self.tags.len().to_string());
        for tag in &self.tags {
            form.push_part(tag);
        }
        form.push_part(&self.citations.len().to_string());
        for it in &self.citations {
            form.push_part(it.path.as_str())
                .push_part(&it.lines.first_line().to_string())
                .push_part(&it.lines.last_line().to_string());
            form.push_optional(it.commit.as_deref())
                .push_part(&it.digest.to_string());
        }
        Digest::hash_bytes(form.0.as_bytes())
    }
}

#[derive(Default)]
struct CanonicalForm(String);

impl CanonicalForm {
    fn push_part(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&text.len().to_string());
        self.0.push(':');
        self.0.push_str(text);
        self
    }

    fn push_optional(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.push_part(text),
            None => {
                self.0.push('-');
                self
            }
        }
    }
}
