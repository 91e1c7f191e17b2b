//! How Gemini CLI is answered. Context is escaped and wrapped in `<hook_context>`; what was said at the start comes back as
//! a part of the prompt (see `payload`). A message for the person is shown at every event.

use crate::hook::reply::{NESTED, ReplyFormat, print_nested_reply};
use crate::hook::{HookCall, HookMoment, HookReply};

pub(super) const FORMAT: ReplyFormat = ReplyFormat {
    print: print_gemini_reply,
    // It resumes without anything that hooks said.
    keeps_start: false,
    keeps_prompts: false,
    ..NESTED
};

fn print_gemini_reply(call: &HookCall, reply: &HookReply) -> String {
    match call.moment {
        HookMoment::Touch {
            is_before: true, ..
        } => print_nested_reply(call, reply, false),
        _ => (NESTED.print)(call, reply),
    }
}
