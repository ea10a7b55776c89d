//! The canonical text of modules and shapes, and the hashes that name them (`docs/shape-format.md`).
//!
//! Invariant: equal structure ⇔ equal text, whatever the order of rows and aliases.

use crate::content_hash::ContentHash;
use crate::shape::{Alias, Child, Module, Role, Shape, ShapeError, Tensor};
use std::borrow::Cow;

/// A field as it stands in a text: `%`, TAB, LF, CR and NUL become `%` and two upper-case hex digits, nothing else changes.
pub fn escape(field: &str) -> Cow<'_, str> {
    if !field.contains(['%', '\t', '\n', '\r', '\0']) {
        return Cow::Borrowed(field);
    }
    let mut text = String::with_capacity(field.len() + 8);
    for character in field.chars() {
        match character {
            '%' => text.push_str("%25"),
            '\t' => text.push_str("%09"),
            '\n' => text.push_str("%0A"),
            '\r' => text.push_str("%0D"),
            '\0' => text.push_str("%00"),
            other => text.push(other),
        }
    }
    Cow::Owned(text)
}

/// The text of one module. `hashes` are those of all rows before it, so their number is its own row.
pub fn module_text(module: &Module, hashes: &[ContentHash]) -> Result<String, ShapeError> {
    let mut text = format!("m\t{}\n", escape(&module.class_name));
    for Tensor { name, role, dtype, dims, packed_bits, logical_numel } in &module.tensors {
        let dims = dims.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let [name, dtype, role] = [&escape(name), &escape(dtype), role_letter(*role)];
        text += &format!("t\t{name}\t{role}\t{dtype}\t{dims}\t{packed_bits}\t{logical_numel}\n");
    }
    for child in &module.children {
        let Child { name, module: row } = child;
        let Some(hash) = hashes.get(*row) else {
            return Err(ShapeError::ChildNotBefore { row: hashes.len(), child: child.clone() });
        };
        text += &format!("c\t{}\t{hash}\n", escape(name));
    }
    Ok(text)
}

fn role_letter(role: Role) -> &'static str {
    match role {
        Role::Parameter => "p",
        Role::Buffer => "b",
        Role::QuantState => "q",
    }
}

/// One hash per row. It holds no path: equal layers have one hash.
pub fn module_hashes(modules: &[Module]) -> Result<Vec<ContentHash>, ShapeError> {
    let mut hashes = Vec::with_capacity(modules.len());
    for module in modules {
        let text = module_text(module, &hashes)?;
        hashes.push(ContentHash::of(&text));
    }
    Ok(hashes)
}

/// The text of a whole model, or of one pipeline stage's piece.
pub fn shape_text(shape: &Shape) -> Result<String, ShapeError> {
    let Shape { modules, root, aliases } = shape;
    let hashes = module_hashes(modules)?;
    let root_hash = hashes.get(*root).ok_or(ShapeError::RootAbsent { root: *root, modules: modules.len() })?;
    let mut text = format!("lamella-shape\t1\nroot\t{root_hash}\n");
    let mut sorted: Vec<&Alias> = aliases.iter().collect();
    sorted.sort_by_key(|alias| alias.path.as_str()); // `str` compares its UTF-8 bytes, before escaping, as the format asks
    for Alias { path, target } in sorted {
        text += &format!("a\t{}\t{}\n", escape(path), escape(target));
    }
    Ok(text)
}

/// The identity of a shape; of one pipeline stage's piece, the `part_hash`.
pub fn shape_id(shape: &Shape) -> Result<ContentHash, ShapeError> {
    Ok(ContentHash::of(&shape_text(shape)?))
}

/// What one process knows of its model before anything is merged; `""` is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelKeyFields<'a> {
    /// Class of the root module.
    pub root_class: &'a str,
    /// `Qwen3ForCausalLM`.
    pub architecture: &'a str,
    /// SHA-256 of the configuration, 64 lower-case hex digits.
    pub config_digest: &'a str,
    /// `quant_method` of the configuration.
    pub quantisation: &'a str,
    /// Served name, else `name_or_path`.
    pub name: &'a str,
    /// Number of pipeline stages; 1 for a model in one piece.
    pub pp_size: u32,
}

/// 32 lower-case hex digits: what layer frames, sightings and shape parts of one model have in common.
pub fn model_key(fields: &ModelKeyFields<'_>) -> String {
    let ModelKeyFields { root_class, architecture, config_digest, quantisation, name, pp_size } = *fields;
    let [root_class, architecture, config_digest, quantisation, name] = [root_class, architecture, config_digest, quantisation, name].map(escape);
    let text = format!("lamella-model\t1\n{root_class}\n{architecture}\n{config_digest}\n{quantisation}\n{name}\n{pp_size}\n");
    ContentHash::of(&text).to_string().chars().take(32).collect()
}
