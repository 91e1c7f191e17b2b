//! Messages as lines of two byte streams. It differs from the SDK's transport in that every request is answered: one that
//! is not JSON, one that is too long, and one whose id is still in use.

use std::{
    collections::{HashSet, VecDeque},
    io,
    sync::{Arc, Mutex},
};

use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, GetMeta as _,
        RequestId, ServerJsonRpcMessage,
    },
    service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

use crate::{
    concurrency::lock_despite_panic,
    message_line::{InputLine, format_error_line, read_input_line},
};

/// How long a line may be. A client that never ends its line must not take all memory.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

type SharedOutput<W> = Arc<tokio::sync::Mutex<LineOutput<W>>>;

/// What is still to be written, and where. A write that is cancelled halfway is continued by the next one.
struct LineOutput<W> {
    pending: VecDeque<u8>,
    output: W,
}

impl<W: AsyncWrite + Unpin> LineOutput<W> {
    fn push_line(&mut self, line: &str) {
        self.pending.extend(line.as_bytes());
        self.pending.push_back(b'\n');
    }

    async fn write_pending(&mut self) -> io::Result<()> {
        self.output.write_all_buf(&mut self.pending).await?;
        self.output.flush().await
    }
}

/// A reader and a writer that carry one message per line.
pub(super) struct LineTransport<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    max_line_bytes: usize,
    /// Whether the rest of a line that is too long is being skipped.
    is_skipping: bool,
    output: SharedOutput<W>,
    /// An answer of the transport's own, kept here because `receive` may be cancelled before it is written.
    owed: Option<String>,
    is_writing_owed: bool,
    in_flight: Arc<Mutex<HashSet<RequestId>>>,
    /// Whether the client has begun to talk. The SDK ends a server whose first message is not a request.
    has_begun: bool,
}

/// What was found at the end of a read.
enum LineEnd {
    Line,
    TooLong,
    Closed,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> LineTransport<R, W> {
    pub(super) fn new((input, output): (R, W)) -> Self {
        let pending = VecDeque::new();
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            max_line_bytes: MAX_LINE_BYTES,
            is_skipping: false,
            output: Arc::new(tokio::sync::Mutex::new(LineOutput { pending, output })),
            owed: None,
            is_writing_owed: false,
            in_flight: Arc::default(),
            has_begun: false,
        }
    }

    /// Reads up to the end of a line. Nothing is lost where it is cancelled: what was read is in `line`.
    async fn read_line(&mut self) -> io::Result<LineEnd> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                let is_rest = !self.line.is_empty();
                return Ok(if is_rest {
                    LineEnd::Line
                } else {
                    LineEnd::Closed
                });
            }
            let newline = available.iter().position(|it| *it == b'\n');
            let used = newline.map_or(available.len(), |at| at + 1);
            let text = available.get(..newline.unwrap_or(used)).unwrap_or_default();
            let is_too_long = self.line.len() + text.len() > self.max_line_bytes;
            if !self.is_skipping && !is_too_long {
                self.line.extend_from_slice(text);
            }
            self.input.consume(used);
            if is_too_long && !self.is_skipping {
                self.line.clear();
                self.is_skipping = newline.is_none();
                return Ok(LineEnd::TooLong);
            }
            if newline.is_some() && !std::mem::take(&mut self.is_skipping) {
                return Ok(LineEnd::Line);
            }
        }
    }

    /// A message for the server, or what the sender is owed instead.
    fn take_line(&mut self) -> Option<ClientJsonRpcMessage> {
        let line = std::mem::take(&mut self.line);
        match read_input_line(&line) {
            InputLine::Message(message) => self.admit_message(*message),
            InputLine::Faulty(reply) => {
                self.owed = Some(reply);
                None
            }
            InputLine::Ignored => None,
        }
    }

    fn admit_message(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &message {
            ClientJsonRpcMessage::Request(it) => {
                if !lock_despite_panic(&self.in_flight).insert(it.id.clone()) {
                    self.owed = Some(format_reused_id(&it.id));
                    return None;
                }
                self.has_begun |= is_opening(&it.request);
            }
            ClientJsonRpcMessage::Notification(it) => self.note_cancellation(&it.notification),
            _ => (),
        }
        let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
        (is_request || self.has_begun).then_some(message)
    }

    /// A cancelled request gets no answer, so its id is free.
    fn note_cancellation(&self, notification: &ClientNotification) {
        if let ClientNotification::CancelledNotification(it) = notification
            && let Some(id) = &it.params.request_id
        {
            lock_despite_panic(&self.in_flight).remove(id);
        }
    }

    async fn write_owed(&mut self) -> io::Result<()> {
        if self.owed.is_none() && !self.is_writing_owed {
            return Ok(());
        }
        let mut output = self.output.lock().await;
        if let Some(line) = self.owed.take() {
            self.is_writing_owed = true;
            output.push_line(&line);
        }
        output.write_pending().await?;
        self.is_writing_owed = false;
        Ok(())
    }
}

/// Whether a request is one with which the SDK regards the conversation as begun.
fn is_opening(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => request.get_meta().protocol_version().is_some(),
    }
}

fn format_reused_id(id: &RequestId) -> String {
    let why = "Invalid request: the request before this one with the same id is not answered yet. \
               Send it again with an id of its own.";
    format_error_line(Some(id), ErrorCode::INVALID_REQUEST, why)
}

fn format_too_long(max: usize) -> String {
    let why = format!("Invalid request: a line has at most {max} bytes.");
    format_error_line(None, ErrorCode::INVALID_REQUEST, &why)
}

/// The request that a message answers.
fn find_answered_id(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(it) => Some(&it.id),
        ServerJsonRpcMessage::Error(it) => it.id.as_ref(),
        _ => None,
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let Some(id) = find_answered_id(&message) {
            lock_despite_panic(&self.in_flight).remove(id);
        }
        let output = Arc::clone(&self.output);
        async move {
            let line = serde_json::to_string(&message)?;
            let mut output = output.lock().await;
            output.push_line(&line);
            output.write_pending().await
        }
    }

    /// The next message; `None` where the client is gone.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.write_owed().await.ok()?;
            match self.read_line().await.ok()? {
                LineEnd::Line => {
                    if let Some(message) = self.take_line() {
                        return Some(message);
                    }
                }
                LineEnd::TooLong => self.owed = Some(format_too_long(self.max_line_bytes)),
                LineEnd::Closed => return None,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.output.shutdown().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{EmptyResult, ServerResult};
    use serde_json::{Value, json};
    use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

    type Line = LineTransport<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

    /// A client's end, and the transport at the other.
    struct Pair {
        client: BufReader<DuplexStream>,
        server: Line,
    }

    impl Pair {
        fn new(max_line_bytes: usize) -> Self {
            let (client, server) = tokio::io::duplex(4096);
            let server = Line {
                max_line_bytes,
                ..LineTransport::new(tokio::io::split(server))
            };
            let client = BufReader::new(client);
            Self { client, server }
        }

        async fn write(&mut self, text: &str) {
            self.client.write_all(text.as_bytes()).await.unwrap();
        }

        /// The id of the next request that the server gets; the client hears what is said until then.
        async fn receive_id(&mut self) -> Option<String> {
            match self.server.receive().await? {
                ClientJsonRpcMessage::Request(it) => Some(it.id.to_string()),
                other => Some(format!("{other:?}")),
            }
        }

        async fn answer(&mut self, id: u32) {
            let result = ServerResult::EmptyResult(EmptyResult {});
            let message = ServerJsonRpcMessage::response(result, RequestId::Number(id.into()));
            self.server.send(message).await.unwrap();
        }

        /// The next line that the client hears: its id, and the error's code.
        async fn hear(&mut self) -> Value {
            let mut line = String::new();
            self.client.read_line(&mut line).await.unwrap();
            let line: Value = serde_json::from_str(&line).unwrap();
            json!([line["id"], line["error"]["code"]])
        }
    }

    fn run_test(test: impl Future<Output = ()>) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.build().unwrap().block_on(test);
    }

    fn write_ping(id: u32) -> String {
        json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string() + "\n"
    }

    #[test]
    fn reused_id_is_refused_and_the_first_request_still_answered() {
        run_test(async {
            let mut pair = Pair::new(MAX_LINE_BYTES);
            let lines = write_ping(1) + &write_ping(1) + &write_ping(2);
            pair.write(&lines).await;
            assert_eq!(pair.receive_id().await.as_deref(), Some("1"));
            assert_eq!(pair.receive_id().await.as_deref(), Some("2"));
            assert_eq!(pair.hear().await, json!([1, -32600]));
            pair.answer(1).await;
            assert_eq!(pair.hear().await, json!([1, null]));
            // It was answered, and may be used again.
            pair.write(&write_ping(1)).await;
            assert_eq!(pair.receive_id().await.as_deref(), Some("1"));
        });
    }

    #[test]
    fn cancelled_request_frees_its_id() {
        run_test(async {
            let mut pair = Pair::new(MAX_LINE_BYTES);
            let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
            let lines = write_ping(1) + &cancel.to_string() + "\n" + &write_ping(1);
            pair.write(&lines).await;
            assert_eq!(pair.receive_id().await.as_deref(), Some("1"));
            assert_eq!(pair.receive_id().await.as_deref(), Some("1"));
        });
    }

    #[test]
    fn line_that_is_too_long_is_answered_and_the_next_one_read() {
        run_test(async {
            let mut pair = Pair::new(64);
            let lines = "x".repeat(65) + "\n" + &"y".repeat(3000) + "\n" + &write_ping(7);
            pair.write(&lines).await;
            assert_eq!(pair.receive_id().await.as_deref(), Some("7"));
            assert_eq!(pair.hear().await, json!([null, -32600]));
            assert_eq!(pair.hear().await, json!([null, -32600]));
        });
    }

    #[test]
    fn last_line_without_an_end_is_read() {
        run_test(async {
            let mut pair = Pair::new(MAX_LINE_BYTES);
            pair.write(write_ping(3).trim_end()).await;
            pair.client.shutdown().await.unwrap();
            assert_eq!(pair.receive_id().await.as_deref(), Some("3"));
            assert_eq!(pair.receive_id().await, None);
        });
    }
}
