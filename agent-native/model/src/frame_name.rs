//! Names of Model Layer frames: the one seam between shapes and stacks. `schema/fixtures/frame_names.txt` holds every maker of such names to it.
//!
//! `<Class> <attribute>`; a child of an indexed container carries the container's name (`Qwen3DecoderLayer layers.17`); the root is the model.

/// What a model is called when nothing is known of it.
pub const UNNAMED: &str = "unnamed";

/// The frame name of one module.
///
/// * `class_name`: without its Python module, `Qwen3Attention`; `""` when unknown.
/// * `path`: dotted from the root, `model.layers.17.self_attn`; `""` is the root.
/// * `model_name`: what people see, `Qwen/Qwen3-32B`; `""` when unknown.
pub fn layer_frame_name(class_name: &str, path: &str, model_name: &str) -> String {
    if path.is_empty() {
        let known = [model_name, class_name].into_iter().find(|name| !name.is_empty());
        return known.unwrap_or(UNNAMED).to_owned();
    }
    let attribute = attribute_name(path);
    match (class_name, attribute) {
        ("", only) | (only, "") => only.to_owned(),
        _ => format!("{class_name} {attribute}"),
    }
}

/// The attribute a module is held by, with the containers in front while it is an index: `self_attn`, `layers.17`, `h.0.1`.
pub fn attribute_name(path: &str) -> &str {
    let mut attribute = path; // from the last step so far that is no index
    let mut rest = path;
    while let Some((_, after)) = rest.split_once('.') {
        let step = after.split_once('.').map_or(after, |(step, _)| step);
        if !is_index(step) {
            attribute = after;
        }
        rest = after;
    }
    attribute
}

/// Whether containers give this name by position: at most 15 decimal digits, no leading zero.
pub fn is_index(name: &str) -> bool {
    name == "0" || (name.len() <= 15 && !name.starts_with('0') && !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()))
}
