//! How far a memory is trusted, term by term: who said it, who else says so, and how often its code was found to hold. Mild on
//! purpose: text decides what is relevant, and quarantine, not a score, keeps poison out. How long nobody has confirmed what
//! nothing proves is no part of the score: it decided half of the questions about old conversations, against the text. It
//! only counts for the floor.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::hit::{RecallHit, TrustFactor};
use crate::memory::{Memory, Origin};

/// Below this nothing is shown by itself. Only words from outside that nobody confirmed for over a year get here.
const FLOOR: f32 = 0.6;
/// What is left of the trust in words from outside, though somebody let them in.
const OUTSIDE: f32 = 0.8;
/// How much independent voices can add.
const VOUCHED: f32 = 0.06;
/// How much a history of holding can add.
const PROVEN: f32 = 0.04;
/// How much of the trust in what nothing proves is lost in the long run, and after how many days half of that.
const AGED: f32 = 0.3;
const HALF_LIFE_DAYS: f32 = 180.0;
/// One source from outside fills at most one line in so many.
const SHARE: usize = 5;

/// How far a memory is trusted.
pub fn compute_trust(memory: &Memory) -> TrustFactor {
    let mut trust = TrustFactor::neutral();
    let few = |n: usize| 1.0 - 1.0 / (1.0 + n as f32);
    let origin = memory.voice.origin;
    trust.add_factor(origin.as_str(), origin_trust_factor(origin));
    if is_strange(memory) {
        trust.add_factor("from outside", OUTSIDE);
    }
    let n_vouchers = memory.vouchers.len();
    trust.add_factor(
        &format!("{n_vouchers} more say so"),
        1.0 + VOUCHED * few(n_vouchers),
    );
    if !memory.citations.is_empty() {
        let n = memory.usage.verified;
        trust.add_factor(
            &format!("found to hold {n}×"),
            1.0 + PROVEN * few(n as usize),
        );
    }
    trust
}

fn origin_trust_factor(origin: Origin) -> f32 {
    match origin {
        Origin::UserCorrection => 1.1,
        Origin::User => 1.06,
        Origin::Review => 1.03,
        Origin::Agent => 1.0,
        Origin::System => 0.92,
    }
}

/// What no code proves is less sure the longer nobody has said it again; a person's word does not age.
fn age_trust_factor(memory: &Memory, now: Timestamp) -> f32 {
    if memory.voice.is_person() || !memory.citations.is_empty() {
        return 1.0;
    }
    let days = days_since(memory.refreshed_at, now);
    1.0 - AGED + AGED * (-days / HALF_LIFE_DAYS).exp2()
}

/// How many days have passed since then.
pub(super) fn days_since(then: Timestamp, now: Timestamp) -> f32 {
    now.duration_since(then).as_secs_f32().max(0.0) / 86_400.0
}

/// Leaves out what is trusted too little, and what one source from outside has more of than its share.
pub(super) fn admit_trusted_hits(
    mut hits: Vec<RecallHit>,
    count: usize,
    now: Timestamp,
) -> Vec<RecallHit> {
    let room = outside_source_share(count);
    let mut taken: BTreeMap<(String, String), usize> = BTreeMap::new();
    hits.retain(|it| {
        let is_trusted = it.why.trust.factor * age_trust_factor(&it.memory, now) >= FLOOR;
        let Some(source) = find_outside_source(&it.memory).filter(|_| is_trusted) else {
            return is_trusted;
        };
        let n = taken.entry(source).or_default();
        *n += 1;
        *n <= room
    });
    hits
}

/// How many of so many lines may come from one source outside: a fifth, and one that a person let in is never silenced.
pub(super) fn outside_source_share(shown: usize) -> usize {
    (shown / SHARE).max(1)
}

/// Where words from outside come from; `None` for what was said here.
pub(super) fn find_outside_source(memory: &Memory) -> Option<(String, String)> {
    let voice = &memory.voice;
    let author = voice.author.clone().unwrap_or_default();
    is_strange(memory).then(|| (voice.channel.to_string(), author))
}

/// Whether only one person let the words of somebody outside in. A reviewer's rule is no such thing: several asked for it.
fn is_strange(memory: &Memory) -> bool {
    memory.voice.tainted && memory.voice.origin != Origin::Review
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Channel, Voice};
    use crate::notebook::NotebookNote;
    use crate::space::Space;

    #[test]
    fn each_term_is_told() {
        let plain = plain_memory();
        let check = |voice: Voice, vouchers: usize, expected: &str| {
            let vouchers = (0..vouchers).map(|it| it.to_string()).collect();
            let memory = Memory {
                voice,
                vouchers,
                ..plain.clone()
            };
            assert_eq!(compute_trust(&memory).terms.join(", "), expected);
        };
        let agent = || Voice::from_origin(Origin::Agent);
        check(agent(), 0, "");
        check(agent().with_channel(Channel::Issue), 0, "from outside 0.80");
        check(agent(), 3, "3 more say so 1.04");
        check(Voice::from_origin(Origin::User), 0, "user 1.06");
        check(Voice::from_origin(Origin::System), 0, "system 0.92");
    }

    #[test]
    fn age_counts_for_the_floor_alone() {
        let now: Timestamp = "2026-02-26T12:00:00Z".parse().unwrap();
        let later = |days: i64| now + jiff::SignedDuration::from_hours(24 * days);
        let is_admitted = |voice: Voice, days: i64| {
            let memory = Memory {
                voice,
                ..plain_memory()
            };
            let mut hit = RecallHit::new(memory, 1.0, 1.0, Vec::new());
            hit.why.trust = compute_trust(&hit.memory);
            !admit_trusted_hits(vec![hit], 5, later(days)).is_empty()
        };
        let agent = || Voice::from_origin(Origin::Agent);
        assert!(is_admitted(agent(), 4_000));
        assert!(is_admitted(agent().with_channel(Channel::Web), 10));
        assert!(!is_admitted(agent().with_channel(Channel::Web), 800));
    }

    fn plain_memory() -> Memory {
        let note = r#"{"id": "m-1", "ts": "2026-02-26T12:00:00Z", "text": "a fact", "scope": "workspace", "tags": []}"#;
        let note = NotebookNote::parse_line(note).unwrap();
        note.into_memory(Space::repo("a/b").unwrap())
    }
}
