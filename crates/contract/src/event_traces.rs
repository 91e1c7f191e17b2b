//! What was shown is told in outline with how much of it held, by every store alike.

use jiff::Timestamp;

use apostille_core::{
    event::{Event, EventBody, RetrievedMemory},
    memory::MemoryId,
    space::Space,
    store::Store,
    unchecked,
};

/// Shows memories with every verdict, and looks at the outline of that.
pub fn check_event_traces(open: &dyn Fn() -> Box<dyn Store>) {
    let (at, store) = (Timestamp::UNIX_EPOCH, open());
    let space = Space::repo("acme/shop").expect("a name");
    let showing = |it: &str| RetrievedMemory {
        id: MemoryId::from_text(at, it),
        score: 1.0,
        verdict: it.into(),
    };
    let shown = ["holds", "moved", "unverified", "unknown", "changed"]
        .map(showing)
        .into();
    let what = EventBody::Retrieved {
        query: "a \"question\"".into(),
        shown,
    };
    let event = Event {
        at,
        space: space.clone(),
        memory: None,
        actor: None,
        what,
    };
    store
        .append_batch(&unchecked::durable_batch(vec![event], Vec::new()))
        .expect("it is kept");
    let traces = store.read_event_traces(&space, at, 9).expect("it is told");
    let counts: Vec<_> = traces.iter().map(|it| (it.n_shown, it.n_held)).collect();
    assert_eq!(counts, [(5, 2)]);
}
