//! Trees of folders as people draw them, with lines or by indentation alone.

use crate::mention::{Mention, MentionForm, MentionKind, new_mention, read_path_word};

/// The lines that a tree is drawn with.
const STROKES: &[char] = &['├', '└', '│', '─', '|', '`', '+', '-', '\\', '—'];

/// The paths of a drawn tree; `None` where the text is not one.
pub(crate) fn read_diagram(text: &str, start: usize) -> Option<Vec<Mention>> {
    if !text.contains("├") && !text.contains("└") {
        return None;
    }
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut mentions = Vec::new();
    for line in text.lines() {
        let offset = line.as_ptr() as usize - text.as_ptr() as usize;
        let Some((depth, at, name)) = read_diagram_line(line) else {
            continue;
        };
        open.retain(|(it, _)| *it < depth);
        let above: String = open.iter().map(|it| it.1.as_str()).collect();
        let path = format!("{above}{name}");
        let is_root = depth == 0;
        if name.ends_with('/') || is_root {
            open.push((depth, format!("{}/", name.trim_end_matches('/'))));
        } else {
            open.push((depth, format!("{name}/")));
        }
        if is_root || !is_drawn_path(&path) {
            continue;
        }
        let mut mention = new_mention(
            MentionKind::Path,
            &path,
            MentionForm::Diagram,
            start + offset + at,
        );
        mention.len = name.len();
        mention.drawing = Some(start);
        mentions.push(mention);
    }
    Some(mentions)
}

/// How deep a line stands, where its name begins, and the name.
fn read_diagram_line(line: &str) -> Option<(usize, usize, &str)> {
    let is_stroke = |c: char| c.is_whitespace() || STROKES.contains(&c);
    let at = line.find(|c| !is_stroke(c))?;
    let rest = &line[at..];
    let name = rest.split(|c: char| c.is_whitespace()).next()?;
    let name = name.trim_end_matches([',', ':']);
    let depth = line[..at].chars().count();
    let is_comment = name.starts_with('#') || name.starts_with('(') && !name.contains(')');
    (!is_comment && !name.is_empty()).then_some((depth, at, name))
}

fn is_drawn_path(name: &str) -> bool {
    read_path_word(name) == Some(name)
}
