//! The suite `decisions`: what was decided in a chat or in the message of a commit, and whether it comes back when a bug
//! report needs it.
//!
//! The program runs as a client runs it: its hooks are called through every chat of a public data set, one session each, and
//! every session is gone through when it is over. Then each bug report is the first prompt of a new session. All chats are
//! lived through in one checkout, so a bug report finds its decision among those of all other tasks, which is harder than
//! the data set asks for; `--own-pool` gives each task a home of its own. Decisions in commits stand in other checkouts:
//! a bug report occurs with a chat and with a commit, and each must be found by itself.
//!
//! A chat is shown when eight words of one of the user's turns stand in a row in what the model is given, and no other chat
//! has them; a shorter turn must stand whole. The words that carry a decision are the numbers, quotes, names and sets in the
//! data set's own sentence about it, where the user said them in the chat and that part of a shown turn is there; what the
//! bug report says, too, carries nothing. One is enough, and having all is counted beside it. For a sentence without any, two of
//! its content words in what is shown of a turn are enough, or the last two turns of the user. A commit is shown when its
//! short hash is, or eight words of its reason in a row.
//!
//! The data has no dates: a chat is lived through each day, in a fixed shuffle in which a chat stays behind those that it amends.

mod agent_home;
mod data_set;
mod host_repository;
mod phrases;
mod score;
mod tables;

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result, bail, ensure};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::{args::Args, cold, machine::Machine, prompts, scratch, table};
use agent_home::{AgentHome, AgentSessionRun};
use data_set::{DataSet, DecisionTask, SpokenChat, TaskSource};
use host_repository::{HostRepository, group_by_module};
use phrases::find_shared_runs;
use score::{AnswerScore, DecidingChat, PastWords, score_commit};
use tables::{AskedTask, DiskUse, HookTimes, UnrelatedTally};

pub(crate) use data_set::TaskHalf;

/// When the first chat was, and when everything is asked.
const FIRST_CHAT: i64 = 1_767_600_000;
const ASKED: i64 = 1_785_600_000;
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// How often the disk is looked at while chats are lived through.
const LOOKS: usize = 4;

/// The session that was in a checkout before its commits are asked about.
const SMALL_TALK: [(&str, &str); 2] = [
    ("user", "Is there anything uncommitted here?"),
    ("assistant", "No, the working tree is clean."),
];

/// What is asked of the suite.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DecisionsAsk {
    /// The checkout of the data set.
    pub(crate) folder: Option<PathBuf>,
    /// A clone of the host repository.
    pub(crate) host: Option<PathBuf>,
    /// The half of the tasks that is asked about; both, where none is named.
    pub(crate) half: Option<TaskHalf>,
    /// Where what each question was shown goes.
    pub(crate) lines: Option<PathBuf>,
    /// More prompts that have nothing to do with the chats.
    pub(crate) unrelated: Option<PathBuf>,
    /// Whether each task is also asked about among its own chats only.
    pub(crate) has_own_pool: bool,
}

impl DecisionsAsk {
    /// Takes a word that is no option: the folder.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        !word.starts_with('-')
            && self.folder.is_none()
            && self.folder.replace(word.into()).is_none()
    }

    /// Reads the name of a half.
    pub(crate) fn set_half(&mut self, name: &str) -> Result<()> {
        self.half = Some(match name {
            "even" => TaskHalf::Even,
            "odd" => TaskHalf::Odd,
            other => bail!("--half is even or odd, not '{other}'"),
        });
        Ok(())
    }
}

/// Runs the suite and prints what it found.
pub(crate) fn run(args: &Args, ask: &DecisionsAsk) -> Result<()> {
    let folder = ask.folder.as_deref();
    let folder = folder.context("decisions needs a checkout of the data set")?;
    let bin = cold::program(args.bin.as_deref())?;
    ensure!(
        bin.is_file(),
        "there is no program {}; build it with `cargo build --release -p apostille`, or name it with --bin",
        bin.display()
    );
    let scratch = scratch::on_disk(args.dir.as_deref())?;
    let data = DataSet::read(folder)?;
    let mut run = DecisionsRun::prepare(ask, &bin, scratch.path(), &data)?;
    let mut asked = run.ask_about_chats()?;
    asked.extend(run.ask_about_commits()?);
    let print = |title: &str, table: &table::Table| {
        print!("{}", table::title(title, args.markdown));
        print!("{}", table.text(args.markdown));
    };
    let machine = Machine::look(scratch.path());
    print!("{}", table::machine(&machine, args.markdown));
    print(
        "What was decided",
        &tables::build_bar_table(&asked, &run.unrelated),
    );
    print("Times", &tables::build_time_table(&run.list_times(&asked)));
    print("On the disk", &tables::build_disk_table(&run.disk));
    if ask.has_own_pool {
        let own = run.ask_in_own_pools()?;
        let title = "Each task with its own chats and the decoys only";
        print(title, &tables::build_bar_table(&own, &[]));
    }
    match &ask.lines {
        Some(path) => crate::write(path, &run.lines),
        None => Ok(()),
    }
}

/// A prompt on a line: as it is, or as an object with a `text`, which may have lines.
fn read_unrelated_line(line: &str) -> String {
    let object: Option<Value> = serde_json::from_str(line).ok();
    let text = object.and_then(|it| it["text"].as_str().map(str::to_owned));
    text.unwrap_or_else(|| line.to_owned())
}

/// What the suite works with, and what it has seen so far.
struct DecisionsRun<'a> {
    bin: &'a Path,
    dir: &'a Path,
    host: Option<&'a Path>,
    data: &'a DataSet,
    half: Option<TaskHalf>,
    /// Words in a row that more than one chat has.
    shared: HashSet<Vec<String>>,
    /// Prompts that have nothing to do with any chat.
    prompts: Vec<String>,
    unrelated: Vec<UnrelatedTally>,
    /// How long the hooks of prompts took, while chats were lived through and when unrelated prompts were asked.
    lived: Vec<Duration>,
    quiet: Vec<Duration>,
    disk: Vec<DiskUse>,
    lines: String,
}

impl<'a> DecisionsRun<'a> {
    fn prepare(
        ask: &'a DecisionsAsk,
        bin: &'a Path,
        dir: &'a Path,
        data: &'a DataSet,
    ) -> Result<Self> {
        let mut prompts = prompts::read_unrelated_prompts()?;
        if let Some(path) = &ask.unrelated {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let own = text.lines().filter(|it| !it.trim().is_empty());
            prompts.extend(own.map(read_unrelated_line));
        }
        let chats = data.chats.iter().map(|it| it.user_turns().collect());
        Ok(Self {
            bin,
            dir,
            host: ask.host.as_deref(),
            data,
            half: ask.half,
            shared: find_shared_runs(chats),
            prompts,
            unrelated: Vec::new(),
            lived: Vec::new(),
            quiet: Vec::new(),
            disk: Vec::new(),
            lines: String::new(),
        })
    }

    /// The tasks that are asked about, with decisions in commits or in chats.
    fn list_tasks(&self, is_commit: bool) -> impl Iterator<Item = &'a DecisionTask> + use<'a> {
        let half = self.half;
        let tasks = self.data.tasks.iter();
        tasks
            .filter(move |it| (it.source == TaskSource::Commit) == is_commit)
            .filter(move |it| half.is_none_or(|half| it.half() == half))
    }

    /// Lives through every chat in one checkout, and asks about those in which something was decided.
    fn ask_about_chats(&mut self) -> Result<Vec<AskedTask<'a>>> {
        let repository = self.create_repository("chats")?;
        let home = self.create_home("chats", &repository.root);
        let n_between = self.data.chats.len().div_ceil(LOOKS);
        for (n, (chat, at)) in (1..).zip(self.data.chats.iter().zip(list_days()?)) {
            self.lived.extend(home.live_chat(chat, at)?);
            if n % n_between == 0 || n == self.data.chats.len() {
                self.look_at_disk(&home, n)?;
            }
        }
        let mut asked = Vec::new();
        for task in self.list_tasks(false) {
            asked.push(self.ask_about_chat(&home, task)?);
        }
        let mut past = PastWords::default();
        for turn in self.data.chats.iter().flat_map(|it| &it.turns) {
            past.add_text(&turn.text);
        }
        self.ask_unrelated(&home, &repository, past, "among chats")?;
        Ok(asked)
    }

    fn ask_about_chat(
        &mut self,
        home: &AgentHome,
        task: &'a DecisionTask,
    ) -> Result<AskedTask<'a>> {
        let answer = begin_asking(home, &task.name)?.ask(&task.bug_report)?;
        let amended = task.amended_chat();
        let amended = amended.map(|it| self.data.find_chat(&it)).transpose()?;
        let chat = DecidingChat {
            deciding: self.data.find_chat(&task.deciding_chat())?,
            amended,
            policy: &task.policy,
            bug_report: &task.bug_report,
            shared: &self.shared,
        };
        let asked = AskedTask {
            task,
            score: chat.score_text(&answer.context),
            shown: answer.context,
            before_edit: None,
            took: answer.took,
        };
        self.lines.push_str(&format!("{}\n", asked.line()));
        Ok(asked)
    }

    /// Asks about the decisions in commits, each in a checkout in which one session was before.
    fn ask_about_commits(&mut self) -> Result<Vec<AskedTask<'a>>> {
        let mut asked = Vec::new();
        // The commits of the other half are there all the same.
        let tasks = self.data.tasks.iter();
        let tasks = tasks.filter(|it| it.source == TaskSource::Commit);
        for (n, group) in (1..).zip(group_by_module(tasks)) {
            let mut repository = self.create_repository(&format!("commits-{n}"))?;
            group
                .iter()
                .try_for_each(|it| repository.commit_decision(it))?;
            let home = self.create_home(&format!("commits-{n}"), &repository.root);
            let yesterday = Timestamp::from_second(ASKED)? - DAY;
            home.live_chat(&SpokenChat::about_nothing("before", &SMALL_TALK), yesterday)?;
            let is_asked = |it: &&&DecisionTask| self.half.is_none_or(|half| it.half() == half);
            for task in group.iter().filter(is_asked) {
                asked.push(ask_about_commit(&home, &repository, task)?);
            }
            // The largest is asked first.
            if n == 1 {
                self.ask_unrelated(&home, &repository, PastWords::default(), "among commits")?;
            }
        }
        for it in &asked {
            self.lines.push_str(&format!("{}\n", it.line()));
        }
        Ok(asked)
    }

    /// Asks what has nothing to do with any chat or decision.
    fn ask_unrelated(
        &mut self,
        home: &AgentHome,
        repository: &HostRepository,
        mut past: PastWords,
        place: &'static str,
    ) -> Result<()> {
        for (hash, message) in repository.read_log()? {
            past.add_hash(&hash);
            past.add_text(&message);
        }
        let mut tally = UnrelatedTally::new(place);
        for (n, prompt) in self.prompts.iter().enumerate() {
            let answer = begin_asking(home, &format!("unrelated {n}"))?.ask(prompt)?;
            let is_past = past.is_in(&answer.context);
            self.quiet.push(answer.took);
            tally.add_answer(&answer.context, is_past);
            let row = json!({
                "unrelated": place, "prompt": prompt, "shown": answer.context, "from_past": is_past,
            });
            self.lines.push_str(&format!("{row}\n"));
        }
        self.unrelated.push(tally);
        Ok(())
    }

    /// Asks about each decision in a chat in a home that has only the decoys and the task's own chats.
    fn ask_in_own_pools(&mut self) -> Result<Vec<AskedTask<'a>>> {
        let repository = self.create_repository("pool")?;
        let decoys = self.create_home("decoys", &repository.root);
        let mut days = list_days()?;
        for (chat, at) in self
            .data
            .chats
            .iter()
            .filter(|it| it.is_decoy())
            .zip(&mut days)
        {
            decoys.live_chat(chat, at)?;
        }
        let days: Vec<Timestamp> = days.take(2).collect();
        let mut asked = Vec::new();
        for task in self.list_tasks(false) {
            let home = decoys.copy_to(self.dir.join(&task.name))?;
            let own = task
                .amended_chat()
                .into_iter()
                .chain([task.deciding_chat()]);
            for (name, at) in own.zip(&days) {
                home.live_chat(self.data.find_chat(&name)?, *at)?;
            }
            asked.push(self.ask_about_chat(&home, task)?);
            fs::remove_dir_all(&home.home)?;
        }
        Ok(asked)
    }

    fn create_repository(&self, name: &str) -> Result<HostRepository> {
        HostRepository::create(self.dir.join(format!("{name}-host")), name, self.host)
    }

    fn create_home<'h>(&self, name: &str, checkout: &'h Path) -> AgentHome<'h>
    where
        'a: 'h,
    {
        AgentHome {
            bin: self.bin,
            home: self.dir.join(format!("{name}-home")),
            checkout,
        }
    }

    fn look_at_disk(&mut self, home: &AgentHome, n_sessions: usize) -> Result<()> {
        let (data, cache) = home.count_bytes()?;
        self.disk.push(DiskUse {
            n_sessions,
            data,
            cache,
        });
        Ok(())
    }

    fn list_times(&self, asked: &[AskedTask]) -> Vec<HookTimes> {
        let asked = asked.iter().map(|it| it.took).collect();
        let times = [
            ("prompt of a chat", self.lived.clone()),
            ("bug report", asked),
            ("unrelated prompt", self.quiet.clone()),
        ];
        times
            .into_iter()
            .map(|(moment, took)| HookTimes { moment, took })
            .collect()
    }
}

fn ask_about_commit<'t>(
    home: &AgentHome,
    repository: &HostRepository,
    task: &'t DecisionTask,
) -> Result<AskedTask<'t>> {
    let decision = repository.find_decision(task)?;
    let session = begin_asking(home, &task.name)?;
    let answer = session.ask(&task.bug_report)?;
    let edit = session.touch_file(&task.module, &decision.broken)?.context;
    let unasked = begin_asking(home, &format!("{} by its code", task.name))?;
    let alone = unasked.touch_file(&task.module, &decision.broken)?.context;
    Ok(AskedTask {
        task,
        score: AnswerScore {
            by_code: score_commit(&[&alone], decision).is_found,
            is_silent: alone.is_empty(),
            ..score_commit(&[&answer.context, &edit], decision)
        },
        shown: answer.context,
        before_edit: Some(edit),
        took: answer.took,
    })
}

fn begin_asking<'h>(home: &'h AgentHome, subject: &str) -> Result<AgentSessionRun<'h>> {
    let at = Timestamp::from_second(ASKED)?;
    Ok(home.begin_session(&format!("asked about {subject}"), at))
}

/// A day for each chat.
fn list_days() -> Result<impl Iterator<Item = Timestamp>> {
    let first = Timestamp::from_second(FIRST_CHAT)?;
    Ok((0..).map(move |n: i32| first + DAY * n))
}
