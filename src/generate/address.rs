//! Addresses of committees and candidates.

use super::random::Random;
use super::register_words::{BOXES, STREETS, SUITES};
use super::row::RowWriter;

/// The shares of parts of addresses, in thousandths.
pub(super) struct AddressShares {
    no_street: u32,
    /// Post-office boxes.
    boxes: u32,
    suite: u32,
    no_zip: u32,
    /// Zip codes of nine digits.
    long_zip: u32,
    /// Addresses in Washington, where many committees are.
    capital: u32,
}

pub(super) const CANDIDATE_ADDRESSES: AddressShares = AddressShares {
    no_street: 12,
    boxes: 300,
    suite: 87,
    no_zip: 14,
    long_zip: 170,
    capital: 0,
};

/// Committees of candidates.
pub(super) const CAMPAIGN_ADDRESSES: AddressShares = AddressShares {
    no_street: 1,
    boxes: 380,
    suite: 76,
    no_zip: 2,
    long_zip: 163,
    capital: 26,
};

/// Committees without a candidate.
pub(super) const COMMITTEE_ADDRESSES: AddressShares = AddressShares {
    no_street: 1,
    boxes: 170,
    suite: 239,
    no_zip: 2,
    long_zip: 114,
    capital: 153,
};

/// The parts of an address, as random bits.
pub(super) struct Address {
    street: Option<(Street, u64)>,
    suite: Option<u64>,
    /// Empty for any state.
    state: Option<&'static str>,
    town: u64,
    zip: u64,
    zip_digits: usize,
}

/// The kinds of the first line.
#[derive(Clone, Copy)]
enum Street {
    Box,
    Numbered,
}

impl Street {
    fn new(random: &mut Random, shares: &AddressShares) -> Street {
        if random.chance(shares.boxes) {
            Street::Box
        } else {
            Street::Numbered
        }
    }
}

impl Address {
    /// Draws an address, in `state` if there is one.
    pub(super) fn new(
        random: &mut Random,
        shares: &AddressShares,
        state: Option<&'static str>,
    ) -> Address {
        let capital = random.chance(shares.capital);
        Address {
            street: (!random.chance(shares.no_street))
                .then(|| (Street::new(random, shares), random.bits())),
            suite: random.chance(shares.suite).then(|| random.bits()),
            state: if capital { Some("DC") } else { state },
            town: random.bits(),
            zip: random.bits(),
            zip_digits: match (random.chance(shares.no_zip), random.chance(shares.long_zip)) {
                (true, _) => 0,
                (false, true) => 9,
                (false, false) => 5,
            },
        }
    }
}

impl RowWriter<'_> {
    /// Appends the street, its second line, and the place, with pipes between them.
    pub(super) fn address(&mut self, address: &Address) {
        match address.street {
            Some((Street::Box, bits)) => {
                self.text.str(BOXES[(bits % BOXES.len() as u64) as usize]);
                self.text.number(bits >> 32 & 0xffff);
            }
            Some((Street::Numbered, bits)) => self.street(bits),
            None => {}
        }
        self.text.byte(b'|');
        if let Some(bits) = address.suite {
            self.text.str(SUITES[(bits % SUITES.len() as u64) as usize]);
            self.text.number(100 + (bits >> 32) % 1500);
        }
        self.text.byte(b'|');
        self.address_place(address);
    }

    /// Appends the city, the state and the zip code, with pipes between them.
    pub(super) fn address_place(&mut self, address: &Address) {
        if address.state == Some("DC") {
            self.text.text(b"WASHINGTON|DC");
        } else {
            self.town(address.town);
            self.text.byte(b'|');
            match address.state {
                Some(state) => self.text.str(state),
                None => self.state(address.town >> 32),
            }
        }
        self.text.byte(b'|');
        let end = self.text.len();
        self.text.digits::<9>(address.zip);
        self.text.truncate(end + address.zip_digits);
    }

    fn street(&mut self, bits: u64) {
        let words = &self.generator.words;
        self.text.number(1 + (bits >> 32 & 0xfff));
        self.text.byte(b' ');
        self.text.word(&words.fronts[(bits >> 8 & 63) as usize]);
        self.text.word(&words.backs[(bits >> 14 & 127) as usize]);
        let kind = STREETS[((bits >> 44) % STREETS.len() as u64) as usize];
        self.text.str(kind);
    }
}
