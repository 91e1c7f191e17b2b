//! The stylesheet: readable in light and in dark, and nothing of it comes from elsewhere.

use std::collections::BTreeMap;

use apostille_panel::FILES;

type Tokens = BTreeMap<String, String>;

fn sheet() -> &'static str {
    FILES.iter().find(|it| it.0 == "/panel.css").unwrap().2
}

/// The tokens of the block that begins with this selector.
fn tokens(selector: &str) -> Tokens {
    let css = sheet();
    let from = css
        .find(selector)
        .unwrap_or_else(|| panic!("no {selector}"))
        + selector.len();
    let block = css[from..].split('}').next().unwrap();
    let pair = |it: &str| {
        let (name, value) = it.trim().trim_start_matches('{').trim().split_once(':')?;
        Some((
            name.trim().strip_prefix("--")?.to_owned(),
            value.trim().to_owned(),
        ))
    };
    block.split(';').filter_map(pair).collect()
}

fn light() -> Tokens {
    tokens(":root {")
}

fn dark() -> Tokens {
    tokens(":root[data-theme=\"dark\"] {")
}

/// How bright a colour is, as WCAG has it.
fn luminance(hex: &str) -> f64 {
    let part = |at: usize| {
        let it = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
        if it <= 0.040_45 {
            it / 12.92
        } else {
            ((it + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_stands_out_from_what_is_behind_it() {
    let check = |text: &str, behind: &str| {
        for (name, tokens) in [("light", light()), ("dark", dark())] {
            let ratio = contrast(&tokens[text], &tokens[behind]);
            assert!(ratio >= 4.5, "{name}: {text} on {behind} is {ratio:.2}");
        }
    };
    for behind in ["paper", "sheet", "sunk"] {
        ["ink", "soft", "accent", "bad", "good", "warn"]
            .iter()
            .for_each(|it| check(it, behind));
    }
    ["good", "info", "warn", "bad", "plain"]
        .iter()
        .for_each(|it| check(it, &format!("{it}-soft")));
    check("accent-ink", "accent");
    check("ink", "lit");
    check("soft", "lit");
    check("paper", "ink");
}

#[test]
fn what_a_control_is_drawn_with_can_be_seen() {
    for tokens in [light(), dark()] {
        for behind in ["paper", "sheet", "sunk"] {
            assert!(
                contrast(&tokens["edge"], &tokens[behind]) >= 3.0,
                "edge on {behind}"
            );
        }
    }
}

#[test]
fn dark_is_dark_whether_chosen_or_found() {
    assert_eq!(tokens(":root:not([data-theme=\"light\"]) {"), dark());
    let missing: Vec<String> = light()
        .keys()
        .filter(|it| !dark().contains_key(*it))
        .cloned()
        .collect();
    let colours: Vec<&String> = missing
        .iter()
        .filter(|it| light()[*it].starts_with('#'))
        .collect();
    assert!(colours.is_empty(), "dark lacks {colours:?}");
}

/// What changed may stand at the end of a long line.
#[test]
fn code_is_wrapped_and_not_cut() {
    let row = sheet()
        .split(".code .row > :last-child {")
        .nth(1)
        .unwrap()
        .split('}')
        .next()
        .unwrap();
    assert!(
        row.contains("white-space: pre-wrap") && row.contains("overflow-wrap: anywhere"),
        "{row}"
    );
    let code = sheet()
        .split("\n.code {")
        .nth(1)
        .unwrap()
        .split('}')
        .next()
        .unwrap();
    assert!(!code.contains("overflow"), "{code}");
}

#[test]
fn nothing_is_fetched_from_elsewhere() {
    for (path, _, content) in FILES {
        for word in [
            "http:",
            "https:",
            "//cdn",
            "@import",
            "url(",
            "eval(",
            "innerHTML",
            "document.write",
        ] {
            assert!(!content.contains(word), "{path} has {word}");
        }
    }
}
