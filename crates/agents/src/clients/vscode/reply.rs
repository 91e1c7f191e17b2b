//! How Visual Studio Code is answered. An answer under another event's name is dropped.

use crate::hook::reply::{NESTED_KEYS, ReplyFormat, print_nested};
use crate::hook::{HookCall, HookMoment, HookReply};

pub(super) const FORMAT: ReplyFormat = ReplyFormat {
    print,
    has_notice: true,
    keys: NESTED_KEYS,
    plain_events: &[],
    keeps_start: true,
    keeps_prompts: true,
};

fn print(call: &HookCall, reply: &HookReply) -> String {
    match call.moment {
        HookMoment::Compact | HookMoment::Stop { .. } => print_nested(call, reply, false),
        HookMoment::End => String::new(),
        _ => print_nested(call, reply, true),
    }
}
