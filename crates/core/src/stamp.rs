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
    pub fn digest(&self) -> Digest {
        let mut form = Form::default();
        form.part(FORM)
            .part(self.space.as_str())
            .part(self.layer.as_str())
            .part(self.kind.as_str());
        form.maybe(self.subject.as_deref())
            .part(&self.fact)
            .maybe(self.reason.as_deref());
        form.maybe(self.task.as_deref())
            .part(self.voice.origin.as_str());
        form.part(self.voice.channel.as_str())
            .maybe(self.voice.tainted.then_some("tainted"));
        form.maybe(self.voice.exposed.then_some("exposed"));
        form.maybe(self.voice.author.as_deref())
            .maybe(self.voice.session.as_deref());
        form.part(&self.tags.len().to_string());
        for tag in &self.tags {
            form.part(tag);
        }
        form.part(&self.citations.len().to_string());
        for it in &self.citations {
            form.part(it.path.as_str())
                .part(&it.lines.start().to_string())
                .part(&it.lines.end().to_string());
            form.maybe(it.commit.as_deref())
                .part(&it.digest.to_string());
        }
        Digest::of(form.0.as_bytes())
    }
}

#[derive(Default)]
struct Form(String);

impl Form {
    fn part(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&text.len().to_string());
        self.0.push(':');
        self.0.push_str(text);
        self
    }

    fn maybe(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.part(text),
            None => {
                self.0.push('-');
                self
            }
        }
    }
}
