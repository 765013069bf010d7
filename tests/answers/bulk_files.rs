//! The FEC's bulk files of all ten schemas, plain and packed as the FEC packs them, against answers of Python.

use std::process::Command;

use serde_json::Value;

use crate::common::needs;
use crate::common::program::{Ended, fecscan, json_of, run};

/// A file, how it is read, and the answers to questions about it.
struct Case(Value);

impl Case {
    fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    /// Runs the program on the file.
    fn ask(&self, arguments: &[&str]) -> Ended {
        let options = self.0["options"].as_array().unwrap().iter();
        let options = options.map(|option| option.as_str().unwrap());
        let arguments = arguments.iter().copied().chain(options);
        let ended = run(fecscan(arguments).arg(self.text("path")));
        assert_eq!(ended.status, 0, "{}: {ended:?}", self.text("path"));
        ended
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let ended = self.ask(arguments);
        serde_json::from_str(&ended.out).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
    }

    /// Asks all questions.
    fn check(&self) {
        let (path, key) = (self.text("path"), self.text("key"));
        let rows = self.0["rows"].as_array().unwrap();
        let counted = self.json(&["count", "-f", "json"]);
        assert_eq!(counted["lines"], self.0["newlines"], "{path}");
        let condition = format!("{key} = '{}'", self.text("value").replace('\'', "''"));
        let matching = self.json(&["count", "-f", "json", "--where", &condition]);
        assert_eq!(matching["lines"], self.0["with_value"], "{path}");

        let mut question = vec!["by", key, "-f", "csv"];
        if let Some(amount) = self.0["amount"].as_str() {
            question.extend(["--sum", amount]);
        }
        let ended = self.ask(&question);
        let mut groups: Vec<_> = ended.out.lines().skip(1).collect();
        groups.sort_unstable();
        let expected = self.0["groups"].as_array().unwrap().iter();
        let expected: Vec<_> = expected.map(|group| group.as_str().unwrap()).collect();
        assert_eq!(groups, expected, "{path}");

        let exported = self.json(&["export", "-f", "json", "--types", "raw"]);
        assert_eq!(exported.as_array(), Some(rows), "{path}");
        let matching = self.json(&["export", "-f", "json", "--where", &condition]);
        let matching = matching.as_array().unwrap().len() as u64;
        assert_eq!(Some(matching), self.0["with_value"].as_u64(), "{path}");
        if !self.0["options"].to_string().contains("--slices") {
            self.check_info();
        }
    }

    fn check_info(&self) {
        let info = self.json(&["info", "-f", "json"]);
        let part = &info[0]["parts"][0];
        assert_eq!(part["schema"], self.0["schema"], "{info}");
        assert_eq!(part["row_columns"], self.0["width"], "{info}");
    }
}

#[test]
fn every_schema_is_read_in_every_packing() {
    if !needs::has("python3") {
        return;
    }
    for seed in 1..=3 {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("python3");
        command.arg("tests/bulk_files.py").arg(folder.path());
        let cases = json_of(command.arg(seed.to_string()));
        let cases = cases.as_array().unwrap();
        assert_eq!(cases.len(), 10 * 10, "schemas and packings");
        for case in cases {
            Case(case.clone()).check();
        }
    }
}
