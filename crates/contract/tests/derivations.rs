//! Whatever is made out of a memory is trusted no more than the memory.

#[test]
fn nothing_rises_in_ten_thousand_derivations() {
    let done = apostille_contract::derivation::run_derivations(10_000).unwrap();
    assert_eq!(done.derivations, 10_000);
    assert_eq!(done.elevations, Vec::<String>::new());
    assert_eq!(done.unattended, Vec::<String>::new());
}
