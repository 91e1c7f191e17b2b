//! The readers of transcripts by themselves.
