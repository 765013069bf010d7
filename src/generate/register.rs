//! The register: the committees and candidates that exist, and the links between them.
//!
//! All links are arithmetic on numbers, so any row of any file can be rendered alone, and the files
//! of a seed fit each other. Numbers of committees, candidates and links count from zero.
//!
//! Committees and candidates come in neighborhoods of 100 committees, 40 candidates and 40 links. In
//! each, 33 candidates have a principal committee. One of them has a second authorized committee.
//! Three joint funds belong to two candidates each. The other 63 committees have no candidate.
//! The proportions follow all files of 2004 to 2026 (see `committee` and `candidate`).
//!
//! Transactions use the first 100 neighborhoods. So 10,000 rows of cm, and 4,000 of cn and of ccl,
//! have a partner for every row of every other file.

use super::random::Random;

/// The number in the identifier of the first committee. The highest of a real file of 2015 was 573,329.
pub(super) const FIRST_COMMITTEE: u64 = 990_000;

/// The conduits whose identifiers stand in rows of indiv, and their names there.
pub(super) const CONDUITS: [(u64, &str); 2] = [(12, "COMMON PURSE PAC"), (5000, "PENNYDRIVE PAC")];

/// The number of neighborhoods: after them, there are no more identifiers of candidates.
pub(super) const NEIGHBORHOODS: u64 = 7500;

/// The number of neighborhoods in transactions.
pub(super) const BUSY_NEIGHBORHOODS: u64 = 100;

// The sizes of a neighborhood.
pub(super) const COMMITTEES: u64 = 100;
pub(super) const CANDIDATES: u64 = 40;
pub(super) const LINKS: u64 = 40;

/// The number of principal committees in a neighborhood.
const PRINCIPALS: u64 = 33;
/// The place of the authorized committee in the order of roles. The joint funds follow.
const AUTHORIZED: u64 = PRINCIPALS;
const JOINT: u64 = AUTHORIZED + 1;
const INDEPENDENT: u64 = JOINT + 3;

/// Returns CMTE_DSGN and the candidate of a committee, if it has one. Of the two candidates of a joint fund,
/// it is the first.
pub(super) fn role(committee: u64) -> Option<(&'static str, u64)> {
    let (neighborhood, place) = (committee / COMMITTEES, committee % COMMITTEES);
    let (designation, candidate) = match scattered(place) {
        principal @ 0..PRINCIPALS => ("P", principal),
        AUTHORIZED => ("A", authorizer(neighborhood)),
        joint @ JOINT..INDEPENDENT => ("J", partners(neighborhood, joint - JOINT)[0]),
        _ => return None,
    };
    Some((designation, neighborhood * CANDIDATES + candidate))
}

/// Returns the role of a place. Roles are scattered over the neighborhood. The conduits must not have a
/// candidate.
fn scattered(place: u64) -> u64 {
    (place * 37 + 50) % COMMITTEES
}

/// Returns the committee of a place in the order of roles.
fn committee(neighborhood: u64, role: u64) -> u64 {
    // 73 is the inverse of 37, and 50 its own negative.
    neighborhood * COMMITTEES + (role + 50) * 73 % COMMITTEES
}

/// Returns the candidate of the authorized committee, by its place in the neighborhood.
fn authorizer(neighborhood: u64) -> u64 {
    (neighborhood * 5 + 3) % PRINCIPALS
}

/// Returns the two candidates of a joint fund, by their places in the neighborhood.
fn partners(neighborhood: u64, joint: u64) -> [u64; 2] {
    let first = neighborhood * 7 + joint * 11;
    [first % PRINCIPALS, (first + 5) % PRINCIPALS]
}

/// Returns the principal committee of a candidate.
pub(super) fn principal(candidate: u64) -> Option<u64> {
    let place = candidate % CANDIDATES;
    (place < PRINCIPALS).then(|| committee(candidate / CANDIDATES, place))
}

/// Returns the candidate and the committee of a link.
pub(super) fn link(number: u64) -> (u64, u64) {
    let (neighborhood, place) = (number / LINKS, number % LINKS);
    let (candidate, role) = match place {
        0..PRINCIPALS => (place, place),
        AUTHORIZED => (authorizer(neighborhood), AUTHORIZED),
        _ => {
            let (joint, side) = ((place - JOINT) / 2, (place - JOINT) % 2);
            (partners(neighborhood, joint)[side as usize], JOINT + joint)
        }
    };
    let candidate = neighborhood * CANDIDATES + candidate;
    (candidate, committee(neighborhood, role))
}

/// Draws a neighborhood for a transaction. The product favors small numbers, because few candidates
/// and committees get most of the money.
fn busy_neighborhood(random: &mut Random) -> u64 {
    let bound = BUSY_NEIGHBORHOODS as u32;
    u64::from(random.below(bound) * random.below(bound) / bound)
}

/// Draws a candidate with a principal committee, and returns both.
pub(super) fn busy_candidate(random: &mut Random) -> (u64, u64) {
    let neighborhood = busy_neighborhood(random);
    let place = u64::from(random.below(PRINCIPALS as u32));
    let candidate = neighborhood * CANDIDATES + place;
    (candidate, committee(neighborhood, place))
}

/// Draws a committee without a candidate.
pub(super) fn busy_independent(random: &mut Random) -> u64 {
    let role = INDEPENDENT + u64::from(random.below((COMMITTEES - INDEPENDENT) as u32));
    committee(busy_neighborhood(random), role)
}

/// Returns `number`, or a committee without a candidate in its neighborhood.
pub(super) fn independent_near(number: u64) -> u64 {
    let place = scattered(number % COMMITTEES);
    if place < INDEPENDENT {
        return committee(number / COMMITTEES, INDEPENDENT + place);
    }
    number
}
