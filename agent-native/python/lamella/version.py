"""The version of this package, as uploads and recordings carry it."""
VERSION = "0.1.0"
AGENT_VERSION = "lamella-python " + VERSION
