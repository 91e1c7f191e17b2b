//! The audit: what needs attention. It looks and counts, and changes nothing.

use apostille_audit::{Options, audit};
use apostille_core::Context;

use apostille_api::{Fault, Here};

/// How many findings of a class are told.
const FINDINGS: usize = 10;

/// The audit as Markdown.
pub(super) fn text(cx: &Context<'_>, here: &Here<'_>) -> Result<String, Fault> {
    let options = Options {
        limit: FINDINGS,
        own: here.own,
        ..Options::default()
    };
    Ok(audit(cx, &here.spaces(), &options)?.markdown())
}
