//! Sessions as developers hold them, written down and labelled before anybody read the rules. Every other one, by a hash of its
//! name, was held out while the rules were widened for them.

use super::measure;

const TUNED: &str = include_str!("unseen_tuned.txt");
const HELD_OUT: &str = include_str!("unseen_held_out.txt");

#[test]
fn what_developers_state_in_passing_is_gleaned() {
    let tuned = measure("unseen, tuned", TUNED, true);
    let held_out = measure("unseen, held out", HELD_OUT, false);
    assert!(tuned.precision() >= 90 && held_out.precision() >= 90);
}
