//! Memory that is filled once, from one end to the other.

use memmap2::MmapMut;

/// The bytes of a region: four huge pages. The system backs only those in use with memory.
const REGION_BYTES: usize = 8 << 20;

/// Pieces of bytes, side by side.
///
/// In regions from the system and not from the allocator, because these are in huge pages where the system
/// has some: to fill 330 MB then takes 160 page faults instead of 80,000.
#[derive(Debug, Default)]
pub(super) struct Arena {
    regions: Vec<Region>,
    /// The used bytes of the last region.
    used: usize,
}

#[derive(Debug)]
enum Region {
    Mapped(MmapMut),
    /// The system had no mapping left.
    Allocated(Box<[u8]>),
}

/// Where a piece lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    region: u32,
    start: u32,
    length: u32,
}

impl Region {
    fn new() -> Region {
        let Ok(map) = MmapMut::map_anon(REGION_BYTES) else {
            return Region::Allocated(vec![0; REGION_BYTES].into());
        };
        // Only speed depends on it.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Region::Mapped(map)
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Region::Mapped(map) => map,
            Region::Allocated(bytes) => bytes,
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Region::Mapped(map) => map,
            Region::Allocated(bytes) => bytes,
        }
    }
}

impl Arena {
    /// Stores a piece, which is shorter than a region.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Piece {
        if self.regions.is_empty() || self.used + bytes.len() > REGION_BYTES {
            self.regions.push(Region::new());
            self.used = 0;
        }
        let last = self.regions.len() - 1;
        let start = self.used;
        self.used += bytes.len();
        self.regions[last].bytes_mut()[start..self.used].copy_from_slice(bytes);
        Piece {
            region: last as u32,
            start: start as u32,
            length: bytes.len() as u32,
        }
    }

    /// Returns the bytes from the beginning of a piece on, and the length of the piece.
    pub(super) fn piece(&self, piece: Piece) -> (&[u8], usize) {
        let bytes = self.regions[piece.region as usize].bytes();
        (&bytes[piece.start as usize..], piece.length as usize)
    }

    /// Returns the number of bytes of all regions.
    pub(super) fn bytes(&self) -> usize {
        self.regions.len() * REGION_BYTES
    }
}
