//! What clients remember by themselves, and whether it agrees with what is kept here. Their files are read and compared;
//! nothing is written.

use std::path::Path;

use apostille_agents::{
    own_notes::{FoundNotes, find_own_notes},
    settings::layout::UserFolders,
};
use apostille_core::{
    list,
    memory::{Memory, Stage},
    policy::Policy,
    remember::relation::ComparedMemory,
    space::Space,
    store::{ListOrder, MemoryFilter},
};
use apostille_import::{
    foreign_file::ForeignFile,
    format::{ForeignFormat, detect_import_format},
};
use apostille_terminal::{
    command_context::CommandContext,
    paint::{flatten_to_line, format_count, truncate_to_width},
};
use apostille_text::contradict::FactRelation;

use super::{DoctorFinding, new_doubtful_finding, new_good_finding};
use crate::init;

/// How many statements of one place are compared, and with how many memories.
const MAX_STATEMENTS: usize = 200;
const MAX_MEMORIES: usize = 2_000;
/// How many that do not agree are named.
const MAX_NAMED: usize = 5;
/// How much of a text is shown, in columns.
const SHOWN: usize = 90;

/// A finding for every place with notes of a client, and one for every pair that does not agree.
pub(super) fn check_other_memories(ctx: &CommandContext) -> Vec<DoctorFinding> {
    let Some(home) = ctx.system.env.home_dir() else {
        return Vec::new();
    };
    let user = UserFolders {
        home,
        variable: &|name| ctx.system.env.absolute_path(name),
    };
    let scope = init::find_scope_here(ctx);
    let root = scope.as_ref().map_or(Path::new("/"), |it| it.root());
    let found = find_own_notes(&user, root);
    let checked = found.iter().flat_map(|it| check_found_notes(ctx, it));
    checked.collect()
}

fn check_found_notes(ctx: &CommandContext, found: &FoundNotes) -> Vec<DoctorFinding> {
    let FoundNotes {
        client,
        notes,
        files,
        ..
    } = found;
    let count = format_count(files.len() as u64, "file", "files");
    let told = format!(
        "{client} remembers by itself: {count} in {}",
        notes.path.display()
    );
    let mut findings = vec![new_good_finding("notes", told)];
    findings.extend(find_disagreements(ctx, found).unwrap_or_default());
    findings
}

/// What the notes say that cannot be true beside an active memory. A store that is not there, or cannot be opened, has none:
/// that was told of already.
fn find_disagreements(ctx: &CommandContext, found: &FoundNotes) -> Option<Vec<DoctorFinding>> {
    let workspace = ctx.open_existing_workspace().ok()?;
    let settings = &workspace.settings;
    let space = match found.notes.is_users {
        true => &settings.user,
        false => &settings.repo,
    };
    let filter = MemoryFilter {
        spaces: vec![space.clone()],
        stages: vec![Stage::Active],
        order: ListOrder::Newest,
        limit: MAX_MEMORIES,
        ..MemoryFilter::default()
    };
    let kept = list::list_memories(&workspace.context(), &filter).ok()?;
    let stated = read_statements(ctx, found, space, &settings.policy);
    let pairs = compare_statements(&stated, &kept, &settings.policy);
    Some(
        pairs
            .map(|(said, memory)| describe_disagreement(found, said, memory))
            .take(MAX_NAMED)
            .collect(),
    )
}

/// What the files state, as `import` would read them.
fn read_statements(
    ctx: &CommandContext,
    found: &FoundNotes,
    space: &Space,
    policy: &Policy,
) -> Vec<Memory> {
    let mut all = Vec::new();
    for file in &found.files {
        let text = found.notes.read_file(file);
        let sheet = ForeignFile {
            name: file.file_name().and_then(|it| it.to_str()),
            is_beside_index: true,
            text: &text,
        };
        let format = detect_import_format(&sheet).unwrap_or(ForeignFormat::Claude);
        let parsed = format.parse_foreign_file(&sheet, &policy.limits);
        let mut pieces = parsed.map(|it| it.pieces).unwrap_or_default();
        // A heading says where in a page a statement stands; as a subject it would keep apart what is to be compared.
        pieces.iter_mut().for_each(|it| it.subject = None);
        all.extend(
            pieces
                .into_iter()
                .map(|it| it.into_memory(space.clone(), ctx.system.now)),
        );
    }
    all.truncate(MAX_STATEMENTS);
    all
}

/// The pairs that do not agree.
fn compare_statements<'m>(
    stated: &'m [Memory],
    kept: &'m [Memory],
    policy: &'m Policy,
) -> impl Iterator<Item = (&'m Memory, &'m Memory)> {
    let kept: Vec<ComparedMemory> = kept.iter().map(ComparedMemory::new).collect();
    stated.iter().flat_map(move |said| {
        let new = ComparedMemory::new(said);
        let opposed = kept.iter().filter(|old| {
            let relation = new.relate_to(old, policy.near_duplicate);
            matches!(
                relation,
                Some(FactRelation::Opposed | FactRelation::Doubtful)
            )
        });
        let pairs: Vec<_> = opposed.map(|old| (said, old.memory)).collect();
        pairs
    })
}

fn describe_disagreement(found: &FoundNotes, said: &Memory, memory: &Memory) -> DoctorFinding {
    let show = |text: &str| truncate_to_width(&flatten_to_line(text), SHOWN);
    let (client, handle) = (found.client, memory.handle());
    let told = format!(
        "{client} notes “{}”, and {handle} says “{}”: `apostille verify {handle}` looks it up; correct the one that is wrong ({})",
        show(&said.fact),
        show(&memory.fact),
        found.notes.path.display()
    );
    new_doubtful_finding("notes", told)
}
