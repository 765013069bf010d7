//! Lists of transaction types, the values of TRANSACTION_TP.

/// TRANSACTION_TP of the rows that the FEC counts as contributions by individuals.
///
/// The list is that of openFEC's database function `is_individual`, as of its migration of 2020
/// (<https://github.com/fecgov/openFEC>). The FEC's own site also infers individuals below $200
/// from the line numbers of forms. The bulk files lack these, so totals by this list are lower.
pub const CONTRIBUTION_TYPES: [&str; 19] = [
    "10", "10J", "11", "11J", "15", "15E", "15J", "30", "30E", "30J", "30T", "31", "31E", "31J",
    "31T", "32", "32E", "32J", "32T",
];

/// TRANSACTION_TP of money that goes back to a giver, as the FEC's list of transaction types has it
/// (<https://www.fec.gov/campaign-finance-data/transaction-type-code-descriptions/>). Their amounts are
/// mostly positive.
pub const REFUND_TYPES: [&str; 12] = [
    "20Y", "21Y", "22Y", "22Z", "23Y", "28L", "40Y", "40Z", "41Y", "41Z", "42Y", "42Z",
];

/// TRANSACTION_TP of money that a conduit passes on. The recipient has a row for it, too.
pub const CONDUIT_TYPES: [&str; 2] = ["24I", "24T"];
