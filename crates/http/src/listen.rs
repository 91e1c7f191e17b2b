//! The socket: connections are taken in, not too many and none for nothing, until the program is told to stop.
//!
//! The accept loop is our own, over hyper's connections, and no framework's `serve`. Connections that were opened and never
//! say anything must end, or a few hundred of them shut everybody out; and one too many must be told so, not left waiting.
//! For both each connection has to be in our hands. A framework's router would also be a second table beside the one that
//! says who may call what (`route`), and the two would have to agree.

use std::convert::Infallible;
use std::{
    io,
    net::TcpListener,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::{
    HttpServer,
    connections::{ConnectionSlot, ConnectionTable},
    proxy::ConnectionPeer,
    tls::TlsIdentity,
    write_timeout::WriteTimeoutStream,
};
use apostille_mcp::concurrency::CountGuard;

/// What a connection too many is told.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
/// What somebody is told who does not encrypt. What was asked is not answered, and not even read: a token may be in it.
const NOT_ENCRYPTED: &[u8] =
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 53\r\nconnection: close\r\n\r\n\
      this server speaks https: use https:// in the address";
/// With what a connection begins that is to be encrypted: a handshake record.
const HANDSHAKE: u8 = 22;
/// How many threads may work; few do, and listeners and agents have some of them.
const THREADS: usize = 64;
/// How much of a request's head is read.
const MAX_HEAD: usize = 32 * 1024;
/// How much of what is not encrypted is read, and thrown away.
const MAX_THROWN_AWAY: u64 = 64 * 1024;
/// How often it is looked whether certificate or key changed.
const CERTIFICATE_LOOK: Duration = Duration::from_secs(1);

impl HttpServer {
    /// Serves on this socket until the program is told to stop; what is under way is finished first.
    pub fn serve(self, listener: TcpListener) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .build()?;
        listener.set_nonblocking(true)?;
        let tls = self.build_acceptor()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let (door, graceful) = (Arc::new(self), GracefulShutdown::new());
            door.spawn_certificate_watch();
            tokio::select! {
                () = door.accept_connections(&listener, tls.as_ref(), &graceful) => {}
                () = door.wait_until_drained() => {}
            }
            drop(listener);
            door.agents.end_streams();
            door.stop.send_replace(true);
            // Whoever only holds a connection open does not hold the program.
            match tokio::time::timeout(door.plan.limits.grace, graceful.shutdown()).await {
                Ok(()) => door.report_end("stopped"),
                Err(_) => door.report_end("stopped before everything was finished"),
            }
            Ok(())
        })
    }

    fn build_acceptor(&self) -> io::Result<Option<TlsAcceptor>> {
        let config = self.plan.reach.tls.as_ref().map(TlsIdentity::build_config);
        let config = config.transpose().map_err(io::Error::other)?;
        Ok(config.map(|it| TlsAcceptor::from(Arc::new(it))))
    }

    /// Waits until the program is told to stop, and then as long as whoever stands before it may need to notice.
    async fn wait_until_drained(&self) {
        wait_for_shutdown_signal().await;
        self.is_stopping.store(true, Ordering::Relaxed);
        self.report_end("stopping");
        tokio::time::sleep(self.plan.limits.drain).await;
    }

    /// Tells that the server ends. At a person's own terminal that is worth a word only where something is left to finish.
    fn report_end(&self, event: &'static str) {
        if self.plan.reach.is_public || self.in_flight.load(Ordering::Relaxed) > 0 {
            self.report_event(event);
        }
    }

    /// Looks from time to time whether certificate and key are others by now.
    fn spawn_certificate_watch(self: &Arc<Self>) {
        let Some(identity) = self.plan.reach.tls.clone() else {
            return;
        };
        let door = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(CERTIFICATE_LOOK).await;
                let (identity, now) = (Arc::clone(&identity), door.now());
                let look = tokio::task::spawn_blocking(move || identity.reload_if_changed(now));
                match look.await.ok().flatten() {
                    None => {}
                    Some(Ok(())) => door.report_event("certificate exchanged"),
                    Some(Err(error)) => door.report_problem("certificate kept", &error),
                }
            }
        });
    }

    async fn accept_connections(
        self: &Arc<Self>,
        listener: &tokio::net::TcpListener,
        tls: Option<&TlsAcceptor>,
        graceful: &GracefulShutdown,
    ) {
        let guests = ConnectionTable::new(self.plan.limits.connections);
        loop {
            let Ok((stream, from)) = listener.accept().await else {
                // No descriptors left: some will be free again.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let peer = ConnectionPeer {
                address: from.ip().to_canonical(),
                is_tls: tls.is_some(),
            };
            if !self.plan.reach.proxies.admits_address(peer.address) {
                self.meter.record_shed("not a proxy");
                continue;
            }
            match guests.admit_connection() {
                Some(place) => self.spawn_connection(stream, peer, place, (tls, graceful)),
                None => self.reject_connection(&stream, tls.is_some()),
            }
        }
    }

    /// Serves a connection on a task of its own. The handshake is part of it: whoever never ends one has the place of an
    /// unknown connection, for as long as the head of a request may take.
    fn spawn_connection(
        self: &Arc<Self>,
        stream: TcpStream,
        peer: ConnectionPeer,
        place: Arc<ConnectionSlot>,
        (tls, graceful): (Option<&TlsAcceptor>, &GracefulShutdown),
    ) {
        let _ = stream.set_nodelay(true);
        let stream = WriteTimeoutStream::new(stream, self.plan.limits.send);
        let counted = CountGuard::new(&self.connections);
        self.meter.record_connection();
        let (door, tls) = (Arc::clone(self), tls.cloned());
        let watcher = graceful.watcher();
        tokio::spawn(async move {
            let served = async {
                match tls {
                    None => door.serve_requests(stream, peer, &place, watcher).await,
                    Some(tls) => {
                        if let Some(stream) = door.shake_hands(&tls, stream).await {
                            door.serve_requests(stream, peer, &place, watcher).await;
                        }
                    }
                }
            };
            tokio::select! {
                () = served => {}
                () = place.wait_for_eviction() => {}
            }
            drop(counted);
        });
    }

    async fn serve_requests<S>(
        self: &Arc<Self>,
        stream: S,
        peer: ConnectionPeer,
        place: &Arc<ConnectionSlot>,
        watcher: Watcher,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (door, guest) = (Arc::clone(self), Arc::clone(place));
        let service = service_fn(move |mut request: Request<Incoming>| {
            let door = Arc::clone(&door);
            let from = door.plan.reach.proxies.find_peer(peer, request.headers());
            request.extensions_mut().insert(from);
            request.extensions_mut().insert(Arc::clone(&guest));
            async move { Ok::<_, Infallible>(door.handle_request(request).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.plan.limits.head)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        // A client that goes away is nobody's fault.
        let _ = watcher.watch(connection).await;
    }

    /// Encrypts a connection; `None` where its other end does not, takes too long, or the program stops.
    async fn shake_hands(
        &self,
        tls: &TlsAcceptor,
        mut stream: WriteTimeoutStream,
    ) -> Option<TlsStream<WriteTimeoutStream>> {
        let mut stop = self.stop.subscribe();
        let shake = async {
            let mut first = [0];
            if stream.peek_bytes(&mut first).await? == 1 && first[0] != HANDSHAKE {
                stream.write_all(NOT_ENCRYPTED).await?;
                stream.shutdown().await?;
                // Closing at once would take the answer from a client that still sends.
                let mut rest = stream.take(MAX_THROWN_AWAY);
                tokio::io::copy(&mut rest, &mut tokio::io::sink()).await?;
                return Err(io::ErrorKind::InvalidData.into());
            }
            tls.accept(stream).await
        };
        let shaken = tokio::select! {
            it = tokio::time::timeout(self.plan.limits.head, shake) => it,
            _ = stop.wait_for(|it| *it) => return None,
        };
        match shaken {
            Ok(Ok(stream)) => Some(stream),
            Ok(Err(_)) => {
                self.meter.record_shed("handshake");
                None
            }
            Err(_) => {
                self.meter.record_shed("slow handshake");
                None
            }
        }
    }

    /// Says that there is no room, if that can be said without waiting; who waits for a handshake would not understand it.
    fn reject_connection(&self, stream: &TcpStream, is_tls: bool) {
        self.meter.record_shed("connections");
        if !is_tls {
            let _ = stream.try_write(FULL);
        }
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
