//! What the shared fixtures do not show: refusals, depth, and the model key. Expected hashes were computed by another SHA-256.

use lamella_model::canonical::{ModelKeyFields, escape, model_key, module_hashes, shape_id};
use lamella_model::shape::{Child, Module, Shape, ShapeError};
use std::collections::HashSet;

fn link(class_name: &str, child: Option<usize>) -> Module {
    let children = child.into_iter().map(|module| Child { name: "next".to_owned(), module }).collect();
    Module { class_name: class_name.to_owned(), tensors: vec![], children }
}

#[test]
fn five_characters_are_escaped_and_no_other() {
    assert_eq!(escape("%\t\n\r\0"), "%25%09%0A%0D%00");
    assert_eq!(escape("100%25 é\u{7f}\u{b}\\"), "100%2525 é\u{7f}\u{b}\\");
    assert_eq!(escape(""), "");
}

#[test]
fn a_chain_of_100_000_modules() {
    let modules: Vec<_> = (0..100_000).map(|row| if row == 0 { link("Leaf", None) } else { link("Link", Some(row - 1)) }).collect();
    let shape = Shape { root: modules.len() - 1, modules, aliases: vec![] };
    assert_eq!(shape_id(&shape).unwrap().to_string(), "1a822b02e383cad51e74e5d07d059a9c5208b24d985197e70073be8e4fe95d0b");
}

#[test]
fn a_child_that_does_not_come_before_its_parent_is_refused_by_row_and_name() {
    for (what, row) in [("itself", 1), ("a later row", 2), ("no row", usize::MAX)] {
        let refused = module_hashes(&[link("Leaf", None), link("Link", Some(row)), link("Leaf", None)]).unwrap_err();
        assert_eq!(refused, ShapeError::ChildNotBefore { row: 1, child: Child { name: "next".to_owned(), module: row } }, "{what}");
        let message = format!("modules: row 1, child \"next\" is row {row}: it must come before its parent, so its row must be below 1");
        assert_eq!(refused.to_string(), message, "{what}");
    }
}

#[test]
fn a_root_that_does_not_exist_is_refused() {
    for modules in [vec![], vec![link("Leaf", None)]] {
        let root = modules.len();
        let message = format!("root is row {root}, but the shape has {root} modules, counted from row 0");
        assert_eq!(shape_id(&Shape { modules, root, aliases: vec![] }).unwrap_err().to_string(), message);
    }
}

const QWEN3: ModelKeyFields<'_> = ModelKeyFields {
    root_class: "Qwen3ForCausalLM",
    architecture: "Qwen3ForCausalLM",
    config_digest: "",
    quantisation: "fp8",
    name: "Qwen/Qwen3-32B",
    pp_size: 1,
};

#[test]
fn the_model_key_is_the_first_half_of_the_hash_of_its_lines() {
    assert_eq!(model_key(&QWEN3), "9044e4b0deb76fe0ea07e38cdaa6cbed");
    let digest = "ab".repeat(32);
    let fields = ModelKeyFields { root_class: "A", architecture: "B", config_digest: &digest, quantisation: "", name: "team\ta", pp_size: 2 };
    assert_eq!(model_key(&fields), "74ade73b5f67b0dc4a0ad2816d203c92");
}

#[test]
fn every_field_tells_models_apart_and_none_runs_into_the_next() {
    let digest = "ab".repeat(32);
    let variants = [
        QWEN3,
        ModelKeyFields { root_class: "Qwen3Model", ..QWEN3 },
        ModelKeyFields { architecture: "", ..QWEN3 },
        ModelKeyFields { config_digest: &digest, ..QWEN3 },
        ModelKeyFields { quantisation: "", ..QWEN3 },
        ModelKeyFields { name: "qwen3-prod", ..QWEN3 },
        ModelKeyFields { pp_size: 2, ..QWEN3 },
        ModelKeyFields { root_class: "Qwen3ForCausalLM\nQwen3ForCausalLM", architecture: "", ..QWEN3 },
    ];
    assert_eq!(variants.iter().map(model_key).collect::<HashSet<_>>().len(), variants.len());
}
