use super::*;
use crate::fec::origin::Origin;

/// A pipe that has become a carriage return since the search: the last column would end before it
/// begins.
#[test]
fn a_changed_byte_does_not_turn_a_column_round() {
    let input = Origin::default();
    let row = Row {
        input: &input,
        bytes: b"|\r\n",
        ends: &[u32::MAX, 0, 1, 2],
        places: &[0, 1, 2],
        are_all: true,
        offset: 0,
        nth: 0,
        numbers: None,
        lines_before: 0,
    };
    for nth in 0..3 {
        assert_eq!(&*row.cell(nth), b"");
        assert_eq!(row.cell(nth).hundredths(), None);
    }
    row.each_cell(|cell| assert!(cell.is_empty() && cell.first().is_none()));
    assert_eq!(row.column(2), None);
}
