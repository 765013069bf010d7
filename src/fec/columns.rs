//! The columns of the bulk files: their names, aliases and meanings, as data.
//!
//! Names and order follow the FEC's file descriptions, such as
//! <https://www.fec.gov/campaign-finance-data/contributions-individuals-file-description/>.
//! The aliases are this program's own. Within a schema, each names one column.

/// A column of a bulk file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// The FEC's name, such as `TRANSACTION_AMT`.
    pub name: &'static str,
    /// A shorter name, such as `amount`.
    pub alias: &'static str,
    /// The meaning in a few words.
    pub meaning: &'static str,
}

/// Declares tables of columns. A macro, because rustfmt would break every second row of an array.
macro_rules! tables {
    ($($table:ident[$count:literal]: $($name:ident $alias:ident $meaning:literal)*;)*) => {
        $(pub(super) const $table: [Column; $count] = [$(Column {
            name: stringify!($name),
            alias: stringify!($alias),
            meaning: $meaning,
        }),*];)*
    };
}

tables! {
    INDIV[21]:
        CMTE_ID              committee     "committee that filed the row"
        AMNDT_IND            amendment     "N new, A amended, T terminated"
        RPT_TP               report        "kind of report: Q1, M4, YE, 12G"
        TRANSACTION_PGI      election      "P primary, G general, with the year"
        IMAGE_NUM            image         "scanned page; begins with its date since July 2015"
        TRANSACTION_TP       type          "kind of transaction: 15, 15E, 22Y, 24T"
        ENTITY_TP            entity        "kind of giver or receiver: IND, ORG, PAC, CCM"
        NAME                 name          "giver or receiver, as LAST, FIRST MIDDLE"
        CITY                 city          "city of the address"
        STATE                state         "state of the address, two letters"
        ZIP_CODE             zip           "zip code, 5 or 9 digits"
        EMPLOYER             employer      "employer of a person"
        OCCUPATION           occupation    "occupation of a person"
        TRANSACTION_DT       date          "date of the transaction, MMDDYYYY"
        TRANSACTION_AMT      amount        "amount in dollars"
        OTHER_ID             other         "other committee or candidate"
        TRAN_ID              transaction   "identifier within the report"
        FILE_NUM             filing        "number of the electronic filing"
        MEMO_CD              memo          "X if the amount is not part of the sum"
        MEMO_TEXT            text          "remark of the filer"
        SUB_ID               id            "the FEC's unique number of the row";
    CM[15]:
        CMTE_ID              committee     "committee"
        CMTE_NM              name          "name of the committee"
        TRES_NM              treasurer     "name of the treasurer"
        CMTE_ST1             street        "street of the address"
        CMTE_ST2             street2       "second line of the street"
        CMTE_CITY            city          "city of the address"
        CMTE_ST              state         "state of the address, two letters"
        CMTE_ZIP             zip           "zip code, 5 or 9 digits"
        CMTE_DSGN            designation   "P principal, A authorized, J joint, U unauthorized"
        CMTE_TP              type          "kind of committee: P, H, S, N, Q, X, Y"
        CMTE_PTY_AFFILIATION party         "party, three letters"
        CMTE_FILING_FREQ     frequency     "M monthly, Q quarterly, T terminated"
        ORG_TP               interest      "C corporation, L labor, T trade, M members"
        CONNECTED_ORG_NM     organization  "name of the connected organization"
        CAND_ID              candidate     "candidate of a P, H or S committee";
    CN[15]:
        CAND_ID              candidate     "candidate"
        CAND_NAME            name          "name of the candidate"
        CAND_PTY_AFFILIATION party         "party, three letters"
        CAND_ELECTION_YR     year          "year of the election"
        CAND_OFFICE_ST       office_state  "state of the office; US for president"
        CAND_OFFICE          office        "H House, S Senate, P president"
        CAND_OFFICE_DISTRICT district      "congressional district, two digits"
        CAND_ICI             incumbency    "I incumbent, C challenger, O open seat"
        CAND_STATUS          status        "C statutory, F future, N not yet, P prior"
        CAND_PCC             committee     "principal campaign committee"
        CAND_ST1             street        "street of the address"
        CAND_ST2             street2       "second line of the street"
        CAND_CITY            city          "city of the address"
        CAND_ST              state         "state of the address, two letters"
        CAND_ZIP             zip           "zip code, 5 or 9 digits";
    CCL[7]:
        CAND_ID              candidate     "candidate"
        CAND_ELECTION_YR     year          "year of the candidate's election"
        FEC_ELECTION_YR      cycle         "second year of the two-year cycle"
        CMTE_ID              committee     "committee"
        CMTE_TP              type          "kind of committee: P, H, S"
        CMTE_DSGN            designation   "P principal, A authorized, J joint, U unauthorized"
        LINKAGE_ID           id            "the FEC's unique number of the row";
    OPPEXP[25]:
        CMTE_ID              committee     "committee that filed the row"
        AMNDT_IND            amendment     "N new, A amended, T terminated"
        RPT_YR               year          "year of the report"
        RPT_TP               report        "kind of report: Q1, M4, YE, 12G"
        IMAGE_NUM            image         "scanned page; begins with its date since July 2015"
        LINE_NUM             line          "line of the form"
        FORM_TP_CD           form          "form: F3, F3X, F3P"
        SCHED_TP_CD          schedule      "schedule of the form: SB"
        NAME                 name          "payee"
        CITY                 city          "city of the address"
        STATE                state         "state of the address, two letters"
        ZIP_CODE             zip           "zip code, 5 or 9 digits"
        TRANSACTION_DT       date          "date of the payment, MM/DD/YYYY"
        TRANSACTION_AMT      amount        "amount in dollars"
        TRANSACTION_PGI      election      "P primary, G general, with the year"
        PURPOSE              purpose       "purpose of the payment"
        CATEGORY             category      "category, three digits"
        CATEGORY_DESC        category_name "name of the category"
        MEMO_CD              memo          "X if the amount is not part of the sum"
        MEMO_TEXT            text          "remark of the filer"
        ENTITY_TP            entity        "kind of payee: IND, ORG, PAC, CCM"
        SUB_ID               id            "the FEC's unique number of the row"
        FILE_NUM             filing        "number of the electronic filing"
        TRAN_ID              transaction   "identifier within the report"
        BACK_REF_TRAN_ID     parent        "identifier of the transaction that this one details";
    CANDIDATE[1]:
        CAND_ID              candidate     "candidate that the money went to";
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
