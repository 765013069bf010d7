#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fecscan_fuzz::rows::compare(data));
