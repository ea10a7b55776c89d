"""Lamella inside a Python process: reads the structure of PyTorch models (walk) and records runs of them (record).

Importing this package imports nothing but the standard library; torch is looked up only where a model is read.
"""
from .version import VERSION as __version__

__all__ = ["__version__"]
