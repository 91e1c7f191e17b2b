//! Where a person's own preference meets a rule of the repository: the rule goes before it, and the reader sees both.

use crate::{
    Context, CoreError,
    memory::{Handle, Layer, Memory, MemoryId},
    recall::{RecallOutcome, RecallRequest, VerifiedHit, query::Style, render::render_block},
    remember::{DraftRelation, dedupe},
    space::Space,
    store::StoreError,
    verify,
};

/// How many preferences of a page are looked at.
const MAX_LOOKED_AT: usize = 8;

impl RecallOutcome {
    /// The same with the mark at each preference that a rule of the repository contradicts, in the text for a model as well.
    pub fn with_overruled_preferences(
        mut self,
        cx: &Context,
        ask: &RecallRequest,
    ) -> Result<Self, CoreError> {
        if let Some(repo) = ask.spaces.iter().find(|it| !it.is_user()) {
            mark_overruled_preferences(cx, repo, &mut self.shown)?;
        }
        if self.shown.iter().any(|it| it.overruled_by.is_some()) {
            self.block = render_block(&self.shown, ask.style.unwrap_or(Style::Verified));
        }
        Ok(self)
    }
}

/// Marks the preferences among these that a rule of the repository contradicts; a rule that is shown itself comes before them.
pub fn mark_overruled_preferences(
    cx: &Context,
    repo: &Space,
    hits: &mut [VerifiedHit],
) -> Result<(), StoreError> {
    let is_preference =
        |it: &VerifiedHit| it.hit.memory.space.is_user() && it.hit.memory.layer == Layer::Knowledge;
    let places = (0..hits.len()).filter(|at| is_preference(&hits[*at]));
    for at in places.take(MAX_LOOKED_AT).collect::<Vec<_>>() {
        hits[at].overruled_by = find_overruling_rule(cx, repo, &hits[at].hit.memory)?;
    }
    for at in 0..hits.len() {
        let shown = |rule: Handle| {
            let is_rule =
                |it: &VerifiedHit| it.hit.memory.handle() == rule && !it.hit.memory.space.is_user();
            hits[at..].iter().position(is_rule)
        };
        if let Some(behind) = hits[at].overruled_by.and_then(shown) {
            hits[at..=at + behind].rotate_right(1);
        }
    }
    Ok(())
}

/// The rule of a repository that a preference contradicts, where it holds here.
fn find_overruling_rule(
    cx: &Context,
    repo: &Space,
    preference: &Memory,
) -> Result<Option<Handle>, StoreError> {
    let as_rule = Memory {
        space: repo.clone(),
        ..preference.clone()
    };
    let mut near = dedupe::find_similar_memories(cx, &as_rule)?;
    near.retain(|it| it.relation == DraftRelation::Contradiction);
    let ids: Vec<MemoryId> = near.iter().map(|it| it.id).collect();
    let mut rules = cx.store.get_by_ids(&ids)?;
    rules.retain(|it| it.is_active() && it.layer == Layer::Knowledge);
    let rules = verify::follow_memory_citations(cx, rules);
    let rule = rules.iter().find(|it| it.is_good());
    Ok(rule.map(|it| it.memory.handle()))
}
