//! `trust`: shows what a repository brings, and lets it be read on a person's word.

use std::path::Path;

use apostille_core::{
    memory::{Memory, Stage},
    speaker::{Person, Speaker},
    store::{ListOrder, MemoryFilter},
};
use apostille_text::secrets::mask_secrets;
use serde::Serialize;
use serde_json::json;

use apostille_terminal::{
    args::TrustArgs,
    command_context::{CommandContext, CommandOutput, CommandResult, require_person},
    paint::{
        BOLD, DIM, Paint, YELLOW, flatten_to_line, format_count, join_texts, style_text,
        truncate_to_width,
    },
};
use apostille_workspace::{
    config::{self, Settings, StoreUrl},
    error::{self, CommandError},
    project_folder::ProjectFolder,
    trust::{BroughtSettings, CloneIdentity, TrustedClone, TrustedClones},
    workspace,
};

/// How many memories are shown, the newest first.
const MAX_SHOWN: usize = 20;
/// How many settings are.
const MAX_SETTINGS: usize = 40;
/// How wide a text of the repository is shown, in columns.
const MAX_WIDTH: usize = 200;

/// Shows what this clone brings and trusts it, lists what is trusted, or trusts no longer.
pub fn run(ctx: &CommandContext, args: &TrustArgs) -> CommandResult {
    if args.list {
        return list_trusted_clones(ctx);
    }
    // Before anything is shown: an agent that may not decide does not read it here either.
    let place = ctx.find_project_folder()?;
    let speaker = find_deciding_speaker(ctx, &place)?;
    let person = require_person(&speaker, "trust a repository")?;
    if args.revoke {
        return revoke_trust(ctx, person, &place);
    }
    let brought = BroughtSettings::read_from(&place.root);
    match find_offer(ctx, &place, &brought)? {
        Some(offer) => offer.ask_and_trust(ctx, person, args.yes),
        None => Ok(build_plain_output(
            ctx,
            "nothing",
            "this repository brings nothing of its own; there is nothing to trust\n",
        )),
    }
}

/// Who speaks, by the user's own settings: those that the repository brings may not even be read yet.
fn find_deciding_speaker(ctx: &CommandContext, place: &ProjectFolder) -> CommandResult<Speaker> {
    let (flags, nothing) = (ctx.flags.settings(), BroughtSettings::default());
    let settings = config::resolve_settings_as_trusted(&ctx.system, &flags, place, &nothing)?;
    ctx.find_deciding_speaker(&settings)
}

fn build_plain_output(ctx: &CommandContext, outcome: &str, text: &str) -> CommandOutput {
    let json = json!({"ok": true, "outcome": outcome});
    ctx.render_output(&json, |paint| paint.wrap_text(text, 0))
}

/// A setting that the repository brings.
#[derive(Serialize)]
struct BroughtSettingView {
    file: String,
    key: &'static str,
    value: String,
}

/// A memory that the repository brings.
#[derive(Serialize)]
struct BroughtMemoryView {
    handle: String,
    status: &'static str,
    fact: String,
}

/// The memories that the repository brings: how many, and the newest of them.
#[derive(Serialize)]
struct BroughtMemories {
    store: String,
    active: usize,
    pending: usize,
    unreadable_lines: usize,
    newest: Vec<BroughtMemoryView>,
}

/// What a person is to decide about.
#[derive(Serialize)]
struct TrustOffer {
    folder: String,
    repository: String,
    settings: Vec<BroughtSettingView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memories: Option<BroughtMemories>,
    #[serde(skip)]
    clone: CloneIdentity,
    #[serde(skip)]
    brought: BroughtSettings,
    #[serde(skip)]
    place: ProjectFolder,
    /// Why it needs no decision, where it does not.
    #[serde(skip)]
    is_trusted: bool,
}

/// What this clone brings; `None` if it brings nothing. Settings that would be refused, and a store that cannot be read, are
/// an error: what cannot be shown is not trusted.
fn find_offer(
    ctx: &CommandContext,
    place: &ProjectFolder,
    brought: &BroughtSettings,
) -> CommandResult<Option<TrustOffer>> {
    let listed = config::list_brought_settings(brought)?;
    let flags = ctx.flags.settings();
    let settings = config::resolve_settings_as_trusted(&ctx.system, &flags, place, brought)?;
    let memories = read_brought_memories(&settings, &place.root)?;
    if brought.is_empty() && memories.is_none() {
        return Ok(None);
    }
    let view = |it: config::BroughtSetting| BroughtSettingView {
        file: name_in_repository(&place.root, &it.file),
        key: it.key.as_str(),
        value: bound_text(&it.value),
    };
    let clone = CloneIdentity::for_folder(place);
    Ok(Some(TrustOffer {
        folder: clone.shown_folder(),
        repository: clone.repository.clone(),
        settings: listed.into_iter().map(view).collect(),
        memories,
        is_trusted: is_trusted_already(ctx, &settings, &clone, brought)?,
        clone,
        brought: brought.clone(),
        place: place.clone(),
    }))
}

fn is_trusted_already(
    ctx: &CommandContext,
    settings: &Settings,
    clone: &CloneIdentity,
    brought: &BroughtSettings,
) -> CommandResult<bool> {
    let is_listed = settings.trust_allow.has_clone(clone);
    let find = || apostille_workspace::trust::find_distrust(&ctx.system, clone, brought.digest());
    Ok(is_listed || find()?.is_none())
}

/// What the repository's own store holds; `None` where it names none, or nothing is there yet.
fn read_brought_memories(
    settings: &Settings,
    root: &Path,
) -> CommandResult<Option<BroughtMemories>> {
    let store = workspace::open_repository_store(settings)?;
    let path = settings.repository_store.as_ref().and_then(StoreUrl::path);
    let Some((path, store)) = path.zip(store) else {
        return Ok(None);
    };
    let memories = store.list_memories(&MemoryFilter {
        spaces: vec![settings.repo.clone()],
        stages: vec![Stage::Active, Stage::Pending],
        order: ListOrder::Newest,
        limit: usize::MAX,
        ..MemoryFilter::default()
    })?;
    let is_in = |stage: Stage| move |it: &&Memory| it.status.stage() == stage;
    let count = |stage| memories.iter().filter(is_in(stage)).count();
    let view = |it: &Memory| BroughtMemoryView {
        handle: it.handle().to_string(),
        status: it.status.stage().as_str(),
        fact: bound_text(&it.fact),
    };
    Ok(Some(BroughtMemories {
        store: name_in_repository(root, path),
        active: count(Stage::Active),
        pending: count(Stage::Pending),
        unreadable_lines: store.check_health()?.problems.len(),
        newest: memories.iter().take(MAX_SHOWN).map(view).collect(),
    }))
}

/// A text of the repository as it can be shown: one line, bounded, nothing hidden and no secret in it.
fn bound_text(text: &str) -> String {
    truncate_to_width(&flatten_to_line(&mask_secrets(text)), MAX_WIDTH)
}

fn name_in_repository(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    bound_text(&inside.display().to_string())
}

impl TrustOffer {
    /// Shows it, asks, and writes the answer down.
    fn ask_and_trust(self, ctx: &CommandContext, person: &Person, is_yes: bool) -> CommandResult {
        if self.is_trusted {
            let known = "you trust this clone already; `apostille trust --revoke` takes it back\n";
            return Ok(self.build_output(ctx, "known", |paint| {
                self.format_page(paint) + &style_text(DIM, known)
            }));
        }
        if !is_yes && !ctx.can_ask_beside() {
            let told = "nothing was trusted: there is nobody to ask, so say --yes\n";
            let shown = self.build_output(ctx, "shown", |paint| self.format_page(paint));
            return Ok(shown.with_code(error::USAGE).with_err(told));
        }
        let is_agreed = is_yes || {
            let page = self.format_page(&ctx.paint);
            ctx.ask_beside(&format!("{page}trust this? [y/N] "))
        };
        if !is_agreed {
            let declined = self.build_output(ctx, "declined", |_| "nothing was trusted\n".into());
            return Ok(declined.with_code(error::NOTHING));
        }
        self.record_trust(ctx, person)?;
        Ok(self.build_output(ctx, "trusted", |paint| {
            let page = if is_yes {
                self.format_page(paint)
            } else {
                String::new()
            };
            let done = "its settings hold here from now on, and its memories are shown as the repository's\n";
            page + &format!("trusted {BOLD}{}{BOLD:#}\n", flatten_to_line(&self.folder))
                + &style_text(DIM, done)
        }))
    }

    /// Trusts what was shown. A person may think for long: what is there now has to be the same.
    fn record_trust(&self, ctx: &CommandContext, person: &Person) -> CommandResult<()> {
        let now = BroughtSettings::read_from(&self.place.root).digest();
        let shown = self.brought.digest().filter(|it| now == Some(*it));
        let Some(shown) = shown else {
            let fault = "the settings of this repository changed while you looked at them";
            return Err(CommandError::usage(fault).with_hint("apostille trust"));
        };
        let stamp = (ctx.system.now, (ctx.system.random_source())());
        TrustedClones::for_user(&ctx.system)?.trust_clone(person, &self.clone, shown, stamp)
    }

    fn build_output(
        &self,
        ctx: &CommandContext,
        outcome: &str,
        text: impl FnOnce(&Paint) -> String,
    ) -> CommandOutput {
        let is_ok = matches!(outcome, "trusted" | "known");
        let json = json!({"ok": is_ok, "outcome": outcome, "brings": self});
        ctx.render_output(&json, text)
    }

    fn format_page(&self, paint: &Paint) -> String {
        let mut page = format!("{BOLD}{}{BOLD:#}", flatten_to_line(&self.folder));
        if !self.repository.is_empty() {
            page += &style_text(DIM, format!("  {}", flatten_to_line(&self.repository)));
        }
        page += "\n\n";
        let row = |it: &BroughtSettingView| {
            let file = style_text(DIM, &it.file);
            [style_text(BOLD, it.key), it.value.clone(), file]
        };
        if !self.settings.is_empty() {
            page += "Settings that it brings:\n";
            page += &paint.format_table(2, self.settings.iter().take(MAX_SETTINGS).map(row));
            page += &format_rest(self.settings.len(), MAX_SETTINGS);
            page += "\n";
        }
        page += &match &self.memories {
            Some(memories) => memories.format_list(paint),
            None => "It brings no memories yet.\n\n".into(),
        };
        let meaning = "Others wrote this. If you trust it, these settings hold here, and your agents are shown these memories \
            and those that come later, as the repository's. If the settings change, you are asked again.\n";
        page + &paint.wrap_text(meaning, 0)
    }
}

impl BroughtMemories {
    fn format_list(&self, paint: &Paint) -> String {
        let counts = [(self.active, "active"), (self.pending, "pending")];
        let counts = counts.iter().filter(|it| it.0 > 0);
        let counts: Vec<String> = counts.map(|(n, word)| format!("{n} {word}")).collect();
        let counts = match &counts[..] {
            [] => "none".into(),
            counts => join_texts(counts, ", "),
        };
        let mut list = format!("Memories in {}: {counts}\n", self.store);
        let row = |it: &BroughtMemoryView| {
            [
                style_text(BOLD, &it.handle),
                style_text(DIM, it.status),
                it.fact.clone(),
            ]
        };
        list += &paint.format_table(2, self.newest.iter().map(row));
        list += &format_rest(self.active + self.pending, MAX_SHOWN);
        if self.unreadable_lines > 0 {
            let lines = format_count(self.unreadable_lines as u64, "line", "lines");
            list += &format!(
                "  {}\n",
                style_text(YELLOW, format!("{lines} cannot be read"))
            );
        }
        list + "\n"
    }
}

/// How many more there are than are shown.
fn format_rest(n: usize, max: usize) -> String {
    match n.saturating_sub(max) {
        0 => String::new(),
        rest => format!("  {}\n", style_text(DIM, format!("… and {rest} more"))),
    }
}

fn revoke_trust(ctx: &CommandContext, person: &Person, place: &ProjectFolder) -> CommandResult {
    let clone = CloneIdentity::for_folder(place);
    let draw = (ctx.system.random_source())();
    let was_trusted = TrustedClones::for_user(&ctx.system)?.revoke_clone(person, &clone, draw)?;
    let allow = ctx.resolve_settings(place)?.trust_allow;
    let outcome = if was_trusted { "revoked" } else { "nothing" };
    let text = match was_trusted {
        true => "this clone is not trusted any more\n",
        false => "this clone was not trusted\n",
    };
    let listed = "it is on your list trust.allow, and is read all the same; take it out there\n";
    let note = if allow.has_clone(&clone) { listed } else { "" };
    Ok(build_plain_output(ctx, outcome, text)
        .nothing_if(!was_trusted)
        .with_err(note))
}

/// A clone on the list.
#[derive(Serialize)]
struct TrustedCloneView {
    folder: String,
    repository: String,
    at: String,
}

fn list_trusted_clones(ctx: &CommandContext) -> CommandResult {
    let all = TrustedClones::for_user(&ctx.system)?.read_clones()?;
    let view = |it: &TrustedClone| TrustedCloneView {
        folder: it.clone.shown_folder(),
        repository: it.clone.repository.clone(),
        at: apostille_core::format::format_timestamp(it.at),
    };
    let views: Vec<TrustedCloneView> = all.iter().map(view).collect();
    let json = json!({"ok": true, "clones": views});
    let none = "no clone is trusted; `apostille trust` in one shows what it brings\n";
    Ok(ctx
        .render_output(&json, |paint| {
            let rows = all.iter().map(|it| {
                [
                    style_text(BOLD, flatten_to_line(&it.clone.shown_folder())),
                    flatten_to_line(&it.clone.repository),
                    style_text(DIM, paint.format_time(it.at)),
                ]
            });
            paint.format_table(0, rows)
        })
        .or_nothing(all.is_empty(), none))
}
