"""Streams in files."""

from askos.io.nquads import read_nquads, write_nquads

__all__ = ["read_nquads", "write_nquads"]
