//! `reviews`: what reviewers wrote on pull requests, pulled and gone through; and how it stands.

use apostille_core::{
    memory::{Memory, Stage},
    review_remarks::{list_remarks, scope::RuleScope},
    review_rules::list_review_rules,
    space::Space,
    speaker::Speaker,
};
use apostille_terminal::{
    args::{ReviewsArgs, ReviewsSubcommand},
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::{BOLD, Paint, format_count, make_terminal_safe},
};
use apostille_workspace::{
    config::{SettingKey, Settings},
    error::CommandError,
    reviews::{
        ReviewFolder, is_wanted,
        pull::pull_reviews,
        worker::{ReviewDesk, ReviewReport, process_deliveries},
    },
    workspace::Workspace,
};
use serde::Serialize;

/// How many rules are listed of each stage.
const MAX_LISTED: usize = 50;

/// What came of reviews, in `--json`.
#[derive(Serialize)]
struct ReviewReportReply {
    ok: bool,
    events: usize,
    proposed: usize,
    supported: usize,
    approved: usize,
    withdrawn: usize,
    refused: usize,
    personal: usize,
    episodes: usize,
    expired: usize,
    put_off: usize,
    given_up: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl From<&ReviewReport> for ReviewReportReply {
    fn from(it: &ReviewReport) -> Self {
        Self {
            ok: it.problem.is_none(),
            events: it.n_events,
            proposed: it.n_proposed,
            supported: it.n_supported,
            approved: it.n_approved,
            withdrawn: it.n_withdrawn,
            refused: it.n_refused,
            personal: it.n_personal,
            episodes: it.n_episodes,
            expired: it.n_expired,
            put_off: it.n_put_off,
            given_up: it.n_given_up,
            problem: it.problem.clone(),
        }
    }
}

/// How reviews stand, in `--json`.
#[derive(Serialize)]
struct ReviewsStatusReply {
    ok: bool,
    repo: String,
    /// Whether this repository's reviews are read.
    wanted: bool,
    /// Whether deliveries can be taken: a secret is set.
    secret: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pulled_at: Option<String>,
    waiting: usize,
    failed: Vec<FailedDeliveryView>,
    rules: Vec<ReviewRuleView>,
    candidates: Vec<ReviewRuleView>,
}

#[derive(Serialize)]
struct FailedDeliveryView {
    id: String,
    tries: usize,
    why: String,
}

#[derive(Serialize)]
struct ReviewRuleView {
    handle: String,
    fact: String,
    scope: String,
    /// Who asked for it, and in which pull requests.
    asked: Vec<AskedRuleView>,
}

#[derive(Serialize)]
struct AskedRuleView {
    reviewer: String,
    authority: &'static str,
    pull_request: u64,
}

impl From<&Memory> for ReviewRuleView {
    fn from(it: &Memory) -> Self {
        let asked = list_remarks(it).map(|it| AskedRuleView {
            reviewer: it.reviewer.clone(),
            authority: it.authority.as_str(),
            pull_request: it.pull_request,
        });
        Self {
            handle: it.handle().to_string(),
            fact: it.fact.clone(),
            scope: RuleScope::of_memory(it).to_string(),
            asked: asked.collect(),
        }
    }
}

/// Pulls, tries again, or tells how it stands.
pub fn run(ctx: &CommandContext, args: &ReviewsArgs) -> CommandResult {
    match args.what {
        Some(ReviewsSubcommand::Pull) => pull(ctx),
        Some(ReviewsSubcommand::Reprocess) => reprocess(ctx),
        Some(ReviewsSubcommand::Status) | None => tell_status(ctx),
    }
}

fn pull(ctx: &CommandContext) -> CommandResult {
    let (_, settings) = ctx.find_project()?;
    require_wanted(&settings)?;
    require_own_address(&settings, &ctx.speaker()?)?;
    let workspace = ctx.open_workspace()?;
    let desk = ReviewDesk {
        system: &ctx.system,
        workspace: &workspace,
        is_for_many: false,
    };
    let report = pull_reviews(&desk, &ReviewFolder::locate(&ctx.system)?)?;
    Ok(build_report_output(ctx, "read", &report))
}

/// Whose reviews are read is said once, in the user's own file.
fn require_wanted(settings: &Settings) -> CommandResult<()> {
    if is_wanted(settings, &settings.repo) {
        return Ok(());
    }
    let repo = settings.repo.short_name();
    let fault = format!("reviews of {repo} are not read here");
    let hint = format!("in your own config file: reviews.repos = \"{repo}\"");
    Err(CommandError::config(fault).with_hint(hint))
}

/// What a server says about who reviewed what is believed, so an agent does not choose the server by a variable of its shell.
fn require_own_address(settings: &Settings, speaker: &Speaker) -> CommandResult<()> {
    let is_chosen = settings.is_from_environment(SettingKey::GithubUrl);
    if !is_chosen || speaker.person().is_some() {
        return Ok(());
    }
    let fault = "the address of GitHub's API comes from the environment of this shell";
    Err(CommandError::config(fault).with_hint("set github.url in your own config file"))
}

fn reprocess(ctx: &CommandContext) -> CommandResult {
    let (_, settings) = ctx.find_project()?;
    let folder = ReviewFolder::locate(&ctx.system)?;
    let secret = settings.reviews.read_secret()?;
    let secret = secret.ok_or_else(|| {
        CommandError::config("no secret is set, so nothing was delivered")
            .with_hint("reviews.secret_file in your own config file; see docs/reviews.md")
    })?;
    folder.retry_failed((ctx.system.random_source())())?;
    let open = |repo: &Space| -> Result<Option<Workspace>, CommandError> {
        let is_here = settings.repo.is_called(repo) || repo.is_called(&settings.repo);
        is_here.then(|| ctx.open_workspace()).transpose()
    };
    let report = process_deliveries(&ctx.system, &folder, (&secret, false), &open)?;
    Ok(build_report_output(ctx, "gone through", &report))
}

fn build_report_output(ctx: &CommandContext, verb: &str, report: &ReviewReport) -> CommandOutput {
    let reply = ReviewReportReply::from(report);
    ctx.render_output(&reply, |_| format_report(verb, report))
}

fn format_report(verb: &str, it: &ReviewReport) -> String {
    let told = [
        (it.n_approved, "in use now"),
        (it.n_proposed, "new candidates"),
        (it.n_supported, "supported"),
        (it.n_withdrawn, "lost support"),
        (it.n_personal, "proposed to a person"),
        (it.n_refused, "turned away"),
        (it.n_expired, "expired"),
        (it.n_episodes, "episodes with their outcome"),
        (it.n_put_off, "put off"),
        (it.n_given_up, "given up"),
    ];
    let told = told.into_iter().filter(|it| it.0 > 0);
    let told: Vec<String> = told.map(|(n, what)| format!("{n} {what}")).collect();
    let told = match told.is_empty() {
        true => "nothing new".to_owned(),
        false => told.join(", "),
    };
    let problem = it.problem.as_ref();
    let problem = problem.map_or(String::new(), |why| {
        format!("not everything: {}\n", make_terminal_safe(why))
    });
    format!(
        "{} {verb}: {told}\n{problem}",
        format_count(it.n_events as u64, "event", "events")
    )
}

fn tell_status(ctx: &CommandContext) -> CommandResult {
    let workspace = ctx.open_existing_workspace()?;
    let settings = &workspace.settings;
    let folder = ReviewFolder::locate(&ctx.system)?;
    let cx = workspace.context();
    let list = |stage: Stage| -> CommandResult<Vec<Memory>> {
        let mut rules = list_review_rules(&cx, &settings.repo, &[stage])?;
        rules.truncate(MAX_LISTED);
        Ok(rules)
    };
    let (rules, candidates) = (list(Stage::Active)?, list(Stage::Pending)?);
    let failed = folder
        .list_failed()
        .into_iter()
        .map(|it| FailedDeliveryView {
            id: it.id,
            tries: it.tries,
            why: it.error.unwrap_or_default(),
        });
    let reply = ReviewsStatusReply {
        ok: true,
        repo: settings.repo.short_name().to_owned(),
        wanted: is_wanted(settings, &settings.repo),
        secret: settings.reviews.read_secret()?.is_some(),
        pulled_at: folder.read_pull_state(&settings.repo).pulled_at,
        waiting: folder.list_waiting().len(),
        failed: failed.collect(),
        rules: rules.iter().map(ReviewRuleView::from).collect(),
        candidates: candidates.iter().map(ReviewRuleView::from).collect(),
    };
    Ok(ctx.render_output(&reply, |paint| format_status(paint, &reply)))
}

fn format_status(paint: &Paint, it: &ReviewsStatusReply) -> String {
    let yes = |is: bool, no: &str| if is { "yes".to_owned() } else { no.to_owned() };
    let wanted = format!(
        "no; reviews.repos = \"{}\" in your own config file",
        it.repo
    );
    let mut out = format!(
        "read        {}\ndeliveries  {}\npulled      {}\n",
        yes(it.wanted, &wanted),
        yes(it.secret, "no secret is set"),
        it.pulled_at.as_deref().unwrap_or("never"),
    );
    if it.waiting + it.failed.len() > 0 {
        out += &format!("waiting     {}, failed {}\n", it.waiting, it.failed.len());
    }
    for failed in &it.failed {
        let why = make_terminal_safe(&failed.why);
        out += &format!("  {} after {} tries: {why}\n", failed.id, failed.tries);
    }
    let _ = paint;
    out + &format_rules("Rules in use", &it.rules)
        + &format_rules("Candidates, which too few asked for", &it.candidates)
}

fn format_rules(title: &str, rules: &[ReviewRuleView]) -> String {
    if rules.is_empty() {
        return String::new();
    }
    let lines = rules.iter().map(|it| {
        let asked = it.asked.iter();
        let asked: Vec<String> = asked
            .map(|it| format!("{} ({}, #{})", it.reviewer, it.authority, it.pull_request))
            .collect();
        format!(
            "  {:6} {}\n         {}; {}\n",
            it.handle,
            make_terminal_safe(&it.fact),
            it.scope,
            asked.join(", ")
        )
    });
    format!("\n{BOLD}{title}{BOLD:#}\n{}", lines.collect::<String>())
}
