"""askos: continuous SPARQL over RDF streams."""

__version__ = "0.1.0"
