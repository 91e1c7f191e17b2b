//! What a code host delivers to a server by itself: the port to whoever takes it in.

/// A delivery as it came, of which nothing is believed yet.
#[derive(Debug, Clone, Copy)]
pub struct IncomingDelivery<'a> {
    /// What it says happened.
    pub event: &'a str,
    /// What it is called; sent again, it is called the same.
    pub id: &'a str,
    /// The signature over the body.
    pub signature: &'a str,
    /// The body, byte for byte.
    pub body: &'a [u8],
}

/// What became of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryAnswer {
    /// It is on the disk, and is worked on soon.
    Taken,
    /// It was taken before.
    Known,
    /// Nothing follows from it.
    Ignored,
    /// It is not signed with the secret.
    Forged,
    /// It is not what the host sends.
    Malformed,
    /// Too many wait.
    Full,
    /// It could not be kept.
    Broken,
}

/// Takes deliveries in, quickly: the work is done later.
pub trait DeliveryReceiver: Send + Sync {
    /// Keeps a delivery, if it is the host's.
    fn take_delivery(&self, delivery: &IncomingDelivery) -> DeliveryAnswer;
}
