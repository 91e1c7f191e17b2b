//! What an agent writes, for tests of other crates that need much of it.

use apostille_core::memory::{Channel, Draft, DuplicateChoice, Kind, Origin, Voice};

use crate::world::{World, repo};

/// Has an agent remember a rule that resembles no other.
pub(crate) fn say_as_agent(world: &World, n: usize) {
    let letters = |n: usize| -> String {
        (0..6)
            .map(|at| char::from(b'a' + u8::try_from((n * 7 + at * (n + 3)) % 26).unwrap()))
            .collect()
    };
    let fact = format!("{}{n} {} {}", letters(n), letters(n + 11), letters(n + 29));
    let voice = Voice {
        author: Some("claude".into()),
        ..Voice::from_origin(Origin::Agent).with_channel(Channel::Mcp)
    };
    world.kept(Draft {
        kind: Some(Kind::Feedback),
        on_duplicate: DuplicateChoice::Create("it is another".into()),
        ..Draft::new(repo(), fact, voice)
    });
}
