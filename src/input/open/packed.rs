//! Opens compressed files, and the members of archives.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use super::OpenOptions;
use crate::error::Error;
use crate::input::archive::{Archive, Member, Members};
use crate::input::compressed::{Codec, Packed};
use crate::input::part::{self, Part};
use crate::input::policy::Kind;
use crate::input::section::Section;
use crate::input::slices::{self, Slice};
use crate::input::stream::Stream;
use crate::input::translated::Translation;
use crate::input::{Identity, Input};

impl OpenOptions {
    /// Returns the part of a compressed file.
    pub(super) fn packed(&self, section: Section, codec: Codec) -> part::Kind {
        let packed = Packed {
            section,
            codec,
            expected: None,
            bytes_max: self.max_member_bytes,
            translation: self.translation(),
        };
        part::Kind::Stream(Stream::packed(packed).into())
    }

    /// Returns the part of a plain file that is translated.
    pub(super) fn plain_translated(&self, section: Section) -> part::Kind {
        let packed = Packed {
            section,
            codec: Codec::Stored,
            expected: None,
            bytes_max: u64::MAX,
            translation: self.translation(),
        };
        part::Kind::Stream(Stream::packed(packed).into())
    }

    /// Returns how files become rows, if their lines are none.
    pub(super) fn translation(&self) -> Option<Translation> {
        Translation::of(self.schema?.layout()?)
    }

    /// Opens an archive. If it is read by slices, puts all of them into `slices`.
    pub(super) fn archive(
        &self,
        archive: &Section,
        identity: &Arc<Identity>,
        slices: &mut Vec<Slice>,
    ) -> Result<Input, Error> {
        let Archive {
            mut members,
            are_reordered,
            notes,
        } = Archive::open(archive, &self.members)?;
        // The member that slices repeat may lack its last newline, and so may the slice that is known to be the last.
        let mut may_cut_line = None;
        if self.members == Members::Slices {
            let last = members.iter().rfind(|member| member.expected.bytes > 0);
            may_cut_line = last
                .filter(|_| !are_reordered)
                .map(|last| last.name.clone());
            slices.extend(members.iter().map(Slice::of));
            let mut chosen = slices::chosen(slices, self.range.clone());
            members.retain(|_| chosen.next() == Some(true));
        }
        let compressed = members
            .iter()
            .map(|m| m.compressed.end - m.compressed.start);
        let bytes_ahead = Some(compressed.sum());
        let part = |member: Member| {
            let packed = Packed {
                section: archive.part(member.compressed),
                codec: member.codec,
                expected: Some(member.expected),
                bytes_max: self.max_member_bytes,
                translation: self.translation(),
            };
            let kind = part::Kind::Stream(Stream::packed(packed).into());
            let must_end_line =
                self.members == Members::Slices && may_cut_line.as_ref() != Some(&member.name);
            let mut part = Part::new(Arc::clone(identity), Some(member.name), kind);
            part.must_end_line = must_end_line;
            part
        };
        let mut parts: Vec<_> = members.into_iter().map(part).collect();
        if let ([], [first, ..]) = (&parts[..], &slices[..]) {
            // No slice begins in the range. A part without lines has the schema and its columns nevertheless.
            let name = first.name.as_bytes().to_vec();
            let none = part::Kind::Stream(Stream::plain(Box::new(io::empty())).into());
            parts.push(Part::new(Arc::clone(identity), Some(name), none));
        }
        Ok(Input {
            kind: Kind::Zip,
            bytes_ahead,
            notes,
            range: self.range.clone(),
            coverage: None,
            parts: parts.into_iter(),
            identity: Arc::clone(identity),
        })
    }
}
