//! `token`: who may come through the socket of `serve`, and how far.

use apostille_api::pass::Access;
use apostille_core::format;
use apostille_core::refusal::Refusal;
use apostille_text::digest::Digest;
use jiff::SignedDuration;
use serde::Serialize;

use crate::args::{Token as Args, TokenCreate, TokenWhat};
use crate::paint::table::Table;
use crate::paint::{BOLD, DIM, Paint, ink};
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::tokens::{Token, Tokens, named};

/// A token, in `--json`.
#[derive(Serialize)]
struct View {
    name: String,
    access: &'static str,
    /// `null`: every space.
    spaces: Option<Vec<String>>,
    made: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    is_over: bool,
}

impl View {
    fn new(shell: &Shell, it: &Token) -> Self {
        Self {
            name: it.name.clone(),
            access: it.access.as_str(),
            spaces: it
                .spaces
                .as_ref()
                .map(|it| it.iter().map(ToString::to_string).collect()),
            made: format::timestamp(it.made),
            until: it.until.map(format::timestamp),
            is_over: it.is_over(shell.world.now),
        }
    }
}

#[derive(Serialize)]
struct Made {
    ok: bool,
    outcome: &'static str,
    token: View,
    /// Shown once.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

#[derive(Serialize)]
struct Listed {
    ok: bool,
    tokens: Vec<View>,
}

/// Makes, lists or revokes tokens.
pub fn run(shell: &Shell, args: &Args) -> Result<Answer, Fault> {
    match &args.what {
        Some(TokenWhat::Create(args)) => create(shell, args),
        Some(TokenWhat::Revoke { name }) => revoke(shell, name),
        Some(TokenWhat::List) | None => list(shell),
    }
}

fn create(shell: &Shell, args: &TokenCreate) -> Result<Answer, Fault> {
    named(&args.name)?;
    if args.access == Access::Review && shell.world.speaker().person().is_none() {
        return Ok(shell.refused(&Refusal::PersonDecides {
            verb: "make a token that reviews",
        }));
    }
    let (random, now) = (shell.world.random(), shell.world.now);
    let secret = format!("apostille_{:032x}", random());
    let days = |it: u16| {
        now.checked_add(SignedDuration::from_hours(24 * i64::from(it)))
            .map_err(Fault::internal)
    };
    let token = Token {
        name: args.name.clone(),
        digest: Digest::of(secret.as_bytes()),
        spaces: (!args.spaces.is_empty()).then(|| args.spaces.clone()),
        access: args.access,
        made: now,
        until: args.days.map(days).transpose()?,
    };
    Tokens::of(&shell.world)?.change(random(), |all| {
        if all.iter().any(|it| it.name == token.name) {
            let hint = format!("apostille token revoke {}", token.name);
            return Err(
                Fault::usage(format!("there is a token '{}' already", token.name)).hint(hint),
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
        ink(DIM, hint)
    };
    let made = Made {
        ok: true,
        outcome: "created",
        token: View::new(shell, &token),
        secret: Some(secret),
    };
    Ok(Answer {
        err,
        ..shell.answer(error::OK, &made, |_| told)
    })
}

fn revoke(shell: &Shell, name: &str) -> Result<Answer, Fault> {
    let draw = (shell.world.random())();
    let token = Tokens::of(&shell.world)?.change(draw, |all| {
        let at = all.iter().position(|it| it.name == name);
        let at = at.ok_or_else(|| {
            Fault::usage(format!("there is no token '{name}'")).hint("apostille token list")
        });
        Ok(all.remove(at?))
    })?;
    let made = Made {
        ok: true,
        outcome: "revoked",
        token: View::new(shell, &token),
        secret: None,
    };
    Ok(shell.answer(error::OK, &made, |_| {
        format!("revoked {}\n", ink(BOLD, name))
    }))
}

fn list(shell: &Shell) -> Result<Answer, Fault> {
    let all = Tokens::of(&shell.world)?.all()?;
    let code = if all.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let listed = Listed {
        ok: true,
        tokens: all.iter().map(|it| View::new(shell, it)).collect(),
    };
    Ok(shell.answer(code, &listed, |paint| match all.as_slice() {
        [] => "no tokens; make one: apostille token create NAME\n".into(),
        _ => page(shell, paint, &all),
    }))
}

fn page(shell: &Shell, paint: &Paint, all: &[Token]) -> String {
    let mut table = Table::default();
    for it in all {
        let spaces = it.spaces.as_ref().map(|it| {
            it.iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        });
        let until = it
            .until
            .map(|it| format!("until {}", format::timestamp(it)));
        let until = if it.is_over(shell.world.now) {
            Some("over".to_owned())
        } else {
            until
        };
        let rest = [Some(spaces.unwrap_or_else(|| "every space".into())), until]
            .into_iter()
            .flatten();
        table.row([
            ink(BOLD, &it.name),
            it.access.to_string(),
            rest.collect::<Vec<_>>().join(", "),
        ]);
    }
    table.text(paint, 0)
}
