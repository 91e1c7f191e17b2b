//! The Model Context Protocol around the tools, in every revision that the SDK knows. Its types stay in here.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use apostille_api::host::Host;
//! use apostille_mcp::{ToolNameStyle, ToolOffer, serve_stdio};
//! use apostille_tools::Profile;
//!
//! fn serve(host: Arc<dyn Host>) -> std::io::Result<()> {
//!     serve_stdio(host, ToolOffer { profile: Profile::Verified, spelling: ToolNameStyle::Dots })
//! }
//! ```
//!
//! How the pieces fit: nothing hangs on a connection. Each call has its scope opened by the [`Host`], does its work on a
//! thread of its own (`calls`), is turned into the protocol's types (`results`), and is done. `client_questions` is how a
//! client's user is asked, `changes` tells subscribers, [`concurrency`] is how many calls run at once.

mod calls;
mod changes;
mod client_questions;
pub mod concurrency;
#[cfg(feature = "fixtures")]
#[expect(
    deprecated,
    reason = "the suite plays older clients too, and they log, sample and subscribe"
)]
#[path = "../tests/fixtures/mod.rs"]
pub mod fixtures;
mod line_transport;
mod message_line;
mod program_calls;
mod results;
mod stdio;

use std::{cmp::Reverse, sync::Arc, time::Duration};

use apostille_text::secrets;
use rmcp::{
    ErrorData, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult,
        GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, PromptMessage, ProtocolVersion, ReadResourceRequestParams,
        ReadResourceResponse, Role, ServerCapabilities, ServerConfig, SubscriptionFilter,
    },
    service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext},
};
use tokio::sync::broadcast;

use crate::concurrency::ConcurrencyLimit;
use apostille_api::host::Host;
use apostille_tools::{Profile, prompts, resources};

pub use changes::read_change_stamp;
pub use stdio::serve_stdio;

type McpRequest = RequestContext<RoleServer>;
type McpPageParams = Option<PaginatedRequestParams>;

/// How long clients may keep the lists of tools and prompts, which only a new version changes, in milliseconds.
const LASTING_MS: u64 = 3_600_000;

/// How tools are called on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolNameStyle {
    /// `memory_store`, which every client takes.
    #[default]
    Underscores,
    /// `memory.store`.
    Dots,
}

/// What a server is to offer.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolOffer {
    /// Which tools.
    pub profile: Profile,
    /// By which names.
    pub spelling: ToolNameStyle,
}

impl ToolOffer {
    /// A text of ours, with the tools called as they are listed.
    fn spell_tool_names(self, text: &str) -> String {
        if self.spelling == ToolNameStyle::Underscores {
            return text.to_owned();
        }
        let mut names: Vec<&str> = self.profile.tool_names().collect();
        // No name is taken for the beginning of a longer one.
        names.sort_by_key(|it| Reverse(it.len()));
        names.iter().fold(text.to_owned(), |text, name| {
            text.replace(name, &name.replacen('_', ".", 1))
        })
    }

    /// The name by which a tool is listed.
    fn spell_tool_name(self, name: &str) -> String {
        match self.spelling {
            ToolNameStyle::Underscores => name.to_owned(),
            ToolNameStyle::Dots => name.replacen('_', ".", 1),
        }
    }
}

/// Places to work in that a server shares with others, and how long a call waits for one.
#[derive(Clone)]
pub struct SharedWorkLimit {
    /// How many calls run at once, shared with the rest of the server.
    pub places: Arc<ConcurrencyLimit>,
    /// How long a call waits for its turn.
    pub patience: Duration,
}

/// A server. It holds nothing of any client.
#[derive(Clone)]
pub struct McpServer {
    host: Arc<dyn Host>,
    offer: ToolOffer,
    changes: changes::ChangeNotifier,
    /// What work waits for, where others want the same machine.
    pub turns: Option<SharedWorkLimit>,
}

impl McpServer {
    /// A server of this host's memories.
    pub fn new(host: Arc<dyn Host>, offer: ToolOffer) -> Self {
        Self {
            changes: changes::ChangeNotifier::new(Arc::clone(&host)),
            host,
            offer,
            turns: None,
        }
    }

    /// Told when something was changed here.
    pub fn change_sender(&self) -> broadcast::Sender<()> {
        self.changes.ours.clone()
    }
}

/// Whether a request is made under the revision without sessions.
fn is_sessionless_revision(context: &McpRequest) -> bool {
    context
        .protocol_version()
        .is_some_and(|it| it.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("apostille", env!("CARGO_PKG_VERSION")).with_title("Apostille"),
            )
            .with_instructions(
                self.offer
                    .spell_tool_names(self.offer.profile.instructions()),
            )
    }

    async fn list_tools(
        &self,
        _: McpPageParams,
        context: McpRequest,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.offer.profile.tools().iter();
        let tools = tools.filter(|it| calls::is_tool_allowed(it, &context));
        let tools = tools.map(|it| results::to_mcp_tool(it, self.offer));
        Ok(ListToolsResult::with_all_items(tools.collect())
            .with_ttl_ms(LASTING_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: McpRequest,
    ) -> Result<CallToolResponse, ErrorData> {
        self.answer_tool_call(&call, &context).await
    }

    async fn list_prompts(
        &self,
        _: McpPageParams,
        _: McpRequest,
    ) -> Result<ListPromptsResult, ErrorData> {
        let known = prompts::list_known_prompts();
        let prompts = known.iter().map(results::to_mcp_prompt).collect();
        Ok(ListPromptsResult::with_all_items(prompts)
            .with_ttl_ms(LASTING_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        which: GetPromptRequestParams,
        _: McpRequest,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = which.arguments.unwrap_or_default();
        let text = prompts::render_prompt(&which.name, &arguments, self.offer.profile);
        let text = text.map_err(|unfit| {
            ErrorData::invalid_params(secrets::mask_secrets(&unfit.to_string()).into_owned(), None)
        })?;
        // What a person gave with the prompt is not changed; the prompts that take something name no tools.
        let text = match arguments.is_empty() {
            true => self.offer.spell_tool_names(&text),
            false => text,
        };
        let text = apostille_text::moderate::neutralise_text(&text);
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    async fn list_resources(
        &self,
        _: McpPageParams,
        context: McpRequest,
    ) -> Result<ListResourcesResult, ErrorData> {
        let memories = self.answer_memory_listing(&context).await?;
        let memories = memories.iter().map(results::to_mcp_memory_resource);
        let fixed = resources::list_fixed_resources();
        let fixed = fixed.iter().map(results::to_mcp_resource);
        Ok(
            ListResourcesResult::with_all_items(fixed.chain(memories).collect())
                .with_ttl_ms(0)
                .with_cache_scope(CacheScope::Private),
        )
    }

    async fn list_resource_templates(
        &self,
        _: McpPageParams,
        _: McpRequest,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = results::to_mcp_template(&resources::describe_memory_template());
        Ok(ListResourceTemplatesResult::with_all_items(vec![template])
            .with_ttl_ms(LASTING_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        which: ReadResourceRequestParams,
        context: McpRequest,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.answer_resource_read(&which, &context).await
    }

    async fn on_custom_request(
        &self,
        asked: CustomRequest,
        context: McpRequest,
    ) -> Result<CustomResult, ErrorData> {
        self.answer_program_call(&asked, &context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.changes.notify_peer(context.peer);
    }

    fn accepted_subscription_filter(
        &self,
        asked: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let offered = SubscriptionFilter::builder().resources_list_changed();
        Some(asked.intersection(&offered.build()))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.changes.stream_changes(&context).await;
        Ok(())
    }
}
