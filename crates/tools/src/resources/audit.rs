//! The audit: what needs attention. It looks and counts, and changes nothing.

use apostille_audit::{AuditOptions, audit};
use apostille_core::Context;

use apostille_api::{CallFault, Caller};

/// How many findings of a class are told.
const FINDINGS: usize = 10;

/// The audit as Markdown.
pub(super) fn render_audit_resource(cx: &Context, caller: &Caller) -> Result<String, CallFault> {
    let options = AuditOptions {
        limit: FINDINGS,
        own: caller.own,
        ..AuditOptions::default()
    };
    Ok(audit(cx, &caller.spaces(), &options)?.to_markdown())
}
