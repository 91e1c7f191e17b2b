//! Stage one: a draft that holds a secret is refused; hidden characters, markup that acts and forged delimiters are
//! taken out; instruction-like text and letters that pass for others are marked.

use apostille_text::moderate::{has_confusable_word, is_instruction, sanitise_text_in_place};

use crate::{
    memory::{Draft, DuplicateChoice, ModerationMark, Vouching},
    refusal::{Refusal, check_text},
};

/// A draft whose texts hold no secret and no hidden characters.
#[derive(Debug, Clone)]
pub struct Moderated {
    pub(super) draft: Draft,
    pub(super) marks: Vec<ModerationMark>,
}

/// Cleans the texts of a draft, or refuses it.
pub fn moderate_draft(mut draft: Draft) -> Result<Moderated, Refusal> {
    let mut marks = Vec::from_iter(judge_draft_secrets(&draft)?);
    let mut touched = false;
    for text in draft_texts_mut(&mut draft) {
        // Line ends of another system hide nothing.
        if text.contains("\r\n") {
            *text = text.replace("\r\n", "\n");
        }
        touched |= sanitise_text_in_place(text);
    }
    trim_draft_texts(&mut draft);
    if touched {
        // What was hidden may have broken up a secret.
        marks.extend(judge_draft_secrets(&draft)?);
        marks.push(ModerationMark::Neutralised);
    }
    // An order may be split over the fields beside the fact.
    if is_instruction(&draft.fact) || is_instruction(&join_short_texts(&draft, "\n")) {
        marks.push(ModerationMark::Instruction);
    }
    if draft_texts_mut(&mut draft).any(|it| has_confusable_word(it)) {
        marks.push(ModerationMark::Confusable);
    }
    marks.sort();
    marks.dedup();
    Ok(Moderated { draft, marks })
}

/// Refuses a draft that holds a secret; one that a person cleared is marked instead.
fn judge_draft_secrets(draft: &Draft) -> Result<Option<ModerationMark>, Refusal> {
    match check_draft_secrets(draft) {
        _ if draft.clearance == Vouching::Missing => Err(Refusal::NotAPerson),
        Err(Refusal::Secret { .. }) if draft.clearance.is_given() => {
            Ok(Some(ModerationMark::NotASecret))
        }
        checked => checked.map(|()| None),
    }
}

/// Everything that is said beside the fact, as one text.
fn join_short_texts(draft: &Draft, between: &str) -> String {
    let texts: Vec<&str> = list_short_texts(draft).map(|(_, text)| text).collect();
    texts.join(between)
}

/// Takes off the outer spaces of every text but a fact that is to be kept as it is.
fn trim_draft_texts(draft: &mut Draft) {
    let layout = draft.is_verbatim.then(|| draft.fact.clone());
    for text in draft_texts_mut(draft) {
        let trimmed = text.trim();
        if trimmed.len() < text.len() {
            *text = trimmed.to_owned();
        }
    }
    if let Some(fact) = layout {
        draft.fact = fact;
    }
}

/// Refuses a draft that holds a secret in any field. The short fields are looked through as one text: they seldom hold
/// anything, and which of them did is asked only then.
fn check_draft_secrets(draft: &Draft) -> Result<(), Refusal> {
    check_text("fact", &draft.fact)?;
    if check_text("tags", &join_short_texts(draft, BETWEEN)).is_err() {
        // Nothing of it by itself: then the fields only looked like a secret side by side.
        list_short_texts(draft).try_for_each(|(field, text)| check_text(field, text))?;
    }
    Ok(())
}

/// What no token can reach across.
const BETWEEN: &str = " \u{2016} ";

fn list_short_texts(draft: &Draft) -> impl Iterator<Item = (&'static str, &str)> {
    let told = [
        ("subject", draft.subject.as_ref()),
        ("reason", draft.reason.as_ref()),
        ("task", draft.task.as_ref()),
        ("said", draft.said.as_ref()),
        ("ran", draft.ran.as_ref()),
        ("rationale", draft.on_duplicate.rationale()),
        ("author", draft.voice.author.as_ref()),
        ("session", draft.voice.session.as_ref()),
    ];
    let told = told
        .into_iter()
        .filter_map(|(field, text)| Some((field, text?.as_str())));
    let tags = draft.tags.iter().map(|it| ("tags", it.as_str()));
    let places = draft.citations.iter();
    let places = places.flat_map(|it| [Some(it.path.as_str()), it.symbol()]);
    let places = places.flatten().map(|it| ("citations", it));
    told.chain(tags).chain(places)
}

fn draft_texts_mut(draft: &mut Draft) -> impl Iterator<Item = &mut String> {
    let optional = [
        &mut draft.subject,
        &mut draft.reason,
        &mut draft.task,
        &mut draft.said,
        &mut draft.ran,
        &mut draft.voice.author,
        &mut draft.voice.session,
    ];
    let rationale = match &mut draft.on_duplicate {
        DuplicateChoice::Create(why) => Some(why),
        _ => None,
    };
    optional
        .into_iter()
        .flatten()
        .chain([&mut draft.fact])
        .chain(rationale)
        .chain(&mut draft.tags)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Origin, Voice};
    use crate::space::Space;

    #[test]
    fn secret_scan_covers_every_field() {
        let secret = ["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"].concat();
        let base = || {
            Draft::new(
                Space::repo("a/b").unwrap(),
                "a fact",
                Voice::from_origin(Origin::Agent),
            )
        };
        let drafts = [
            Draft {
                fact: secret.clone(),
                ..base()
            },
            Draft {
                said: Some(secret.clone()),
                ..base()
            },
            Draft {
                ran: Some(secret.clone()),
                ..base()
            },
            Draft {
                subject: Some(secret.clone()),
                ..base()
            },
            Draft {
                reason: Some(secret.clone()),
                ..base()
            },
            Draft {
                tags: vec![secret.clone()],
                ..base()
            },
            Draft {
                task: Some(secret.clone()),
                ..base()
            },
            Draft {
                voice: Voice {
                    author: Some(secret.clone()),
                    ..Voice::from_origin(Origin::Agent)
                },
                ..base()
            },
        ];
        for draft in drafts {
            let refusal = moderate_draft(draft).map(|it| it.marks).unwrap_err();
            assert_eq!(
                refusal.to_string(),
                "text appears to contain a secret — not stored"
            );
        }
        assert!(moderate_draft(base()).is_ok());
    }

    #[test]
    fn clearance_marks_and_only_a_person_gives_it() {
        let secret = ["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"].concat();
        let check = |clearance, fact: &str, expected: Result<&[ModerationMark], Refusal>| {
            let voice = Voice::from_origin(Origin::User);
            let draft = Draft {
                clearance,
                ..Draft::new(Space::repo("a/b").unwrap(), fact, voice)
            };
            let found = moderate_draft(draft).map(|it| it.marks);
            assert_eq!(found.as_deref(), expected.as_ref().copied(), "{fact}");
        };
        let given = Vouching::Given(crate::memory::Vouch::new());
        check(given, &secret, Ok(&[ModerationMark::NotASecret]));
        check(given, "an ordinary fact", Ok(&[]));
        check(Vouching::Missing, &secret, Err(Refusal::NotAPerson));
        check(Vouching::Missing, "a fact", Err(Refusal::NotAPerson));
    }

    #[test]
    fn clean_keeps_outer_spaces_of_verbatim_fact() {
        let check = |is_verbatim: bool, expected: &str| {
            let voice = Voice::from_origin(Origin::Agent);
            let draft = Draft {
                subject: Some(" topic ".into()),
                is_verbatim,
                ..Draft::new(Space::repo("a/b").unwrap(), "\n  a\r\n\n\tb \n", voice)
            };
            let clean = moderate_draft(draft).unwrap().draft;
            assert_eq!(
                (clean.fact.as_str(), clean.subject.as_deref()),
                (expected, Some("topic"))
            );
        };
        check(false, "a\n\n\tb");
        check(true, "\n  a\n\n\tb \n");
    }
}
