//! Every program of `examples/` runs to its end.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::expect_used,
    clippy::print_stdout
)]

/// A test for each example, which is compiled as a module.
macro_rules! examples {
    ($($name:ident = $path:literal),* $(,)?) => {$(
        #[path = $path]
        mod $name;
    )*

        $(#[test]
        fn $name() {
            $name::main().expect("the example runs");
        })*
    };
}

examples!(
    curtain = "../examples/curtain.rs",
    hair = "../examples/hair.rs",
    hello = "../examples/hello.rs",
    live = "../examples/live.rs",
    look = "../examples/look.rs",
    methods = "../examples/methods.rs",
    record = "../examples/record.rs",
    undo = "../examples/undo.rs",
);

#[test]
fn every_example_has_its_test() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let own = include_str!("examples.rs");
    for file in std::fs::read_dir(folder).expect("the folder is there") {
        let name = file.expect("it can be read").file_name();
        let name = name.to_string_lossy();
        assert!(own.contains(&format!("../examples/{name}")), "{name}");
    }
}
