"""Streams made up for examples, tests and measurements."""
