//! Memory in cells of one size, which are used again.

use memmap2::MmapMut;

/// The bytes of a cell.
pub(super) const CELL_BYTES: usize = 1024;

/// The bytes of a region: four huge pages. The system backs only those in use with memory.
const REGION_BYTES: usize = 8 << 20;

/// The number of cells of a region.
const REGION_CELLS: u32 = (REGION_BYTES / CELL_BYTES) as u32;

/// Pieces of bytes, each in a cell.
///
/// In regions from the system and not from the allocator, because these are in huge pages where the system
/// has some: to fill 330 MB then takes 160 page faults instead of 80,000.
#[derive(Debug, Default)]
pub(super) struct Arena {
    regions: Vec<Region>,
    /// The cells that have ever been used.
    used: u32,
    /// Cells to use again, the latest last: these are in a cache.
    free: Vec<u32>,
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
    cell: u32,
    length: u16,
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

    fn cells(&self) -> &[[u8; CELL_BYTES]] {
        let bytes: &[u8] = match self {
            Region::Mapped(map) => map,
            Region::Allocated(bytes) => bytes,
        };
        bytes.as_chunks().0
    }

    fn cells_mut(&mut self) -> &mut [[u8; CELL_BYTES]] {
        let bytes: &mut [u8] = match self {
            Region::Mapped(map) => map,
            Region::Allocated(bytes) => bytes,
        };
        bytes.as_chunks_mut().0
    }
}

impl Arena {
    /// Stores the first `length` bytes of a cell.
    pub(super) fn push(&mut self, bytes: &[u8; CELL_BYTES], length: u16) -> Piece {
        let cell = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        let (region, place) = place(cell);
        if region == self.regions.len() {
            self.regions.push(Region::new());
        }
        self.regions[region].cells_mut()[place] = *bytes;
        Piece { cell, length }
    }

    /// Returns the cell of a piece, and the length of the piece.
    pub(super) fn piece(&self, piece: Piece) -> (&[u8], usize) {
        let (region, place) = place(piece.cell);
        let cell = &self.regions[region].cells()[place];
        (cell, usize::from(piece.length))
    }

    /// Gives the cells of pieces back.
    pub(super) fn free(&mut self, pieces: impl Iterator<Item = Piece>) {
        self.free.extend(pieces.map(|piece| piece.cell));
    }
}

/// Returns the region of a cell, and its place there.
fn place(cell: u32) -> (usize, usize) {
    let (region, place) = (cell / REGION_CELLS, cell % REGION_CELLS);
    (region as usize, place as usize)
}
