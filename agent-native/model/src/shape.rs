//! The structure of a model as a DAG of modules in which equal structure may be one row: 64 equal layers are one `Module`.
//!
//! Invariant of a valid shape: the children of a row have smaller row numbers than the row itself, so there is no cycle.

use std::error::Error;
use std::fmt;

/// What a tensor is to its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Trained, and counted.
    Parameter,
    /// Held beside the parameters: running means, caches.
    Buffer,
    /// Scales, zero points and orders of packed weights.
    QuantState,
}

/// One tensor as one module holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Its attribute in the module.
    pub name: String,
    /// What it is to the module.
    pub role: Role,
    /// torch's name without `torch.`: `bfloat16`.
    pub dtype: String,
    /// Logical sizes; empty for a scalar.
    pub dims: Vec<u64>,
    /// Width of one logical element in bits when several share one stored word, else 0.
    pub packed_bits: u32,
    /// Number of logical elements when packed, else 0.
    pub logical_numel: u64,
}

/// A named child of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Child {
    /// Its attribute in the parent.
    pub name: String,
    /// Its row in the shape.
    pub module: usize,
}

/// One distinct structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Qualified name of the type without its Python module: `Qwen3DecoderLayer`.
    pub class_name: String,
    /// Its own tensors in registration order, parameters before buffers.
    pub tensors: Vec<Tensor>,
    /// In registration order.
    pub children: Vec<Child>,
}

/// The module or tensor at `path` shares the tensors at `target`; both are dotted from the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// Where it is met again: `lm_head.weight`.
    pub path: String,
    /// The first of its places in pre-order: `model.embed_tokens.weight`.
    pub target: String,
}

/// A whole model, or the piece of it that one pipeline stage holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Rows, children before parents.
    pub modules: Vec<Module>,
    /// Row of the root.
    pub root: usize,
    /// In any order.
    pub aliases: Vec<Alias>,
}

/// Why a shape has no canonical text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShapeError {
    /// A child's row is not smaller than that of its parent.
    ChildNotBefore {
        /// Row of the parent.
        row: usize,
        /// The child.
        child: Child,
    },
    /// The root's row does not exist.
    RootAbsent {
        /// The row asked for.
        root: usize,
        /// Number of rows.
        modules: usize,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChildNotBefore { row, child: Child { name, module } } => {
                write!(f, "modules: row {row}, child {name:?} is row {module}: it must come before its parent, so its row must be below {row}")
            }
            Self::RootAbsent { root, modules } => write!(f, "root is row {root}, but the shape has {modules} modules, counted from row 0"),
        }
    }
}

impl Error for ShapeError {}
