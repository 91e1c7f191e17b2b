//! `token`: who may come through the socket of `serve`, and how far.

use std::sync::Arc;

use apostille_api::access_token::Access;
use apostille_core::{
    format,
    space::Space,
    tokens::{TokenRecord, TokenStore},
};
use apostille_text::{digest::Digest, moderate::check_name};
use jiff::SignedDuration;
use serde::Serialize;
use serde_json::json;

use apostille_terminal::{
    args::{TokenArgs as Args, TokenCreateArgs, TokenSubcommand},
    command_context::{CommandContext, CommandResult, require_person},
    paint::{BOLD, DIM, Paint, format_if, join_texts, style_text},
};
use apostille_workspace::{
    error::CommandError,
    known_repositories::RepositoryFile,
    tokens::{check_token_name, open_token_store},
};

/// A token, in `--json`.
#[derive(Serialize)]
struct TokenView {
    name: String,
    access: &'static str,
    /// `null`: every space.
    spaces: Option<Vec<String>>,
    /// The person whose user's space it reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    made: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    is_over: bool,
}

impl TokenView {
    fn new(ctx: &CommandContext, it: &TokenRecord) -> Self {
        Self {
            name: it.name.clone(),
            access: it.access.as_str(),
            spaces: it
                .spaces
                .as_ref()
                .map(|it| it.iter().map(|it| it.as_str().to_owned()).collect()),
            user: it.user.as_ref().map(|it| it.as_str().to_owned()),
            made: format::format_timestamp(it.made),
            until: it.until.map(format::format_timestamp),
            is_over: it.is_expired(ctx.system.now),
        }
    }
}

/// Makes, lists or revokes tokens.
pub fn run(ctx: &CommandContext, args: &Args) -> CommandResult {
    match &args.what {
        Some(TokenSubcommand::Create(args)) => create_token(ctx, args),
        Some(TokenSubcommand::Revoke { name }) => revoke_token(ctx, name),
        Some(TokenSubcommand::List) | None => list_tokens(ctx),
    }
}

/// Where tokens are kept for the store that is in use here.
fn open_tokens(ctx: &CommandContext) -> Result<Arc<dyn TokenStore>, CommandError> {
    let (_, settings) = ctx.find_project()?;
    open_token_store(&ctx.system, &settings)
}

fn create_token(ctx: &CommandContext, args: &TokenCreateArgs) -> CommandResult {
    check_token_name(&args.name)?;
    if args.access == Access::Review {
        require_person(&ctx.deciding_speaker()?, "make a token that reviews")?;
    }
    let random = ctx.system.random_source();
    let now = ctx.system.now;
    let secret = format!("apostille_{:032x}", random());
    let days = |it: u16| {
        now.checked_add(SignedDuration::from_hours(24 * i64::from(it)))
            .map_err(CommandError::internal)
    };
    let token = TokenRecord {
        name: args.name.clone(),
        digest: Digest::hash_bytes(secret.as_bytes()),
        spaces: resolve_token_spaces(ctx, &args.spaces)?,
        user: args.user.clone(),
        access: args.access,
        made: now,
        until: args.days.map(days).transpose()?,
    };
    if !open_tokens(ctx)?.add_token(&token)? {
        let fault = format!("there is a token '{}' already", token.name);
        let hint = format!("apostille token revoke {}", token.name);
        return Err(CommandError::usage(fault).with_hint(hint));
    }
    let view = TokenView::new(ctx, &token);
    let json = json!({"ok": true, "outcome": "created", "token": view, "secret": secret});
    let hint = "it is not shown again; send it as \"Authorization: Bearer <token>\"\n";
    // The token alone is the output, so that a script can take it as it is.
    Ok(ctx
        .render_output(&json, |_| format!("{secret}\n"))
        .with_err(format_if(!ctx.flags.json, || style_text(DIM, hint))))
}

/// The spaces that a person named, with their hosts; `None` where no space was named.
fn resolve_token_spaces(
    ctx: &CommandContext,
    named: &[Space],
) -> Result<Option<Vec<Space>>, CommandError> {
    if named.is_empty() {
        return Ok(None);
    }
    let known = RepositoryFile::for_user(&ctx.system)
        .map(|it| it.read_repositories())
        .transpose()?
        .unwrap_or_default();
    let (_, settings) = ctx.find_project()?;
    let resolve = |it: &Space| {
        check_name(it.as_str())
            .map_err(|error| CommandError::usage(format!("--space: {error}")))?;
        let found = known.resolve_name(it, &settings.repo);
        found.map_err(|error| CommandError::usage(format!("--space: {error}")))
    };
    named
        .iter()
        .map(resolve)
        .collect::<Result<_, _>>()
        .map(Some)
}

fn revoke_token(ctx: &CommandContext, name: &str) -> CommandResult {
    let revoked = open_tokens(ctx)?.revoke_token(name)?;
    let token = revoked.ok_or_else(|| {
        CommandError::usage(format!("there is no token '{name}'")).with_hint("apostille token list")
    })?;
    let view = TokenView::new(ctx, &token);
    let json = json!({"ok": true, "outcome": "revoked", "token": view});
    Ok(ctx.render_output(&json, |_| format!("revoked {BOLD}{name}{BOLD:#}\n")))
}

fn list_tokens(ctx: &CommandContext) -> CommandResult {
    let all = open_tokens(ctx)?.list_tokens()?;
    let views = all.iter().map(|it| TokenView::new(ctx, it));
    let json = json!({"ok": true, "tokens": views.collect::<Vec<_>>()});
    Ok(ctx
        .render_output(&json, |paint| match all.as_slice() {
            [] => "no tokens; make one: apostille token create NAME\n".into(),
            _ => format_token_table(ctx, paint, &all),
        })
        .nothing_if(all.is_empty()))
}

fn format_token_table(ctx: &CommandContext, paint: &Paint, all: &[TokenRecord]) -> String {
    let row = |it: &TokenRecord| {
        let spaces = match &it.spaces {
            Some(spaces) => join_texts(spaces.iter().map(Space::as_str), ", "),
            None => "every space".into(),
        };
        let user = match &it.user {
            Some(user) => format!(", for {}", user.as_str()),
            None => String::new(),
        };
        let until = match it.until {
            _ if it.is_expired(ctx.system.now) => ", over".into(),
            Some(until) => format!(", until {}", format::format_timestamp(until)),
            None => String::new(),
        };
        [
            style_text(BOLD, &it.name),
            it.access.to_string(),
            spaces + &user + &until,
        ]
    };
    paint.format_table(0, all.iter().map(row))
}
