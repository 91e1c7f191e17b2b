//! The members of an enumeration in Go: a type of its own, and the constants that are declared with it.
//!
//! ```text
//! type Shell int
//!
//! const (
//!     Unknown Shell = iota
//!     Cmd
//! )
//! ```

/// The names of all constants of a type, from the code without comments and strings, in order.
pub(super) fn list_go_constants(masks: &[Vec<u8>], type_name: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_in_group = false;
    // A line that only has a name repeats the type and the value of the line above.
    let mut is_typed = false;
    for mask in masks {
        let line = String::from_utf8_lossy(mask);
        let line = line.trim();
        match line.strip_prefix("const").map(str::trim_start) {
            Some("(") => (is_in_group, is_typed) = (true, false),
            Some(rest) if !is_in_group => {
                let (name, is_it) = read_constant(rest, type_name, false);
                names.extend(name.filter(|_| is_it));
            }
            _ if line == ")" => is_in_group = false,
            _ if is_in_group && !line.is_empty() => {
                let (name, is_it) = read_constant(line, type_name, is_typed);
                is_typed = is_it;
                names.extend(name.filter(|it| is_it && it != "_"));
            }
            _ => {}
        }
    }
    names
}

/// The name in a line of a declaration, and whether it is a constant of this type.
fn read_constant(line: &str, type_name: &str, is_typed: bool) -> (Option<String>, bool) {
    let (head, value) = match line.split_once('=') {
        Some((head, value)) => (head, Some(value.trim())),
        None => (line, None),
    };
    let mut words = head.split_whitespace();
    let (name, of) = (words.next().map(str::to_owned), words.next());
    let is_converted = value.is_some_and(|it| {
        it.strip_prefix(type_name)
            .is_some_and(|it| it.starts_with('('))
    });
    let is_it = match of {
        Some(of) => of == type_name,
        None if value.is_some() => is_converted,
        None => is_typed,
    };
    (name, is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_a_type_are_its_members() {
        let check = |code: &str, expected: &str| {
            let masks: Vec<Vec<u8>> = code.lines().map(|it| it.as_bytes().to_vec()).collect();
            assert_eq!(
                list_go_constants(&masks, "Kind").join(" "),
                expected,
                "{code}"
            );
        };
        check("const (\n\tA Kind = iota\n\tB\n\n\tC\n)\n", "A B C");
        check("const (\n\tA Kind = 1\n\tB Kind = 2\n)\n", "A B");
        check("const (\n\tA = Kind(1)\n\tB = Kind(2)\n)\n", "A B");
        check("const (\n\tA Kind = iota\n\t_\n\tC\n)\n", "A C");
        check(
            "const (\n\tA Other = iota\n\tB\n\tC Kind = iota\n\tD\n\tlimit = 3\n\tE\n)\n",
            "C D",
        );
        check("const A Kind = 1\nconst B Other = 1\n", "A");
        check("var A Kind = 1\n", "");
    }
}
