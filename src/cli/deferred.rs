//! The options of a command, defined when the command is the one typed. Definitions of all commands take a third of the time of a
//! short run: each has some forty options, whose help texts are copied.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::output::NoteOption;
use super::under_headings;

/// The options of a command, joined by the options of all commands.
#[derive(Debug)]
pub(crate) struct Deferred<A>(pub(crate) Box<A>);

impl<A: Args> Args for Deferred<A> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| {
            // The help of a command is long, because it explains the options.
            let help = Arg::new("help")
                .short('h')
                .long("help")
                .action(ArgAction::Help)
                .help("Print help (see a summary with '-h')");
            let command = NoteOption::augment_args(A::augment_args(command).arg(help));
            under_headings(command.args_override_self(true))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<A: FromArgMatches> FromArgMatches for Deferred<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        A::from_arg_matches(matches).map(|options| Deferred(Box::new(options)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}
