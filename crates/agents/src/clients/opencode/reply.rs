//! How the plugin in opencode is answered: with the context and nothing else. Where it goes is the plugin's part. It has no
//! place for a notice.

use crate::hook::{
    HookMoment,
    reply::{NESTED, ReplyFormat, accepted_context, print_hook_object},
};

pub(super) const FORMAT: ReplyFormat = ReplyFormat {
    print: |call, reply| {
        let is_taken = !matches!(call.moment, HookMoment::Stop { .. } | HookMoment::End);
        let context = accepted_context(reply, is_taken);
        print_hook_object([("context", context.map(Into::into))])
    },
    has_notice: false,
    keys: &["context"],
    ..NESTED
};
