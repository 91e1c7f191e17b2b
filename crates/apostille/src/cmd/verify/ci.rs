//! Annotations for GitHub's checks, as workflow commands.

use apostille_cite::citation::Cite;

use super::finding::{Finding, Rule};

/// The commands for these findings, a line each.
pub fn commands(findings: &[Finding]) -> String {
    findings.iter().map(command).collect()
}

fn command(it: &Finding) -> String {
    let level = if it.rule == Rule::Moved {
        "notice"
    } else {
        "warning"
    };
    annotation(level, Some(&it.place), it.rule.as_str(), &it.message)
}

/// One command, about a place of the code where there is one.
pub fn annotation(level: &str, place: Option<&Cite>, word: &str, message: &str) -> String {
    let file = |it: &Cite| {
        let (lines, path) = (it.lines, property(it.path.as_str()));
        format!(
            "file={path},line={},endLine={},",
            lines.start(),
            lines.end()
        )
    };
    let title = property(&format!("memory {word}"));
    format!(
        "::{level} {}title={title}::{}\n",
        place.map(file).unwrap_or_default(),
        data(message)
    )
}

/// A text as the message of a command: it cannot end its line.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A text as a property of a command: it cannot begin another one either.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_escapes_from_a_command() {
        assert_eq!(data("100%\r\n::error::x"), "100%25%0D%0A::error::x");
        assert_eq!(property("a,b:c%2C"), "a%2Cb%3Ac%252C");
    }
}
