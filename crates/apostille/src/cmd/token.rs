//! `token`: who may come through the socket of `serve`, and how far.

use apostille_api::access_token::Access;
use apostille_core::format;
use apostille_core::refusal::Refusal;
use apostille_text::digest::Digest;
use jiff::SignedDuration;
use serde::Serialize;

use apostille_terminal::args::{TokenArgs as Args, TokenCreateArgs, TokenSubcommand};
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::table::TextTable;
use apostille_terminal::paint::{BOLD, DIM, Paint, style_text};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::tokens::{TokenRecord, TokenStore, check_token_name};

/// A token, in `--json`.
#[derive(Serialize)]
struct TokenView {
    name: String,
    access: &'static str,
    /// `null`: every space.
    spaces: Option<Vec<String>>,
    made: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    is_over: bool,
}

impl TokenView {
    fn new(shell: &CommandContext, it: &TokenRecord) -> Self {
        Self {
            name: it.name.clone(),
            access: it.access.as_str(),
            spaces: it
                .spaces
                .as_ref()
                .map(|it| it.iter().map(ToString::to_string).collect()),
            made: format::format_timestamp(it.made),
            until: it.until.map(format::format_timestamp),
            is_over: it.is_expired(shell.world.now),
        }
    }
}

#[derive(Serialize)]
struct TokenChangeReply {
    ok: bool,
    outcome: &'static str,
    token: TokenView,
    /// Shown once.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

#[derive(Serialize)]
struct TokenListReply {
    ok: bool,
    tokens: Vec<TokenView>,
}

/// Makes, lists or revokes tokens.
pub fn run(shell: &CommandContext, args: &Args) -> Result<CommandOutput, CommandError> {
    match &args.what {
        Some(TokenSubcommand::Create(args)) => create_token(shell, args),
        Some(TokenSubcommand::Revoke { name }) => revoke_token(shell, name),
        Some(TokenSubcommand::List) | None => list_tokens(shell),
    }
}

fn create_token(
    shell: &CommandContext,
    args: &TokenCreateArgs,
) -> Result<CommandOutput, CommandError> {
    check_token_name(&args.name)?;
    if args.access == Access::Review && shell.world.speaker().person().is_none() {
        return Ok(shell.render_refusal(&Refusal::PersonDecides {
            verb: "make a token that reviews",
        }));
    }
    let (random, now) = (shell.world.random_source(), shell.world.now);
    let secret = format!("apostille_{:032x}", random());
    let days = |it: u16| {
        now.checked_add(SignedDuration::from_hours(24 * i64::from(it)))
            .map_err(CommandError::internal)
    };
    let token = TokenRecord {
        name: args.name.clone(),
        digest: Digest::hash_bytes(secret.as_bytes()),
        spaces: (!args.spaces.is_empty()).then(|| args.spaces.clone()),
        access: args.access,
        made: now,
        until: args.days.map(days).transpose()?,
    };
    TokenStore::for_user(&shell.world)?.update_tokens(random(), |all| {
        if all.iter().any(|it| it.name == token.name) {
            let hint = format!("apostille token revoke {}", token.name);
            return Err(
                CommandError::usage(format!("there is a token '{}' already", token.name))
                    .with_hint(hint),
            );
        }
        all.push(token.clone());
        Ok(())
    })?;
    // The token alone is the output, so that a script can take it as it is.
    let told = format!("{secret}\n");
    let hint = "it is not shown again; send it as \"Authorization: Bearer <token>\"\n";
    let err = if shell.flags.json {
        String::new()
    } else {
        style_text(DIM, hint)
    };
    let made = TokenChangeReply {
        ok: true,
        outcome: "created",
        token: TokenView::new(shell, &token),
        secret: Some(secret),
    };
    Ok(CommandOutput {
        err,
        ..shell.render_output(error::OK, &made, |_| told)
    })
}

fn revoke_token(shell: &CommandContext, name: &str) -> Result<CommandOutput, CommandError> {
    let draw = (shell.world.random_source())();
    let token = TokenStore::for_user(&shell.world)?.update_tokens(draw, |all| {
        let at = all.iter().position(|it| it.name == name);
        let at = at.ok_or_else(|| {
            CommandError::usage(format!("there is no token '{name}'"))
                .with_hint("apostille token list")
        });
        Ok(all.remove(at?))
    })?;
    let made = TokenChangeReply {
        ok: true,
        outcome: "revoked",
        token: TokenView::new(shell, &token),
        secret: None,
    };
    Ok(shell.render_output(error::OK, &made, |_| {
        format!("revoked {}\n", style_text(BOLD, name))
    }))
}

fn list_tokens(shell: &CommandContext) -> Result<CommandOutput, CommandError> {
    let all = TokenStore::for_user(&shell.world)?.read_tokens()?;
    let code = if all.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let listed = TokenListReply {
        ok: true,
        tokens: all.iter().map(|it| TokenView::new(shell, it)).collect(),
    };
    Ok(
        shell.render_output(code, &listed, |paint| match all.as_slice() {
            [] => "no tokens; make one: apostille token create NAME\n".into(),
            _ => format_token_table(shell, paint, &all),
        }),
    )
}

fn format_token_table(shell: &CommandContext, paint: &Paint, all: &[TokenRecord]) -> String {
    let mut table = TextTable::default();
    for it in all {
        let spaces = it.spaces.as_ref().map(|it| {
            it.iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        });
        let until = it
            .until
            .map(|it| format!("until {}", format::format_timestamp(it)));
        let until = if it.is_expired(shell.world.now) {
            Some("over".to_owned())
        } else {
            until
        };
        let rest = [Some(spaces.unwrap_or_else(|| "every space".into())), until]
            .into_iter()
            .flatten();
        table.add_row([
            style_text(BOLD, &it.name),
            it.access.to_string(),
            rest.collect::<Vec<_>>().join(", "),
        ]);
    }
    table.to_text(paint, 0)
}
