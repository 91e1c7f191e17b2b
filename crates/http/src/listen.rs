//! The socket: connections are taken in, not too many and none for nothing, until the program is told to stop.
//!
//! The accept loop is our own, over hyper's connections, and no framework's `serve`. Connections that were opened and never
//! say anything must end, or a few hundred of them shut everybody out; and one too many must be told so, not left waiting.
//! For both each connection has to be in our hands. A framework's router would also be a second table beside the one that
//! says who may call what (`route`), and the two would have to agree.

use std::convert::Infallible;
use std::{io, net::TcpListener, sync::Arc};

use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::net::TcpStream;

use super::{
    HttpServer,
    connections::{ConnectionSlot, ConnectionTable},
    write_timeout::WriteTimeoutStream,
};
use apostille_mcp::concurrency::CountGuard;

/// What a connection too many is told.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
/// How many threads may work; few do, and listeners and agents have some of them.
const THREADS: usize = 64;
/// How much of a request's head is read.
const MAX_HEAD: usize = 32 * 1024;

impl HttpServer {
    /// Serves on this socket until the program is told to stop; what is under way is finished first.
    pub fn serve(self, listener: TcpListener) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .build()?;
        listener.set_nonblocking(true)?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let (door, graceful) = (Arc::new(self), GracefulShutdown::new());
            tokio::select! {
                () = door.accept_connections(&listener, &graceful) => {}
                () = wait_for_shutdown_signal() => {}
            }
            drop(listener);
            door.agents.end_streams();
            door.stop.send_replace(true);
            // Whoever only holds a connection open does not hold the program.
            let _ = tokio::time::timeout(door.plan.limits.grace, graceful.shutdown()).await;
            Ok(())
        })
    }

    async fn accept_connections(
        self: &Arc<Self>,
        listener: &tokio::net::TcpListener,
        graceful: &GracefulShutdown,
    ) {
        let guests = ConnectionTable::new(self.plan.limits.connections);
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // No descriptors left: some will be free again.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                continue;
            };
            match guests.admit_connection() {
                Some(place) => self.serve_connection(stream, place, graceful),
                None => self.reject_connection(&stream),
            }
        }
    }

    fn serve_connection(
        self: &Arc<Self>,
        stream: TcpStream,
        place: Arc<ConnectionSlot>,
        graceful: &GracefulShutdown,
    ) {
        let _ = stream.set_nodelay(true);
        let (door, guest) = (Arc::clone(self), Arc::clone(&place));
        let service = service_fn(move |mut request: Request<Incoming>| {
            let door = Arc::clone(&door);
            request.extensions_mut().insert(Arc::clone(&guest));
            async move { Ok::<_, Infallible>(door.handle_request(request).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.plan.limits.head)
            .max_buf_size(MAX_HEAD)
            .serve_connection(
                TokioIo::new(WriteTimeoutStream::new(stream, self.plan.limits.send)),
                service,
            );
        let (watched, counted) = (
            graceful.watch(connection),
            CountGuard::new(&self.connections),
        );
        self.meter.record_connection();
        tokio::spawn(async move {
            tokio::select! {
                // A client that goes away is nobody's fault.
                _ = watched => {}
                () = place.wait_for_eviction() => {}
            }
            drop(counted);
        });
    }

    /// Says that there is no room, if that can be said without waiting.
    fn reject_connection(&self, stream: &TcpStream) {
        self.meter.record_shed("connections");
        let _ = stream.try_write(FULL);
    }
}

/// Waits until somebody wants the program to stop.
async fn wait_for_shutdown_signal() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let mut ended =
            match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
                Ok(ended) => ended,
                Err(_) => return drop(interrupted.await),
            };
        tokio::select! {
            _ = interrupted => {}
            _ = ended.recv() => {}
        }
    }
    #[cfg(not(unix))]
    drop(interrupted.await);
}
