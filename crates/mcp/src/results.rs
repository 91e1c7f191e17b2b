//! Our answers in the protocol's words.

use std::sync::Arc;

use apostille_text::secrets::mask_secrets;
use rmcp::{
    ErrorData,
    model::{
        CacheScope, CallToolResult, ContentBlock, MetaObject, Prompt as WirePrompt, PromptArgument,
        ReadResourceResult, Resource as WireResource, ResourceContents, ResourceTemplate,
        Tool as WireTool, ToolAnnotations,
    },
};
use serde_json::Value;

use super::ToolOffer;
use apostille_api::{CallFault, host::PlaceError};
use apostille_tools::{
    Tool, ToolAnswer, ToolEffect,
    prompts::Prompt,
    resources::{MemoryResource, Resource, ResourcePage},
};

/// The kind of text that a memory is read as.
const MEMORY: &str = "application/json";
/// What an agent must have before its eyes, because it does not search for what it does not know of.
const VITAL: [&str; 2] = ["memory_recall", "memory_remember"];

/// A tool as it is listed.
pub(super) fn to_mcp_tool(tool: &Tool, offer: ToolOffer) -> WireTool {
    let name = offer.spell_tool_name(tool.name);
    let about = offer.spell_tool_names(tool.about);
    let schema = tool.input.as_object().cloned().unwrap_or_default();
    let listed = WireTool::new(name, about, Arc::new(schema))
        .with_title(tool.title)
        .with_annotations(to_mcp_annotations(tool.effect));
    if !VITAL.contains(&tool.name) {
        return listed;
    }
    // One client shows its model the bare names of tools, unless a tool asks for more.
    let mut meta = MetaObject::default();
    meta.0
        .insert("anthropic/alwaysLoad".into(), Value::Bool(true));
    listed.with_meta(meta)
}

/// What clients may do without asking: reading never needs a question, erasing always does.
fn to_mcp_annotations(effect: ToolEffect) -> ToolAnnotations {
    let hints = ToolAnnotations::new()
        .read_only(effect == ToolEffect::Reads)
        .open_world(false);
    match effect {
        ToolEffect::Reads => hints,
        ToolEffect::Adds => hints.destructive(false).idempotent(false),
        ToolEffect::Changes => hints.destructive(false).idempotent(true),
        ToolEffect::Removes => hints.destructive(true).idempotent(true),
    }
}

/// A prompt as it is listed.
pub(super) fn to_mcp_prompt(it: &Prompt) -> WirePrompt {
    let arguments = it.arguments.iter().map(|it| {
        PromptArgument::new(it.name)
            .with_description(it.about)
            .with_required(it.is_required)
    });
    WirePrompt::new(it.name, Some(it.about), Some(arguments.collect())).with_title(it.title)
}

/// A resource as it is listed.
pub(super) fn to_mcp_resource(it: &Resource) -> WireResource {
    WireResource::new(it.uri, it.name)
        .with_title(it.title)
        .with_description(it.about)
        .with_mime_type(it.mime)
}

/// A memory as it is listed.
pub(super) fn to_mcp_memory_resource(it: &MemoryResource) -> WireResource {
    let listed = WireResource::new(&it.uri, &it.name)
        .with_description(&it.about)
        .with_mime_type(MEMORY);
    match &it.title {
        Some(title) => listed.with_title(format!("{}: {title}", it.name)),
        None => listed,
    }
}

/// A family of resources as it is listed.
pub(super) fn to_mcp_template(it: &Resource) -> ResourceTemplate {
    ResourceTemplate::new(it.uri, it.name)
        .with_title(it.title)
        .with_description(it.about)
        .with_mime_type(it.mime)
}

/// A resource as it is read; memories may change at any time, so nobody keeps it.
pub(super) fn to_mcp_resource_result(page: ResourcePage) -> ReadResourceResult {
    let contents = ResourceContents::text(page.text, page.uri).with_mime_type(page.mime);
    ReadResourceResult::new(vec![contents])
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private)
}

/// The same answer, with the tools that it says to call next named as they are listed.
pub(super) fn spell_next_calls(answer: ToolAnswer, offer: ToolOffer) -> ToolAnswer {
    let Some(mut told) = answer
        .is_json
        .then(|| serde_json::from_str(&answer.text).ok())
        .flatten()
    else {
        return answer;
    };
    spell_next_fields(&mut told, offer);
    let text = told.to_string();
    ToolAnswer { text, ..answer }
}

fn spell_next_fields(told: &mut Value, offer: ToolOffer) {
    match told {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(next) if name == "next" => *next = offer.spell_tool_names(next),
                    other => spell_next_fields(other, offer),
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|it| spell_next_fields(it, offer)),
        _ => {}
    }
}

/// An answer as it is sent: the text and the structured content say the same, because a client shows its model either.
pub(super) fn to_mcp_tool_result(mut answer: ToolAnswer) -> CallToolResult {
    // What is refused is quoted in places, and it may be refused for the secret in it.
    if answer.is_refusal {
        answer.text = mask_secrets(&answer.text).into_owned();
    }
    let object = answer.is_json.then(|| serde_json::from_str(&answer.text));
    let object = object.and_then(Result::ok).filter(Value::is_object);
    let texts = std::iter::once(answer.text).chain(answer.note);
    let content = texts.map(ContentBlock::text).collect();
    let mut result = match answer.is_refusal {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    // Revisions before the current one take nothing but an object here.
    result.structured_content = object;
    result
}

/// What has no answer: an unknown tool is the protocol's business, a broken world is told to the model that asked.
pub(super) fn to_mcp_fault_result(fault: &CallFault) -> Result<CallToolResult, ErrorData> {
    match fault {
        CallFault::Broken(_) | CallFault::Unwritable(_) => {
            Ok(build_mcp_refusal("broken", &format_fault_chain(fault)))
        }
        _ => Err(to_mcp_error(fault)),
    }
}

/// The same where there is nobody to read an answer.
pub(super) fn to_mcp_error(fault: &CallFault) -> ErrorData {
    match fault {
        CallFault::Malformed(_) | CallFault::NoSuchTool { .. } | CallFault::NotAPerson => {
            ErrorData::invalid_params(mask_secrets(&fault.to_string()).into_owned(), None)
        }
        CallFault::Broken(_) | CallFault::Unwritable(_) => {
            ErrorData::internal_error(mask_secrets(&format_fault_chain(fault)).into_owned(), None)
        }
    }
}

/// What whoever may only look is told by a tool that changes something.
pub(super) fn build_read_only_refusal(tool: &Tool) -> CallToolResult {
    let why = format!(
        "this token may only read, and {} changes memories; ask for one that may write",
        tool.name
    );
    build_mcp_refusal("read_only", &why)
}

/// Why no place was found.
pub(super) fn build_place_refusal(unplaced: &PlaceError) -> CallToolResult {
    let class = match unplaced {
        PlaceError::Which(_) | PlaceError::NoSuch(_) => "which_repository",
        PlaceError::Outside(_) => "outside",
        PlaceError::Broken(_) => "broken",
    };
    build_mcp_refusal(class, &unplaced.to_string())
}

/// A person was asked, and that is that.
pub(super) fn build_declined_refusal() -> CallToolResult {
    build_mcp_refusal(
        "declined",
        "the user was asked and did not agree; nothing was done",
    )
}

fn build_mcp_refusal(class: &str, why: &str) -> CallToolResult {
    let text = serde_json::json!({"ok": false, "class": class, "error": why}).to_string();
    to_mcp_tool_result(ToolAnswer {
        is_json: true,
        ..ToolAnswer::new_plain_refusal(text)
    })
}

/// An error with its causes.
fn format_fault_chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |it| it.source());
    causes.fold(error.to_string(), |told, cause| format!("{told}: {cause}"))
}

#[cfg(test)]
mod tests {
    use rmcp::model::ListToolsResult;

    use super::*;
    use apostille_tools::Profile;

    fn listed(profile: Profile) -> String {
        let tools = profile
            .tools()
            .iter()
            .map(|it| to_mcp_tool(it, ToolOffer::default()))
            .collect();
        serde_json::to_string(&ListToolsResult::with_all_items(tools)).unwrap()
    }

    #[test]
    fn the_size_of_each_list_of_tools_is_known() {
        let row = |it: Profile| {
            format!(
                "{it:10} {:2} tools {:6} bytes\n",
                it.tools().len(),
                listed(it).len()
            )
        };
        let table: String = Profile::ALL.iter().copied().map(row).collect();
        println!("{table}");
        insta::assert_snapshot!(table);
    }

    #[test]
    fn the_default_list_is_held() {
        let tools: Value = serde_json::from_str(&listed(Profile::Default)).unwrap();
        insta::assert_snapshot!(serde_json::to_string_pretty(&tools["tools"]).unwrap());
    }

    /// What some client refuses, or warns of on its user's terminal.
    #[test]
    fn schemas_are_what_every_client_takes() {
        const WORDS: [&str; 9] = [
            "type",
            "properties",
            "required",
            "description",
            "enum",
            "items",
            "examples",
            "minimum",
            "maximum",
        ];
        fn check(at: &str, schema: &Value) {
            let fields = schema.as_object().unwrap();
            assert!(schema["type"].is_string(), "{at}: {schema}");
            for (word, value) in fields {
                assert!(WORDS.contains(&word.as_str()), "{at}: {word}");
                match word.as_str() {
                    "properties" => value
                        .as_object()
                        .unwrap()
                        .iter()
                        .for_each(|(name, it)| check(&format!("{at}.{name}"), it)),
                    "items" => check(&format!("{at}[]"), value),
                    _ => {}
                }
            }
        }
        for it in Profile::All.tools() {
            check(it.name, &it.input);
            assert_eq!(
                it.input["examples"].as_array().unwrap().len(),
                1,
                "{}",
                it.name
            );
            assert!(
                it.name.len() <= 40 && it.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'),
                "{}",
                it.name
            );
        }
    }

    /// The example of each tool is one that the tool takes.
    #[test]
    fn examples_have_what_is_required_and_nothing_unknown() {
        for it in Profile::ALL.iter().copied().flat_map(Profile::tools) {
            let example = it.input["examples"][0].as_object().unwrap();
            let known = it.input["properties"].as_object().unwrap();
            assert!(
                example.keys().all(|key| known.contains_key(key)),
                "{}",
                it.name
            );
            let required = it.input["required"].as_array().cloned().unwrap_or_default();
            assert!(
                required
                    .iter()
                    .all(|key| example.contains_key(key.as_str().unwrap())),
                "{}",
                it.name
            );
        }
    }
}
