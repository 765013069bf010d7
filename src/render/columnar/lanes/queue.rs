//! The blocks that wait, and the groups that are not yet written.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::super::block::Block;
use super::GroupSize;
use crate::error::Error;

/// The number of emptied blocks that are kept for other rows.
const FREE_BLOCKS: usize = 8;

pub(super) struct Queue<C> {
    /// Small blocks, gathered.
    pub(super) gathered: Block,
    runs: VecDeque<Run>,
    /// The number of runs before the first of `runs`.
    done: usize,
    /// The size of the blocks of `runs`.
    waiting: usize,
    lanes: Vec<Lane>,
    /// The groups not yet written.
    pub(super) groups: VecDeque<Group<C>>,
    /// The number of groups written.
    pub(super) written: usize,
    pub(super) is_writing: bool,
    /// The rows so far of the last group.
    pub(super) filled: GroupSize,
    pub(super) rows: u64,
    free: Vec<Block>,
    pub(super) outcome: Outcome,
}

pub(super) enum Outcome {
    Good,
    /// Work has failed; nobody has got the error yet.
    Failed(Error),
    /// Work has failed, or panicked.
    Told,
}

/// Rows of a block, all of one group.
struct Run {
    block: Arc<Block>,
    rows: Range<usize>,
    group: usize,
    ends_group: bool,
    /// The number of bytes of memory that are free again after it.
    size: usize,
    /// The number of lanes that have yet to encode it.
    missing: usize,
}

struct Lane {
    /// The number of runs before the next one.
    next: usize,
    is_busy: bool,
    /// The bytes of its cells so far. Long lanes go first.
    bytes: usize,
}

pub(super) struct Group<C> {
    pub(super) rows: usize,
    pub(super) chunks: Vec<Option<C>>,
    missing: usize,
}

/// What a worker does next.
pub(super) enum Job<C> {
    Encode {
        lane: usize,
        block: Arc<Block>,
        rows: Range<usize>,
        ends_group: bool,
    },
    Write(Group<C>),
}

impl<C> Queue<C> {
    /// Returns the queue of a file of so many columns.
    pub(super) fn new(columns: usize) -> Queue<C> {
        let lane = |_| Lane {
            next: 0,
            is_busy: false,
            bytes: 0,
        };
        Queue {
            gathered: Block::new(columns),
            runs: VecDeque::new(),
            done: 0,
            waiting: 0,
            lanes: (0..columns).map(lane).collect(),
            groups: VecDeque::new(),
            written: 0,
            is_writing: false,
            filled: GroupSize { rows: 0, bytes: 0 },
            rows: 0,
            free: Vec::new(),
            outcome: Outcome::Good,
        }
    }

    /// Adds the rows of a block.
    pub(super) fn add(&mut self, block: Block, size: GroupSize) {
        let block = Arc::new(block);
        let (mut start, rows) = (0, block.rows());
        while start < rows {
            let end = self.group_end(&block, start, size);
            self.filled.rows += end - start;
            self.filled.bytes += block.bytes_of(start..end);
            let ends_group = self.filled.rows == size.rows || self.filled.bytes >= size.bytes;
            self.add_run(block.clone(), start..end, ends_group);
            start = end;
        }
    }

    /// Returns where the rows from `start` on leave their group, or the block.
    fn group_end(&self, block: &Block, start: usize, size: GroupSize) -> usize {
        let end = block.rows().min(start + size.rows - self.filled.rows);
        let is_full = |end: usize| self.filled.bytes + block.bytes_of(start..end) >= size.bytes;
        if !is_full(end) {
            return end;
        }
        // The first row after which the group is full.
        let (mut least, mut most) = (start + 1, end);
        while least < most {
            let middle = least.midpoint(most);
            if is_full(middle) {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        least
    }

    pub(super) fn add_run(&mut self, block: Arc<Block>, rows: Range<usize>, ends_group: bool) {
        self.rows += rows.len() as u64;
        let size = if rows.end == block.rows() {
            block.size()
        } else {
            0
        };
        self.waiting += size;
        let missing = self.lanes.len();
        let is_new = self.filled.rows == rows.len() && !rows.is_empty();
        if is_new {
            self.groups.push_back(Group {
                rows: 0,
                chunks: (0..missing).map(|_| None).collect(),
                missing,
            });
        }
        let group = self.groups.back_mut().expect("a run is of a group");
        group.rows += rows.len();
        // A group that is being written has left the list.
        let group = self.written + usize::from(self.is_writing) + self.groups.len() - 1;
        self.runs.push_back(Run {
            block,
            rows,
            group,
            ends_group,
            size,
            missing,
        });
        if ends_group {
            self.filled = GroupSize { rows: 0, bytes: 0 };
        }
    }

    /// Returns what to do next, if anything can be done.
    pub(super) fn next_job(&mut self, most: usize) -> Option<Job<C>> {
        let is_complete = self.groups.front().is_some_and(|group| group.missing == 0);
        if is_complete && !self.is_writing {
            self.is_writing = true;
            return self.groups.pop_front().map(Job::Write);
        }
        if self.waiting <= most && most > 0 {
            return None;
        }
        let runs = |lane: &Lane| self.runs.get(lane.next - self.done);
        let can_go = |lane: &Lane| runs(lane).is_some_and(|run| run.group <= self.written + 1);
        let lanes = self.lanes.iter().enumerate();
        let (nth, _) = lanes
            .filter(|(_, lane)| !lane.is_busy && can_go(lane))
            .min_by_key(|(_, lane)| (lane.next, usize::MAX - lane.bytes))?;
        let lane = &mut self.lanes[nth];
        let run = &self.runs[lane.next - self.done];
        lane.is_busy = true;
        lane.bytes += run.block.columns[nth].bytes_of(run.rows.clone()).len();
        Some(Job::Encode {
            lane: nth,
            block: run.block.clone(),
            rows: run.rows.clone(),
            ends_group: run.ends_group,
        })
    }

    /// Says whether no more than `most` bytes wait, and, if that is none, nothing is left to write.
    pub(super) fn is_done(&self, most: usize) -> bool {
        let has_written = || self.runs.is_empty() && self.groups.is_empty() && !self.is_writing;
        self.waiting <= most && (most > 0 || has_written())
    }

    /// Notes that a lane has encoded its next run, and perhaps the `chunk` of the group that the run ends.
    pub(super) fn encoded(&mut self, lane: usize, chunk: Option<C>) {
        let nth = self.lanes[lane].next - self.done;
        self.lanes[lane].next += 1;
        self.lanes[lane].is_busy = false;
        let run = &mut self.runs[nth];
        run.missing -= 1;
        if let Some(chunk) = chunk {
            let first = self.written + usize::from(self.is_writing);
            let group = &mut self.groups[run.group - first];
            group.chunks[lane] = Some(chunk);
            group.missing -= 1;
        }
        while self.runs.front().is_some_and(|run| run.missing == 0)
            && let Some(run) = self.runs.pop_front()
        {
            self.done += 1;
            self.waiting -= run.size;
            if let Some(mut block) = Arc::into_inner(run.block)
                && self.free.len() < FREE_BLOCKS
            {
                block.clear();
                self.free.push(block);
            }
        }
    }

    pub(super) fn free_block(&mut self) -> Block {
        let columns = self.lanes.len();
        self.free.pop().unwrap_or_else(|| Block::new(columns))
    }
}
