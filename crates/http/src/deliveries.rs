//! What a code host delivers: nobody has a token here, and the signature over the body decides.
//!
//! Anybody who reaches the server can send something here. So what is looked at costs little and is bounded by itself: a rate, a
//! number at once and a share of the memory for bodies that are the deliveries' alone. What is too much is told to come again,
//! and no request of anybody else waits for it. The work follows later, see `DeliveryReceiver`.

use std::time::Instant;

use apostille_api::{
    delivery::{DeliveryAnswer, DeliveryReceiver, IncomingDelivery},
    request_scope::HttpReply,
};
use apostille_mcp::concurrency::CountGuard;
use hyper::{Request, body::Incoming, header::HeaderMap};
use serde_json::json;

use super::{
    HttpServer, auth,
    limiter::{DELIVERIES, build_busy_rejection},
    response::{self, HttpRejection, HttpResult},
};

/// How large a delivery may be. GitHub's own limit is 25 MB; a comment with its pull request takes some 30 KB.
const MAX_DELIVERY: usize = 1024 * 1024;
/// How many are looked at at once.
const AT_ONCE: usize = 4;
/// The longest name of a delivery.
const MAX_ID: usize = 64;

/// The headers that a delivery needs.
struct DeliveryHeaders {
    event: String,
    id: String,
    signature: String,
}

impl DeliveryHeaders {
    /// The headers, each there once and plain; none of them is believed before the signature was checked.
    fn read(headers: &HeaderMap) -> Option<Self> {
        let read = |name: &str| {
            let mut values = headers.get_all(name).iter();
            let value = values.next()?.to_str().ok()?;
            values.next().is_none().then(|| value.to_owned())
        };
        let is_plain = |it: &String| {
            let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
            !it.is_empty() && it.len() <= MAX_ID && it.bytes().all(is_plain)
        };
        Some(Self {
            event: read("x-github-event").filter(is_plain)?,
            id: read("x-github-delivery").filter(is_plain)?,
            signature: read("x-hub-signature-256")?,
        })
    }
}

impl HttpServer {
    /// Takes a delivery, and answers as soon as it is on the disk.
    pub(super) async fn take_delivery(&self, request: Request<Incoming>) -> HttpResult {
        let receiver = self.plan.deliveries.clone();
        let receiver = receiver.ok_or_else(HttpRejection::not_found)?;
        let peer = auth::read_peer(&request);
        let (parts, body) = request.into_parts();
        let Some(headers) = DeliveryHeaders::read(&parts.headers) else {
            let why = "a delivery has the headers X-GitHub-Event, X-GitHub-Delivery and X-Hub-Signature-256";
            return Err(self.throttle_guesses(HttpRejection::new(400, why), peer));
        };
        self.gate.check_delivery_rate(Instant::now())?;
        let (body, room) = self
            .read_request_body(body, MAX_DELIVERY, DELIVERIES)
            .await?;
        // Counted only now: whoever sends slowly takes memory of this share, and no place.
        let held = CountGuard::new_within(&self.delivered, AT_ONCE);
        let held = held.ok_or_else(build_busy_rejection)?;
        let work = tokio::task::spawn_blocking(move || {
            let _held = (held, room);
            look_at_delivery(&*receiver, &headers, &body)
        });
        match work.await? {
            Ok(reply) => Ok(response::build_http_response(reply)),
            Err(rejection) if rejection.status == 401 => {
                Err(self.throttle_guesses(rejection, peer))
            }
            Err(rejection) => Err(rejection),
        }
    }
}

fn look_at_delivery(
    receiver: &dyn DeliveryReceiver,
    headers: &DeliveryHeaders,
    body: &[u8],
) -> Result<HttpReply, HttpRejection> {
    let answer = receiver.take_delivery(&IncomingDelivery {
        event: &headers.event,
        id: &headers.id,
        signature: &headers.signature,
        body,
    });
    let outcome = match answer {
        DeliveryAnswer::Taken => "taken",
        DeliveryAnswer::Known => "known",
        DeliveryAnswer::Ignored => "ignored",
        DeliveryAnswer::Forged => {
            let why = "the signature is not that of the secret that is set here";
            return Err(HttpRejection::new(401, why));
        }
        DeliveryAnswer::Malformed => {
            return Err(HttpRejection::new(400, "this is not what GitHub sends"));
        }
        DeliveryAnswer::Full => return Err(build_busy_rejection()),
        DeliveryAnswer::Broken => {
            let why = "the delivery could not be kept; deliver it again";
            return Err(HttpRejection::new(503, why).with_header("retry-after", "60"));
        }
    };
    let json = json!({"ok": true, "outcome": outcome});
    let reply = HttpReply::new_json(202, &json);
    reply.map_err(|it| HttpRejection::new(500, it.to_string()))
}
