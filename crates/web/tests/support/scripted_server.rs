//! A server on this machine for tests of clients: it answers by script, one reply after the other.
#![expect(
    missing_docs,
    clippy::unwrap_used,
    reason = "a scripted server for tests; it fails by panicking"
)]

use std::{
    collections::{HashMap, VecDeque},
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

/// A request as it came.
#[derive(Debug, Clone)]
pub struct ScriptedRequest {
    pub target: String,
    headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl ScriptedRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub struct ScriptedReply {
    status: u16,
    headers: Vec<String>,
    body: Vec<u8>,
    /// How many bytes of the body are sent before the connection ends; the length told is the whole one's.
    sent: usize,
    hangs: bool,
}

impl ScriptedReply {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let kind = "content-type: application/json; charset=utf-8".to_owned();
        Self {
            status,
            headers: vec![kind],
            sent: body.len(),
            body,
            hangs: false,
        }
    }

    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, body)
    }

    /// An error as GitHub writes them, and others nearly so.
    pub fn error(status: u16, message: &str) -> Self {
        let page = "https://docs.github.com/rest";
        let body = format!(
            // What is written for people to read is the same in JSON, as long as it is plain English.
            r#"{{"message":{message:?},"documentation_url":{page:?},"status":"{status}"}}"#
        );
        Self::new(status, body.to_string())
    }

    pub fn redirect(status: u16, location: &str) -> Self {
        Self::error(status, "Moved Permanently").with_header(&format!("location: {location}"))
    }

    /// Nothing is answered, ever.
    pub fn hang() -> Self {
        Self {
            hangs: true,
            ..Self::ok("")
        }
    }

    /// The same with another header.
    pub fn with_header(mut self, header: &str) -> Self {
        self.headers.push(header.to_owned());
        self
    }

    /// The same, but the connection ends before the last bytes of the body.
    pub fn cut_short(self, n_missing: usize) -> Self {
        Self {
            sent: self.body.len() - n_missing,
            ..self
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", self.status);
        for header in &self.headers {
            head += &format!("{header}\r\n");
        }
        if self.status != 304 {
            head += &format!("content-length: {}\r\n", self.body.len());
        }
        [head.as_bytes(), b"\r\n", &self.body[..self.sent]].concat()
    }
}

#[derive(Default)]
pub struct ReplyScript {
    replies: HashMap<String, VecDeque<ScriptedReply>>,
    log: Vec<ScriptedRequest>,
}

impl ReplyScript {
    /// The next reply for a target; the last one stays. What is not in the script is not found.
    fn next_reply(&mut self, request: ScriptedRequest) -> ScriptedReply {
        let reply = match self.replies.get_mut(&request.target) {
            Some(queue) if queue.len() > 1 => queue.pop_front(),
            Some(queue) => queue.front().cloned(),
            None => None,
        };
        self.log.push(request);
        reply.unwrap_or_else(|| ScriptedReply::error(404, "Not Found"))
    }
}

/// The server; it ends with the value.
pub struct ScriptedServer {
    address: SocketAddr,
    script: Arc<Mutex<ReplyScript>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ScriptedServer {
    /// A server that knows this one method, and takes any other for a mistake of the client.
    pub fn start(method: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (script, is_over) = (
            Arc::<Mutex<ReplyScript>>::default(),
            Arc::<AtomicBool>::default(),
        );
        let (shared, over) = (Arc::clone(&script), Arc::clone(&is_over));
        let thread = thread::spawn(move || serve_script(method, &listener, &shared, &over));
        Self {
            address,
            script,
            is_over,
            thread: Some(thread),
        }
    }

    /// Its address, as in `http://127.0.0.1:8080`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers a target with these replies, one after the other, and then with the last of them.
    pub fn set_replies(&self, target: &str, replies: impl IntoIterator<Item = ScriptedReply>) {
        let replies = replies.into_iter().collect();
        self.script
            .lock()
            .unwrap()
            .replies
            .insert(target.to_owned(), replies);
    }

    /// The requests since the last call.
    pub fn take_requests(&self) -> Vec<ScriptedRequest> {
        std::mem::take(&mut self.script.lock().unwrap().log)
    }

    /// The targets of the requests since the last call.
    pub fn take_targets(&self) -> Vec<String> {
        self.take_requests()
            .into_iter()
            .map(|it| it.target)
            .collect()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for somebody to come.
        drop(TcpStream::connect(self.address));
        self.thread.take().map(JoinHandle::join);
    }
}

fn serve_script(
    method: &'static str,
    listener: &TcpListener,
    script: &Arc<Mutex<ReplyScript>>,
    is_over: &AtomicBool,
) {
    for stream in listener.incoming() {
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let (stream, script) = (stream.unwrap(), Arc::clone(script));
        thread::spawn(move || answer_scripted(method, stream, &script));
    }
}

fn answer_scripted(method: &str, mut stream: TcpStream, script: &Mutex<ReplyScript>) -> Option<()> {
    let request = read_scripted_request(method, &mut stream)?;
    let reply = script.lock().unwrap().next_reply(request);
    if reply.hangs {
        // Until the other side gives up.
        let _ = stream.read(&mut [0]);
        return None;
    }
    stream.write_all(&reply.to_bytes()).ok()
}

/// Reads a request with its body; `None` for what is no HTTP.
fn read_scripted_request(method: &str, stream: &mut TcpStream) -> Option<ScriptedRequest> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        bytes.extend(byte);
        if !bytes[0].is_ascii_uppercase() {
            return None;
        }
    }
    let text = String::from_utf8(bytes).unwrap();
    let mut lines = text.lines();
    let mut words = lines.next()?.split(' ');
    assert_eq!(
        words.next(),
        Some(method),
        "nothing but {method} is ever asked for"
    );
    let target = words.next()?.to_owned();
    let header = |it: &str| {
        it.split_once(": ")
            .map(|(k, v)| (k.to_ascii_lowercase(), v.to_owned()))
    };
    let headers: HashMap<String, String> = lines.filter_map(header).collect();
    let length = headers
        .get("content-length")
        .map_or(0, |it| it.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(ScriptedRequest {
        target,
        headers,
        body,
    })
}
