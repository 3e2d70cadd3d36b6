//! The fuzzer: libFuzzer with one of the targets.
//!
//! `PLINTH_FUZZ_TARGET` names the target, and `PLINTH_FUZZ_SEEDS` a directory into which its seeds are written first, because
//! libFuzzer reads them from files. The arguments are those of libFuzzer.

#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use plinth_fuzz::Target;

static TARGET: OnceLock<&Target> = OnceLock::new();

fn target() -> &'static Target {
    TARGET.get_or_init(|| {
        let name = std::env::var("PLINTH_FUZZ_TARGET").expect("PLINTH_FUZZ_TARGET names a target");
        plinth_fuzz::find(&name).expect("PLINTH_FUZZ_TARGET names a target")
    })
}

fn write_seeds() {
    let Some(directory) = std::env::var_os("PLINTH_FUZZ_SEEDS").map(PathBuf::from) else { return };
    for (index, seed) in (target().seeds)().into_iter().enumerate() {
        std::fs::write(directory.join(format!("seed-{index:03}")), seed).expect("the seeds can be written");
    }
}

libfuzzer_sys::fuzz_target!(init: write_seeds(), |data: &[u8]| target().run(data));
