//! Rows of oppexp: what committees pay for.
//!
//! The shares of empty columns follow the 18,875,347 rows of all files of 2004 to 2026. Dates are
//! written as MM/DD/YYYY, amounts have cents, CATEGORY_DESC ends in a blank, and a column without
//! a name comes last.

use super::Generator;
use super::candidate::{Candidate, Office};
use super::expenditure_words::{CATEGORIES, PRESIDENT_CATEGORIES, PURPOSES};
use super::filing::{FILING_ROWS, Filing};
use super::months::digits;
use super::register::{Role, role};
use super::row::{Date, FiledRow, RowWriter};

/// TRANSACTION_PGI.
const ELECTIONS: [(&str, u32); 6] = [
    ("", 485),
    ("P2018", 260),
    ("G2018", 200),
    ("O", 25),
    ("O2018", 20),
    ("G2016", 0),
];

/// MEMO_TEXT.
const MEMOS: [(&str, u32); 6] = [
    ("", 787),
    ("CREDIT CARD: SEE BELOW", 90),
    ("* \"REIMBURSEMENT\" OF STAFF", 50),
    ("SUB-VENDOR OF CARD PAYMENT", 50),
    ("IN-KIND", 15),
    ("STAFF SALARY; ALLOCATED 50/50", 0),
];

/// The form that a committee files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// F3: House and Senate.
    Congress,
    /// F3P: president.
    President,
    /// F3X: all others.
    Other,
}

impl Form {
    fn of_committee(generator: &Generator, committee: u64) -> Form {
        let (Role::Principal(candidate) | Role::Authorized(candidate)) = role(committee) else {
            return Form::Other;
        };
        match Candidate::new(generator, candidate).office {
            Office::House | Office::Senate => Form::Congress,
            Office::President => Form::President,
        }
    }

    /// Returns LINE_NUM, FORM_TP_CD and SCHED_TP_CD with their pipes.
    fn columns(self) -> &'static [u8] {
        match self {
            Form::Congress => b"17|F3|SB|",
            Form::President => b"23|F3P|SB|",
            Form::Other => b"21B|F3X|SB|",
        }
    }
}

/// Rows of oppexp.
pub(super) struct Expenditure;

impl FiledRow for Expenditure {
    #[inline(always)]
    fn append(writer: &mut RowWriter<'_>, number: u64, filing: &Filing) {
        writer.expenditure(number, filing);
    }
}

impl RowWriter<'_> {
    /// Appends row `number` of oppexp.
    fn expenditure(&mut self, number: u64, filing: &Filing) {
        let start = self.text.len();
        let bits = self.random.bits();
        let months = &self.generator.months;
        let month = months.of_row(filing.month, bits, &mut self.random);
        self.committee_id(filing.committee);
        self.text.byte(b'|');
        self.text.str(filing.amendment);
        self.text.byte(b'|');
        self.text.text(&digits(filing.month, 0).year);
        self.text.byte(b'|');
        self.text.str(filing.report);
        self.text.byte(b'|');
        self.image_number(number, filing, month);
        self.text.byte(b'|');
        let form = Form::of_committee(self.generator, filing.committee);
        self.text.text(form.columns());
        let is_person = self.random.chance(260);
        self.payee(is_person);
        self.payment(month, bits >> 8);
        self.purpose(form);
        self.text.byte(b'|');
        if !self.random.chance(79) {
            self.text.text(if is_person { b"IND" } else { b"ORG" });
        }
        self.text.byte(b'|');
        self.sub_id(b'3', number, filing, month);
        self.text.byte(b'|');
        self.text.text(&filing.file_number);
        self.references(number);
        // The column without a name.
        self.text.byte(b'|');
        self.end(start);
    }

    /// Appends NAME to ZIP_CODE.
    fn payee(&mut self, is_person: bool) {
        match (self.random.chance(1), is_person) {
            (true, _) => {}
            (false, true) => self.name(),
            (false, false) => self.firm(),
        }
        if self.random.chance(3) {
            return self.text.text(b"||||");
        }
        let random = self.random.bits();
        self.place(random);
    }

    /// Appends TRANSACTION_DT, TRANSACTION_AMT and TRANSACTION_PGI.
    fn payment(&mut self, month: usize, bits: u64) {
        let date = Date::before(month, bits, bits >> 24);
        self.text.text(&date.digits.month);
        self.text.byte(b'/');
        self.text.digits::<2>(date.day);
        self.text.byte(b'/');
        self.text.text(&date.digits.year);
        self.text.byte(b'|');
        let random = self.random.bits();
        if random.is_multiple_of(64) {
            self.text.byte(b'-');
        }
        // Amounts of two to five digits, all lengths about equally often.
        let bound = [100, 1000, 1000, 10_000, 10_000, 50_000][(random >> 6) as usize % 6];
        self.text.number(1 + (random >> 16) % bound);
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
        self.text.byte(b'|');
        self.text.str(self.random.share(&ELECTIONS));
        self.text.byte(b'|');
    }

    /// Appends PURPOSE to MEMO_TEXT.
    fn purpose(&mut self, form: Form) {
        if !self.random.chance(4) {
            self.text.str(self.random.one_of(&PURPOSES));
        }
        self.text.byte(b'|');
        if self.random.chance(271) {
            let (code, description) = self.random.one_of(match form {
                Form::President => &PRESIDENT_CATEGORIES[..],
                Form::Congress | Form::Other => &CATEGORIES[..],
            });
            self.text.str(code);
            self.text.byte(b'|');
            if !self.random.chance(44) {
                self.text.str(description);
            }
        } else {
            self.text.byte(b'|');
        }
        self.text.byte(b'|');
        if self.random.chance(272) {
            self.text.byte(b'X');
        }
        self.text.byte(b'|');
        self.text.str(self.random.share(&MEMOS));
    }

    /// Appends TRAN_ID and BACK_REF_TRAN_ID, which is an earlier row of the filing.
    fn references(&mut self, number: u64) {
        self.text.text(b"|SB.");
        self.text.number(4000 + number);
        self.text.byte(b'|');
        let before = number % FILING_ROWS;
        if before > 0 && self.random.chance(209) {
            let distance = 1 + u64::from(self.random.below(before.min(12) as u32));
            self.text.text(b"SB.");
            self.text.number(4000 + number - distance);
        }
    }
}
