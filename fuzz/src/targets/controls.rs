//! Planted defects. If the fuzzer does not find them, it does not find others either.

use crate::Target;
use crate::input::texts;

/// Only feedback from coverage finds the magic word in seconds: a guess takes 2^32 attempts.
pub const PANIC: Target = Target {
    name: "control-panic",
    seeds: || texts(&["nothing"]),
    check: |data| {
        // Each comparison is a branch of its own, so that each right byte is new coverage.
        let mut bytes = data.iter();
        let is_found = bytes.next() == Some(&b'F')
            && bytes.next() == Some(&b'U')
            && bytes.next() == Some(&b'Z')
            && bytes.next() == Some(&b'Z');
        assert!(!is_found, "the planted defect");
    },
};

/// Exceeds the CPU time.
pub const SLOW: Target = Target {
    name: "control-slow",
    seeds: || texts(&["slo"]),
    check: |data| {
        if data.starts_with(b"slow") {
            let start = crate::cpu_time();
            while crate::cpu_time() - start < crate::CPU_TIME_MAX * 2 {
                std::hint::spin_loop();
            }
        }
    },
};

/// Exceeds the memory limit that `cargo xtask fuzz` sets, until libFuzzer has checked it.
pub const MEMORY: Target = Target {
    name: "control-memory",
    seeds: || texts(&["memor"]),
    check: |data| {
        if data.starts_with(b"memory") {
            let memory = vec![1u8; 1 << 30];
            std::thread::sleep(std::time::Duration::from_secs(3));
            std::hint::black_box(memory);
        }
    },
};
