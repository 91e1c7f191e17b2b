//! What a text says, through the public interface.

#[cfg(test)]
mod literals;
