//! Rows of indiv, oth, pas2 and oppexp: what committees file.
//!
//! Column lengths and the shares of empty columns of indiv follow a sample of 10,000 real rows of 2015
//! to 2018. Its rows have 192.3 bytes on average, and those of the whole 2018 file 192.4. A row costs
//! about forty short copies, seven random numbers and no allocation.
//!
//! The shares of empty columns of the others follow all files of 2004 to 2026, with 45,559,049 rows of
//! oth, 5,214,013 of pas2 and 18,875,347 of oppexp. Four fifths of oth are memo rows of gifts to joint
//! funds (15J), with a person, an employer and no OTHER_ID. Nearly all rows of pas2 have a CAND_ID and
//! an OTHER_ID. In oppexp, dates are written as MM/DD/YYYY, amounts have cents, CATEGORY_DESC ends in
//! a blank, and a column without a name comes last.

use super::candidate::Candidate;
use super::committee::{self, Committee};
use super::filing::{FILING_ROWS, Filing, Kind};
use super::register::{Role, busy_candidate, busy_independent, independent_near, role};
use super::row::{RowWriter, row};

impl RowWriter<'_> {
    /// Appends row `number` of indiv.
    #[inline(always)]
    pub(super) fn contribution(&mut self, number: u64, filing: &Filing) {
        let bits = self.random.bits();
        let kind = match bits & 0xff {
            0..6 => Kind::Refund,
            6..203 => filing.kind,
            _ => Kind::Direct,
        };
        let months = &self.words.months;
        let month = months.of_row(filing.month, bits >> 8, &mut self.random);
        let random;
        row!(self:
            CMTE_ID AMNDT_IND RPT_TP TRANSACTION_PGI => self.text.word(&filing.front),
            IMAGE_NUM => self.image_number(number, filing, month),
            TRANSACTION_TP ENTITY_TP => self.text.text(kind.columns()),
            NAME => self.name(),
            CITY STATE ZIP_CODE => self.place(bits >> 14),
            EMPLOYER OCCUPATION => {
                random = self.random.bits();
                self.work(random);
            },
            TRANSACTION_DT => self.date(month, bits >> 28, random >> 32),
            TRANSACTION_AMT => self.contribution_amount(kind, bits >> 36),
            OTHER_ID => match kind {
                Kind::Earmarked => self.text.text(b"C00995000"),
                Kind::PassedOn => self.text.text(b"C00990012"),
                Kind::Direct | Kind::Refund => {}
            },
            TRAN_ID => self.transaction_id(number, &filing.transaction_ids, b"SA11AI."),
            FILE_NUM => self.text.text(filing.file_number),
            MEMO_CD MEMO_TEXT => self.text.text(memo(kind, bits >> 48)),
            SUB_ID => self.sub_id(b'4', number, filing, month),
        );
    }

    fn contribution_amount(&mut self, kind: Kind, bits: u64) {
        if bits & 0xfff < 4 {
            return self.text.byte(b'0');
        }
        if kind == Kind::Refund && bits & 0x40 == 0 {
            self.text.byte(b'-');
        }
        self.amount(bits);
    }

    /// Appends one of the amounts of contributions. An amendment has the one for other bits.
    #[inline(always)]
    fn amount(&mut self, bits: u64) {
        let bits = bits ^ if self.is_amended { 32 } else { 0 };
        self.text.word(&self.words.amounts[(bits & 63) as usize]);
    }

    /// Appends row `number` of oth.
    pub(super) fn transfer(&mut self, number: u64, filing: &Filing) {
        self.transaction::<false>(number, filing);
    }

    /// Appends row `number` of pas2.
    pub(super) fn candidate_gift(&mut self, number: u64, filing: &Filing) {
        self.transaction::<true>(number, filing);
    }

    /// Appends row `number` of oth, or of pas2 with a candidate.
    fn transaction<const PAS2: bool>(&mut self, number: u64, filing: &Filing) {
        let words = self.words;
        let kinds = if PAS2 {
            &words.to_candidates
        } else {
            &words.transfers
        };
        let (kind, receiver) = self.random.one_of(kinds).split_at(3);
        let is_person = receiver == " person";
        // Committees of candidates give little to others.
        let filer = if PAS2 {
            independent_near(filing.committee)
        } else {
            filing.committee
        };
        let bits = self.random.bits();
        let month = words.months.of_row(filing.month, bits, &mut self.random);
        row!(self:
            CMTE_ID => self.committee_id(filer),
            AMNDT_IND => self.text.text(filing.amendment),
            RPT_TP => self.text.text(filing.report),
            TRANSACTION_PGI => self.one_of(&words.transfer_elections),
            IMAGE_NUM => self.image_number(number, filing, month),
            TRANSACTION_TP => self.text.text(kind),
            ENTITY_TP NAME CITY STATE ZIP_CODE EMPLOYER OCCUPATION TRANSACTION_DT TRANSACTION_AMT
            OTHER_ID CAND_ID => if is_person {
                self.joint_gift(month);
            } else {
                self.receiver::<PAS2>(receiver, month);
            },
            TRAN_ID => if !self.random.chance(7) {
                self.transaction_id(number, &filing.transaction_ids, b"SB23.");
            },
            FILE_NUM => if !self.random.chance(6) {
                self.text.text(filing.file_number);
            },
            // The gifts of people stand in indiv, in rows of the joint fund.
            MEMO_CD => if is_person || self.random.chance(17) {
                self.text.byte(b'X');
            },
            MEMO_TEXT => if is_person {
                if self.random.chance(580) {
                    self.text.text(b"* JOINT FUND: TRANSFER OF SHARE");
                }
            } else if self.random.chance(107) {
                self.one_of(&words.transfer_memos);
            },
            SUB_ID => self.sub_id(if PAS2 { b'1' } else { b'2' }, number, filing, month),
        );
    }

    /// Appends ENTITY_TP to OTHER_ID of a gift to a joint fund.
    fn joint_gift(&mut self, month: usize) {
        self.text.text(b"IND|");
        self.name();
        self.text.byte(b'|');
        let random = self.random.bits();
        self.place(random);
        self.text.byte(b'|');
        let bits = self.random.bits();
        self.work(bits);
        self.text.byte(b'|');
        self.date(month, random >> 14, bits >> 32);
        self.text.byte(b'|');
        self.amount(random >> 40);
        self.text.byte(b'|');
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
            self.text
                .text(if is_firm { "ORG" } else { committee.entity() });
        }
        self.text.byte(b'|');
        if self.random.chance(14) {
            self.text.text(b"|||");
        } else if is_firm {
            self.firm();
            self.text.byte(b'|');
            let random = self.random.bits();
            self.place(random);
        } else {
            self.committee_name(&committee);
            self.text.byte(b'|');
            self.address_place(&committee::address(self.generator, &committee));
        }
        // Committees have no employer and no occupation.
        self.text.text(b"|||");
        let bits = self.random.bits();
        self.date(month, bits, bits >> 32);
        self.text.byte(b'|');
        let amount = self.random.one_of(&self.words.transfer_amounts);
        self.text
            .text(if self.is_amended { "12345" } else { amount });
        self.text.byte(b'|');
        self.committee_id(other);
        if PAS2 {
            self.text.byte(b'|');
            if !self.random.chance(2) {
                self.candidate_id(&Candidate::new(self.generator, candidate));
            }
        }
    }

    /// Appends row `number` of oppexp.
    pub(super) fn expenditure(&mut self, number: u64, filing: &Filing) {
        let words = self.words;
        let bits = self.random.bits();
        let month = words.months.of_row(filing.month, bits, &mut self.random);
        let office = match role(filing.committee) {
            Role::Principal(candidate) | Role::Authorized(candidate) => {
                Candidate::new(self.generator, candidate).office
            }
            Role::Joint(_) | Role::Independent => "",
        };
        let is_person;
        row!(self:
            CMTE_ID => self.committee_id(filing.committee),
            AMNDT_IND => self.text.text(filing.amendment),
            RPT_YR => self.text.text(words.months.digits(filing.month, 0).year),
            RPT_TP => self.text.text(filing.report),
            IMAGE_NUM => self.image_number(number, filing, month),
            LINE_NUM FORM_TP_CD SCHED_TP_CD => self.text.text(match office {
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
                self.text.text(b"||");
            } else {
                let random = self.random.bits();
                self.place(random);
            },
            TRANSACTION_DT => {
                let (digits, day) = words.months.date(month, bits >> 8, bits >> 32);
                self.text.text(digits.month);
                self.text.byte(b'/');
                self.text.digits::<2>(day);
                self.text.byte(b'/');
                self.text.text(digits.year);
            },
            TRANSACTION_AMT => self.payment(),
            TRANSACTION_PGI => self.one_of(&words.expenditure_elections),
            PURPOSE => if !self.random.chance(4) {
                self.one_of(&words.purposes);
            },
            CATEGORY CATEGORY_DESC => if self.random.chance(271) {
                let category = self.random.one_of(words.categories.value(office));
                let (code, description) = category.split_at(3);
                self.text.text(code);
                self.text.byte(b'|');
                if !self.random.chance(44) {
                    self.text.text(&description[1..]);
                }
            } else {
                self.text.byte(b'|');
            },
            MEMO_CD => if self.random.chance(272) {
                self.text.byte(b'X');
            },
            MEMO_TEXT => self.one_of(&words.expenditure_memos),
            ENTITY_TP => if !self.random.chance(79) {
                self.text.text(if is_person { b"IND" } else { b"ORG" });
            },
            SUB_ID => self.sub_id(b'3', number, filing, month),
            FILE_NUM => self.text.text(filing.file_number),
            TRAN_ID => {
                self.text.text(b"SB.");
                self.text.number(4000 + number);
            },
            BACK_REF_TRAN_ID => self.earlier_row(number),
            WITHOUT_NAME => self.text.text(b""),
        );
    }

    /// Appends an amount of two to five digits, all lengths about equally often.
    fn payment(&mut self) {
        let random = self.random.bits();
        if random.is_multiple_of(64) {
            self.text.byte(b'-');
        }
        let bound = [100, 1000, 1000, 10_000, 10_000, 50_000][(random >> 6) as usize % 6];
        self.text
            .number(1 + (random >> 16) % bound + u64::from(self.is_amended));
        let cents = random >> 48 & 0xff;
        // Two fifths are whole dollars. A zero at the end is not written.
        match cents {
            0..100 => {}
            100..109 => {
                self.text.byte(b'.');
                self.text.digits::<1>(cents - 99);
            }
            _ => {
                let cents = cents - 109;
                self.text.byte(b'.');
                self.text.digits::<1>(cents / 9 % 10);
                self.text.digits::<1>(1 + cents % 9);
            }
        }
    }

    /// Appends BACK_REF_TRAN_ID, which is an earlier row of the filing.
    fn earlier_row(&mut self, number: u64) {
        let before = number % FILING_ROWS;
        if before > 0 && self.random.chance(209) {
            let distance = 1 + u64::from(self.random.below(before.min(12) as u32));
            self.text.text(b"SB.");
            self.text.number(4000 + number - distance);
        }
    }
}

/// Returns MEMO_CD and MEMO_TEXT of indiv and the pipe between them.
fn memo(kind: Kind, bits: u64) -> &'static [u8] {
    match (kind, bits & 0xff) {
        (Kind::Earmarked, 0..128) => b"|* EARMARKED CONTRIBUTION: SEE BELOW",
        (Kind::Earmarked, _) => b"|EARMARKED THROUGH THE PENNYDRIVE PAC (C00995000)",
        (Kind::PassedOn, _) => b"|EARMARKED FOR COMMON PURSE PAC (C00990012)",
        (Kind::Refund, _) => b"|REFUND OF CONTRIBUTION",
        (Kind::Direct, 0..4) => b"X|PARTNERSHIP ATTRIBUTION",
        (Kind::Direct, 4..48) => b"|PAYROLL DEDUCTION: (25.00 BIWEEKLY)",
        (Kind::Direct, 48..52) => b"|SEE \"REATTRIBUTION\" BELOW; #2",
        (Kind::Direct, _) => b"|",
    }
}

impl Kind {
    /// Returns TRANSACTION_TP and ENTITY_TP and the pipe between them.
    fn columns(self) -> &'static [u8] {
        match self {
            Kind::Direct => b"15|IND",
            Kind::Earmarked => b"15E|IND",
            Kind::PassedOn => b"24T|IND",
            Kind::Refund => b"22Y|IND",
        }
    }
}
