//! How a person confirms their decisions.

use apostille_text::words::words;

words! {
    /// How a person confirms what only a person decides. The stricter is the greater.
    ConfirmMode as "confirmation" {
        /// Not at all.
        Off = "off",
        /// In the panel: a terminal decides nothing.
        Panel = "panel",
        /// With a PIN.
        Pin = "pin",
    }
}
