//! The words of a task that memories and refusals carry; the task itself is another room.

use apostille_text::words::words;

words! {
    /// How a task stands.
    TaskStatus as "task status" {
        /// It is worked on.
        Open = "open",
        /// It was brought to its end.
        Done = "done",
        /// It was given up, or left open.
        Abandoned = "abandoned",
    }
}

words! {
    /// What sort of note it is; the memory carries the word as a tag.
    NoteSort as "sort" {
        /// Something worth noting.
        Note = "note",
        /// A decision.
        Decision = "decision",
        /// Something that was checked.
        Verified = "verified",
        /// What stands in the way, or may.
        Blocker = "blocker",
    }
}
