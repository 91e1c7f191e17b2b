//! How Gemini CLI is answered. Context is escaped and wrapped in `<hook_context>`; what was said at the start comes back as
//! a part of the prompt (see `payload`). A message for the person is shown at every event.

use crate::hook::HookMoment;
use crate::hook::reply::{NESTED, ReplyFormat, print_extended_task, print_nested_reply};

pub(super) const FORMAT: ReplyFormat = ReplyFormat {
    print: |call, reply| match call.moment {
        HookMoment::Touch {
            task: Some(ref task),
            ..
        } => print_extended_task(call, reply, task, "tool_input"),
        HookMoment::Touch {
            is_before: true, ..
        } => print_nested_reply(call, reply, false),
        _ => (NESTED.print)(call, reply),
    },
    // It resumes without anything that hooks said.
    keeps_start: false,
    keeps_prompts: false,
    ..NESTED
};
