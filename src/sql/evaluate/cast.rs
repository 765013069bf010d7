//! Casts vectors of values to another type.

use crate::scan::ROWS;
use crate::sql::evaluate::{Chosen, Fault, numbers_of};
use crate::sql::expression::OnFailure;
use crate::sql::types::{Type, WIDTH_MAX};
use crate::sql::value::{double_of, in_range, rescaled};
use crate::sql::vector::{Data, Mask, Values, each};

/// Casts values of one type to another.
pub(super) fn cast<'b>(
    values: Values<'b>,
    from: Type,
    to: Type,
    on_failure: OnFailure,
    active: Mask,
) -> Result<Values<'b>, Fault> {
    match (&values.data, from, to) {
        _ if from == to => return Ok(values),
        (_, Type::Null, _) => {
            let mut chosen = Chosen::new(to);
            chosen.values.valid = 0;
            return Ok(chosen.values);
        }
        // Whole numbers that become wider, and decimals with more digits, nearly always fit.
        (Data::Whole(numbers), Type::Integer, Type::BigInt) => {
            let data = Data::Whole(*numbers);
            return Ok(Values { data, ..values });
        }
        (Data::Whole(_) | Data::Wide(_), from, Type::Double) if from != Type::Date => {
            let scale = from.scale().unwrap_or(WIDTH_MAX);
            let mut numbers = [0.0; ROWS];
            each(values.valid & active, |row| {
                numbers[row] = double_of(values.wide(row), scale);
            });
            return Ok(Values {
                valid: values.valid,
                data: Data::Double(numbers),
            });
        }
        (Data::Whole(_) | Data::Wide(_), from, to)
            if from != Type::Date && to.scale().is_some() =>
        {
            let scales = from.scale().zip(to.scale());
            let (from, into) = scales.expect("both are exact numbers");
            let (mut numbers, mut valid, mut fault) = ([0; ROWS], values.valid, None);
            each(values.valid & active, |row| {
                let number = rescaled(values.wide(row), from, into);
                match number.and_then(|number| in_range(number, to)) {
                    Some(number) => numbers[row] = number,
                    None if on_failure == OnFailure::Null => valid &= !(1 << row),
                    None => fault = Some(Fault::OutOfRange(to)),
                }
            });
            let data = numbers_of(numbers, to);
            return fault.map_or(Ok(Values { valid, data }), Err);
        }
        _ => {}
    }
    let (mut chosen, mut fault) = (Chosen::new(to), None);
    each(values.valid & active, |row| {
        let value = values.get(row, from);
        match value.cast(to) {
            Ok(value) => chosen.choose(&Values::same(&value, ROWS), 1 << row),
            Err(_) if on_failure == OnFailure::Null => {}
            Err(_) => fault = Some(Fault::NoCast(value, to)),
        }
    });
    fault.map_or(Ok(chosen.values), Err)
}
