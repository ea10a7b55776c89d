//! Holds layer frame names to `schema/fixtures/frame_names.txt`, which the server is held to as well.

use lamella_model::frame_name::{attribute_name, is_index, layer_frame_name};
use std::fs::read_to_string;

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/fixtures/frame_names.txt");

#[test]
fn every_line_of_the_fixture() {
    let text = read_to_string(FIXTURE).unwrap();
    let mut cases = 0;
    let mut wrong = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let [class_name, path, model_name, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("line {}: four fields separated by TAB, not {line:?}", index + 1);
        };
        let name = layer_frame_name(class_name, path, model_name);
        if name != expected {
            wrong.push(format!("line {}: {name:?} instead of {expected:?}", index + 1));
        }
        cases += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases > 30, "only {cases} cases in {FIXTURE}");
}

#[test]
fn an_index_has_no_leading_zero_and_at_most_15_digits() {
    for name in ["0", "7", "10", "127", "999999999999999"] {
        assert!(is_index(name), "{name:?}");
    }
    for name in ["", "00", "007", "-1", "+1", "1.", "1a", " 1", "1\n", "٣", "1000000000000000"] {
        assert!(!is_index(name), "{name:?}");
    }
}

#[test]
fn odd_paths_have_an_attribute_too() {
    for (path, attribute) in [("", ""), (".", ""), ("a..", ""), ("a..0", ".0"), ("..a", "a"), (".0", ".0"), ("0.1.2", "0.1.2"), ("é.ü.3", "ü.3")] {
        assert_eq!(attribute_name(path), attribute, "of {path:?}");
    }
    assert_eq!(layer_frame_name("Linear", "a.", "m"), "Linear");
}
