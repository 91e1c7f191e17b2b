//! Steps of consolidation on their way into the review queue.

use apostille_audit::consolidate::{ConsolidationCause, ConsolidationStep, plan_consolidation};
use apostille_core::{
    Context, CoreError,
    evidence::Evidence,
    memory::{Draft, DuplicateChoice, Layer, Memory, MemoryName, ReplacementKind, Stage},
    remember::{
        RememberOutcome,
        consolidation::{CONSOLIDATION_TAG, SAME_TAG},
        remember,
    },
    space::Space,
    store::MemoryFilter,
};
use apostille_text::shorten::shorten_text;

use crate::propose::{MAX_WAITING, ProposeOutcome, count_waiting, own_voice};

/// How much of a fact is quoted, in characters.
const QUOTE: usize = 110;
/// How many memories give way at once.
const MAX_OTHERS: usize = 8;
/// How many steps of before are looked through.
const MAX_KNOWN: usize = 1_000;

/// Proposes what the audit finds to be said twice or otherwise, as far as the queue has room. What was proposed before is not
/// proposed again, whatever became of it.
pub fn propose_consolidation(cx: &Context, spaces: &[Space]) -> Result<ProposeOutcome, CoreError> {
    let mut outcome = ProposeOutcome::default();
    for space in spaces {
        let known = list_earlier_steps(cx, space)?;
        let mut room = MAX_WAITING.saturating_sub(count_waiting(cx, space, CONSOLIDATION_TAG)?);
        for mut step in plan_consolidation(cx, std::slice::from_ref(space))? {
            step.others.truncate(MAX_OTHERS);
            let ids = list_step_ids(&step);
            if known.contains(&ids) {
                outcome.n_known += 1;
            } else if room == 0 {
                outcome.n_later += 1;
            } else {
                match remember(cx, draft_step(space, &step, ids))? {
                    RememberOutcome::Remembered { memory, .. } => {
                        room -= 1;
                        outcome.proposed.push(*memory);
                    }
                    _ => outcome.n_known += 1,
                }
            }
        }
    }
    Ok(outcome)
}

fn list_step_ids(step: &ConsolidationStep) -> Vec<String> {
    let others = step.others.iter().map(|it| it.id.to_string());
    [step.keep.id.to_string()]
        .into_iter()
        .chain(others)
        .collect()
}

/// The memories of each step that was proposed before.
fn list_earlier_steps(cx: &Context, space: &Space) -> Result<Vec<Vec<String>>, CoreError> {
    let filter = MemoryFilter {
        spaces: vec![space.clone()],
        stages: Stage::ALL.to_vec(),
        tags: vec![CONSOLIDATION_TAG.into()],
        limit: MAX_KNOWN,
        ..MemoryFilter::default()
    };
    let steps = cx.store.list_memories(&filter)?.into_iter();
    let ids = |it: Memory| {
        it.evidence.into_iter().find_map(|it| match it {
            Evidence::Memories(ids) => Some(ids),
            _ => None,
        })
    };
    Ok(steps.filter_map(ids).collect())
}

fn draft_step(space: &Space, step: &ConsolidationStep, ids: Vec<String>) -> Draft {
    let quote = |it: &Memory| {
        let plain = it.fact.replace(['.', '!', '?'], " ");
        let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{} “{}”", it.handle(), shorten_text(&plain, QUOTE))
    };
    let others: Vec<String> = step.others.iter().take(3).map(quote).collect();
    let more = step.others.len().saturating_sub(others.len());
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let verb = if step.others.len() == 1 {
        "gives"
    } else {
        "give"
    };
    let fact = format!(
        "{}{more} {verb} way to {}",
        others.join(", "),
        quote(&step.keep)
    );
    let mut tags = vec![CONSOLIDATION_TAG.to_owned()];
    if step.cause == ConsolidationCause::Same {
        tags.push(SAME_TAG.into());
    }
    let old = step.others.first().map(|it| MemoryName::Id(it.id));
    Draft {
        layer: Some(Layer::Knowledge),
        kind: Some(step.keep.kind),
        subject: Some(CONSOLIDATION_TAG.into()),
        reason: Some(step.describe_reason()),
        found: Some(Evidence::Memories(ids)),
        tags,
        on_duplicate: match old {
            Some(name) => DuplicateChoice::Replace(name, ReplacementKind::Better),
            None => DuplicateChoice::Skip,
        },
        ..Draft::new(space.clone(), fact, own_voice())
    }
}
