//! The program's answers against independent ones: a slow twin, an oracle, `wc -l`, the
//! documentation.

mod arbitrary_bytes;
mod by;
mod by_limits;
mod chunks;
mod closures;
mod columns;
mod count;
mod dialect;
mod diff;
mod documentation;
mod early_end;
mod export;
mod export_joins;
mod failing_folds;
mod filter;
mod filter_names;
mod filter_words;
mod joined_files;
mod joins;
mod oracle;
mod queries;
mod rejects;
mod report;
mod schemas;
mod strict;
