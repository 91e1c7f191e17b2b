//! How Copilot CLI is answered: with context on the top level, whichever spelling the event has; the nested form that
//! others have is ignored. Nothing in an answer is shown to the person. Seen in 1.0.102: when two hooks answer a prompt,
//! the last context counts, and an empty answer takes nothing away.

use crate::hook::HookMoment;
use crate::hook::reply::{NESTED, ReplyFormat, accepted_context, print_hook_object};

pub(super) const FORMAT: ReplyFormat = ReplyFormat {
    print: |call, reply| {
        let is_taken = matches!(
            call.moment,
            HookMoment::Start { .. } | HookMoment::Prompt { .. } | HookMoment::Touch { .. }
        );
        let context = accepted_context(reply, is_taken);
        print_hook_object([("additionalContext", context.map(Into::into))])
    },
    has_notice: false,
    keys: &[
        "additionalContext",
        "modifiedPrompt",
        "modifiedResult",
        "decision",
        "reason",
        "suppressOutput",
    ],
    keeps_start: false,
    ..NESTED
};
