//! One word per idea: enums that are written as fixed words in every face and on disk.

/// A word that is not one of the words an idea has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {idea} '{word}', expected one of: {known}")]
pub struct UnknownWord {
    /// What was asked for, such as `kind`.
    pub idea: &'static str,
    /// The word given.
    pub word: String,
    /// The words there are, separated by commas.
    pub known: String,
}

/// Declares a field-less enum together with its words.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $name:ident as $idea:literal { $($(#[$vmeta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word it is written as, everywhere.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|it| it.as_str() == word).ok_or_else(|| $crate::words::UnknownWord {
                    idea: $idea,
                    word: $crate::secrets::mask_secrets(word).chars().take(40).collect(),
                    known: Self::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", "),
                })
            }
        }
    };
}
pub use words;
