//! Forms: every control has its label, every form its seal.

use maud::{Markup, html};

use apostille_api::request_scope::RequestScope;

/// A form that does something and goes back to a page.
pub fn render_post_form(scope: &RequestScope, path: &str, body: &Markup) -> Markup {
    html! { form method="post" action=(super::link_to_page(scope, path)) { (render_seal(scope)) (body) } }
}

/// What a form that only looks carries, so that it stays in the space that is looked at.
pub fn render_repo_field(scope: &RequestScope) -> Markup {
    html! { @if !scope.caller.repo.is_user() { input type="hidden" name="repo" value=(scope.caller.repo); } }
}

/// A control under its label, with a word about it.
pub fn render_labeled_field(id: &str, label: &str, hint: &str, control: &Markup) -> Markup {
    html! {
        div.field {
            label for=(id) { (label) }
            (control)
            @if !hint.is_empty() { p.hint id=(format!("{id}-hint")) { (hint) } }
        }
    }
}

/// What a control says about its hint.
fn format_hint_id(id: &str, hint: &str) -> Option<String> {
    (!hint.is_empty()).then(|| format!("{id}-hint"))
}

/// One line of text. The last part of the id, behind its last `-`, is the name of the field.
pub fn render_text_input(id: &str, label: &str, value: &str, hint: &str) -> Markup {
    render_line_input(id, label, value, hint, false)
}

/// One line of text that must not be left empty.
pub fn render_required_input(id: &str, label: &str, value: &str) -> Markup {
    render_line_input(id, label, value, "", true)
}

fn render_line_input(id: &str, label: &str, value: &str, hint: &str, is_required: bool) -> Markup {
    let control = html! {
        input type="text" id=(id) name=(extract_field_name(id)) value=(value) aria-describedby=[format_hint_id(id, hint)] autocomplete="off" required[is_required];
    };
    render_labeled_field(id, label, hint, &control)
}

/// Several lines of text.
pub fn render_textarea(id: &str, label: &str, value: &str, rows: usize, hint: &str) -> Markup {
    let control = html! {
        // The first line end behind the tag is not part of the text.
        textarea id=(id) name=(extract_field_name(id)) rows=(rows) aria-describedby=[format_hint_id(id, hint)] { "\n" (value) }
    };
    render_labeled_field(id, label, hint, &control)
}

/// Something to tick.
pub fn render_checkbox(id: &str, label: &str, is_ticked: bool) -> Markup {
    html! {
        div.tick {
            input type="checkbox" id=(id) name=(extract_field_name(id)) value="yes" checked[is_ticked];
            label for=(id) { (label) }
        }
    }
}

/// One out of a list of what is sent and what is read; `any` stands for none.
pub fn render_select<'a>(
    id: &str,
    label: &str,
    any: &str,
    all: impl IntoIterator<Item = (&'a str, &'a str)>,
    chosen: &str,
) -> Markup {
    let control = html! {
        select id=(id) name=(extract_field_name(id)) {
            option value="" { (any) }
            @for (value, told) in all { option value=(value) selected[value == chosen] { (told) } }
        }
    };
    render_labeled_field(id, label, "", &control)
}

/// One out of a list of words, which are sent as they are read.
pub fn render_word_select(
    id: &str,
    label: &str,
    any: &str,
    words: impl IntoIterator<Item: ToString>,
    chosen: &str,
) -> Markup {
    let words: Vec<String> = words.into_iter().map(|it| it.to_string()).collect();
    let all = words.iter().map(|it| (it.as_str(), it.as_str()));
    render_select(id, label, any, all, chosen)
}

fn extract_field_name(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |it| it.1)
}

/// The hidden field that every form carries.
pub fn render_seal(scope: &RequestScope) -> Markup {
    html! { input type="hidden" name="seal" value=(scope.csrf_token); }
}
