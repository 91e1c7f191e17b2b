//! The audit: what needs attention. It looks and counts, and changes nothing.

use apostille_audit::{AuditOptions, audit};
use apostille_core::Context;

use apostille_api::{CallFault, CallPlace};

/// How many findings of a class are told.
const FINDINGS: usize = 10;

/// The audit as Markdown.
pub(super) fn render_audit_resource(cx: &Context, here: &CallPlace) -> Result<String, CallFault> {
    let options = AuditOptions {
        limit: FINDINGS,
        own: here.own,
        ..AuditOptions::default()
    };
    Ok(audit(cx, &here.spaces(), &options)?.to_markdown())
}
