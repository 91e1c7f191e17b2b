//! Brief: what an agent is shown by itself, at the moment it matters. Small, verified, once, and the same bytes for the
//! same state. In some clients it lands with the authority of the system, so it is framed as what it is: notes.

mod close_tasks;
mod failed_command;
mod history_request;
mod ignore_request;
mod keep_reminder;
mod last_decisions;
mod mentioned_paths;
mod page;
mod past_words;
mod phrase;
mod prompt_kind;
mod session_notes;
mod subtask;
mod worse;

use std::thread;

use crate::session::{AgentSession, ShownMemory};
use apostille_cite::citation::RepoPath;
use apostille_core::{
    Context, CoreError, breaker,
    identity::read_identity_text,
    memory::{Kind, Layer, Memory, Origin, Stage},
    overruled::mark_overruled_preferences,
    policy::{InjectMode, MAX_TIER, Policy},
    queue::count_weekly_decisions,
    recall,
    recall::{RecallOutcome, RecallQuery, RecallRequest, RelevanceBar, VerifiedHit},
    repair_text::RepairForm,
    review_remarks::find_task_rules,
    space::Space,
    store::{ListOrder, MemoryFilter},
    verify,
    verify::VerifiedMemory,
};

pub use failed_command::FAILED;
pub use history_request::asks_for_history;
pub use ignore_request::asks_to_ignore_memory;
pub use keep_reminder::KEEP;
pub use last_decisions::{DECIDED, DECIDED_IN_TASK};
pub use page::{FRAME, IDENTITY, KEPT, TASK};
pub use past_words::{COMMITS, SAID};
pub use session_notes::NOTES;
pub use worse::{EditReview, list_settled_files};

use keep_reminder::KeepReminder;
use last_decisions::EarlierWords;
use page::BriefingPage;
use past_words::{PastWords, PastWordsRequest};
use prompt_kind::{PromptKind, recognize_prompt_kind};

/// How many memories that do not hold are named at once.
const MAX_DOUBTS: usize = 5;
/// How many memories that an edit made untrue are told at once. The others follow at the next moment.
pub const MAX_WORSE: usize = 5;
/// How many of the person's preferences are told at the start.
const MAX_WISHES: usize = 5;

/// How many memories are shown at most for what the first prompt orders, and for what a later one does.
const MAX_AT_FIRST_PROMPT: usize = 4;
const MAX_AT_LATER_PROMPT: usize = 3;

/// Who is briefed: an agent in this repository, working for this person.
#[derive(Debug, Clone, Copy)]
pub struct BriefingAudience<'a> {
    /// The repository.
    pub repo: &'a Space,
    /// The person.
    pub user: &'a Space,
    /// What was shown so far.
    pub session: &'a AgentSession,
    /// The memories that an edit made untrue, and that the agent was not told of yet.
    pub worse: &'a [VerifiedMemory],
}

/// What an agent is shown.
#[derive(Debug, Default)]
pub struct Briefing {
    /// The text; empty when there is nothing to say.
    pub text: String,
    /// The memories in it.
    pub shown: Vec<VerifiedHit>,
    /// The memories that would have been in it, but do not hold here.
    pub withheld: Vec<VerifiedHit>,
    /// The memories of which it was told that an edit made them untrue.
    pub worse: Vec<VerifiedHit>,
    /// What was quoted of past conversations and commits, by short names.
    pub quoted: Vec<String>,
    /// The statement of the person's that the agent was reminded to keep, as a digest.
    pub stated: Option<String>,
    query: Option<RecallQuery>,
    /// What beside the store could not be read.
    unread: Vec<String>,
}

impl Briefing {
    /// The memories in it as a session writes them down: those that were told as facts, marked or not.
    pub fn list_shown(&self) -> Vec<ShownMemory> {
        let marked = self.worse.iter().filter(|it| it.is_good());
        self.shown.iter().chain(marked).map(Into::into).collect()
    }

    /// Those that were told not to stand.
    pub fn list_withheld(&self) -> Vec<ShownMemory> {
        let refuted = self.worse.iter().filter(|it| !it.is_good());
        self.withheld
            .iter()
            .chain(refuted)
            .map(Into::into)
            .collect()
    }

    /// Writes down what was shown, as every recall does. It is not part of making the text, so that whoever waits for
    /// that has it first. What went wrong comes back as problems.
    pub fn log_recall(&self, cx: &Context) -> Vec<String> {
        let mut problems = self.unread.clone();
        problems.extend(recall::log_worse_memories(cx, &self.worse));
        if let Some(query) = &self.query {
            problems.extend(recall::log_recall_later(
                cx,
                query,
                &self.shown,
                &self.withheld,
            ));
        }
        problems
    }
}

impl BriefingAudience<'_> {
    /// At the start of a session: who the person is and how they want things done, the state of the task, and what waits
    /// for approval. After the client dropped most of what was said, also the corrections and rules that were shown before, and
    /// what the person decided last.
    pub fn brief_session_start(
        &self,
        cx: &Context,
        task: &str,
        is_compacted: bool,
    ) -> Result<Briefing, CoreError> {
        let earlier = EarlierWords {
            is_own: is_compacted,
            task: None,
        };
        self.brief_start(cx, task, is_compacted, earlier)
    }

    /// At the start of a session that goes without memory: who the person is, and nothing else.
    pub fn brief_identity(&self, cx: &Context) -> Result<Briefing, CoreError> {
        let Some(mut page) = BriefingPage::from_policy(cx.policy, &AgentSession::default()) else {
            return Ok(Briefing::default());
        };
        let identity = read_identity_text(cx, self.user)?;
        let lines = page::list_identity_lines(identity.memories());
        page.push_section(IDENTITY, lines.into_iter());
        Ok(Briefing {
            text: page.into_text(),
            ..Briefing::default()
        })
    }

    fn brief_start(
        &self,
        cx: &Context,
        task: &str,
        is_compacted: bool,
        earlier: EarlierWords<'_>,
    ) -> Result<Briefing, CoreError> {
        // The same bytes at every start: prompt caches stay valid.
        let Some(mut page) = BriefingPage::from_policy(cx.policy, &AgentSession::default()) else {
            return Ok(Briefing::default());
        };
        let identity = read_identity_text(cx, self.user)?;
        let lines = page::list_identity_lines(identity.memories());
        page.push_section(IDENTITY, lines.into_iter());
        let mut preferences = page::to_told_hits(self.list_user_preferences(cx)?);
        mark_overruled_preferences(cx, self.repo, &mut preferences)?;
        let mut shown = page.push_hits(preferences);
        page.push_section(TASK, task.lines().map(page::format_briefing_bullet));
        self.push_session_notes(cx, &mut page)?;
        self.push_last_decisions(cx, &mut page, earlier)?;
        let worse = page.push_worse_in_half(self.worse);
        if is_compacted {
            let mut kept = self.list_shown_rules(cx)?;
            kept.retain(|it| shown.iter().all(|told| told.hit.memory.id != it.memory.id));
            shown.extend(page.push_memories(KEPT, kept));
        }
        let (mut n_pending, mut has_open_breaker) = (0, false);
        for space in [self.repo, self.user] {
            let summary = cx.store.summarize_space(space)?;
            n_pending += summary.count_in_stage(Stage::Pending);
            has_open_breaker |= !breaker::list_open_breakers(cx, space)?.is_empty();
        }
        let spaces = [self.repo.clone(), self.user.clone()];
        if n_pending > 0
            && let left = cx
                .policy
                .queue
                .left_this_week(count_weekly_decisions(cx, &spaces)?)
            && left > 0
        {
            page.push_line(&format_pending_line(n_pending, left));
        }
        // Whose writes are held up, and why, is not said: it may be words that they chose.
        if has_open_breaker {
            page.push_line("A breaker is open: what agents write waits for a person; `apostille breaker` tells why.");
        }
        Ok(Briefing {
            text: page.into_text(),
            shown,
            worse,
            ..Briefing::default()
        })
    }

    /// When another tool is used: only what an edit made untrue.
    pub fn brief_worse_memories(&self, cx: &Context) -> Briefing {
        self.brief_worse_with_calls(cx, RepairForm::default())
    }

    /// The same for a reader who makes calls in this form.
    pub fn brief_worse_with_calls(&self, cx: &Context, calls: RepairForm) -> Briefing {
        let Some(page) = BriefingPage::from_policy(cx.policy, self.session) else {
            return Briefing::default();
        };
        let mut page = page.with_calls(calls);
        let worse = page.push_worse(self.worse);
        Briefing {
            text: page.into_text(),
            worse,
            ..Briefing::default()
        }
    }

    /// When the person says something: at first the briefing, later only what is new and clearly to the point.
    pub fn brief_prompt(&self, cx: &Context, text: &str) -> Result<Briefing, CoreError> {
        let Some(page) = BriefingPage::from_policy(cx.policy, self.session) else {
            return Ok(Briefing::default());
        };
        // To see whether the prompt states something takes some milliseconds, as looking up what is known does: at the same time.
        thread::scope(|scope| {
            let find_reminder = || KeepReminder::for_prompt(text, self.session);
            let looking = thread::Builder::new().spawn_scoped(scope, find_reminder);
            let (page, briefing) = self.answer_prompt(cx, page, text)?;
            let reminder = match looking {
                Ok(looking) => looking.join().ok().flatten(),
                Err(_) => find_reminder(),
            };
            let (page, stated) = page.with_keep_reminder(reminder);
            Ok(Briefing {
                text: page.into_text(),
                stated,
                ..briefing
            })
        })
    }

    /// Puts on a page what is known about a prompt.
    fn answer_prompt(
        &self,
        cx: &Context,
        page: BriefingPage,
        text: &str,
    ) -> Result<(BriefingPage, Briefing), CoreError> {
        let is_first = !self.session.is_briefed();
        let (is_history, kind) = (asks_for_history(text), recognize_prompt_kind(text));
        let is_aside = kind == PromptKind::Aside;
        // A session goes from one task to the next; who only goes on is not interrupted.
        let mut words = match is_first || is_history || !is_aside {
            true => self.find_past_words(cx, text, (&[], "")),
            false => PastWords::default(),
        };
        // Where the person's own words are told, a summary of what another session made of its task only leads astray; and "the
        // releases of last week are out of order" reports what happened and does not ask for it.
        let has_words = words.has_conversations();
        let is_history = is_history && !(has_words && kind == PromptKind::Work);
        let ask = build_prompt_request(cx.policy, text, kind, is_first);
        let ask = match is_history {
            true => ask_for_history(ask),
            false => ask,
        };
        let has_past = !is_history && !is_aside && !has_words;
        let past = has_past.then(|| close_tasks::build_task_request(text));
        let (mut page, made) = self.recall_onto_page(cx, page, ask, past)?;
        let mut made = made;
        if is_first && !is_aside {
            let told = &made.shown;
            let rules = self.list_review_rules(cx, told)?;
            made.shown.extend(page.push_hits(rules));
        }
        let quoted = words.push_onto(&mut page);
        let page = match is_first && !is_aside && page.is_empty() {
            true => self.count_memories(cx, page)?,
            false => page,
        };
        let unread = words.take_problems();
        let made = Briefing {
            quoted,
            unread,
            ..made
        };
        Ok((page, made))
    }

    /// When files are about to be changed: the memories that cite them, what was said when they were changed before, and what the
    /// commits say that wrote the code that is replaced; once.
    pub fn brief_file_touch(
        &self,
        cx: &Context,
        paths: Vec<RepoPath>,
        replaced: &str,
    ) -> Result<Briefing, CoreError> {
        let Some(page) = BriefingPage::from_policy(cx.policy, self.session) else {
            return Ok(Briefing::default());
        };
        let is_on = cx.policy.inject.mode != InjectMode::Off;
        let ask = RecallRequest {
            paths: paths.clone(),
            mode: is_on.then_some(InjectMode::Relevant),
            bar: Some(RelevanceBar::Clear),
            ..RecallRequest::default()
        };
        let (mut page, made) = self.recall_onto_page(cx, page, ask, None)?;
        let mut words = self.find_past_words(cx, "", (&paths, replaced));
        let quoted = words.push_onto(&mut page);
        Ok(Briefing {
            text: page.into_text(),
            quoted,
            unread: words.take_problems(),
            ..made
        })
    }

    /// What was decided before about a prompt, or about files that are about to be edited.
    fn find_past_words(
        &self,
        cx: &Context,
        text: &str,
        (paths, replaced): (&[RepoPath], &str),
    ) -> PastWords {
        let last = self.session.entries.last();
        let request = PastWordsRequest {
            space: self.repo,
            text,
            paths,
            replaced,
            seen: &self.session.quoted_in_context(),
            session: last.map(|it| it.session.as_str()),
        };
        request.find_past_words(cx)
    }

    /// Before the client drops most of what was said: what must be kept, as bullets.
    pub fn brief_compaction(&self, cx: &Context, task: &str) -> Result<Briefing, CoreError> {
        let Some(mut page) = BriefingPage::from_policy(cx.policy, self.session) else {
            return Ok(Briefing::default());
        };
        page.push_section(TASK, task.lines().map(page::format_briefing_bullet));
        page.push_memories(KEPT, self.list_shown_rules(cx)?);
        Ok(Briefing {
            text: page.into_text(),
            ..Briefing::default()
        })
    }

    /// How the person wants things done, wherever they work: what they said last first.
    fn list_user_preferences(&self, cx: &Context) -> Result<Vec<VerifiedMemory>, CoreError> {
        if cx.policy.inject.tier < MAX_TIER {
            return Ok(Vec::new());
        }
        let filter = MemoryFilter {
            spaces: vec![self.user.clone()],
            layers: vec![Layer::Knowledge],
            kinds: vec![Kind::User],
            stages: vec![Stage::Active],
            order: ListOrder::Refreshed,
            limit: MAX_WISHES,
            ..MemoryFilter::default()
        };
        Ok(keep_good_memories(cx, cx.store.list_memories(&filter)?))
    }

    /// What reviewers ask for in this repository, as far as it was not told: with the prompt that a task begins with.
    fn list_review_rules(
        &self,
        cx: &Context,
        told: &[VerifiedHit],
    ) -> Result<Vec<VerifiedHit>, CoreError> {
        let seen = self.session.ids_in_context();
        let mut rules = find_task_rules(cx, std::slice::from_ref(self.repo))?;
        rules.retain(|it| {
            let is_told = told.iter().any(|told| told.hit.memory.id == it.id);
            !is_told && !seen.contains(&it.id)
        });
        Ok(page::to_told_hits(keep_good_memories(cx, rules)))
    }

    /// The corrections, rules and preferences among what was shown, as they stand now; what does not hold is left out.
    fn list_shown_rules(&self, cx: &Context) -> Result<Vec<VerifiedMemory>, CoreError> {
        let ids: Vec<_> = self.session.shown_ids().into_iter().collect();
        let mut memories = cx.store.get_by_ids(&ids)?;
        memories.retain(|it| {
            let is_kept = matches!(it.kind, Kind::Feedback | Kind::User)
                || it.voice.origin == Origin::UserCorrection;
            it.is_active() && is_kept
        });
        Ok(keep_good_memories(cx, memories))
    }

    /// Recalls, and puts on a page what fits.
    fn recall_into_briefing(
        &self,
        cx: &Context,
        ask: RecallRequest,
    ) -> Result<Briefing, CoreError> {
        let Some(page) = BriefingPage::from_policy(cx.policy, self.session) else {
            return Ok(Briefing::default());
        };
        let (page, made) = self.recall_onto_page(cx, page, ask, None)?;
        Ok(Briefing {
            text: page.into_text(),
            ..made
        })
    }

    /// The same on this page, with the past tasks that are asked for beside it.
    fn recall_onto_page(
        &self,
        cx: &Context,
        mut page: BriefingPage,
        ask: RecallRequest,
        past: Option<RecallRequest>,
    ) -> Result<(BriefingPage, Briefing), CoreError> {
        let worse = page.push_worse_in_half(self.worse);
        let (query, recalled) = self.recall_for_page(cx, &page, ask, &worse)?;
        let mut shown = page.push_hits(recalled.shown);
        if let Some(past) = past {
            let tasks = self.recall_for_page(cx, &page, past, &worse)?.1.shown;
            shown.extend(page.push_hits(close_tasks::keep_close_tasks(tasks)));
        }
        let mut withheld = recalled.withheld;
        let doubted = self.session.withheld_in_context();
        withheld.retain(|it| it.hit.why.relevance > 0.0 && !doubted.contains(&it.hit.memory.id));
        withheld.truncate(MAX_DOUBTS);
        page.push_withheld(&mut withheld);
        let made = Briefing {
            shown,
            withheld,
            worse,
            query: Some(query),
            ..Briefing::default()
        };
        Ok((page, made))
    }

    /// Recalls what is new to the session and has room on a page. The page is the one budget.
    fn recall_for_page(
        &self,
        cx: &Context,
        page: &BriefingPage,
        ask: RecallRequest,
        told: &[VerifiedHit],
    ) -> Result<(RecallQuery, RecallOutcome), CoreError> {
        let mut seen = self.session.ids_in_context();
        seen.extend(told.iter().map(|it| it.hit.memory.id));
        let ask = RecallRequest {
            spaces: vec![self.repo.clone(), self.user.clone()],
            seen,
            line_chars: Some(page.room()),
            tier: Some(cx.policy.inject.tier),
            ..ask
        };
        // What is shown unasked goes by words, also where a server previews it with a model at hand.
        let cx = &Context {
            embedder: None,
            ..*cx
        };
        let (query, mut recalled) = recall::recall_without_log(cx, &ask)?;
        mark_overruled_preferences(cx, self.repo, &mut recalled.shown)?;
        Ok((query, recalled))
    }

    /// Where nothing is about the first prompt, how much there is to ask for: who knows nothing of a memory asks it nothing.
    fn count_memories(&self, cx: &Context, page: BriefingPage) -> Result<BriefingPage, CoreError> {
        let n = cx.store.summarize_space(self.repo)?;
        let n = n.count_active(Layer::Knowledge) + n.count_active(Layer::Episode);
        let mut page = page.without_frame();
        if n > 0 {
            page.push_line(&format!(
                "Memories kept for this repository: {n}, none clearly about this prompt. Ask with memory_recall."
            ));
        }
        Ok(page)
    }
}

/// What goes with a prompt where nothing is kept yet: the reminder to keep what it states.
pub fn brief_first_statement(policy: &Policy, session: &AgentSession, text: &str) -> Briefing {
    let Some(page) = BriefingPage::from_policy(policy, session) else {
        return Briefing::default();
    };
    let (page, stated) = page.with_keep_reminder(KeepReminder::for_prompt(text, session));
    Briefing {
        text: page.into_text(),
        stated,
        ..Briefing::default()
    }
}

/// How many memories wait, as far as this week has room for decisions.
fn format_pending_line(n_pending: u64, left: usize) -> String {
    let left = u64::try_from(left).unwrap_or(u64::MAX);
    match n_pending {
        1 => "1 memory waits for a person's approval (`apostille review`).".into(),
        n if n <= left => {
            format!("{n} memories wait for a person's approval (`apostille review`).")
        }
        n => format!(
            "{n} memories wait for a person's approval, {left} of them this week (`apostille review`)."
        ),
    }
}

/// Who asks about the past in a few words is told.
fn ask_for_history(ask: RecallRequest) -> RecallRequest {
    RecallRequest {
        layers: vec![Layer::Knowledge, Layer::Episode],
        bar: Some(RelevanceBar::Near),
        count: None,
        ..ask
    }
}

/// Who only goes on is not interrupted.
fn build_prompt_request(
    policy: &Policy,
    text: &str,
    kind: PromptKind,
    is_first: bool,
) -> RecallRequest {
    let (most, fallback) = match is_first {
        true => (MAX_AT_FIRST_PROMPT, policy.inject.fallback),
        false => (MAX_AT_LATER_PROMPT, 0),
    };
    let most = most.max(fallback).min(policy.inject.count);
    RecallRequest {
        text: text.into(),
        layers: vec![Layer::Knowledge],
        paths: mentioned_paths::find_mentioned_paths(text),
        bar: Some(match kind {
            PromptKind::Work if is_first => RelevanceBar::Likely,
            PromptKind::Work => RelevanceBar::Clear,
            PromptKind::Aside => RelevanceBar::Certain,
        }),
        count: (policy.inject.mode == InjectMode::Relevant).then_some(most),
        fallback: Some(fallback),
        ..RecallRequest::default()
    }
}

fn keep_good_memories(cx: &Context, memories: Vec<Memory>) -> Vec<VerifiedMemory> {
    let mut all = verify::follow_memory_citations(cx, memories);
    all.retain(VerifiedMemory::is_good);
    all
}
