//! Faults that the system or other processes cause: the answer is right, or there is one message
//! and exit status 2.

mod changing_files;
mod export;
mod limits;
mod mapped;
mod openings;
mod outputs;
mod signals;
mod system;
mod waiting;
