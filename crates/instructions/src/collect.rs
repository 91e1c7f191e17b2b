//! What an instruction file names: paths, commands' own names, and symbols.

use crate::{
    commands::read_commands,
    diagram::read_diagram,
    markdown::{PieceKind, TextPiece, read_block_surroundings, read_surroundings, split_markdown},
    mention::{
        Mention, MentionForm, MentionKind, has_file_ending, is_symbol, new_mention, read_path_word,
    },
};

/// What a text names, in order.
pub(crate) fn collect_mentions(text: &str) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for piece in split_markdown(text) {
        let before = mentions.len();
        read_piece(&piece, &mut mentions);
        for it in &mut mentions[before..] {
            it.near = match piece.kind {
                PieceKind::ShellBlock | PieceKind::PlainBlock => {
                    read_block_surroundings(text, piece.start, it.start)
                }
                _ => read_surroundings(text, it.start..it.start + it.len),
            };
            it.headings.clone_from(&piece.headings);
        }
    }
    mentions
}

fn read_piece(piece: &TextPiece, mentions: &mut Vec<Mention>) {
    match piece.kind {
        PieceKind::CodeSpan => read_code_span(piece, mentions),
        PieceKind::LinkTarget => mentions.extend(read_link(piece)),
        PieceKind::ShellBlock => mentions.extend(read_commands(&piece.text, piece.start, true)),
        PieceKind::PlainBlock => match read_diagram(&piece.text, piece.start) {
            Some(drawn) => mentions.extend(drawn),
            None => mentions.extend(read_commands(&piece.text, piece.start, false)),
        },
        PieceKind::Prose => read_prose(piece, mentions),
    }
}

fn read_code_span(piece: &TextPiece, mentions: &mut Vec<Mention>) {
    let text = piece.text.trim();
    if text.contains(char::is_whitespace) {
        mentions.extend(read_commands(&piece.text, piece.start, false));
        return;
    }
    let start = piece.start + (piece.text.len() - piece.text.trim_start().len());
    if let Some(name) = read_path_word(text) {
        mentions.push(new_mention(
            MentionKind::Path,
            name,
            MentionForm::Code,
            start,
        ));
    } else if is_symbol(text) {
        mentions.push(new_mention(
            MentionKind::Symbol,
            text,
            MentionForm::Code,
            start,
        ));
    }
}

/// A link into the tree. One with a scheme, or to a place in the same file, leads elsewhere.
fn read_link(piece: &TextPiece) -> Option<Mention> {
    let target = piece.text.split(['#', '?']).next().unwrap_or_default();
    let is_elsewhere = target.contains(':') || target.starts_with('/') || target.contains('%');
    let target = read_path_word(target).filter(|_| !is_elsewhere)?;
    Some(new_mention(
        MentionKind::Path,
        target,
        MentionForm::Link,
        piece.start,
    ))
}

/// Paths with a folder and an ending in plain words, and files that are included with `@`.
fn read_prose(piece: &TextPiece, mentions: &mut Vec<Mention>) {
    for word in piece.text.split_whitespace() {
        let offset = word.as_ptr() as usize - piece.text.as_ptr() as usize;
        let bare = word.trim_start_matches(['(', '"', '\'', '*', '@']);
        let start = piece.start + offset + (word.len() - bare.len());
        let bare = bare.trim_end_matches([')', '"', '\'', ',', '.', ';', ':', '*', '!', '?']);
        let is_file = bare.contains('/') && has_file_ending(bare);
        if let Some(name) = read_path_word(bare).filter(|_| is_file) {
            mentions.push(new_mention(
                MentionKind::Path,
                name,
                MentionForm::Prose,
                start,
            ));
        }
    }
}
