//! Files are opened once, whatever is asked: a rename between two openings would give an answer about two files.

use std::fs;
use std::process::{Command, Stdio};

use crate::common::needs;
use crate::common::program::run;

#[test]
fn each_file_is_opened_once() {
    if !needs::has("strace") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::copy("fixtures/generated.txt", path.join("itcont.txt")).unwrap();
    fs::write(path.join("other.csv"), "k;v\na;1\nb;2\na;x\n").unwrap();
    fs::write(path.join("plain.csv"), "a;1\nb;2\na;x\n").unwrap();
    for asked in [
        "--strict --range 5000: itcont.txt",
        "--strict --force --range 5000:9000 itcont.txt",
        "--rejects odd.csv --range 5000: itcont.txt",
        "--strict --where STATE='CA' --range 5000: itcont.txt",
        "--where STATE='CA' itcont.txt",
        "count --where amount>5 --range 5000: itcont.txt",
        "by STATE --sum amount itcont.txt",
        "export --columns NAME --sample 5 -f csv itcont.txt",
        "count --header --delimiter ; other.csv",
        "count --header --delimiter ; --where v>'1' other.csv",
        "count --header --delimiter ; --where v='b' other.csv",
        "count --delimiter ; --where #2='1' plain.csv",
        "by k --sum v --header --types v=number --delimiter ; other.csv",
        "by #1 --where #2>'0' --delimiter ; plain.csv",
        "export --header --delimiter ; --where v>'1' -f csv other.csv",
        "by STATE --partial p itcont.txt",
    ] {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "trace", "-e", "signal=none"]);
        command.args(["-e", "trace=open,openat,openat2"]);
        command.arg(env!("CARGO_BIN_EXE_fecscan"));
        command.args(asked.split(' ')).current_dir(path);
        let ended = run(command.stdin(Stdio::null()));
        assert!(ended.status < 2, "{asked}: {}", ended.err);
        let name = asked.split(' ').next_back().unwrap();
        let trace = fs::read_to_string(path.join("trace")).unwrap();
        let openings = trace
            .lines()
            .filter(|line| line.contains(&format!("\"{name}\"")));
        assert_eq!(openings.count(), 1, "{asked}: {trace}");
    }
}
