//! SQLite and JSONL behind [`apostille_core::store::Store`].
