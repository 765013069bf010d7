//! The columns of the bulk files: their names, aliases, kinds and meanings, as data.
//!
//! Names and order follow the FEC's file descriptions, such as
//! <https://www.fec.gov/campaign-finance-data/contributions-individuals-file-description/>.
//! The aliases are this program's own. Within a schema, each names one column.

/// A column of a bulk file.
///
/// ```
/// let amount = fecscan::Schema::Indiv.columns()[14];
/// assert_eq!((amount.name, amount.alias, amount.decimals), ("TRANSACTION_AMT", "amount", 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Column {
    /// The FEC's name, such as `TRANSACTION_AMT`.
    pub name: &'static str,
    /// A shorter name, such as `amount`.
    pub alias: &'static str,
    /// The kind of its values.
    pub kind: Kind,
    /// The decimals of its values, if they are numbers.
    pub decimals: u8,
    /// The meaning in a few words.
    pub meaning: &'static str,
}

/// The decimals of amounts of money.
pub(crate) const AMOUNT_DECIMALS: u8 = 2;

/// The kind of the values of a column. Functions and aggregates take some kinds only.
///
/// ```
/// use fecscan::{Kind, Schema};
/// assert_eq!(Schema::Indiv.columns()[14].kind, Kind::Number);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Words, codes and identifiers. There is nothing to add up.
    Text,
    /// Decimal numbers, which can be added up.
    Number,
    /// Days, in any form that [`date::of_column`](super::date::of_column) reads.
    Date,
    /// Numbers of pages, which begin with a date since July 2015.
    ImageNumber,
    /// Zip codes of 5 or 9 digits.
    ZipCode,
    /// Any values, in a file of another kind without a type.
    Untyped,
}

/// Declares tables of columns. A macro, because rustfmt would break every second row of an array.
macro_rules! tables {
    ($($table:ident[$count:literal]: $($name:ident $alias:ident $kind:ident $meaning:literal)*;)*) => {
        $(pub(super) const $table: [Column; $count] = [$(Column {
            name: stringify!($name),
            alias: stringify!($alias),
            kind: Kind::$kind,
            decimals: AMOUNT_DECIMALS,
            meaning: $meaning,
        }),*];)*
    };
}

tables! {
    INDIV[21]:
        CMTE_ID              committee     Text        "committee that filed the row"
        AMNDT_IND            amendment     Text        "N new, A amended, T terminated"
        RPT_TP               report        Text        "kind of report: Q1, M4, YE, 12G"
        TRANSACTION_PGI      election      Text        "P primary, G general, with the year"
        IMAGE_NUM            image         ImageNumber "scanned page; begins with its date since July 2015"
        TRANSACTION_TP       type          Text        "kind of transaction: 15, 15E, 22Y, 24T"
        ENTITY_TP            entity        Text        "kind of giver or receiver: IND, ORG, PAC, CCM"
        NAME                 name          Text        "giver or receiver, as LAST, FIRST MIDDLE"
        CITY                 city          Text        "city of the address"
        STATE                state         Text        "state of the address, two letters"
        ZIP_CODE             zip           ZipCode     "zip code, 5 or 9 digits"
        EMPLOYER             employer      Text        "employer of a person"
        OCCUPATION           occupation    Text        "occupation of a person"
        TRANSACTION_DT       date          Date        "date of the transaction, MMDDYYYY"
        TRANSACTION_AMT      amount        Number      "amount in dollars"
        OTHER_ID             other         Text        "other committee or candidate"
        TRAN_ID              transaction   Text        "identifier within the report"
        FILE_NUM             filing        Text        "number of the electronic filing"
        MEMO_CD              memo          Text        "X if the amount is not part of the sum"
        MEMO_TEXT            text          Text        "remark of the filer"
        SUB_ID               id            Text        "the FEC's unique number of the row";
    CM[15]:
        CMTE_ID              committee     Text        "committee"
        CMTE_NM              name          Text        "name of the committee"
        TRES_NM              treasurer     Text        "name of the treasurer"
        CMTE_ST1             street        Text        "street of the address"
        CMTE_ST2             street2       Text        "second line of the street"
        CMTE_CITY            city          Text        "city of the address"
        CMTE_ST              state         Text        "state of the address, two letters"
        CMTE_ZIP             zip           ZipCode     "zip code, 5 or 9 digits"
        CMTE_DSGN            designation   Text        "P principal, A authorized, J joint, U unauthorized"
        CMTE_TP              type          Text        "kind of committee: P, H, S, N, Q, X, Y"
        CMTE_PTY_AFFILIATION party         Text        "party, three letters"
        CMTE_FILING_FREQ     frequency     Text        "M monthly, Q quarterly, T terminated"
        ORG_TP               interest      Text        "C corporation, L labor, T trade, M members"
        CONNECTED_ORG_NM     organization  Text        "name of the connected organization"
        CAND_ID              candidate     Text        "candidate of a P, H or S committee";
    CN[15]:
        CAND_ID              candidate     Text        "candidate"
        CAND_NAME            name          Text        "name of the candidate"
        CAND_PTY_AFFILIATION party         Text        "party, three letters"
        CAND_ELECTION_YR     year          Text        "year of the election"
        CAND_OFFICE_ST       office_state  Text        "state of the office; US for president"
        CAND_OFFICE          office        Text        "H House, S Senate, P president"
        CAND_OFFICE_DISTRICT district      Text        "congressional district, two digits"
        CAND_ICI             incumbency    Text        "I incumbent, C challenger, O open seat"
        CAND_STATUS          status        Text        "C statutory, F future, N not yet, P prior"
        CAND_PCC             committee     Text        "principal campaign committee"
        CAND_ST1             street        Text        "street of the address"
        CAND_ST2             street2       Text        "second line of the street"
        CAND_CITY            city          Text        "city of the address"
        CAND_ST              state         Text        "state of the address, two letters"
        CAND_ZIP             zip           ZipCode     "zip code, 5 or 9 digits";
    CCL[7]:
        CAND_ID              candidate     Text        "candidate"
        CAND_ELECTION_YR     year          Text        "year of the candidate's election"
        FEC_ELECTION_YR      cycle         Text        "second year of the two-year cycle"
        CMTE_ID              committee     Text        "committee"
        CMTE_TP              type          Text        "kind of committee: P, H, S"
        CMTE_DSGN            designation   Text        "P principal, A authorized, J joint, U unauthorized"
        LINKAGE_ID           id            Text        "the FEC's unique number of the row";
    OPPEXP[25]:
        CMTE_ID              committee     Text        "committee that filed the row"
        AMNDT_IND            amendment     Text        "N new, A amended, T terminated"
        RPT_YR               year          Text        "year of the report"
        RPT_TP               report        Text        "kind of report: Q1, M4, YE, 12G"
        IMAGE_NUM            image         ImageNumber "scanned page; begins with its date since July 2015"
        LINE_NUM             line          Text        "line of the form"
        FORM_TP_CD           form          Text        "form: F3, F3X, F3P"
        SCHED_TP_CD          schedule      Text        "schedule of the form: SB"
        NAME                 name          Text        "payee"
        CITY                 city          Text        "city of the address"
        STATE                state         Text        "state of the address, two letters"
        ZIP_CODE             zip           ZipCode     "zip code, 5 or 9 digits"
        TRANSACTION_DT       date          Date        "date of the payment, MM/DD/YYYY"
        TRANSACTION_AMT      amount        Number      "amount in dollars"
        TRANSACTION_PGI      election      Text        "P primary, G general, with the year"
        PURPOSE              purpose       Text        "purpose of the payment"
        CATEGORY             category      Text        "category, three digits"
        CATEGORY_DESC        category_name Text        "name of the category"
        MEMO_CD              memo          Text        "X if the amount is not part of the sum"
        MEMO_TEXT            text          Text        "remark of the filer"
        ENTITY_TP            entity        Text        "kind of payee: IND, ORG, PAC, CCM"
        SUB_ID               id            Text        "the FEC's unique number of the row"
        FILE_NUM             filing        Text        "number of the electronic filing"
        TRAN_ID              transaction   Text        "identifier within the report"
        BACK_REF_TRAN_ID     parent        Text        "identifier of the transaction that this one details";
    WEBALL[30]:
        CAND_ID              candidate     Text        "candidate"
        CAND_NAME            name          Text        "name of the candidate"
        CAND_ICI             incumbency    Text        "I incumbent, C challenger, O open seat"
        PTY_CD               party_code    Text        "party: 1 Democratic, 2 Republican, 3 other"
        CAND_PTY_AFFILIATION party         Text        "party, three letters"
        TTL_RECEIPTS         receipts      Number      "total receipts"
        TRANS_FROM_AUTH      transfers_in  Number      "transfers from authorized committees"
        TTL_DISB             spent         Number      "total disbursements"
        TRANS_TO_AUTH        transfers_out Number      "transfers to authorized committees"
        COH_BOP              cash_before   Number      "cash on hand at the beginning of the period"
        COH_COP              cash          Number      "cash on hand at the end of the period"
        CAND_CONTRIB         own           Number      "contributions of the candidate"
        CAND_LOANS           own_loans     Number      "loans of the candidate"
        OTHER_LOANS          loans         Number      "loans of others"
        CAND_LOAN_REPAY      own_repaid    Number      "loans repaid to the candidate"
        OTHER_LOAN_REPAY     repaid        Number      "loans repaid to others"
        DEBTS_OWED_BY        debts         Number      "debts of the committee"
        TTL_INDIV_CONTRIB    individuals   Number      "contributions of individuals"
        CAND_OFFICE_ST       office_state  Text        "state of the office; 00 for president"
        CAND_OFFICE_DISTRICT district      Text        "congressional district, two digits"
        SPEC_ELECTION        special       Text        "outcome of the special election: W, L"
        PRIM_ELECTION        primary       Text        "outcome of the primary election"
        RUN_ELECTION         runoff        Text        "outcome of the runoff election"
        GEN_ELECTION         general       Text        "outcome of the general election"
        GEN_ELECTION_PRECENT share         Text        "per cent of the votes in the general election"
        OTHER_POL_CMTE_CONTRIB committees  Number      "contributions of other committees"
        POL_PTY_CONTRIB      party_money   Number      "contributions of party committees"
        CVG_END_DT           date          Date        "last day of the totals, MM/DD/YYYY"
        INDIV_REFUNDS        refunds       Number      "refunds to individuals"
        CMTE_REFUNDS         cmte_refunds  Number      "refunds to committees";
    WEBK[27]:
        CMTE_ID              committee     Text        "committee"
        CMTE_NM              name          Text        "name of the committee"
        CMTE_TP              type          Text        "kind of committee: N, Q, X, Y, O"
        CMTE_DSGN            designation   Text        "B lobbyist's, D leadership, U unauthorized"
        CMTE_FILING_FREQ     frequency     Text        "M monthly, Q quarterly, T terminated"
        TTL_RECEIPTS         receipts      Number      "total receipts"
        TRANS_FROM_AFF       transfers_in  Number      "transfers from affiliates"
        INDV_CONTRIB         individuals   Number      "contributions of individuals"
        OTHER_POL_CMTE_CONTRIB committees  Number      "contributions of other committees"
        CAND_CONTRIB         own           Number      "contributions of the candidate"
        CAND_LOANS           own_loans     Number      "loans of the candidate"
        TTL_LOANS_RECEIVED   loans         Number      "total loans received"
        TTL_DISB             spent         Number      "total disbursements"
        TRANF_TO_AFF         transfers_out Number      "transfers to affiliates"
        INDV_REFUNDS         refunds       Number      "refunds to individuals"
        OTHER_POL_CMTE_REFUNDS cmte_refunds Number     "refunds to other committees"
        CAND_LOAN_REPAY      own_repaid    Number      "loans repaid to the candidate"
        LOAN_REPAY           repaid        Number      "loans repaid"
        COH_BOP              cash_before   Number      "cash on hand at the beginning of the period"
        COH_COP              cash          Number      "cash on hand at the end of the period"
        DEBTS_OWED_BY        debts         Number      "debts of the committee"
        NONFED_TRANS_RECEIVED nonfederal   Number      "transfers from nonfederal accounts"
        CONTRIB_TO_OTHER_CMTE given        Number      "contributions to other committees"
        IND_EXP              independent   Number      "independent expenditures"
        PTY_COORD_EXP        coordinated   Number      "coordinated expenditures of a party"
        NONFED_SHARE_EXP     nonfed_share  Number      "nonfederal share of expenditures"
        CVG_END_DT           date          Date        "last day of the totals, MM/DD/YYYY";
    CANDIDATE[1]:
        CAND_ID              candidate     Text        "candidate that the money went to";
}

/// The columns of pas2: CAND_ID is inserted after OTHER_ID of indiv.
pub(super) const PAS2: [Column; 22] = {
    let mut columns = [CANDIDATE[0]; 22];
    let mut place = 0;
    while place < INDIV.len() {
        columns[place + (place >= 16) as usize] = INDIV[place];
        place += 1;
    }
    columns
};
