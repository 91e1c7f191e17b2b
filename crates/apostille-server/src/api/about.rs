//! The words in which calls are described: what each takes and answers. The table of calls is written in them once; the
//! arguments are checked against it, and the OpenAPI document is made out of it.

use crate::visit::Route;

/// One call: how it is reached, and what is told about it.
#[derive(Clone, Copy)]
pub struct Call {
    /// How it is reached, and what answers.
    pub route: Route,
    /// What is told about it.
    pub about: About,
}

/// What is told about a call.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Its name for programs.
    pub id: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// What it belongs to.
    pub tag: &'static str,
    /// What may stand behind the question mark, beside `repo`.
    pub query: &'static [Field],
    /// What is sent along.
    pub body: Body,
    /// What comes back when it goes well, by status.
    pub done: &'static [(u16, Content)],
    /// Whether something can be refused, with 422.
    pub may_refuse: bool,
}

/// What is sent along with a call.
#[derive(Debug, Clone, Copy)]
pub enum Body {
    /// Nothing.
    None,
    /// An object with these fields.
    Fields(&'static [Field]),
    /// A file as it is.
    File,
}

/// What comes back.
#[derive(Debug, Clone, Copy)]
pub enum Content {
    /// JSON of this shape.
    Json(Shape),
    /// JSON that is what it is, or text of one of these kinds.
    Kinds(&'static [&'static str]),
}

/// A field of an object.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Whether it is always there.
    pub is_required: bool,
    /// What it means; empty where the name says it.
    pub about: &'static str,
}

/// A field that is always there.
#[must_use]
pub const fn has(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        shape,
        is_required: true,
        about: "",
    }
}

/// A field that may be there.
#[must_use]
pub const fn may(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        shape,
        is_required: false,
        about: "",
    }
}

impl Field {
    /// The same with what it means.
    #[must_use]
    pub const fn told(self, about: &'static str) -> Self {
        Self { about, ..self }
    }
}

/// What a value is.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Any text.
    Text,
    /// A text that is not empty.
    Said,
    /// A text of this pattern, for example this one.
    Like(&'static str, &'static str),
    /// A time in UTC, RFC 3339.
    Time,
    /// Yes or no.
    Flag,
    /// Always this one.
    Is(bool),
    /// A whole number that is not negative.
    Count,
    /// A whole number from 1 up to this one.
    UpTo(u32),
    /// A number.
    Number,
    /// One of these words.
    Words(fn() -> Vec<&'static str>),
    /// One of the shapes that have a name.
    Of(&'static str),
    /// Several of a shape.
    List(&'static Shape),
    /// Several of a shape, at most so many.
    Few(&'static Shape, u32),
    /// Values of a shape under any names.
    Map(&'static Shape),
    /// A value of a shape, or null.
    OrNull(&'static Shape),
    /// A value of one of these shapes.
    Either(&'static [Shape]),
    /// An object with these fields and no others.
    Object(&'static [Field]),
    /// Any JSON.
    Any,
}
