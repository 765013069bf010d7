//! Rows of indiv, oth, pas2 and oppexp: what committees file. `docs/generate.md` compares their shape with
//! real files. A row of indiv costs about forty short copies, seven random numbers and no allocation.

use std::mem;

use super::candidate::Candidate;
use super::committee::Committee;
use super::filing::{FILING_ROWS, Filing, Kind};
use super::random::Random;
use super::register::{busy_candidate, busy_independent, independent_near, role};
use super::writer::{RowWriter, row};

impl RowWriter<'_> {
    #[inline(always)]
    pub(super) fn contribution(&mut self, number: u64, filing: &Filing) {
        let bits = self.random.bits();
        let kind = match bits & 0xff {
            0..6 => Kind::Refund,
            6..203 => filing.kind,
            _ => Kind::Direct,
        };
        let month = self
            .words
            .months
            .of_row(filing.month, bits >> 8, &mut self.random);
        let mut donor = self.generator.donor(number);
        let (town, random);
        row!(self:
            CMTE_ID AMNDT_IND RPT_TP TRANSACTION_PGI => self.word(&filing.front),
            IMAGE_NUM => self.image_number(number, filing, month),
            TRANSACTION_TP ENTITY_TP => self.text(match kind {
                Kind::Direct => "15|IND",
                Kind::Earmarked => "15E|IND",
                Kind::PassedOn => "24T|IND",
                Kind::Refund => "22Y|IND",
            }),
            NAME => {
                town = self.swap_random(donor.as_mut(), bits >> 14);
                self.name();
            },
            CITY STATE ZIP_CODE => self.place(town),
            EMPLOYER OCCUPATION => {
                let work = self.random.bits();
                self.work(work);
                random = self.swap_random(donor.as_mut(), work);
            },
            TRANSACTION_DT => self.date(month, bits >> 28, random >> 32),
            TRANSACTION_AMT => self.contribution_amount(kind, bits >> 36),
            OTHER_ID => self.text(match kind {
                Kind::Earmarked => "C00995000",
                Kind::PassedOn => "C00990012",
                Kind::Direct | Kind::Refund => "",
            }),
            TRAN_ID => self.transaction_id(number, filing, "SA11AI."),
            FILE_NUM => self.text(filing.file_number),
            MEMO_CD MEMO_TEXT => self.text(match (kind, bits >> 48 & 0xff) {
                (Kind::Earmarked, 0..128) => "|* EARMARKED CONTRIBUTION: SEE BELOW",
                (Kind::Earmarked, _) => "|EARMARKED THROUGH THE PENNYDRIVE PAC (C00995000)",
                (Kind::PassedOn, _) => "|EARMARKED FOR COMMON PURSE PAC (C00990012)",
                (Kind::Refund, _) => "|REFUND OF CONTRIBUTION",
                (Kind::Direct, 0..4) => "X|PARTNERSHIP ATTRIBUTION",
                (Kind::Direct, 4..48) => "|PAYROLL DEDUCTION: (25.00 BIWEEKLY)",
                (Kind::Direct, 48..52) => "|SEE \"REATTRIBUTION\" BELOW; #2",
                (Kind::Direct, _) => "|",
            }),
            SUB_ID => self.sub_id(b'4', number, filing, month),
        );
    }

    /// Goes on with another sequence, and returns its next bits. Without another, `bits` will do.
    #[inline(always)]
    fn swap_random(&mut self, other: Option<&mut Random>, bits: u64) -> u64 {
        let Some(other) = other else {
            return bits;
        };
        mem::swap(&mut self.random, other);
        self.random.bits()
    }

    fn contribution_amount(&mut self, kind: Kind, bits: u64) {
        if bits & 0xfff < 4 {
            return self.byte(b'0');
        }
        if kind == Kind::Refund && bits & 0x40 == 0 {
            self.byte(b'-');
        }
        self.amount(bits);
    }

    /// Appends one of the amounts of contributions. An amendment has the one for other bits.
    #[inline(always)]
    fn amount(&mut self, bits: u64) {
        let bits = bits ^ if self.is_amended { 32 } else { 0 };
        self.pick(&self.words.amounts, bits);
    }

    /// Appends row `number` of oth, or of pas2 with a candidate.
    pub(super) fn transaction<const PAS2: bool>(&mut self, number: u64, filing: &Filing) {
        let words = self.words;
        let (mut filer, mut kinds) = (filing.committee, &words.transfers);
        if PAS2 {
            // Committees of candidates give little to others.
            (filer, kinds) = (independent_near(filer), &words.to_candidates);
        }
        let (kind, receiver) = self.random.one_of(kinds).split_at(3);
        let is_person = receiver == " person";
        let bits = self.random.bits();
        let month = words.months.of_row(filing.month, bits, &mut self.random);
        row!(self:
            CMTE_ID => self.committee_id(filer),
            AMNDT_IND => self.text(filing.amendment),
            RPT_TP => self.text(filing.report),
            TRANSACTION_PGI => self.one_of(&words.transfer_elections),
            IMAGE_NUM => self.image_number(number, filing, month),
            TRANSACTION_TP => self.text(kind),
            ENTITY_TP NAME CITY STATE ZIP_CODE EMPLOYER OCCUPATION TRANSACTION_DT TRANSACTION_AMT
            OTHER_ID CAND_ID => if is_person {
                self.joint_gift(month);
            } else {
                self.receiver::<PAS2>(receiver, month);
            },
            TRAN_ID => if !self.random.chance(7) { self.transaction_id(number, filing, "SB23.") },
            FILE_NUM => if !self.random.chance(6) { self.text(filing.file_number) },
            // The gifts of people stand in indiv, in rows of the joint fund.
            MEMO_CD => if is_person { self.byte(b'X') } else { self.maybe(17, "X") },
            MEMO_TEXT => if is_person {
                self.maybe(580, "* JOINT FUND: TRANSFER OF SHARE");
            } else if self.random.chance(107) {
                self.one_of(&words.transfer_memos);
            },
            SUB_ID => self.sub_id(if PAS2 { b'1' } else { b'2' }, number, filing, month),
        );
    }

    /// Appends ENTITY_TP to OTHER_ID of a gift to a joint fund.
    fn joint_gift(&mut self, month: usize) {
        self.text("IND|");
        self.name();
        self.byte(b'|');
        let random = self.random.bits();
        self.place(random);
        self.byte(b'|');
        let bits = self.random.bits();
        self.work(bits);
        self.byte(b'|');
        self.date(month, random >> 14, bits >> 32);
        self.byte(b'|');
        self.amount(random >> 40);
        self.byte(b'|');
    }

    /// Appends ENTITY_TP to OTHER_ID of a payment to a committee, or to a firm for a candidate, and
    /// CAND_ID of pas2.
    fn receiver<const PAS2: bool>(&mut self, receiver: &str, month: usize) {
        let (candidate, other) = match receiver {
            " committee" => (0, busy_independent(&mut self.random)),
            _ => busy_candidate(&mut self.random),
        };
        let committee = Committee::new(self.generator, other);
        let is_firm = receiver == " firm";
        if !self.random.chance(if PAS2 { 25 } else { 30 }) {
            self.text(if is_firm { "ORG" } else { committee.entity() });
        }
        self.byte(b'|');
        if self.random.chance(14) {
            self.text("|||");
        } else if is_firm {
            self.firm();
            self.byte(b'|');
            let random = self.random.bits();
            self.place(random);
        } else {
            self.committee_name(&committee);
            self.byte(b'|');
            self.committee_address(&committee, false);
        }
        // Committees have no employer and no occupation.
        self.text("|||");
        let bits = self.random.bits();
        self.date(month, bits, bits >> 32);
        self.byte(b'|');
        let amount = self.random.one_of(&self.words.transfer_amounts);
        self.text(if self.is_amended { "12345" } else { amount });
        self.byte(b'|');
        self.committee_id(other);
        if PAS2 {
            self.byte(b'|');
            if !self.random.chance(2) {
                self.candidate_id(&Candidate::new(self.generator, candidate));
            }
        }
    }

    pub(super) fn expenditure(&mut self, number: u64, filing: &Filing) {
        let words = self.words;
        let bits = self.random.bits();
        let month = words.months.of_row(filing.month, bits, &mut self.random);
        let office = match role(filing.committee) {
            Some(("P" | "A", candidate)) => Candidate::new(self.generator, candidate).office,
            _ => "",
        };
        let is_person;
        row!(self:
            CMTE_ID => self.committee_id(filing.committee),
            AMNDT_IND => self.text(filing.amendment),
            RPT_YR => self.text(&words.months.digits(filing.month)[..4]),
            RPT_TP => self.text(filing.report),
            IMAGE_NUM => self.image_number(number, filing, month),
            LINE_NUM FORM_TP_CD SCHED_TP_CD => self.text(match office {
                "H" | "S" => "17|F3|SB",
                "P" => "23|F3P|SB",
                _ => "21B|F3X|SB",
            }),
            NAME => {
                is_person = self.random.chance(260);
                match (self.random.chance(1), is_person) {
                    (true, _) => {}
                    (false, true) => self.name(),
                    (false, false) => self.firm(),
                }
            },
            CITY STATE ZIP_CODE => if self.random.chance(3) {
                self.text("||");
            } else {
                let random = self.random.bits();
                self.place(random);
            },
            TRANSACTION_DT => {
                let (digits, day) = words.months.date(month, bits >> 8, bits >> 32);
                self.text(&digits[4..]);
                self.byte(b'/');
                self.digits::<2>(day);
                self.byte(b'/');
                self.text(&digits[..4]);
            },
            TRANSACTION_AMT => self.payment(),
            TRANSACTION_PGI => self.one_of(&words.expenditure_elections),
            PURPOSE => if !self.random.chance(4) { self.one_of(&words.purposes) },
            CATEGORY CATEGORY_DESC => if self.random.chance(271) {
                let category = self.random.one_of(words.categories.value(office));
                let (code, description) = category.split_at(3);
                self.text(code);
                self.byte(b'|');
                if !self.random.chance(44) { self.text(&description[1..]) }
            } else {
                self.byte(b'|');
            },
            MEMO_CD => self.maybe(272, "X"),
            MEMO_TEXT => self.one_of(&words.expenditure_memos),
            ENTITY_TP => if !self.random.chance(79) { self.text(if is_person { "IND" } else { "ORG" }) },
            SUB_ID => self.sub_id(b'3', number, filing, month),
            FILE_NUM => self.text(filing.file_number),
            TRAN_ID => self.expenditure_id(number),
            BACK_REF_TRAN_ID => {
                // An earlier row of the filing.
                let before = number % FILING_ROWS;
                if before > 0 && self.random.chance(209) {
                    let distance = 1 + u64::from(self.random.below(before.min(12) as u32));
                    self.expenditure_id(number - distance);
                }
            },
            WITHOUT_NAME => {},
        );
    }

    /// Appends TRAN_ID of an expenditure.
    fn expenditure_id(&mut self, number: u64) {
        self.text("SB.");
        self.number(4000 + number);
    }

    /// Appends an amount of two to five digits, all lengths about equally often.
    fn payment(&mut self) {
        let random = self.random.bits();
        if random.is_multiple_of(64) {
            self.byte(b'-');
        }
        let bound = [100, 1000, 1000, 10_000, 10_000, 50_000][(random >> 6) as usize % 6];
        self.number(1 + (random >> 16) % bound + u64::from(self.is_amended));
        // Two fifths are whole dollars. A zero at the end is not written.
        let cents = random >> 48 & 0xff;
        if cents >= 100 {
            self.byte(b'.');
        }
        match cents {
            0..100 => {}
            100..109 => self.number(cents - 99),
            _ => self.digits::<2>((cents - 109) / 9 % 10 * 10 + 1 + (cents - 109) % 9),
        }
    }
}
