"""torch, where the process has imported it, and its own way to what a tensor is: past whatever a subclass defines in its place."""
import sys
from typing import Any


class NoTorch(Exception):
    """This process has not imported torch, and a reader does not import it for the process."""


def loaded_torch() -> Any:
    torch = sys.modules.get("torch")
    if torch is None or getattr(torch, "nn", None) is None:
        raise NoTorch("this process has not imported torch: there is no model to read")
    return torch


def tensor_base(torch: Any) -> type:
    """The class in C that every tensor is; under its second name up to PyTorch 1.x."""
    return getattr(torch._C, "TensorBase", None) or torch._C._TensorBase


def no_dispatch(torch: Any) -> Any:
    """A context in which subclasses of tensors are not asked (__torch_function__); under its second name up to PyTorch 1.13."""
    return (getattr(torch._C, "DisableTorchFunctionSubclass", None) or torch._C.DisableTorchFunction)()


class _Nowhere:
    _cdata = 0


def storage_of(torch: Any) -> Any:
    """Reads the storage of a tensor, whose `_cdata` is its address; PyTorch 1.x has no way to it, and shows none."""
    return getattr(tensor_base(torch), "untyped_storage", lambda tensor: _Nowhere)
