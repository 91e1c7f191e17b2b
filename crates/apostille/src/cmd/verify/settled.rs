//! Whether what is found here may be written down for good, and why not.

use crate::args::Verify;
use crate::paint::one_line;
use apostille_workspace::desk::Desk;

/// Whether this is the default branch with nothing half done in it.
pub fn is_settled(desk: &Desk) -> bool {
    desk.cx().source.is_settled().unwrap_or(false)
}

/// Why nothing is changed from here.
pub fn why_not(desk: &Desk, args: &Verify) -> String {
    if args.github {
        return "a repository on GitHub is only looked at".into();
    }
    let Some(checkout) = &desk.place.checkout else {
        return "this is no git repository".into();
    };
    let head = checkout.head().unwrap_or_default();
    let default = checkout.default_branch();
    match (&args.at, head.branch, default) {
        (_, _, None) => "git does not say which branch is the default one".into(),
        (Some(at), _, Some(default)) => {
            format!("'{}' is not '{}'", one_line(at), one_line(&default))
        }
        (None, branch, Some(default)) if branch.as_ref() != Some(&default) => match branch {
            Some(branch) => format!(
                "this is '{}' and not '{}'",
                one_line(&branch),
                one_line(&default)
            ),
            None => format!("this is a single commit and not '{}'", one_line(&default)),
        },
        _ => "there are uncommitted edits".into(),
    }
}
