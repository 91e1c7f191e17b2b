//! The Model Context Protocol around the tools, in every revision that the SDK knows. Its types stay in here.
//!
//! Nothing hangs on a connection: each call finds its place, does its work on a thread of its own, and is done.

mod asking;
mod changes;
mod results;
mod stdio;
mod work;

use std::sync::Arc;

use rmcp::model::CacheScope;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};

use crate::host::Host;
use crate::profile::Profile;

pub use stdio::serve_stdio;

/// How long clients may keep the lists of tools and prompts, which only a new version changes, in milliseconds.
const LASTING_MS: u64 = 3_600_000;

/// How tools are called on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spelling {
    /// `memory_store`, which every client takes.
    #[default]
    Underscores,
    /// `memory.store`.
    Dots,
}

/// What a server is to offer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offer {
    /// Which tools.
    pub profile: Profile,
    /// By which names.
    pub spelling: Spelling,
}

/// A server. It holds nothing of any client.
#[derive(Clone)]
pub struct Server {
    host: Arc<dyn Host>,
    offer: Offer,
    changes: changes::Changes,
}

impl Server {
    /// A server of this host's memories.
    #[must_use]
    pub fn new(host: Arc<dyn Host>, offer: Offer) -> Self {
        Self { changes: changes::Changes::new(Arc::clone(&host)), host, offer }
    }
}

/// Whether a request is made under the revision without sessions.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|it| it.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(
            Implementation::new("apostille", env!("CARGO_PKG_VERSION")).with_title("Apostille"),
        )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools =
            self.offer.profile.tools().iter().map(|it| results::tool(it, self.offer.spelling)).collect();
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LASTING_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.answered(request, &context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.changes.tell(context.peer);
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.changes.stream(&context).await;
        Ok(())
    }
}
