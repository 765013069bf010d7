//! The option of commands that print text for people.

use clap::{Args, ValueEnum};

/// Whether to draw colour and bars.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ColorOption {
    /// Draw colour and bars in the text: auto, always or never
    ///
    /// auto draws both on a terminal. never, or the environment variable NO_COLOR, leaves the bars there. Bars are
    /// as wide as the terminal. They are made of '#' if the locale (LC_ALL, LC_CTYPE, LANG) is not one of UTF-8.
    ///
    /// Example: --color never
    #[arg(
        long = "color",
        value_name = "WHEN",
        default_value = "auto",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub(crate) when: Color,
}

/// When to draw colour and bars.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}
