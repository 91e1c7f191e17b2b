//! `store prepare`, `grant`, `revoke`, `grants`: the tables of a database, and which of its roles may use which spaces.

use apostille_core::space::Space;
use apostille_postgres::{
    GrantAccess, PostgresUrl, SpaceGrant, list_grants, prepare_database, revoke_grants,
};
use serde_json::json;

use apostille_terminal::{
    args::{StoreAddressArgs, StoreGrantAccess, StoreGrantArgs, StoreRevokeArgs},
    command_context::{CommandContext, CommandResult, require_person},
    paint::{BOLD, style_text},
};
use apostille_workspace::{error::CommandError, known_repositories::RepositoryFile};

fn parse_address(args: &StoreAddressArgs) -> Result<PostgresUrl, CommandError> {
    let url = args.address.parse::<PostgresUrl>();
    url.map_err(|error| CommandError::usage(error.to_string()))
}

/// Makes the tables.
pub(super) fn prepare(ctx: &CommandContext, args: &StoreAddressArgs) -> CommandResult {
    let url = parse_address(args)?;
    let access = ctx.system.database_access();
    prepare_database(&url, &access.environment, &[])?;
    let json = json!({"ok": true, "outcome": "prepared", "store": url.to_string()});
    Ok(ctx.render_output(&json, |_| {
        format!("prepared {url}\nlet a role use it: apostille store grant {url} ROLE --space OWNER/NAME\n")
    }))
}

/// The whole names of spaces, as the memories of a checkout have them.
fn complete_spaces(ctx: &CommandContext, spaces: &[Space]) -> Result<Vec<Space>, CommandError> {
    let file = RepositoryFile::for_user(&ctx.system);
    let known = file.map(|it| it.read_repositories()).transpose()?;
    let known = known.unwrap_or_default();
    let (_, settings) = ctx.find_project()?;
    let complete = |it: &Space| {
        let found = known.resolve_name(it, &settings.repo);
        let space = found.map_err(|error| CommandError::usage(format!("--space: {error}")))?;
        // A grant is for one space and no other of a like name, so nothing is guessed.
        if space.is_user() || space.host().is_some() {
            return Ok(space);
        }
        let fault = format!("--space {space}: on which host is not known here");
        Err(CommandError::usage(fault).with_hint(format!("say it whole: github.com/{space}")))
    };
    spaces.iter().map(complete).collect()
}

/// Lets a role use spaces.
pub(super) fn grant_spaces(ctx: &CommandContext, args: &StoreGrantArgs) -> CommandResult {
    require_person(&ctx.deciding_speaker()?, "let a role use a space")?;
    let url = parse_address(&args.store)?;
    let access = match args.access {
        StoreGrantAccess::Read => GrantAccess::Read,
        StoreGrantAccess::Write => GrantAccess::Write,
        StoreGrantAccess::Serve => GrantAccess::Serve,
    };
    let grant = |space| SpaceGrant {
        member: args.role.clone(),
        space,
        access,
    };
    let grants: Vec<SpaceGrant> = if args.everywhere {
        vec![grant(None)]
    } else {
        let spaces = complete_spaces(ctx, &args.spaces)?;
        spaces.into_iter().map(|it| grant(Some(it))).collect()
    };
    prepare_database(&url, &ctx.system.database_access().environment, &grants)?;
    let named: Vec<String> = grants.iter().map(name_granted_space).collect();
    let json = json!({"ok": true, "outcome": "granted", "role": args.role, "spaces": named});
    Ok(ctx.render_output(&json, |_| {
        format!("{} may use {}\n", args.role, named.join(", "))
    }))
}

/// Takes a space from a role.
pub(super) fn revoke_spaces(ctx: &CommandContext, args: &StoreRevokeArgs) -> CommandResult {
    require_person(&ctx.deciding_speaker()?, "take a space from a role")?;
    let url = parse_address(&args.store)?;
    let environment = ctx.system.database_access().environment;
    let space = complete_spaces(ctx, args.space.as_slice())?.pop();
    if !revoke_grants(&url, &environment, &args.role, space.as_ref())? {
        let fault = format!("{} has no such grant", args.role);
        return Err(CommandError::usage(fault).with_hint(format!("apostille store grants {url}")));
    }
    let json = json!({"ok": true, "outcome": "revoked", "role": args.role});
    Ok(ctx.render_output(&json, |_| format!("{} may no longer use it\n", args.role)))
}

/// Lists who may use what.
pub(super) fn show_grants(ctx: &CommandContext, args: &StoreAddressArgs) -> CommandResult {
    let url = parse_address(args)?;
    let grants = list_grants(&url, &ctx.system.database_access().environment)?;
    let views: Vec<_> = grants
        .iter()
        .map(|it| json!({"role": it.member, "space": name_granted_space(it), "access": name_access(it.access)}))
        .collect();
    let json = json!({"ok": true, "grants": views});
    Ok(ctx.render_output(&json, |_| {
        let line = |it: &SpaceGrant| {
            let (role, space) = (style_text(BOLD, &it.member), name_granted_space(it));
            format!("{role}  {space}  {}\n", name_access(it.access))
        };
        grants.iter().map(line).collect()
    }))
}

fn name_granted_space(grant: &SpaceGrant) -> String {
    let space = grant.space.as_ref().map(|it| it.as_str().to_owned());
    space.unwrap_or_else(|| "every space".into())
}

fn name_access(access: GrantAccess) -> &'static str {
    match access {
        GrantAccess::Read => "read",
        GrantAccess::Write | GrantAccess::Serve => "write",
    }
}
