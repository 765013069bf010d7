//! Titles in words: `Money by month`, not `sum(TRANSACTION_AMT) by month(TRANSACTION_DT)`.

use crate::fec::schema::Schema;

/// Returns the name of an aggregate, or of the count, in words.
pub(super) fn measure(name: &str) -> String {
    let Some((function, of)) = call(name) else {
        return "Rows".to_owned();
    };
    let column = column(of.rsplit(':').next().unwrap_or(of));
    match function {
        "sum" if of == "TRANSACTION_AMT" => "Money".to_owned(),
        "sum" => format!("Sum of {column}"),
        "min" => format!("Least {column}"),
        "max" => format!("Greatest {column}"),
        "mean" => format!("Mean {column}"),
        "median" => format!("Median {column}"),
        "quantile" => {
            let share = of.split_once(':').map_or("", |(share, _)| share);
            format!("{share} quantile of {column}")
        }
        "distinct" => format!("Different values of {column}"),
        _ => name.to_owned(),
    }
}

pub(super) fn keys(names: &[String]) -> String {
    let mut words: Vec<_> = names.iter().map(|name| column(name)).collect();
    let last = words.pop().unwrap_or_default();
    if words.is_empty() {
        last
    } else {
        format!("{} and {last}", words.join(", "))
    }
}

/// Returns a column in words, or what a function makes of one.
fn column(name: &str) -> String {
    let Some((function, of)) = call(name) else {
        return alias(name);
    };
    match function {
        "day" | "week" | "month" | "quarter" | "year" | "weekday" => function.to_owned(),
        "zip5" | "zip3" => "zip code".to_owned(),
        "first_name" => "first name".to_owned(),
        "last_name" => "last name".to_owned(),
        "upper" | "lower" | "trim" => column(of),
        "prefix" => format!(
            "beginning of {}",
            column(of.split(',').next().unwrap_or(of))
        ),
        "len" => format!("length of {}", column(of)),
        "bin" => format!("range of {}", column(of.split(',').next().unwrap_or(of))),
        _ => name.to_owned(),
    }
}

fn call(name: &str) -> Option<(&str, &str)> {
    name.strip_suffix(')')?.split_once('(')
}

/// Returns the short name of a column, which is a word.
fn alias(name: &str) -> String {
    let plain = name.rsplit('.').next().unwrap_or(name);
    let mut columns = Schema::ALL.into_iter().flat_map(Schema::columns);
    let column = columns.find(|column| column.name == plain);
    column.map_or(name, |column| column.alias).replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        for (name, words) in [
            ("count", "Rows"),
            ("sum(TRANSACTION_AMT)", "Money"),
            ("sum(len(NAME))", "Sum of length of name"),
            ("max(TRANSACTION_DT)", "Greatest date"),
            ("quantile(0.9:TRANSACTION_AMT)", "0.9 quantile of amount"),
            (
                "distinct(upper(trim(EMPLOYER)))",
                "Different values of employer",
            ),
        ] {
            assert_eq!(measure(name), words);
        }
        let names =
            |names: &[&str]| keys(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["month(TRANSACTION_DT)"]), "month");
        assert_eq!(
            names(&["STATE", "zip5(ZIP_CODE)", "#22"]),
            "state, zip code and #22"
        );
    }
}
