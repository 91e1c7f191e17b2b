//! The instructions that an agent had when it made a commit: the version in the trailer, and where it can be read.

use apostille_api::json::TracedPromptView;
use apostille_cite::source::Source;
use apostille_git::git::{Checkout, Commit, CommitDetails};
use apostille_tasks::task::trailers::read_trailer;

use crate::{
    prompt::{compute_repo_prompt_version, compute_source_prompt_version},
    workspace::Workspace,
};

/// The trailer of the version.
const PROMPT_VERSION: &str = "Prompt-Version";
/// How many hexadecimal digits it has.
const DIGITS: usize = 64;

/// What a commit says of the instructions; `None` where it says nothing.
pub(super) fn trace_prompt(
    workspace: &Workspace,
    checkout: &Checkout,
    details: &CommitDetails,
    texts: &[(&str, &str)],
) -> Option<TracedPromptView> {
    let version = read_trailer(&details.text, PROMPT_VERSION)?;
    let is_digest = version.len() == DIGITS && version.bytes().all(|it| it.is_ascii_hexdigit());
    let version = is_digest.then(|| version.to_owned())?;
    let view = |found, files| TracedPromptView {
        version: version.clone(),
        rests_on: "trailer",
        found,
        files,
    };
    let (now, files) = compute_repo_prompt_version(&workspace.place.root, texts);
    if now.to_string() == version {
        return Some(view("as it is here now", files));
    }
    let then = Commit::new(checkout, &details.commit).ok();
    let then = then.and_then(|it| compute_source_prompt_version(&it as &dyn Source, texts));
    Some(match then.filter(|it| it.0.to_string() == version) {
        Some((_, files)) => view("as it is in that commit", files),
        None => view(
            "not found: of other instruction files, or of another version of Apostille",
            Vec::new(),
        ),
    })
}
