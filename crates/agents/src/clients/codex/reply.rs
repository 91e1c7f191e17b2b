//! How Codex is answered.
//!
//! Its answers are closed (`codex-rs/hooks/schema/generated`, 2026-08-22): one unknown key, and the hook has failed. At
//! `PreToolUse` some of the known ones fail it too (`engine/output_parser.rs`), so nothing is said that need not be.

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
