//! What changed between two texts, as people read it.

use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};

/// A unified diff of two texts, without a header.
pub fn format_unified_diff(was: &str, now: &str) -> String {
    let input = InternedInput::new(was, now);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    diff.unified_diff(
        &BasicLineDiffPrinter(&input.interner),
        UnifiedDiffConfig::default(),
        &input,
    )
    .to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_changed_line_is_a_minus_and_a_plus() {
        let diff = super::format_unified_diff("a\nb\nc\n", "a\nx\nc\n");
        assert!(diff.contains("\n-b\n+x\n"), "{diff}");
    }
}
