//! A plugin of a client: a file of code that is wholly ours. It is known by its first line, and replaced as a whole.

use super::{EditedText, program::ProgramCommand};

/// What a plugin of ours begins with.
const MARK: &str = "// Written by `apostille init`";
/// What stands before the program in it.
const PROGRAM: &str = "const PROGRAM = ";
/// What stands for the program in the code.
const PLACE: &str = "\"APOSTILLE_PROGRAM\"";

/// The plugin. A file that is somebody else's is left alone.
pub(super) fn put_plugin(text: &str, code: &str, program: &ProgramCommand) -> EditedText {
    if !text.trim().is_empty() && !is_own_plugin(text) {
        return Err("it is not a plugin that init wrote".into());
    }
    let program = serde_json::Value::from(program.command()).to_string();
    Ok(code.replacen(PLACE, &program, 1))
}

/// The program that a plugin of ours starts; none where there is no plugin.
pub(super) fn find_plugin_program(text: &str) -> Result<Option<String>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    if !is_own_plugin(text) {
        return Err("it is not a plugin that init wrote".into());
    }
    let mut lines = text.lines().filter_map(|it| it.strip_prefix(PROGRAM));
    let program = lines.next().and_then(|it| serde_json::from_str(it).ok());
    let none = || "it names no program".to_owned();
    program.ok_or_else(none).map(Some)
}

/// Nothing, of a plugin of ours; another file as it is.
pub(super) fn remove_plugin(text: &str) -> String {
    match is_own_plugin(text) {
        true => String::new(),
        false => text.to_owned(),
    }
}

fn is_own_plugin(text: &str) -> bool {
    text.starts_with(MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str =
        "// Written by `apostille init`.\nconst PROGRAM = \"APOSTILLE_PROGRAM\"\nrun(PROGRAM)\n";

    #[test]
    fn plugin_names_the_program_and_is_replaced_as_a_whole() {
        let odd = ProgramCommand::new("/my \"programs\"/apostille");
        let text = put_plugin("", CODE, &odd).unwrap();
        let expected = "/my \"programs\"/apostille";
        let found = find_plugin_program(&text).unwrap();
        assert_eq!(found.as_deref(), Some(expected));
        let edited = text.replace("run(PROGRAM)", "run(PROGRAM, 1)");
        let plain = ProgramCommand::new("apostille");
        let again = put_plugin(&edited, CODE, &plain).unwrap();
        assert_eq!(again, CODE.replace("APOSTILLE_PROGRAM", "apostille"));
        assert_eq!(remove_plugin(&edited), "");
    }

    #[test]
    fn plugin_of_somebody_else_stays() {
        let theirs = "export const Mine = async () => ({})\n";
        let program = ProgramCommand::new("apostille");
        assert!(put_plugin(theirs, CODE, &program).is_err());
        assert!(find_plugin_program(theirs).is_err());
        assert_eq!(remove_plugin(theirs), theirs);
        assert_eq!(find_plugin_program("").unwrap(), None);
    }
}
