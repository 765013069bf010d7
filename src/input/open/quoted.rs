//! Streams whose first rows have values in quotes.

use std::sync::Arc;

use super::OpenOptions;
use crate::error::Note;
use crate::fec::layout::{Layout, OpenLayout};
use crate::input::part::{self, HEAD_ROWS};
use crate::input::policy::Kind;
use crate::input::stream::Stream;
use crate::input::translated::Translation;
use crate::input::{Identity, Input};

impl OpenOptions {
    /// Returns the layout of a stream whose first rows have values in quotes, if nobody has said how these are read.
    pub(super) fn quoted_layout(&self, stream: &Stream) -> Option<Layout> {
        let layout = self.schema.filter(|_| self.detects_quotes)?.layout()?;
        let mut quoted = layout.clone();
        if layout.refuses_quotes() && !layout.is_translated() {
            let open = OpenLayout {
                quotes: true,
                ..OpenLayout::default()
            };
            quoted.recognize(&stream.head(HEAD_ROWS), open);
        }
        (quoted != *layout).then_some(quoted)
    }

    /// Returns the input of a stream with this layout.
    pub(super) fn quoted(
        &self,
        kind: Kind,
        stream: Stream,
        layout: &Layout,
        identity: &Arc<Identity>,
    ) -> Input {
        let mut opening = self.clone();
        opening.schema = Some(layout.schema());
        let watched = identity.watched.clone();
        let identity = opening.identity(&identity.path, &identity.name, watched);
        let stream = match Translation::of(layout) {
            Some(translation) => stream.translated(translation),
            None => stream,
        };
        let mut input = opening.one(kind, part::Kind::Stream(stream.into()), &identity);
        input.notes.push(
            Note::new("has values in quotes, so one thread reads it as CSV, which is slower")
                .advise("--quotes data reads quotes as bytes".to_owned()),
        );
        input
    }
}
