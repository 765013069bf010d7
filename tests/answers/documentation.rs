//! What the README shows is what the program prints.

mod common;

use common::program::run_with;

#[test]
fn the_report_that_the_readme_shows_is_what_the_program_prints() {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let ended = run_with("fixtures/indiv18.zip");
    let shown = format!(
        "$ cargo run --release -- fixtures/indiv18.zip\n{}{}```\n",
        ended.err, ended.out
    );
    assert!(
        readme.contains(&shown),
        "the README should contain:\n{shown}"
    );
}

#[test]
fn the_test_command_of_the_readme_is_what_ci_runs() {
    let command = "cargo test";
    assert!(
        std::fs::read_to_string("README.md")
            .unwrap()
            .contains(&format!("\n{command} "))
    );
    assert!(
        std::fs::read_to_string(".ci/run")
            .unwrap()
            .contains(&format!("step {command} "))
    );
}

#[test]
fn the_commands_of_the_readme_are_commands() {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let uses = readme
        .lines()
        .filter_map(|line| line.strip_prefix("fecscan ")?.split_once(" #"));
    let mut tried = 0;
    for (arguments, _) in uses {
        let directory = tempfile::tempdir().unwrap();
        let plain = directory.path().join("itcont.txt");
        std::fs::copy("fixtures/plain.txt", &plain).unwrap();
        let archive = directory.path().join("indiv18.zip");
        std::fs::copy("fixtures/indiv18.zip", &archive).unwrap();
        let arguments = arguments
            .replace("18245416", "100")
            .replace('\'', "")
            .replace("*.txt", "itcont.txt");
        let mut command = common::program::fecscan(arguments.split_whitespace());
        let ended = common::program::run(command.current_dir(&directory));
        let said = ended.err.lines().find(|line| !line.contains(": note: "));
        assert_eq!((ended.status, said), (0, None), "{arguments}");
        tried += 1;
    }
    assert!(tried >= 8, "{tried} commands tried");
}
