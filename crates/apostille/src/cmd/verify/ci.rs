//! Annotations for GitHub's checks, as workflow commands.

use apostille_cite::citation::CodeLocation;

use super::finding::{VerifyFinding, VerifyRule};

/// The commands for these findings, a line each.
pub fn format_verify_annotations(findings: &[VerifyFinding]) -> String {
    let annotation = |it: &VerifyFinding| {
        let level = match it.rule {
            VerifyRule::Moved => "notice",
            _ => "warning",
        };
        format_workflow_command(
            level,
            Some(&it.place),
            &format!("memory {}", it.rule),
            &it.message,
        )
    };
    findings.iter().map(annotation).collect()
}

/// One command, about a place of the code where there is one.
pub fn format_workflow_command(
    level: &str,
    place: Option<&CodeLocation>,
    title: &str,
    message: &str,
) -> String {
    let file = |it: &CodeLocation| {
        let path = escape_command_property(it.path.as_str());
        let first = it.lines.first_line();
        let last = it.lines.last_line();
        format!("file={path},line={first},endLine={last},")
    };
    let title = escape_command_property(title);
    format!(
        "::{level} {}title={title}::{}\n",
        place.map(file).unwrap_or_default(),
        escape_command_data(message)
    )
}

/// A text as the message of a command: it cannot end its line.
fn escape_command_data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A text as a property of a command: it cannot begin another one either.
fn escape_command_property(text: &str) -> String {
    escape_command_data(text)
        .replace(':', "%3A")
        .replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_escapes_from_a_command() {
        assert_eq!(
            escape_command_data("100%\r\n::error::x"),
            "100%25%0D%0A::error::x"
        );
        assert_eq!(escape_command_property("a,b:c%2C"), "a%2Cb%3Ac%252C");
    }
}
