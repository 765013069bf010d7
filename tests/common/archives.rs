//! Compressed files and archives, made by hand: whole ones, and ones that lie.

use std::io::Write;

use flate2::{Compression, Crc, write};

pub const STORED: u16 = 0;
pub const DEFLATED: u16 = 8;
pub const ENCRYPTED: u16 = 1;
/// The sizes and the checksum follow the compressed bytes, instead of standing before them.
pub const DESCRIPTOR: u16 = 1 << 3;

/// `bytes` as one gzip member.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = write::GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// `bytes` as one zstd frame with a checksum, as the command zstd makes it.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// A member of a zip archive. Every field is what is written, true or not.
#[derive(Clone)]
pub struct Member {
    pub name: Vec<u8>,
    pub local_name: Vec<u8>,
    pub method: u16,
    pub local_method: u16,
    pub flags: u16,
    pub crc: u32,
    /// What is written, and how many bytes the directory says that this is.
    pub compressed: Vec<u8>,
    pub compressed_bytes: u64,
    pub bytes: u64,
    /// Sizes and offset stand in ZIP64 fields, needed or not.
    pub zip64: bool,
    pub external_attributes: u32,
    /// Nothing is written but an entry in the directory, for what is at this offset.
    pub only_entry_for: Option<u64>,
}

impl Member {
    pub fn stored(name: impl AsRef<[u8]>, bytes: &[u8]) -> Member {
        Member {
            name: name.as_ref().to_vec(),
            local_name: name.as_ref().to_vec(),
            method: STORED,
            local_method: STORED,
            flags: 0,
            crc: crc(bytes),
            compressed: bytes.to_vec(),
            compressed_bytes: bytes.len() as u64,
            bytes: bytes.len() as u64,
            zip64: false,
            external_attributes: 0o100644 << 16,
            only_entry_for: None,
        }
    }

    pub fn deflated(name: impl AsRef<[u8]>, bytes: &[u8]) -> Member {
        let mut encoder = write::DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        let compressed = encoder.finish().unwrap();
        Member {
            method: DEFLATED,
            local_method: DEFLATED,
            compressed_bytes: compressed.len() as u64,
            compressed,
            ..Member::stored(name, bytes)
        }
    }

    pub fn with_descriptor(self) -> Member {
        let flags = self.flags | DESCRIPTOR;
        Member { flags, ..self }
    }

    pub fn with_zip64(self) -> Member {
        Member {
            zip64: true,
            ..self
        }
    }

    /// The sizes as they stand in a header, and the extra field for those that do not.
    fn sizes(&self, offset: Option<u64>) -> (u32, u32, Vec<u8>) {
        if !self.zip64 {
            return (self.compressed_bytes as u32, self.bytes as u32, Vec::new());
        }
        let mut values = [self.bytes, self.compressed_bytes].to_vec();
        values.extend(offset);
        let mut extra = [1_u16, 8 * values.len() as u16]
            .map(u16::to_le_bytes)
            .concat();
        extra.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        (u32::MAX, u32::MAX, extra)
    }

    fn write_local(&self, out: &mut Vec<u8>) {
        let described = self.flags & DESCRIPTOR != 0;
        let (compressed, bytes, extra) = if described && !self.zip64 {
            (0, 0, Vec::new())
        } else {
            self.sizes(None)
        };
        let crc = if described { 0 } else { self.crc };
        out.extend(b"PK\x03\x04\x2d\x00");
        for half in [self.flags, self.local_method, 0, 0x21] {
            out.extend(half.to_le_bytes());
        }
        for word in [crc, compressed, bytes] {
            out.extend(word.to_le_bytes());
        }
        out.extend((self.local_name.len() as u16).to_le_bytes());
        out.extend((extra.len() as u16).to_le_bytes());
        out.extend(&self.local_name);
        out.extend(&extra);
        out.extend(&self.compressed);
        if described {
            out.extend(b"PK\x07\x08");
            out.extend(self.crc.to_le_bytes());
            for size in [self.compressed_bytes, self.bytes] {
                if self.zip64 {
                    out.extend(size.to_le_bytes());
                } else {
                    out.extend((size as u32).to_le_bytes());
                }
            }
        }
    }

    fn write_entry(&self, offset: u64, out: &mut Vec<u8>) {
        let (compressed, bytes, extra) = self.sizes(Some(offset));
        out.extend(b"PK\x01\x02\x2d\x03\x2d\x00");
        for half in [self.flags, self.method, 0, 0x21] {
            out.extend(half.to_le_bytes());
        }
        for word in [self.crc, compressed, bytes] {
            out.extend(word.to_le_bytes());
        }
        for half in [self.name.len() as u16, extra.len() as u16, 0, 0, 0] {
            out.extend(half.to_le_bytes());
        }
        out.extend(self.external_attributes.to_le_bytes());
        let offset = if self.zip64 { u32::MAX } else { offset as u32 };
        out.extend(offset.to_le_bytes());
        out.extend(&self.name);
        out.extend(&extra);
    }
}

/// An archive of `members`, in their order.
pub fn zip(members: &[Member]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut entries = Vec::new();
    for member in members {
        let offset = member.only_entry_for.unwrap_or(out.len() as u64);
        member.write_entry(offset, &mut entries);
        if member.only_entry_for.is_none() {
            member.write_local(&mut out);
        }
    }
    let (number, at, size) = (members.len() as u64, out.len() as u64, entries.len() as u64);
    out.extend(entries);
    let zip64 = members.iter().any(|member| member.zip64) || number > 0xfffe;
    if zip64 {
        let end_at = out.len() as u64;
        out.extend(b"PK\x06\x06");
        out.extend(44_u64.to_le_bytes());
        out.extend(b"\x2d\x03\x2d\x00\0\0\0\0\0\0\0\0");
        for value in [number, number, size, at] {
            out.extend(value.to_le_bytes());
        }
        out.extend(b"PK\x06\x07\0\0\0\0");
        out.extend(end_at.to_le_bytes());
        out.extend(1_u32.to_le_bytes());
    }
    out.extend(b"PK\x05\x06\0\0\0\0");
    let number = if zip64 { u16::MAX } else { number as u16 };
    let large = |value: u64| if zip64 { u32::MAX } else { value as u32 };
    out.extend([number, number].map(u16::to_le_bytes).concat());
    out.extend([large(size), large(at)].map(u32::to_le_bytes).concat());
    out.extend([0, 0]);
    out
}

/// So many MiB of zeros, deflated.
pub fn deflated_zeros(mib: usize) -> Vec<u8> {
    let mut encoder = write::DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&vec![0; 1 << 20]).unwrap();
    encoder.flush().unwrap();
    // What has been flushed ends at a byte, and nothing in it looks back behind its beginning.
    let one = encoder.get_ref().clone();
    [one.repeat(mib), vec![3, 0]].concat()
}

/// An archive of `itcont.txt` and of its rows in slices, which `cuts` says where to cut by lines. The last slice comes first.
pub fn sliced(rows: &[&[u8]], cuts: &[usize]) -> Vec<u8> {
    let ends = cuts.iter().copied().chain([rows.len()]);
    let starts = [0].into_iter().chain(cuts.iter().copied());
    let slices = starts.zip(ends).enumerate().map(|(nth, (start, end))| {
        Member::deflated(
            format!("by_date/itcont_{nth}.txt"),
            &rows[start..end].concat(),
        )
    });
    let mut members: Vec<_> = slices.collect();
    members.reverse();
    members.insert(1, Member::deflated("itcont.txt", &rows.concat()));
    zip(&members)
}
