//! How Cursor is answered: with context in its own spelling. At a prompt it asks whether to go on, so that is always
//! answered. A message is shown to the person only when something is refused.

use crate::hook::HookMoment;
use crate::hook::reply::{NESTED, ReplyFormat, accepted_context, print_hook_object};

pub(super) const FORMAT: ReplyFormat = ReplyFormat {
    print: |call, reply| {
        let goes_on = match call.moment {
            HookMoment::Prompt { .. } => Some(true.into()),
            HookMoment::Start { .. }
            | HookMoment::Touch {
                is_before: false, ..
            } => None,
            _ => return String::new(),
        };
        let context = accepted_context(reply, true).map(Into::into);
        print_hook_object([("continue", goes_on), ("additional_context", context)])
    },
    has_notice: false,
    keys: &[
        "continue",
        "additional_context",
        "user_message",
        "followup_message",
        "permission",
        "env",
    ],
    ..NESTED
};
