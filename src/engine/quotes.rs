//! Quotes of CSV, which must end. The reader of CSV takes all that follows an open one for its field.

use memchr::memchr;

/// Checks that a quote at the beginning of a field of CSV has an end, and that the field ends there. Otherwise later rows may be lost
/// inside of the quotes.
///
/// # Errors
/// The place of the first such quote, and what is wrong with it.
pub(super) fn check_quotes(text: &[u8], delimiter: u8) -> Result<(), (usize, &'static str)> {
    let mut from = 0;
    while let Some(found) = memchr(b'"', &text[from..]) {
        let quote = from + found;
        from = quote + 1;
        let ends_field = |byte: &u8| *byte == delimiter || matches!(byte, b'\r' | b'\n');
        if !text[..quote].last().is_none_or(ends_field) {
            continue;
        }
        loop {
            let end = memchr(b'"', &text[from..]).ok_or((quote, "that never ends"))?;
            from += end + 1;
            if text.get(from) != Some(&b'"') {
                break;
            }
            from += 1;
        }
        let mut after = text[from..].iter().skip_while(|byte| **byte == b' ');
        if !after.next().is_none_or(ends_field) {
            return Err((quote, "that ends before its field does"));
        }
    }
    Ok(())
}
