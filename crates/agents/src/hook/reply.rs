//! How a client is answered: the shape that most of them share, and what an answer may say.

use serde_json::{Map, Value, json};

use super::{HookCall, HookMoment, HookReply, Names, delegated_task::DelegatedTask};

/// How a client is answered.
pub(crate) struct ReplyFormat {
    /// What is printed; empty when there is nothing to say.
    pub(crate) print: fn(&HookCall, &HookReply) -> String,
    /// Whether the client shows a notice that is part of the answer. Elsewhere it belongs on the error output.
    pub(crate) has_notice: bool,
    /// What an answer may say; anything else is a mistake.
    pub(crate) keys: Names,
    /// The events at which an answer is plain text.
    pub(crate) plain_events: Names,
    /// Whether a session that is resumed still has what it was told when it began.
    pub(crate) keeps_start: bool,
    /// Whether a session that is resumed still has what it was told beside prompts.
    pub(crate) keeps_prompts: bool,
}

/// The format that Claude Code began with and most clients took over. What it knows at a stop or a compaction decides
/// something, so no context is given there; the end of a session has no answer.
pub(crate) const NESTED: ReplyFormat = ReplyFormat {
    print: |call, reply| match call.moment {
        HookMoment::Compact | HookMoment::Stop { .. } => print_nested_reply(call, reply, false),
        HookMoment::End => String::new(),
        HookMoment::Touch {
            task: Some(ref task),
            ..
        } => print_extended_task(call, reply, task, "updatedInput"),
        _ => print_nested_reply(call, reply, true),
    },
    has_notice: true,
    keys: &[
        "continue",
        "stopReason",
        "suppressOutput",
        "systemMessage",
        "decision",
        "reason",
        "hookSpecificOutput",
    ],
    plain_events: &[],
    keeps_start: true,
    keeps_prompts: true,
};

/// One object, as a client prints it; nothing when it would be empty.
pub(crate) fn print_hook_object<const N: usize>(fields: [(&str, Option<Value>); N]) -> String {
    let said = |(key, value): (&str, Option<Value>)| Some((key.to_owned(), value?));
    let answer: Map<_, _> = fields.into_iter().filter_map(said).collect();
    match answer.is_empty() {
        true => String::new(),
        false => Value::Object(answer).to_string(),
    }
}

/// The context, if there is one and the client takes it here.
pub(crate) fn accepted_context(reply: &HookReply, is_taken: bool) -> Option<&str> {
    let context = reply.context.as_deref();
    context.filter(|it| is_taken && !it.is_empty())
}

/// The shape that Claude Code began with: context inside, by the event's name, and a message for the person outside.
pub(crate) fn print_nested_reply(call: &HookCall, reply: &HookReply, is_taken: bool) -> String {
    let notice = reply.notice.iter().flat_map(|it| it.split_whitespace());
    let notice = notice.collect::<Vec<_>>().join(" ");
    let context = accepted_context(reply, is_taken);
    print_hook_object([
        ("systemMessage", (!notice.is_empty()).then(|| notice.into())),
        (
            "hookSpecificOutput",
            context.map(|it| json!({"hookEventName": call.event, "additionalContext": it})),
        ),
    ])
}

/// The task of a sub-agent with the context behind it, under this key. Nothing decides whether the tool may run: seen in
/// Claude Code 2.1.325, what is given without a decision still asks the person.
pub(crate) fn print_extended_task(
    call: &HookCall,
    reply: &HookReply,
    task: &DelegatedTask,
    key: &str,
) -> String {
    let context = accepted_context(reply, true);
    let Some(input) = context.and_then(|it| task.extend_input(it)) else {
        return String::new();
    };
    let event = json!(call.event);
    format!(r#"{{"hookSpecificOutput":{{"hookEventName":{event},"{key}":{input}}}}}"#)
}
