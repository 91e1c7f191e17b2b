//! The identity layer of a user as one text: Markdown in sections, an entry a line.
//!
//! ```text
//! - Ana, backend, Berlin
//!
//! ## Preferences
//! - answers in French
//! ```
//!
//! It is kept as memories, as ever: an entry is a fact, and its section the subject. Saving a text changes those memories that
//! it says otherwise and no others. Everything is looked over before the first of them is touched.

use std::collections::BTreeSet;

use crate::{
    Context, CoreError,
    forget::{ForgetOutcome, forget},
    memory::{Draft, DuplicateChoice, Kind, Layer, Memory, MemoryId, MemoryName, ReplacementKind},
    policy::Policy,
    recall::recall_identity,
    refusal::Refusal,
    remember::{RememberOutcome, check_draft, guard::percent_used, remember},
    revise::supersede_memory,
    space::Space,
    speaker::{Person, Speaker},
};
use apostille_text::digest::Digest;

/// How many replacements of an entry are followed to find out how old it is.
const MAX_STEPS: usize = 100;
/// Why an entry is forgotten, in the log.
const REMOVED: &str = "taken out of the identity text";
/// Why an entry is kept beside what is much like it.
const BESIDE: &str = "the person wrote both";

/// The identity of a user as a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityText {
    /// The text.
    pub text: String,
    /// How many characters its entries have.
    pub used: usize,
    /// How many they may have.
    pub limit: usize,
    memories: Vec<Memory>,
}

impl IdentityText {
    /// How much of the limit is used, in percent.
    pub fn percent(&self) -> u8 {
        percent_used(self.used, self.limit)
    }

    /// What tells this text from another: whoever saves a text says which one was changed.
    pub fn version(&self) -> String {
        Digest::hash_bytes(self.text.as_bytes()).short_hex()
    }

    /// The entries, each with its section, in the order of the text.
    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }
}

/// What saving a text did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdentitySaveOutcome {
    /// It is kept.
    Saved {
        /// How many entries are new.
        added: usize,
        /// How many were replaced.
        changed: usize,
        /// How many were forgotten.
        removed: usize,
    },
    /// Nothing was changed, because of the entry in this line, or because of the whole text.
    Refused {
        /// The line, counted from 1.
        line: Option<usize>,
        /// Why.
        refusal: Refusal,
    },
}

/// An entry as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct IdentityEntry {
    section: Option<String>,
    text: String,
    line: usize,
}

/// What is to be done to make the memories say what a text says.
#[derive(Debug, Default)]
struct IdentityPlan<'a> {
    removed: Vec<&'a Memory>,
    changed: Vec<(&'a Memory, IdentityEntry)>,
    added: Vec<IdentityEntry>,
}

/// The identity of a user as it is now.
pub fn read_identity_text(cx: &Context, user: &Space) -> Result<IdentityText, CoreError> {
    let memories = order_by_section(cx, recall_identity(cx, user)?)?;
    let mut text = String::new();
    let mut section = None;
    for memory in &memories {
        let own = memory_section(memory);
        if own != section {
            let gap = if text.is_empty() { "" } else { "\n" };
            text += &own
                .as_ref()
                .map_or(String::new(), |it| format!("{gap}## {it}\n"));
            section = own;
        }
        text += &format!("- {}\n", join_lines(&memory.fact));
    }
    Ok(IdentityText {
        text,
        used: memories.iter().map(|it| it.fact.chars().count()).sum(),
        limit: cx.policy.limits.identity_chars,
        memories,
    })
}

/// Makes the identity of a user say what a text says, on the word of that person. `base` is the version that was changed: where
/// the text is another one by now, nothing is saved.
///
/// ```compile_fail
/// # use apostille_core::{Context, identity::save_identity_text, space::Space, speaker::Speaker};
/// fn save_unasked(cx: &Context<'_>, by: &Speaker, user: &Space) {
///     let _ = save_identity_text(cx, by, user, "- somebody else", None);
/// }
/// ```
pub fn save_identity_text(
    cx: &Context,
    (by, person): (&Speaker, &Person),
    user: &Space,
    text: &str,
    base: Option<&str>,
) -> Result<IdentitySaveOutcome, CoreError> {
    let current = read_identity_text(cx, user)?;
    if base.is_some_and(|it| it != current.version()) {
        return Ok(refuse_text(Refusal::IdentityChanged));
    }
    let entries = parse_entries(text);
    let chars = entries.iter().map(|it| it.text.chars().count()).sum();
    if chars > current.limit {
        return Ok(refuse_text(Refusal::IdentityTooLong {
            chars,
            limit: current.limit,
        }));
    }
    let plan = IdentityPlan::new(&current.memories, entries);
    let edit = IdentityEdit {
        cx,
        by,
        person,
        user,
    };
    if let Some(refused) = edit.find_refusal(&plan)? {
        return Ok(refused);
    }
    edit.apply(plan)
}

fn refuse_text(refusal: Refusal) -> IdentitySaveOutcome {
    IdentitySaveOutcome::Refused {
        line: None,
        refusal,
    }
}

/// A person who changes their identity.
struct IdentityEdit<'a> {
    cx: &'a Context<'a>,
    by: &'a Speaker,
    person: &'a Person,
    user: &'a Space,
}

impl IdentityEdit<'_> {
    fn draft(&self, entry: &IdentityEntry) -> Draft {
        Draft {
            layer: Some(Layer::Identity),
            kind: Some(Kind::User),
            subject: entry.section.clone(),
            on_duplicate: DuplicateChoice::Create(BESIDE.into()),
            ..Draft::new(self.user.clone(), &*entry.text, self.by.voice().clone())
        }
        .with_vouching(true, Some(self.person))
    }

    /// What would be refused of a plan. How much fits is known already, and what is taken out makes room first.
    fn find_refusal(&self, plan: &IdentityPlan) -> Result<Option<IdentitySaveOutcome>, CoreError> {
        let mut policy: Policy = *self.cx.policy;
        policy.limits.identity_chars = usize::MAX;
        let cx = Context {
            policy: &policy,
            ..*self.cx
        };
        let written = plan.changed.iter().map(|it| &it.1).chain(&plan.added);
        for entry in written {
            if let Err(refusal) = check_draft(&cx, self.draft(entry))? {
                let line = Some(entry.line);
                return Ok(Some(IdentitySaveOutcome::Refused { line, refusal }));
            }
        }
        Ok(None)
    }

    /// Removes, then replaces, then adds; what becomes shorter first, so that the layer is never too full on the way.
    fn apply(&self, mut plan: IdentityPlan) -> Result<IdentitySaveOutcome, CoreError> {
        let growth = |(old, new): &(&Memory, IdentityEntry)| {
            new.text.chars().count() as i64 - old.fact.chars().count() as i64
        };
        plan.changed.sort_by_key(growth);
        let spaces = std::slice::from_ref(self.user);
        for memory in &plan.removed {
            let name = MemoryName::Id(memory.id);
            if let ForgetOutcome::Refused(refusal) =
                forget(self.cx, self.by, spaces, name, REMOVED)?
            {
                return Ok(refuse_text(refusal));
            }
        }
        for (old, entry) in &plan.changed {
            let (name, draft) = (MemoryName::Id(old.id), self.draft(entry));
            let better = ReplacementKind::Better;
            let done = supersede_memory(self.cx, self.by, spaces, name, draft, better)?;
            if let Some(refused) = find_failure(entry, done) {
                return Ok(refused);
            }
        }
        for entry in &plan.added {
            if let Some(refused) = find_failure(entry, remember(self.cx, self.draft(entry))?) {
                return Ok(refused);
            }
        }
        Ok(IdentitySaveOutcome::Saved {
            added: plan.added.len(),
            changed: plan.changed.len(),
            removed: plan.removed.len(),
        })
    }
}

fn find_failure(entry: &IdentityEntry, done: RememberOutcome) -> Option<IdentitySaveOutcome> {
    let line = Some(entry.line);
    match done {
        RememberOutcome::Refused(refusal) => Some(IdentitySaveOutcome::Refused { line, refusal }),
        _ => None,
    }
}

impl<'a> IdentityPlan<'a> {
    /// What stays is left alone; what has the same words, or much the same in one section, replaces what it was.
    fn new(old: &'a [Memory], mut new: Vec<IdentityEntry>) -> Self {
        let mut old: Vec<&Memory> = old.iter().collect();
        old.retain(|it| take_entry(&mut new, |entry| is_same(it, entry)).is_none());
        let mut plan = Self::default();
        old.retain(|it| {
            let words = join_lines(&it.fact);
            let moved = take_entry(&mut new, |entry| entry.text == words);
            plan.replace_if_found(it, moved)
        });
        old.retain(|it| {
            let similar = take_entry(&mut new, |entry| is_reworded(it, entry));
            plan.replace_if_found(it, similar)
        });
        plan.removed = old;
        plan.added = new;
        plan
    }

    /// Notes a replacement; whether there was none.
    fn replace_if_found(&mut self, old: &'a Memory, new: Option<IdentityEntry>) -> bool {
        let is_left = new.is_none();
        self.changed.extend(new.map(|it| (old, it)));
        is_left
    }
}

fn take_entry(
    entries: &mut Vec<IdentityEntry>,
    is_meant: impl Fn(&IdentityEntry) -> bool,
) -> Option<IdentityEntry> {
    let at = entries.iter().position(is_meant)?;
    Some(entries.remove(at))
}

fn is_same(memory: &Memory, entry: &IdentityEntry) -> bool {
    join_lines(&memory.fact) == entry.text && memory_section(memory) == entry.section
}

/// Whether an entry says in the same section what a memory said, in other words: they share a third of them.
fn is_reworded(memory: &Memory, entry: &IdentityEntry) -> bool {
    let split = |it: &str| -> BTreeSet<String> {
        let words = it.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|it| !it.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (was, is) = (split(&memory.fact), split(&entry.text));
    let n_shared = was.intersection(&is).count();
    memory_section(memory) == entry.section && n_shared * 3 >= was.len().max(is.len()).max(1)
}

/// Reads a text: `## Section`, `- entry`, and lines that go on with an entry because they are indented. Comments are left out.
fn parse_entries(text: &str) -> Vec<IdentityEntry> {
    let mut entries: Vec<IdentityEntry> = Vec::new();
    let mut section = None;
    let mut is_comment = false;
    for (n, line) in text.lines().enumerate() {
        let words = line.trim();
        is_comment |= words.starts_with("<!--");
        if is_comment || words.is_empty() {
            is_comment &= !words.contains("-->");
            continue;
        }
        let heading = words.trim_start_matches('#');
        if heading.len() < words.len() && (heading.is_empty() || heading.starts_with(' ')) {
            section = Some(join_lines(heading)).filter(|it| !it.is_empty());
            continue;
        }
        let entry = words.strip_prefix("- ").or(words.strip_prefix("* "));
        match (entry, entries.last_mut()) {
            (None, Some(last)) if line.starts_with(' ') => last.text += &format!(" {words}"),
            _ => entries.push(IdentityEntry {
                section: section.clone(),
                text: join_lines(entry.unwrap_or(words)),
                line: n + 1,
            }),
        }
    }
    entries
}

fn join_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn memory_section(memory: &Memory) -> Option<String> {
    let section = memory.subject.as_deref().map(join_lines);
    section.filter(|it| !it.is_empty())
}

/// Puts entries into the order in which they and their sections were first written, however often they were replaced since.
/// What has no section comes first.
fn order_by_section(cx: &Context, memories: Vec<Memory>) -> Result<Vec<Memory>, CoreError> {
    let mut aged = Vec::with_capacity(memories.len());
    for memory in memories {
        aged.push((find_first_number(cx, &memory)?, memory));
    }
    aged.sort_by_key(|it| it.0);
    let mut sections: Vec<Option<String>> = vec![None];
    for (_, memory) in &aged {
        let section = memory_section(memory);
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    let place = |it: &Memory| sections.iter().position(|of| *of == memory_section(it));
    aged.sort_by_key(|(number, it)| (place(it), *number));
    Ok(aged.into_iter().map(|it| it.1).collect())
}

/// The number of the memory that an entry was when it was first written.
fn find_first_number(cx: &Context, memory: &Memory) -> Result<u64, CoreError> {
    let (mut number, mut before): (u64, Option<MemoryId>) = (memory.number, memory.supersedes);
    for _ in 0..MAX_STEPS {
        let Some(id) = before else { break };
        let Some(old) = cx.store.get_by_ids(&[id])?.pop() else {
            break;
        };
        (number, before) = (old.number, old.supersedes);
    }
    Ok(number)
}
