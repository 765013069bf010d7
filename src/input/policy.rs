//! Decides how to read a regular file: a pure function of facts about it. Anything else is a stream.
//!
//! A file is mapped if the caller allows it, because nothing is copied then. Reading it took 1.2 to 1.3
//! times as long for the report with two threads on 3.25 GB in the page cache (ext4 and tmpfs). Where
//! the page cache has pages of 2 MB, which a mapping uses and a copy does not, it took 1.7 times as long.
//! Small files are mapped too: the whole process took 3.1 ms for 10,000 rows, and 4.6 ms reading them.
//!
//! Standard input is read, even if it is a file. A user may redirect a file while another program writes
//! it. If it is then cut, the program should not end.
//!
//! A mapping is scanned in tasks of 2 MiB, the size of a huge page. Between 256 KiB and 8 MiB the size
//! made no difference.

use super::compressed::Format;

/// How to get at the bytes of plain files. The default is [`Io::read`], which is always sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Io(Choice);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Choice {
    #[default]
    Read,
    Auto,
    Mmap,
}

impl Io {
    /// Reads files into buffers.
    pub const fn read() -> Io {
        Io(Choice::Read)
    }

    /// Maps files where mapping is faster, and reads all others.
    ///
    /// # Safety
    /// Nothing may write to a mapped file or cut it as long as its input or a part of it exists. Folds
    /// see its bytes as `&[u8]`, which must not change. [`super::Input::check_unchanged`] notices a
    /// change too late.
    #[allow(unsafe_code)]
    pub const unsafe fn auto() -> Io {
        Io(Choice::Auto)
    }

    /// Maps every file that can be mapped.
    ///
    /// # Safety
    /// That of [`Io::auto`].
    #[allow(unsafe_code)]
    pub const unsafe fn mmap() -> Io {
        Io(Choice::Mmap)
    }
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A mapped plain file.
    Mapped,
    /// A plain file: each worker reads its tasks at their place.
    Positional,
    /// Plain bytes that one worker after the other reads in order.
    Stream,
    /// A plain file that one worker translates to rows.
    Translated,
    /// A gzip file.
    Gzip,
    /// A zstd file.
    Zstd,
    /// A zip archive.
    Zip,
}

impl Kind {
    /// Returns the name that `--stats` shows.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Mapped => "mmap",
            Kind::Positional | Kind::Stream | Kind::Translated => "read",
            Kind::Gzip => "gzip",
            Kind::Zstd => "zstd",
            Kind::Zip => "zip",
        }
    }

    /// Tells whether bytes must be decompressed or translated, which one worker does alone.
    pub(super) fn is_compressed(self) -> bool {
        matches!(self, Kind::Translated | Kind::Gzip | Kind::Zstd | Kind::Zip)
    }
}

/// The size up to which a file may be one that the kernel makes up when it is read. The kernel reports
/// 0 bytes for those in /proc, and a page for those in /sys. They can only be read to their end.
const MADE_UP_BYTES_MAX: u64 = 4096;

/// Decides what a regular file is, by the format that its first bytes tell and the number of bytes ahead.
pub(super) fn kind(io: Io, format: Format, bytes: u64, is_standard_input: bool) -> Kind {
    match (format, io.0) {
        (Format::Gzip, _) => Kind::Gzip,
        (Format::Zstd, _) => Kind::Zstd,
        (Format::Zip, _) => Kind::Zip,
        _ if bytes == 0 => Kind::Stream,
        (_, Choice::Auto) if !is_standard_input => Kind::Mapped,
        (_, Choice::Mmap) => Kind::Mapped,
        _ if bytes <= MADE_UP_BYTES_MAX => Kind::Stream,
        _ => Kind::Positional,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_to_read() {
        assert_eq!(Io::default(), Io::read());
    }

    /// A file is mapped unless reading is chosen. One on standard input, which may be written to, is mapped only if that is chosen. Files
    /// without bytes are streams, and so are small ones that are read: the kernel may make them up.
    #[test]
    fn kinds_are_those_of_the_facts() {
        use Kind::{Mapped, Positional, Stream};
        for (is_standard_input, bytes, kinds) in [
            (false, 1 << 30, [Mapped, Mapped, Positional]),
            (true, 1 << 30, [Positional, Mapped, Positional]),
            (false, 0, [Stream; 3]),
            (false, 4096, [Mapped, Mapped, Stream]),
            (false, 4097, [Mapped, Mapped, Positional]),
        ] {
            let found = [Choice::Auto, Choice::Mmap, Choice::Read];
            let kind = |choice| kind(Io(choice), Format::Plain, bytes, is_standard_input);
            assert_eq!(found.map(kind), kinds, "{is_standard_input}, {bytes}");
        }
    }
}
