//! Which sessions go without memory: by chance, and the same for a session whenever it is asked.

use apostille_text::digest::Digest;

/// Whether chance holds this session out, where such a share of them is to be. The seed is this machine's: who chooses the name of
/// a session cannot choose its arm.
#[must_use]
pub fn is_held_out(seed: &str, session: &str, share: f64) -> bool {
    let digest = Digest::hash_bytes(format!("{seed}\n{session}").as_bytes());
    let mut first = [0; 4];
    first.copy_from_slice(&digest.as_bytes()[..4]);
    f64::from(u32::from_be_bytes(first)) < share * 4_294_967_296.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_of_sessions_is_held_out() {
        let count = |seed: &str, share: f64| {
            let names = (0..2_000).map(|n| format!("session-{n}"));
            names.filter(|it| is_held_out(seed, it, share)).count()
        };
        assert_eq!((count("a", 0.0), count("a", 1.0)), (0, 2_000));
        let n = count("a", 0.2);
        assert!((340..=460).contains(&n), "{n}");
        assert_eq!(n, count("a", 0.2));
        assert!((0..50).any(|n| {
            let name = format!("session-{n}");
            is_held_out("a", &name, 0.5) != is_held_out("b", &name, 0.5)
        }));
    }
}
