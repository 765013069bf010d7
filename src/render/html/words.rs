//! Titles in words: `Money by month`, not `sum(amount) by date_trunc('month', date)`.

use crate::fec::schema::Schema;

/// Returns the name of an aggregate, or of the count, in words.
pub(super) fn measure(name: &str) -> String {
    if name == "count" {
        return "Rows".to_owned();
    }
    let Some((function, of)) = call(name) else {
        return name.to_owned();
    };
    let distinct = of
        .get(..9)
        .filter(|word| word.eq_ignore_ascii_case("distinct "));
    let column = column(distinct.map_or(of, |word| &of[word.len()..]));
    match &*function.to_lowercase() {
        "sum" if column == "amount" => "Money".to_owned(),
        "sum" => format!("Sum of {column}"),
        "min" => format!("Least {column}"),
        "max" => format!("Greatest {column}"),
        "avg" => format!("Mean {column}"),
        "median" => format!("Median {column}"),
        "count" if distinct.is_some() => format!("Different values of {column}"),
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
    match &*function.to_lowercase() {
        function @ ("year" | "quarter" | "month" | "week" | "day") => function.to_owned(),
        "dayname" | "dayofweek" | "isodow" => "weekday".to_owned(),
        "monthname" => "month".to_owned(),
        "date_trunc" => {
            let unit = of.split(',').next().unwrap_or(of);
            unit.trim_matches('\'').to_lowercase()
        }
        "strftime" if of.ends_with("'%Y-%m'") => "month".to_owned(),
        "strftime" if of.ends_with("'%Y'") => "year".to_owned(),
        "zip5" | "zip3" => "zip code".to_owned(),
        "first_name" => "first name".to_owned(),
        "last_name" => "last name".to_owned(),
        "upper" | "lower" | "trim" => column(of),
        "left" => format!(
            "beginning of {}",
            column(of.split(',').next().unwrap_or(of))
        ),
        "length" => format!("length of {}", column(of)),
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
    let column = columns.find(|column| column.name.eq_ignore_ascii_case(plain));
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
            ("sum(amount)", "Money"),
            ("sum(length(NAME))", "Sum of length of name"),
            ("max(TRANSACTION_DT)", "Greatest date"),
            (
                "count(DISTINCT upper(trim(EMPLOYER)))",
                "Different values of employer",
            ),
            ("share", "share"),
        ] {
            assert_eq!(measure(name), words);
        }
        let names =
            |names: &[&str]| keys(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["date_trunc('month', date)"]), "month");
        assert_eq!(
            names(&["STATE", "zip5(ZIP_CODE)", "#22"]),
            "state, zip code and #22"
        );
    }
}
