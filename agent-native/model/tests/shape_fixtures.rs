//! Holds canonical texts and hashes to `schema/fixtures/shapes`, which TypeScript and Python read as well.

use lamella_model::canonical::{module_hashes, module_text, shape_id, shape_text};
use lamella_model::shape::{Alias, Child, Module, Role, Shape, Tensor};
use serde_json::Value;
use std::fs::{read_dir, read_to_string};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/fixtures/shapes");

/// (file name, content) of every fixture.
fn fixtures() -> Vec<(String, Value)> {
    let mut paths: Vec<_> = read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths
        .iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), serde_json::from_str(&read_to_string(path).unwrap()).unwrap()))
        .collect()
}

fn rows<T>(value: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().unwrap().iter().map(read).collect()
}

fn string(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn row(value: &Value) -> usize {
    value.as_u64().unwrap().try_into().unwrap()
}

fn tensor(value: &Value) -> Tensor {
    Tensor {
        name: string(&value["name"]),
        role: match value["role"].as_str().unwrap() {
            "p" => Role::Parameter,
            "b" => Role::Buffer,
            "q" => Role::QuantState,
            other => panic!("role {other:?}"),
        },
        dtype: string(&value["dtype"]),
        dims: rows(&value["dims"], |size| size.as_u64().unwrap()),
        packed_bits: value["packedBits"].as_u64().unwrap().try_into().unwrap(),
        logical_numel: value["logicalNumel"].as_u64().unwrap(),
    }
}

fn module(value: &Value) -> Module {
    Module {
        class_name: string(&value["className"]),
        tensors: rows(&value["tensors"], tensor),
        children: rows(&value["children"], |child| Child { name: string(&child["name"]), module: row(&child["module"]) }),
    }
}

fn shape(fixture: &Value) -> Shape {
    Shape {
        modules: rows(&fixture["modules"], module),
        root: row(&fixture["root"]),
        aliases: rows(&fixture["aliases"], |alias| Alias { path: string(&alias["path"]), target: string(&alias["target"]) }),
    }
}

#[test]
fn there_are_some() {
    assert!(fixtures().len() > 10, "only {} fixtures in {FOLDER}", fixtures().len());
}

#[test]
fn texts_of_shape_and_modules() {
    for (file, fixture) in fixtures() {
        let shape = shape(&fixture);
        let hashes = module_hashes(&shape.modules).unwrap();
        let mut texts = vec![shape_text(&shape).unwrap()];
        texts.extend(shape.modules.iter().enumerate().map(|(row, module)| module_text(module, &hashes[..row]).unwrap()));
        assert_eq!(texts, rows(&fixture["text"], string), "{file}");
    }
}

#[test]
fn module_hashes_and_shape_id() {
    for (file, fixture) in fixtures() {
        let shape = shape(&fixture);
        let hashes: Vec<_> = module_hashes(&shape.modules).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(hashes, rows(&fixture["moduleHashes"], string), "{file}");
        assert_eq!(shape_id(&shape).unwrap().to_string(), string(&fixture["shapeId"]), "{file}");
    }
}

#[test]
fn the_order_of_aliases_is_not_in_the_shape_id() {
    for (file, fixture) in fixtures() {
        let mut shape = shape(&fixture);
        shape.aliases.reverse();
        assert_eq!(shape_id(&shape).unwrap().to_string(), string(&fixture["shapeId"]), "{file}");
    }
}
