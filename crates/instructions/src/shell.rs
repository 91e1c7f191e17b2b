//! A line of shell as simple commands and their words. Nothing is expanded, and nothing is run.

/// A word of a command, and where it begins in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandWord {
    /// The word without its quotes.
    pub(crate) text: String,
    /// Its first byte.
    pub(crate) start: usize,
    /// Whether it is what a command writes to, behind `>`.
    pub(crate) is_output: bool,
}

/// The simple commands of a text: what stands between line ends, `&&`, `||`, `;` and `|`. Comments are left out.
pub(crate) fn split_commands(text: &str) -> Vec<Vec<CommandWord>> {
    let mut splitter = ShellSplitter::default();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (splitter.quote, c) {
            (Some(quote), c) if c == quote => {
                splitter.quote = None;
                if c == '>' {
                    splitter.push_char(at, c);
                }
            }
            // A quote that is not closed on its line is an apostrophe.
            (Some(_), '\n') => {
                splitter.quote = None;
                splitter.end_command();
            }
            (Some(_), c) => splitter.push_char(at, c),
            (None, '\'' | '"') => {
                splitter.quote = Some(c);
                splitter.begin_word(at + 1);
            }
            (None, '\\') => match chars.next() {
                Some((_, '\n')) | None => splitter.end_word(),
                Some((at, c)) => splitter.push_char(at, c),
            },
            (None, '#') if splitter.word.is_none() => {
                while chars.next_if(|(_, c)| *c != '\n').is_some() {}
            }
            (None, '\n' | ';' | '|' | '&' | '(' | ')') => splitter.end_command(),
            // `<name>` stands for a word that the reader puts in.
            (None, '<') if chars.peek().is_some_and(|(_, c)| c.is_alphabetic()) => {
                splitter.push_char(at, c);
                splitter.quote = Some('>');
            }
            (None, '>') => splitter.begin_output(),
            (None, '<') => splitter.end_word(),
            (None, c) if c.is_whitespace() => splitter.end_word(),
            (None, c) => splitter.push_char(at, c),
        }
    }
    splitter.end_command();
    splitter.commands
}

#[derive(Default)]
struct ShellSplitter {
    commands: Vec<Vec<CommandWord>>,
    words: Vec<CommandWord>,
    word: Option<CommandWord>,
    quote: Option<char>,
    is_output: bool,
}

impl ShellSplitter {
    fn begin_word(&mut self, start: usize) -> &mut CommandWord {
        let is_output = self.is_output;
        self.word.get_or_insert_with(|| CommandWord {
            text: String::new(),
            start,
            is_output,
        })
    }

    fn push_char(&mut self, at: usize, c: char) {
        self.begin_word(at).text.push(c);
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            self.is_output = false;
            self.words.push(word);
        }
    }

    /// A file descriptor before `>` is not a word.
    fn begin_output(&mut self) {
        self.word
            .take_if(|it| it.text.bytes().all(|it| it.is_ascii_digit()));
        self.end_word();
        self.is_output = true;
    }

    fn end_command(&mut self) {
        self.end_word();
        self.is_output = false;
        if !self.words.is_empty() {
            self.commands.push(std::mem::take(&mut self.words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_into_commands() {
        let check = |text: &str, expected: &str| {
            let commands = split_commands(text);
            let words = |it: &Vec<CommandWord>| {
                let mark = |it: &CommandWord| {
                    format!("{}{}", if it.is_output { ">" } else { "" }, it.text)
                };
                it.iter().map(mark).collect::<Vec<_>>().join(" ")
            };
            let told: Vec<String> = commands.iter().map(words).collect();
            assert_eq!(told.join(" | "), expected, "{text}");
        };
        check("cd a && make b # c", "cd a | make b");
        check("echo 'a b' \"c\" > out.txt 2>&1", "echo a b c >out.txt | 1");
        check("cargo test \\\n  -p x\nls", "cargo test -p x | ls");
        check("a#b # don't\nls", "a#b | ls");
        check("pnpm run <a script> > x", "pnpm run <a script> >x");
        check("it's here\nls", "its here | ls");
    }
}
