//! How Visual Studio Code is answered. An answer under another event's name is dropped.

use crate::hook::reply::{NESTED, ReplyFormat};

pub(super) const FORMAT: ReplyFormat = NESTED;
