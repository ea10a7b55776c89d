//! What names and hashes a model: the names of its layer frames, the canonical text of its shape, `shape_id` and `model_key`.
//!
//! `docs/shape-format.md` specifies every byte; `schema/fixtures` holds this crate, the Python reader and the server to it.
//! Invariant: no input panics, and nothing recurses: what comes from a living process may be deep, cyclic or wrong.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

pub mod canonical;
pub mod content_hash;
pub mod frame_name;
pub mod shape;
