//! `consolidate`: which memories go up in others, as proposals; and which facts keep changing.

use apostille_reflect::volatile::{VolatileMemory, list_volatile_memories};
use apostille_terminal::{
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, YELLOW},
};
use apostille_workspace::looking_back::consolidate_workspace;
use serde_json::json;

use super::reflect::{build_proposals_json, format_proposals};

/// Proposes the steps that are new, and names what is volatile.
pub fn run(ctx: &CommandContext) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let outcome = consolidate_workspace(&workspace)?;
    let volatile = list_volatile_memories(&workspace.context(), &workspace.spaces())?;
    let mut json = build_proposals_json(&outcome);
    json["ok"] = true.into();
    let views = volatile
        .iter()
        .map(|it| json!({"memory": it.handle.to_string(), "changes": it.changes}));
    json["volatile"] = views.collect::<Vec<_>>().into();
    let none = "nothing to consolidate: no two memories repeat or contradict each other\n";
    Ok(ctx.render_output(&json, |paint| {
        format_proposals(paint, &outcome, none) + &format_volatile(&volatile)
    }))
}

fn format_volatile(volatile: &[VolatileMemory]) -> String {
    let line = |it: &VolatileMemory| {
        let (handle, n) = (it.handle, it.changes);
        format!("  {BOLD}{handle}{BOLD:#}  its code changed {n} times in 90 days\n")
    };
    match volatile {
        [] => String::new(),
        _ => {
            let lines: String = volatile.iter().map(line).collect();
            format!("{YELLOW}volatile{YELLOW:#}: read the code rather than rely on these\n{lines}")
        }
    }
}
