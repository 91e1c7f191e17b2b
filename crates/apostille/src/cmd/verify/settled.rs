//! Whether what is found here may be written down for good, and why not.

use apostille_terminal::args::VerifyArgs;
use apostille_terminal::paint::flatten_to_line;
use apostille_workspace::workspace::Workspace;

/// Whether this is the default branch with nothing half done in it.
pub fn is_settled_checkout(workspace: &Workspace) -> bool {
    workspace.context().source.is_settled().unwrap_or(false)
}

/// Why nothing is changed from here.
pub fn explain_unsettled(workspace: &Workspace, args: &VerifyArgs) -> String {
    if args.github {
        return "a repository on GitHub is only looked at".into();
    }
    let Some(checkout) = &workspace.place.checkout else {
        return "this is not a git repository".into();
    };
    let Some(default) = checkout.find_default_branch() else {
        return "git does not say which branch is the default one".into();
    };
    let head = checkout.read_head().unwrap_or_default();
    let wanted = flatten_to_line(&default);
    match (&args.at, head.branch) {
        (Some(at), _) => format!("'{}' is not '{wanted}'", flatten_to_line(at)),
        (None, None) => format!("this is a single commit and not '{wanted}'"),
        (None, Some(branch)) if branch != default => {
            format!("this is '{}' and not '{wanted}'", flatten_to_line(&branch))
        }
        _ => "there are uncommitted edits".into(),
    }
}
