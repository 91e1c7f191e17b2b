//! The digest of what a memory says: whoever has the text can tell whether it is the text that was kept.

use crate::{evidence::Evidence, memory::Memory};
use apostille_text::digest::Digest;

/// What the canonical form begins with, so that no other text has the same one.
const FORM: &str = "apostille memory 1";
/// What it begins with where there is evidence beside citations, which version 1 did not have.
const FORM_WITH_EVIDENCE: &str = "apostille memory 2";

impl Memory {
    /// The SHA-256 of what it says: whose it is, layer and kind, subject, fact, reason and task, who said it, its tags and
    /// what it cites. Where it stands, its number, its times and its counters are not part of it.
    ///
    /// The canonical form is a row of parts, each written as its length in bytes, a colon and its bytes; `-` is a part
    /// that is not there. The parts are: `apostille memory 1`; space; layer; kind; subject; fact; reason; task; origin;
    /// channel; `tainted` or nothing; `exposed` or nothing; author; session; the number of tags and each tag; and the number of citations and, for each,
    /// its path, first and last line, commit, and the SHA-256 of the cited text in hexadecimal digits. Where there is other
    /// evidence, the form begins with `apostille memory 2`, and for each piece there follow its kind, the quote or the
    /// command, and the session; of a comment, `#12 345` for pull request and comment, and the reviewer.
    pub fn content_digest(&self) -> Digest {
        let (voice, mut form) = (&self.voice, String::new());
        let parts = [
            Some(if self.evidence.is_empty() {
                FORM
            } else {
                FORM_WITH_EVIDENCE
            }),
            Some(self.space.as_str()),
            Some(self.layer.as_str()),
            Some(self.kind.as_str()),
            self.subject.as_deref(),
            Some(&self.fact),
            self.reason.as_deref(),
            self.task.as_deref(),
            Some(voice.origin.as_str()),
            Some(voice.channel.as_str()),
            voice.tainted.then_some("tainted"),
            voice.exposed.then_some("exposed"),
            voice.author.as_deref(),
            voice.session.as_deref(),
        ];
        for part in parts {
            push_part(&mut form, part);
        }
        push_part(&mut form, Some(&self.tags.len().to_string()));
        for tag in &self.tags {
            push_part(&mut form, Some(tag));
        }
        push_part(&mut form, Some(&self.citations.len().to_string()));
        for it in &self.citations {
            push_part(&mut form, Some(it.path.as_str()));
            push_part(&mut form, Some(&it.lines.first_line().to_string()));
            push_part(&mut form, Some(&it.lines.last_line().to_string()));
            push_part(&mut form, it.commit.as_deref());
            push_part(&mut form, Some(&it.digest.to_string()));
        }
        for it in &self.evidence {
            push_evidence(&mut form, it);
        }
        Digest::hash_bytes(form.as_bytes())
    }
}

fn push_evidence(form: &mut String, it: &Evidence) {
    push_part(form, Some(it.kind().as_str()));
    let comment;
    let (text, session) = match it {
        Evidence::Said(said) => (&said.quote, Some(&said.session)),
        Evidence::Ran(run) => (&run.command, run.session.as_ref()),
        Evidence::Review(remark) => {
            comment = format!("#{} {}", remark.pull_request, remark.comment);
            (&comment, Some(&remark.reviewer))
        }
        Evidence::Episodes(support) => {
            let numbers = format!("{} of {}", support.found, support.of);
            push_part(form, Some(&numbers));
            return push_memory_ids(form, &support.episodes);
        }
        Evidence::Memories(ids) => return push_memory_ids(form, ids),
    };
    push_part(form, Some(text));
    push_part(form, session.map(String::as_str));
}

fn push_memory_ids(form: &mut String, ids: &[String]) {
    push_part(form, Some(&ids.len().to_string()));
    for it in ids {
        push_part(form, Some(it));
    }
}

fn push_part(form: &mut String, part: Option<&str>) {
    match part {
        Some(text) => form.push_str(&format!("{}:{text}", text.len())),
        None => form.push('-'),
    }
}
