//! Rows of ccl: the committees of candidates.

use super::candidate::Candidate;
use super::committee::Committee;
use super::register::link;
use super::row::RowWriter;

/// LINKAGE_ID of the first row.
const FIRST_LINKAGE: u64 = 200_000;

impl RowWriter<'_> {
    /// Appends row `number` of ccl.
    pub(super) fn link_row(&mut self, number: u64) {
        let start = self.text.len();
        let (candidate, committee) = link(number);
        let candidate = Candidate::new(self.generator, candidate);
        let committee = Committee::new(self.generator, committee);
        candidate.id(&mut self.text);
        self.text.byte(b'|');
        self.text.digits::<4>(candidate.year);
        self.text.text(b"|2018|");
        self.committee_id(committee.number);
        self.text.byte(b'|');
        self.text.str(committee.kind);
        self.text.byte(b'|');
        self.text.str(committee.designation);
        self.text.byte(b'|');
        self.text.digits::<6>(FIRST_LINKAGE + number);
        self.end(start);
    }
}
