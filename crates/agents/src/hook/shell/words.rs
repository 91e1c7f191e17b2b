//! A shell's words: quotes are taken off, operators end a command, and what stands in a document is one word of its own.

use std::iter::Peekable;
use std::str::Chars;

/// One word of a command.
pub(crate) struct ShellWord {
    /// Without its quotes.
    pub(crate) text: String,
    /// What it is for.
    pub(crate) role: WordRole,
}

impl ShellWord {
    /// Whether something is read from it or written to it: `> out.txt`.
    pub(crate) fn is_target(&self) -> bool {
        matches!(self.role, WordRole::Source | WordRole::Target)
    }

    /// Whether it is a text that the command is given to read: a document, or what stands behind `<<<`.
    pub(crate) fn is_given_text(&self) -> bool {
        self.role == WordRole::Text
    }
}

/// The commands in a script, each with its words. What is never closed goes on to the end.
pub(crate) fn split_shell_commands(script: &str) -> Vec<Vec<ShellWord>> {
    let mut reader = ShellReader {
        chars: script.chars().peekable(),
        commands: Vec::new(),
        words: Vec::new(),
        word: None,
        role: WordRole::Plain,
        documents: Vec::new(),
    };
    while let Some(c) = reader.chars.next() {
        reader.read_char(c);
    }
    reader.end_command();
    reader.commands
}

struct ShellReader<'a> {
    chars: Peekable<Chars<'a>>,
    commands: Vec<Vec<ShellWord>>,
    words: Vec<ShellWord>,
    /// The word that is being read, if one has begun.
    word: Option<String>,
    /// What the next word is for.
    role: WordRole,
    /// The lines that end the documents which begin after this line.
    documents: Vec<String>,
}

/// What a word is for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum WordRole {
    /// A word of the command.
    #[default]
    Plain,
    /// A file that is read.
    Source,
    /// A file that is written.
    Target,
    /// The line that ends a document.
    Document,
    /// A text that is given as input.
    Text,
    /// The number of another stream: `2>&1`.
    Stream,
}

impl ShellReader<'_> {
    fn read_char(&mut self, c: char) {
        match c {
            '\'' | '"' => self.read_quoted(c),
            '\\' => self.read_escaped(),
            '#' if self.word.is_none() => while self.chars.next_if(|it| *it != '\n').is_some() {},
            '\n' => self.end_line(),
            ';' | '|' | '&' | '(' | ')' | '`' => self.end_command(),
            '<' | '>' => self.read_redirection(c),
            c if c.is_whitespace() => self.end_word(),
            c => self.push_char(c),
        }
    }

    fn push_char(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn read_quoted(&mut self, quote: char) {
        self.word.get_or_insert_default();
        while let Some(c) = self.chars.next().filter(|it| *it != quote) {
            let is_escape = quote == '"' && c == '\\';
            let escaped = self.chars.next_if(|it| is_escape && "\"\\$`".contains(*it));
            self.push_char(escaped.unwrap_or(c));
        }
    }

    /// Before a letter it is more likely the separator of another system's paths.
    fn read_escaped(&mut self) {
        match self.chars.next() {
            None | Some('\n') => {}
            Some(c) if c.is_alphanumeric() => {
                self.push_char('\\');
                self.push_char(c);
            }
            Some(c) => self.push_char(c),
        }
    }

    fn read_redirection(&mut self, c: char) {
        // The number of a stream is no word: `2> log`.
        self.word
            .take_if(|it| it.chars().all(|c| c.is_ascii_digit()));
        self.end_word();
        let is_twice = self.chars.next_if_eq(&c).is_some();
        self.role = match (c, is_twice) {
            ('<', true) if self.chars.next_if_eq(&'<').is_some() => WordRole::Text,
            ('<', true) => {
                self.chars.next_if_eq(&'-');
                WordRole::Document
            }
            _ if self.chars.next_if_eq(&'&').is_some() => WordRole::Stream,
            ('<', _) => WordRole::Source,
            _ => WordRole::Target,
        };
    }

    fn end_word(&mut self) {
        let Some(text) = self.word.take() else { return };
        match std::mem::take(&mut self.role) {
            WordRole::Document => self.documents.push(text),
            WordRole::Stream => {}
            role => self.words.push(ShellWord { text, role }),
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.role = WordRole::Plain;
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            self.commands.push(words);
        }
    }

    /// A line's end ends the command, and begins the documents that it has announced.
    fn end_line(&mut self) {
        self.end_command();
        for end in std::mem::take(&mut self.documents) {
            let text = self.read_document(&end);
            let role = WordRole::Text;
            if let Some(command) = self.commands.last_mut() {
                command.push(ShellWord { text, role });
            }
        }
    }

    fn read_document(&mut self, end: &str) -> String {
        let mut text = String::new();
        while self.chars.peek().is_some() {
            let line: String = self.chars.by_ref().take_while(|it| *it != '\n').collect();
            if line.trim() == end {
                break;
            }
            text += &line;
            text.push('\n');
        }
        text
    }
}
