//! The schemas of the bulk files, as the FEC describes them with each file
//! (<https://www.fec.gov/campaign-finance-data/contributions-individuals-file-description/> and its
//! siblings).

use std::ffi::OsStr;
use std::path::Path;

/// One of the FEC's bulk files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// `itcont.txt`: contributions by individuals.
    Indiv,
    /// `itoth.txt`: transactions from one committee to another.
    Oth,
    /// `itpas2.txt`: contributions from committees to candidates.
    Pas2,
    /// `cm.txt`: the committee master file.
    Cm,
    /// `cn.txt`: the candidate master file.
    Cn,
    /// `ccl.txt`: which committee is linked to which candidate.
    Ccl,
    /// `oppexp.txt`: operating expenditures.
    Oppexp,
}

const INDIV: [&str; 21] = [
    "CMTE_ID",
    "AMNDT_IND",
    "RPT_TP",
    "TRANSACTION_PGI",
    "IMAGE_NUM",
    "TRANSACTION_TP",
    "ENTITY_TP",
    "NAME",
    "CITY",
    "STATE",
    "ZIP_CODE",
    "EMPLOYER",
    "OCCUPATION",
    "TRANSACTION_DT",
    "TRANSACTION_AMT",
    "OTHER_ID",
    "TRAN_ID",
    "FILE_NUM",
    "MEMO_CD",
    "MEMO_TEXT",
    "SUB_ID",
];
const PAS2: [&str; 22] = [
    "CMTE_ID",
    "AMNDT_IND",
    "RPT_TP",
    "TRANSACTION_PGI",
    "IMAGE_NUM",
    "TRANSACTION_TP",
    "ENTITY_TP",
    "NAME",
    "CITY",
    "STATE",
    "ZIP_CODE",
    "EMPLOYER",
    "OCCUPATION",
    "TRANSACTION_DT",
    "TRANSACTION_AMT",
    "OTHER_ID",
    "CAND_ID",
    "TRAN_ID",
    "FILE_NUM",
    "MEMO_CD",
    "MEMO_TEXT",
    "SUB_ID",
];
const CM: [&str; 15] = [
    "CMTE_ID",
    "CMTE_NM",
    "TRES_NM",
    "CMTE_ST1",
    "CMTE_ST2",
    "CMTE_CITY",
    "CMTE_ST",
    "CMTE_ZIP",
    "CMTE_DSGN",
    "CMTE_TP",
    "CMTE_PTY_AFFILIATION",
    "CMTE_FILING_FREQ",
    "ORG_TP",
    "CONNECTED_ORG_NM",
    "CAND_ID",
];
const CN: [&str; 15] = [
    "CAND_ID",
    "CAND_NAME",
    "CAND_PTY_AFFILIATION",
    "CAND_ELECTION_YR",
    "CAND_OFFICE_ST",
    "CAND_OFFICE",
    "CAND_OFFICE_DISTRICT",
    "CAND_ICI",
    "CAND_STATUS",
    "CAND_PCC",
    "CAND_ST1",
    "CAND_ST2",
    "CAND_CITY",
    "CAND_ST",
    "CAND_ZIP",
];
const CCL: [&str; 7] = [
    "CAND_ID",
    "CAND_ELECTION_YR",
    "FEC_ELECTION_YR",
    "CMTE_ID",
    "CMTE_TP",
    "CMTE_DSGN",
    "LINKAGE_ID",
];
const OPPEXP: [&str; 25] = [
    "CMTE_ID",
    "AMNDT_IND",
    "RPT_YR",
    "RPT_TP",
    "IMAGE_NUM",
    "LINE_NUM",
    "FORM_TP_CD",
    "SCHED_TP_CD",
    "NAME",
    "CITY",
    "STATE",
    "ZIP_CODE",
    "TRANSACTION_DT",
    "TRANSACTION_AMT",
    "TRANSACTION_PGI",
    "PURPOSE",
    "CATEGORY",
    "CATEGORY_DESC",
    "MEMO_CD",
    "MEMO_TEXT",
    "ENTITY_TP",
    "SUB_ID",
    "FILE_NUM",
    "TRAN_ID",
    "BACK_REF_TRAN_ID",
];

impl Schema {
    /// Every schema there is.
    pub const ALL: [Schema; 7] = [
        Schema::Indiv,
        Schema::Oth,
        Schema::Pas2,
        Schema::Cm,
        Schema::Cn,
        Schema::Ccl,
        Schema::Oppexp,
    ];

    /// The FEC's short name, as it stands in the names of the archives.
    pub fn name(self) -> &'static str {
        match self {
            Schema::Indiv => "indiv",
            Schema::Oth => "oth",
            Schema::Pas2 => "pas2",
            Schema::Cm => "cm",
            Schema::Cn => "cn",
            Schema::Ccl => "ccl",
            Schema::Oppexp => "oppexp",
        }
    }

    /// The names of the columns, in their order.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Schema::Indiv | Schema::Oth => &INDIV,
            Schema::Pas2 => &PAS2,
            Schema::Cm => &CM,
            Schema::Cn => &CN,
            Schema::Ccl => &CCL,
            Schema::Oppexp => &OPPEXP,
        }
    }

    /// The number of columns that a row of the file has: one more than there are names in
    /// `oppexp.txt`, whose rows end in an empty column without a name.
    pub fn columns_on_disk(self) -> usize {
        self.columns().len() + usize::from(self == Schema::Oppexp)
    }

    /// The schema that the name of a file tells: that of `itcont.txt`, `itcont_2018_20180101.txt`,
    /// `cm.txt`, `cn16.txt`. None if the name tells nothing.
    ///
    /// ```
    /// use fecscan::fec::schema::Schema;
    /// assert_eq!(Schema::of_file_name("data/itpas2.txt".as_ref()), Some(Schema::Pas2));
    /// assert_eq!(Schema::of_file_name("indiv16.txt".as_ref()), Some(Schema::Indiv));
    /// assert_eq!(Schema::of_file_name("cmte.txt".as_ref()), None);
    /// ```
    pub fn of_file_name(path: &OsStr) -> Option<Schema> {
        const STEMS: [(&str, Schema); 10] = [
            ("itcont", Schema::Indiv),
            ("indiv", Schema::Indiv),
            ("itoth", Schema::Oth),
            ("oth", Schema::Oth),
            ("itpas2", Schema::Pas2),
            ("pas2", Schema::Pas2),
            ("cm", Schema::Cm),
            ("cn", Schema::Cn),
            ("ccl", Schema::Ccl),
            ("oppexp", Schema::Oppexp),
        ];
        let name = Path::new(path).file_name()?.to_str()?.to_ascii_lowercase();
        let stem_ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphabetic());
        STEMS
            .iter()
            .find(|(stem, _)| name.strip_prefix(stem).is_some_and(stem_ends))
            .map(|&(_, schema)| schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_of_the_report_stand_where_it_looks_for_them() {
        for schema in [Schema::Indiv, Schema::Oth, Schema::Pas2] {
            assert_eq!(schema.columns()[4], "IMAGE_NUM");
            assert_eq!(schema.columns()[7], "NAME");
            assert_eq!(schema.columns()[13], "TRANSACTION_DT");
        }
    }

    #[test]
    fn rows_on_disk_have_the_documented_number_of_columns() {
        let on_disk = Schema::ALL.map(Schema::columns_on_disk);
        assert_eq!(on_disk, [21, 21, 22, 15, 15, 7, 26]);
    }

    #[test]
    fn file_names_tell_the_schema_by_their_stem() {
        for schema in Schema::ALL {
            for name in ["", "16", "_2018", "-x"]
                .map(|suffix| format!("/a/b/{}{suffix}.txt", schema.name()))
            {
                assert_eq!(Schema::of_file_name(name.as_ref()), Some(schema), "{name}");
            }
        }
        for name in ["", "-", "/", "x.txt", "cmx.txt", "mycm.txt"] {
            assert_eq!(Schema::of_file_name(name.as_ref()), None, "{name}");
        }
    }
}
