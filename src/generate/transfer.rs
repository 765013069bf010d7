//! Rows of oth and pas2: transactions between committees.
//!
//! The shares of empty columns follow all files of 2004 to 2026, with 45,559,049 rows of oth and
//! 5,214,013 of pas2. Four fifths of oth are memo rows of gifts to joint funds (15J), with a person, an
//! employer and no OTHER_ID. Nearly all rows of pas2 have a CAND_ID and an OTHER_ID.

use super::address::Address;
use super::candidate::Candidate;
use super::committee::{self, Committee};
use super::filing::Filing;
use super::register::{busy_candidate, busy_independent, independent_near};
use super::row::{FiledRow, RowWriter};

/// The receivers of transactions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Receiver {
    /// The committee of a candidate.
    Candidate,
    /// A PAC or a party committee.
    Committee,
    /// A firm; the payment supports or opposes a candidate.
    Firm,
    /// A person who gave to a joint fund.
    Person,
}

/// TRANSACTION_TP and receiver of rows of oth, in thousandths.
const TRANSFERS: [((&str, Receiver), u32); 13] = [
    (("15J", Receiver::Person), 797),
    (("24K", Receiver::Candidate), 62),
    (("18K", Receiver::Committee), 40),
    (("24G", Receiver::Committee), 22),
    (("18G", Receiver::Committee), 22),
    (("24E", Receiver::Firm), 18),
    (("18J", Receiver::Committee), 10),
    (("24A", Receiver::Firm), 8),
    (("24Z", Receiver::Candidate), 6),
    (("22Z", Receiver::Committee), 5),
    (("24C", Receiver::Candidate), 4),
    (("16G", Receiver::Committee), 2),
    (("20R", Receiver::Committee), 0),
];

/// TRANSACTION_TP and receiver of rows of pas2, in thousandths.
const TO_CANDIDATES: [((&str, Receiver), u32); 6] = [
    (("24K", Receiver::Candidate), 740),
    (("24E", Receiver::Firm), 130),
    (("24A", Receiver::Firm), 70),
    (("24Z", Receiver::Candidate), 40),
    (("24C", Receiver::Candidate), 15),
    (("24N", Receiver::Firm), 0),
];

/// Amounts to and from committees.
const AMOUNTS: [(&str, u32); 12] = [
    ("1000", 330),
    ("2500", 170),
    ("5000", 130),
    ("500", 110),
    ("2000", 90),
    ("1500", 60),
    ("250", 35),
    ("3000", 25),
    ("-1000", 10),
    ("-2500", 5),
    ("10000", 15),
    ("0", 0),
];

/// TRANSACTION_PGI.
const ELECTIONS: [(&str, u32); 7] = [
    ("P2018", 560),
    ("G2018", 330),
    ("P2020", 50),
    ("G2016", 20),
    ("S2018", 10),
    ("O2018", 10),
    ("", 0),
];

const MEMOS: [&str; 6] = [
    "CONTRIBUTION; SEE \"NOTE\" BELOW",
    "* IN-KIND: PRINTING, POSTAGE",
    "DEBT RETIREMENT",
    "TRANSFER OF PROCEEDS",
    "VOID OF CHECK #1044",
    "IN-KIND - STAFF TIME",
];

/// Rows of oth.
pub(super) struct Transfer;

impl FiledRow for Transfer {
    #[inline(always)]
    fn append(writer: &mut RowWriter<'_>, number: u64, filing: &Filing) {
        writer.transfer(number, filing);
    }
}

/// Rows of pas2.
pub(super) struct ToCandidate;

impl FiledRow for ToCandidate {
    #[inline(always)]
    fn append(writer: &mut RowWriter<'_>, number: u64, filing: &Filing) {
        writer.candidate_gift(number, filing);
    }
}

impl RowWriter<'_> {
    /// Appends row `number` of oth.
    fn transfer(&mut self, number: u64, filing: &Filing) {
        let (kind, receiver) = self.random.share(&TRANSFERS);
        let start = self.text.len();
        let month = self.transfer_front(number, filing, filing.committee, kind);
        if receiver == Receiver::Person {
            self.joint_gift(month);
        } else {
            let other = match receiver {
                Receiver::Committee => busy_independent(&mut self.random),
                _ => busy_candidate(&mut self.random).1,
            };
            let committee = Committee::new(self.generator, other);
            self.receiver(receiver, &committee, 30);
            self.paid(month);
            self.committee_id(other);
        }
        self.text.byte(b'|');
        self.transfer_back(number, filing, month, receiver, b'2');
        self.end(start);
    }

    /// Appends row `number` of pas2.
    fn candidate_gift(&mut self, number: u64, filing: &Filing) {
        let (kind, receiver) = self.random.share(&TO_CANDIDATES);
        let start = self.text.len();
        // Committees of candidates give little to others.
        let filer = independent_near(filing.committee);
        let month = self.transfer_front(number, filing, filer, kind);
        let (candidate, committee) = busy_candidate(&mut self.random);
        let committee = Committee::new(self.generator, committee);
        self.receiver(receiver, &committee, 25);
        self.paid(month);
        self.committee_id(committee.number);
        self.text.byte(b'|');
        if !self.random.chance(2) {
            Candidate::new(self.generator, candidate).id(&mut self.text);
        }
        self.text.byte(b'|');
        self.transfer_back(number, filing, month, receiver, b'1');
        self.end(start);
    }

    /// Appends CMTE_ID to TRANSACTION_TP, and returns the month of the page.
    fn transfer_front(&mut self, number: u64, filing: &Filing, filer: u64, kind: &str) -> usize {
        let months = &self.generator.months;
        let bits = self.random.bits();
        let month = months.of_row(filing.month, bits, &mut self.random);
        self.committee_id(filer);
        for column in [filing.amendment, filing.report] {
            self.text.byte(b'|');
            self.text.str(column);
        }
        self.text.byte(b'|');
        self.text.str(self.random.share(&ELECTIONS));
        self.text.byte(b'|');
        self.image_number(number, filing, month);
        self.text.byte(b'|');
        self.text.str(kind);
        self.text.byte(b'|');
        month
    }

    /// Appends ENTITY_TP to TRANSACTION_AMT of a gift to a joint fund.
    fn joint_gift(&mut self, month: usize) {
        self.text.text(b"IND|");
        self.name();
        let random = self.random.bits();
        self.place(random);
        let bits = self.random.bits();
        self.work(bits);
        self.date(month, random >> 14, bits >> 32);
        let amounts = &self.generator.words.amounts;
        self.text.word(&amounts[(random >> 40 & 63) as usize]);
        self.text.byte(b'|');
    }

    /// Appends ENTITY_TP to ZIP_CODE. ENTITY_TP is missing in `no_entity` of a thousand rows.
    fn receiver(&mut self, receiver: Receiver, committee: &Committee, no_entity: u32) {
        let is_firm = receiver == Receiver::Firm;
        if !self.random.chance(no_entity) {
            let entity = if is_firm { "ORG" } else { committee.entity() };
            self.text.str(entity);
        }
        self.text.byte(b'|');
        if self.random.chance(14) {
            return self.text.text(b"||||");
        }
        if is_firm {
            self.firm();
            let random = self.random.bits();
            return self.place(random);
        }
        self.committee_name(committee);
        self.text.byte(b'|');
        let address: Address = committee::address(self.generator, committee);
        self.address_place(&address);
        self.text.byte(b'|');
    }

    /// Appends EMPLOYER to TRANSACTION_AMT of a committee, which has no employer.
    fn paid(&mut self, month: usize) {
        self.text.text(b"||");
        let bits = self.random.bits();
        self.date(month, bits, bits >> 32);
        self.text.str(self.random.share(&AMOUNTS));
        self.text.byte(b'|');
    }

    /// Appends TRAN_ID to SUB_ID. `file` is the first digit of SUB_ID, another one for each file.
    fn transfer_back(
        &mut self,
        number: u64,
        filing: &Filing,
        month: usize,
        receiver: Receiver,
        file: u8,
    ) {
        if !self.random.chance(7) {
            self.transaction_id(number, &filing.transaction_ids, b"SB23.");
        }
        self.text.byte(b'|');
        if !self.random.chance(6) {
            self.text.text(&filing.file_number);
        }
        if receiver == Receiver::Person {
            // The gifts themselves stand in indiv, in rows of the joint fund.
            self.text.text(b"|X|");
            if self.random.chance(580) {
                self.text.text(b"* JOINT FUND: TRANSFER OF SHARE");
            }
        } else {
            self.text.byte(b'|');
            if self.random.chance(17) {
                self.text.byte(b'X');
            }
            self.text.byte(b'|');
            if self.random.chance(107) {
                self.text.str(self.random.one_of(&MEMOS));
            }
        }
        self.text.byte(b'|');
        self.sub_id(file, number, filing, month);
    }
}
