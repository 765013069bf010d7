//! Addresses of committees and candidates.

use super::random::Random;
use super::row::RowWriter;

/// The shares of parts of addresses, in thousandths: no street, post-office boxes, a suite, no zip
/// code, zip codes of nine digits, and Washington, where many committees are.
pub(super) type AddressShares = [u32; 6];

pub(super) const CANDIDATE_ADDRESSES: AddressShares = [12, 300, 87, 14, 170, 0];
/// Committees of candidates.
pub(super) const CAMPAIGN_ADDRESSES: AddressShares = [1, 380, 76, 2, 163, 26];
/// Committees without a candidate.
pub(super) const COMMITTEE_ADDRESSES: AddressShares = [1, 170, 239, 2, 114, 153];

/// The parts of an address, as random bits.
pub(super) struct Address {
    /// Whether the street is a post-office box, and its bits.
    street: Option<(bool, u64)>,
    suite: Option<u64>,
    /// Empty for any state.
    state: Option<&'static str>,
    town: u64,
    zip: u64,
    zip_digits: usize,
}

impl Address {
    /// Draws an address, in `state` if there is one.
    pub(super) fn new(
        random: &mut Random,
        shares: AddressShares,
        state: Option<&'static str>,
    ) -> Address {
        let [no_street, boxes, suite, no_zip, long_zip, capital] = shares;
        let capital = random.chance(capital);
        Address {
            street: (!random.chance(no_street)).then(|| (random.chance(boxes), random.bits())),
            suite: random.chance(suite).then(|| random.bits()),
            state: if capital { Some("DC") } else { state },
            town: random.bits(),
            zip: random.bits(),
            zip_digits: match (random.chance(no_zip), random.chance(long_zip)) {
                (true, _) => 0,
                (false, true) => 9,
                (false, false) => 5,
            },
        }
    }
}

impl RowWriter<'_> {
    /// Appends the street and its second line, with a pipe between them.
    pub(super) fn streets(&mut self, address: &Address) {
        let words = self.words;
        match address.street {
            Some((true, bits)) => {
                self.text.word(&words.boxes[(bits % 4) as usize]);
                self.text.number(bits >> 32 & 0xffff);
            }
            Some((false, bits)) => {
                self.text.number(1 + (bits >> 32 & 0xfff));
                self.text.byte(b' ');
                self.text.word(&words.fronts[(bits >> 8 & 63) as usize]);
                self.text.word(&words.backs[(bits >> 14 & 127) as usize]);
                self.text.word(&words.streets[(bits >> 44 & 15) as usize]);
            }
            None => {}
        }
        self.text.byte(b'|');
        if let Some(bits) = address.suite {
            self.text.word(&words.suites[(bits % 12) as usize]);
            self.text.number(100 + (bits >> 32) % 1500);
        }
    }

    /// Appends the city, the state and the zip code, with pipes between them.
    pub(super) fn address_place(&mut self, address: &Address) {
        if address.state == Some("DC") {
            self.text.text(b"WASHINGTON|DC");
        } else {
            self.town(address.town);
            self.text.byte(b'|');
            match address.state {
                Some(state) => self.text.text(state),
                None => self.state(address.town >> 32),
            }
        }
        self.text.byte(b'|');
        let end = self.text.len();
        self.text.digits::<9>(address.zip);
        self.text.truncate(end + address.zip_digits);
    }
}
