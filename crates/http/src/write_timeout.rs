//! A connection whose other end has to read: an answer that nobody takes does not hold its place for ever.

use std::io;
use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

/// A connection that ends when nothing can be written to it for so long.
pub(super) struct WriteTimeoutStream {
    stream: TcpStream,
    patience: Duration,
    /// Runs while the other end takes nothing.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl WriteTimeoutStream {
    pub(super) fn new(stream: TcpStream, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            stuck: None,
        }
    }

    /// What came in and was not read yet, without taking it.
    pub(super) async fn peek_bytes(&self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.peek(into).await
    }

    /// What came of writing; an error where that was waited for too long.
    fn enforce_write_timeout<T>(
        &mut self,
        polled: &mut Context,
        wrote: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if wrote.is_ready() {
            self.stuck = None;
            return wrote;
        }
        let patience = self.patience;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(stuck.as_mut().poll(polled));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for WriteTimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        polled: &mut Context,
        into: &mut ReadBuf,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(polled, into)
    }
}

impl AsyncWrite for WriteTimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        polled: &mut Context,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(polled, bytes);
        self.enforce_write_timeout(polled, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        polled: &mut Context,
        bytes: &[io::IoSlice],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(polled, bytes);
        self.enforce_write_timeout(polled, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, polled: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, polled: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(polled)
    }
}
