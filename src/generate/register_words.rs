//! The words of committees, candidates and addresses.
//!
//! Templates of names have these parts:
//!
//! | part | text |
//! |---|---|
//! | `%F`, `%L` | first and last name of the candidate |
//! | `%P` | a place or a surname, such as ALDERBANK |
//! | `%A` | the first part of that place, for short names |
//! | `%G` | the second part of a firm, with its blank |
//! | `%U` | the people of a trade |
//! | `%V` | an ideal |
//! | `%N` | a number up to 999 |
//! | `%R` | the adjective of the committee's party |
//! | `%O` | the organization that the committee belongs to |

/// The districts of each state, after the census of 2010.
pub(super) const HOUSE_SEATS: &str = "\
    AL7|AK1|AZ9|AR4|CA53|CO7|CT5|DE1|FL27|GA14|HI2|ID2|IL18|IN9|IA4|KS4|KY6|LA6|ME2|MD8|MA9|MI14|\
    MN8|MS4|MO8|MT1|NE3|NV4|NH2|NJ12|NM3|NY27|NC13|ND1|OH16|OK5|OR5|PA18|RI2|SC7|SD1|TN9|TX36|UT4|\
    VT1|VA11|WA10|WV3|WI8|WY1";

/// Parties of candidates.
pub(super) const PARTIES: [(&str, u32); 11] = [
    ("REP", 429),
    ("DEM", 385),
    ("IND", 68),
    ("LIB", 32),
    ("OTH", 20),
    ("GRE", 15),
    ("UNK", 13),
    ("NNE", 10),
    ("NPA", 9),
    ("DFL", 8),
    ("CON", 0),
];

/// First parts of surnames and places. They are odder than those of contributors, so no real
/// candidate or committee has such a name.
pub(super) const REGISTER_FRONTS: [&str; 32] = [
    "KESTREL", "QUILL", "VANTER", "THISTLE", "CANDLE", "FEATHER", "CLOVER", "BARLEY", "DRAY",
    "JUNI", "NIGHTIN", "HOLLO", "PLUM", "BRIAR", "AMBER", "COPPER", "LINDEN", "ALDER", "WEXEL",
    "TARN", "ZEPHYR", "GOSSA", "PERI", "MOTH", "SABLE", "TINDER", "YARROW", "FESCUE", "HERON",
    "OTTER", "GORSE", "MARL",
];

/// Ends of the names of people.
pub(super) const NAME_ENDS: [(&str, u32); 9] = [
    ("", 905),
    (" JR", 25),
    (" JR.", 10),
    (" III", 8),
    (" MR.", 25),
    (" DR.", 8),
    (" MS.", 12),
    (" \"BUD\"", 2),
    (" ", 0),
];

/// Beginnings of post-office boxes.
pub(super) const BOXES: [&str; 4] = ["PO BOX ", "PO BOX ", "P.O. BOX ", "P O BOX "];

/// Ends of streets.
pub(super) const STREETS: [&str; 16] = [
    " STREET",
    " STREET",
    " STREET NW",
    " DRIVE",
    " ROAD",
    " AVENUE",
    " ST",
    " AVE",
    " RD",
    " LANE",
    " BLVD",
    " COURT",
    " AVENUE, NW",
    " STREET, STE 200",
    " PARKWAY",
    " ST. #4",
];

/// Beginnings of second lines of streets.
pub(super) const SUITES: [&str; 12] = [
    "SUITE ",
    "SUITE ",
    "SUITE ",
    "SUITE ",
    "SUITE ",
    "SUITE ",
    "SUITE ",
    "PO BOX ",
    "STE ",
    "STE. ",
    "PMB #",
    "C/O THE CLERK, ROOM ",
];

/// CMTE_TP of committees without a candidate.
pub(super) const KINDS: &[(&str, u32)] = &[
    ("Q", 474),
    ("N", 290),
    ("O", 154),
    ("Y", 41),
    ("X", 25),
    ("V", 9),
    ("W", 4),
    ("U", 0),
];

/// Returns the shares of CMTE_DSGN.
pub(super) fn designations(kind: &str) -> &'static [(&'static str, u32)] {
    match kind {
        "Q" => &[("U", 572), ("B", 338), ("D", 0)],
        "N" => &[("U", 764), ("D", 130), ("B", 97), ("J", 0)],
        "O" => &[("U", 950), ("B", 0)],
        _ => &[("U", 1000)],
    }
}

/// Returns the shares of CMTE_PTY_AFFILIATION.
pub(super) fn parties(kind: &str) -> &'static [(&'static str, u32)] {
    match kind {
        "Q" => &[("", 921), ("UNK", 45), ("NNE", 13), ("REP", 11), ("DEM", 0)],
        "N" => &[("", 982), ("DEM", 8), ("REP", 8), ("UNK", 0)],
        "Y" => &[
            ("REP", 484),
            ("DEM", 476),
            ("LIB", 15),
            ("GRE", 13),
            ("DFL", 0),
        ],
        "X" => &[
            ("DEM", 322),
            ("REP", 316),
            ("", 120),
            ("LIB", 70),
            ("GRE", 50),
            ("IND", 0),
        ],
        _ => &[("", 1000)],
    }
}

/// Returns the adjective of a party.
pub(super) fn adjective(party: &str) -> &'static str {
    match party {
        "DEM" => "DEMOCRATIC",
        "REP" => "REPUBLICAN",
        "LIB" => "LIBERTARIAN",
        "GRE" => "GREEN",
        "DFL" => "DEMOCRATIC-FARMER-LABOR",
        _ => "INDEPENDENT",
    }
}

/// Returns the shares of CMTE_FILING_FREQ.
pub(super) fn frequencies(kind: &str) -> &'static [(&'static str, u32)] {
    match kind {
        "Q" => &[("Q", 683), ("M", 310), ("T", 6), ("A", 0)],
        "N" => &[("Q", 900), ("M", 57), ("T", 39), ("A", 0)],
        "Y" => &[("M", 570), ("Q", 426), ("T", 0)],
        "X" => &[("Q", 775), ("M", 194), ("T", 0)],
        _ => &[("Q", 900), ("T", 48), ("M", 37), ("A", 0)],
    }
}

/// Returns the shares of ORG_TP.
pub(super) fn interests(kind: &str) -> &'static [(&'static str, u32)] {
    match kind {
        "Q" => &[
            ("C", 404),
            ("", 196),
            ("T", 175),
            ("M", 115),
            ("L", 79),
            ("W", 20),
            ("V", 0),
        ],
        "N" => &[
            ("", 589),
            ("C", 230),
            ("T", 81),
            ("M", 58),
            ("L", 20),
            ("W", 18),
            ("V", 0),
        ],
        _ => &[("", 1000)],
    }
}

/// Returns templates of the organizations behind committees.
pub(super) fn organizations(interest: &str) -> &'static [&'static str] {
    match interest {
        "C" => &[
            "%P%G",
            "%P%G",
            "%P%G, INC.",
            "THE %P%G COMPANY",
            "%P HOLDINGS INC",
        ],
        "T" => &[
            "NATIONAL ASSOCIATION OF %A VALLEY %U",
            "%P COUNCIL OF %U",
            "INDEPENDENT %U ASSOCIATION OF %P",
            "%P INSTITUTE OF %U",
        ],
        "L" => &[
            "UNITED %U OF %P LOCAL %N",
            "BROTHERHOOD OF %P %U DISTRICT %N",
            "%U & HELPERS INT'L UNION LOCAL %N",
        ],
        "M" => &[
            "%P LEAGUE OF %V",
            "SOCIETY OF %P %U",
            "CITIZENS' COUNCIL FOR %V",
        ],
        "V" => &[
            "%P ELECTRIC COOPERATIVE, INC.",
            "%P GROWERS' COOPERATIVE ASSOCIATION",
        ],
        "W" => &["%P MUTUAL ASSURANCE SOCIETY", "%P CREDIT UNION LEAGUE"],
        _ => &[
            "%P PROJECT",
            "COALITION FOR %V",
            "%P COUNTY COMMITTEE; %P FUND",
        ],
    }
}

/// Returns templates of the names of committees without a candidate.
pub(super) fn committee_names(kind: &str, interest: &str) -> &'static [&'static str] {
    match (kind, interest) {
        ("X" | "Y", _) => &[
            "%R CLUB OF THE LOWER %P VALLEY",
            "%R STATE CENTRAL COMMITTEE OF %P",
            "%P %R COMMITTEE - FEDERAL ACCOUNT",
            "%P COUNTY %R PARTY FEDERAL CAMPAIGN COMMITTEE",
            "FEDERAL COMMITTEE OF THE %R PARTY IN %P",
        ],
        (_, "") => &[
            "%P PAC",
            "AMERICANS FOR %V",
            "%P LEADERSHIP FUND",
            "FRIENDS OF THE %P",
            "%P FORWARD",
            "NEIGHBORS FOR THE %P RIVER",
            "WOMEN AND MEN FOR %V",
            "%A'S LEADERSHIP PAC (%A PAC)",
            "VOTERS LEAGUE OF %P",
            "%V NOW POLITICAL ACTION COMMITTEE",
            "%V FIRST",
            "THE %P VALUES FUND",
        ],
        (_, "L") => &[
            "%O POLITICAL ACTION FUND",
            "%O FUND FOR POLITICAL EDUCATION",
            "%O \"VOTE\" COMMITTEE",
            "%O PAC",
            "%O FEDERAL POLITICAL LEAGUE (%A PAC)",
        ],
        _ => &[
            "%O POLITICAL ACTION COMMITTEE",
            "%O POLITICAL ACTION COMMITTEE",
            "%O POLITICAL ACTION COMMITTEE",
            "%O PAC",
            "%O PAC",
            "%O FEDERAL PAC",
            "%O EMPLOYEES POLITICAL ACTION COMMITTEE",
            "%O PAC (%APAC)",
            "%O PAC (%A PAC)",
            "%O POLITICAL ACTION COMMITTEE (%APAC)",
            "%O COMMITTEE FOR RESPONSIBLE GOVERNMENT",
            "%O GOOD GOVERNMENT FUND",
        ],
    }
}

/// Templates of the names of principal committees for the House.
pub(super) const HOUSE_NAMES: &[&str] = &[
    "%L FOR CONGRESS",
    "%L FOR CONGRESS",
    "%F %L FOR CONGRESS",
    "%F %L FOR CONGRESS",
    "%F %L FOR CONGRESS",
    "%F %L FOR CONGRESS COMMITTEE",
    "FRIENDS OF %F %L",
    "FRIENDS OF %L",
    "COMMITTEE TO ELECT %F %L TO CONGRESS",
    "CITIZENS FOR %L",
    "%L FOR U.S. HOUSE",
    "%L FOR CONGRESS, INC.",
    "%F %L FOR CONGRESS EXPLORATORY COMMITTEE",
    "THE PEOPLE'S COMMITTEE FOR %F %L",
];

/// Templates of the names of principal committees for the Senate.
pub(super) const SENATE_NAMES: &[&str] = &[
    "%L FOR SENATE",
    "%F %L FOR SENATE",
    "%F %L FOR U.S. SENATE",
    "FRIENDS OF %F %L",
    "%L FOR SENATE COMMITTEE, INC.",
    "CITIZENS FOR %F %L",
];

/// Templates of the names of principal committees of candidates for president.
pub(super) const PRESIDENT_NAMES: &[&str] = &[
    "%F %L FOR PRESIDENT OF THE UNITED STATES",
    "%F %L FOR PRESIDENT",
    "COMMITTEE TO ELECT %F %L PRESIDENT 2020",
    "%L FOR AMERICA",
    "%F %L PRESIDENTIAL CAMPAIGN COMMITTEE",
];

/// Templates of the names of other committees of candidates.
pub(super) const AUTHORIZED_NAMES: &[&str] = &[
    "%F %L RECOUNT COMMITTEE",
    "%L GENERAL ELECTION FUND",
    "%L COMPLIANCE COMMITTEE",
    "FRIENDS OF %F %L COMMITTEE",
];

/// Templates of the names of joint funds.
pub(super) const JOINT_NAMES: &[&str] = &[
    "%L VICTORY FUND",
    "%F %L VICTORY COMMITTEE",
    "%L %P VICTORY FUND",
    "TEAM %L",
    "%L-%P JOINT COMMITTEE",
    "%L MAJORITY COMMITTEE",
];

/// The people of a trade.
pub(super) const TRADES: [&str; 16] = [
    "BEEKEEPERS",
    "FERRY PILOTS",
    "LANTERN MAKERS",
    "WELL DRILLERS",
    "TURNIP GROWERS",
    "CLOCK REPAIRERS",
    "BRIDGE TENDERS",
    "PIANO TUNERS",
    "HARBOR ENGINEERS",
    "SEED MERCHANTS",
    "DAIRY INSPECTORS",
    "CANOE OUTFITTERS",
    "ROOFING SUPPLIERS",
    "ORCHARD OWNERS",
    "NIGHT WATCHMEN",
    "MAP PUBLISHERS",
];

/// Ideals.
pub(super) const VALUES: [&str; 16] = [
    "CLEAN RIVERS",
    "SOUND BOOKKEEPING",
    "SAFE BRIDGES",
    "HONEST WEIGHTS",
    "LIBRARIES",
    "BETTER HARBORS",
    "OPEN TRAILS",
    "QUIET SKIES",
    "RURAL BROADBAND",
    "SHORTER MEETINGS",
    "COMMON GROUND",
    "GOOD ROADS",
    "STRONG SCHOOLS",
    "LIBERTY & LANTERNS",
    "A BRIGHTER PRAIRIE",
    "NEIGHBORS",
];
