use super::*;

#[test]
fn pas2_is_indiv_with_a_candidate() {
    let mut columns = Schema::Pas2.columns().to_vec();
    let candidate = columns.remove(16);
    assert_eq!(candidate.name, "CAND_ID");
    assert_eq!(columns, Schema::Indiv.columns());
    assert_eq!(Schema::Pas2.columns()[15].name, "OTHER_ID");
}

#[test]
fn every_name_alias_and_number_finds_its_column() {
    for schema in Schema::ALL {
        for (place, column) in schema.columns().iter().enumerate() {
            let number = place + 1;
            for name in [
                column.name.to_owned(),
                column.name.to_lowercase(),
                column.alias.to_owned(),
                column.alias.to_uppercase(),
                number.to_string(),
                format!("#{number}"),
            ] {
                assert_eq!(schema.column(&name).ok(), Some(place), "{name}");
            }
            assert!(!column.meaning.is_empty());
        }
    }
    assert_eq!(Schema::Oppexp.column("#26").ok(), Some(25));
}

#[test]
fn names_of_no_column_are_errors() {
    let message = |schema: Schema, name| schema.column(name).unwrap_err().with_advice();
    assert_eq!(
        message(Schema::Ccl, "comittee"),
        "ccl has no column 'comittee'; did you mean committee?"
    );
    assert_eq!(
        message(Schema::Ccl, "money"),
        "ccl has no column 'money'; 'fecscan columns ccl' lists its 7 columns"
    );
    for none in [
        "", "#", "0", "#0", "22", "#22", "+8", "-1", "8 ", "##8", "donor", "?????",
    ] {
        let found = message(Schema::Indiv, none);
        assert!(
            found.ends_with("; 'fecscan columns indiv' lists its 21 columns"),
            "{found}"
        );
    }
    assert!(message(Schema::Indiv, "\x1b[31m").starts_with(r"indiv has no column '\x1b[31m'"));
    assert!(Schema::Indiv.column("99999999999999999999999999").is_err());
}

#[test]
fn file_names_tell_the_schema_by_their_stem() {
    for schema in Schema::ALL {
        for stem in [schema.facts().0, schema.facts().1] {
            for name in ["", "16", "_2018", "-x"].map(|rest| format!("/a/b/{stem}{rest}.txt")) {
                assert_eq!(Schema::of_file_name(name.as_ref()), Some(schema), "{name}");
            }
        }
    }
    for name in ["", "-", "/", "x.txt", "cmx.txt", "mycm.txt"] {
        assert_eq!(Schema::of_file_name(name.as_ref()), None, "{name}");
    }
}

/// Returns a row of `schema` whose other columns hold `filler`.
fn row(schema: Schema, filler: &str) -> String {
    let mut columns = vec![filler; schema.columns_on_disk()];
    for (place, column) in schema.columns().iter().enumerate() {
        match (column.name, schema) {
            ("CMTE_ID", _) => columns[place] = "C00990012",
            ("CAND_ID", _) => columns[place] = "S0ZZ00190",
            ("ENTITY_TP", Schema::Indiv) => columns[place] = "IND",
            ("ENTITY_TP", _) => columns[place] = "PAC",
            _ => {}
        }
    }
    columns.join("|")
}

#[test]
fn rows_tell_their_schema() {
    // Rows of webl are rows of weball.
    for schema in Schema::ALL
        .into_iter()
        .filter(|schema| *schema != Schema::Webl)
    {
        for filler in ["", "X", "12,\"3"] {
            let row = row(schema, filler);
            for head in [
                row.clone(),
                format!("{row}\n"),
                format!("{row}\r\n{row}\r\n"),
                format!("\n\n{row}\n\n"),
                format!("{row}\n{}", &row[..row.len() / 2]),
                format!("{row}\nsome text\n{row}\n"),
            ] {
                assert_eq!(Schema::likely(head.as_bytes()), Some(schema), "{head:?}");
            }
        }
        let half = format!("{}\nsome text\n", row(schema, "X"));
        assert_eq!(Schema::likely(half.as_bytes()), None, "{half:?}");
        let header: Vec<&str> = schema.columns().iter().map(|column| column.name).collect();
        assert_eq!(Schema::likely(header.join("|").as_bytes()), None);
    }
    for head in ["", "\n", "\n\n\n", "|", "C00990012", "a,b,c\n1,2,3\n"] {
        assert_eq!(Schema::likely(head.as_bytes()), None, "{head:?}");
    }
}

#[test]
fn the_more_frequent_entity_tells_indiv_from_oth() {
    let [person, committee] = [Schema::Indiv, Schema::Oth].map(|schema| row(schema, "X"));
    let head = |rows: &[&String]| {
        rows.iter()
            .map(|row| format!("{row}\n"))
            .collect::<String>()
    };
    for (rows, expected) in [
        (vec![&person, &person, &committee], Schema::Indiv),
        (vec![&person, &committee, &committee], Schema::Oth),
        (vec![&committee, &person], Schema::Indiv),
    ] {
        assert_eq!(Schema::likely(head(&rows).as_bytes()), Some(expected));
    }
}
