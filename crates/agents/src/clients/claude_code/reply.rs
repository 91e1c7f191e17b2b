//! How Claude Code is answered.
//!
//! Read in the program itself (2.1.325): `additionalContext` is a field of the answers to the first four events, and what a
//! successful `PreCompact` hook prints is handed to the summariser as it stands, JSON or not. So an answer there is never
//! JSON, and a notice is not given at all. At a `Stop` context would continue the turn, so none is given.

use crate::hook::HookMoment;
use crate::hook::reply::{NESTED, ReplyFormat, accepted_context};

pub(super) const FORMAT: ReplyFormat = ReplyFormat {
    print: |call, reply| match call.moment {
        HookMoment::Compact => accepted_context(reply, true).unwrap_or_default().to_owned(),
        _ => (NESTED.print)(call, reply),
    },
    plain_events: &["PreCompact"],
    ..NESTED
};
