//! The server on the standard input and output of its process, where most agents start one each.

use std::sync::Arc;

use rmcp::{ServiceExt as _, service::ServerInitializeError, transport::stdio_pipes};

use super::{McpServer, ToolOffer, line_transport::LineTransport};
use apostille_api::host::Host;

/// Serves until the client goes away.
pub fn serve_stdio(host: Arc<dyn Host>, offer: ToolOffer) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        // Agents start servers with pipes, which need no thread between them and the runtime.
        let transport = LineTransport::new(stdio_pipes());
        match McpServer::new(host, offer).serve(transport).await {
            Ok(running) => running
                .waiting()
                .await
                .map(|_| ())
                .map_err(std::io::Error::other),
            // Many a client starts a server, looks at it or does not, and goes.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(std::io::Error::other(error)),
        }
    })
}
