"""Writes the vector files of this folder. Needs only Python 3.11 and the package `cryptography`, version 43 or later."""
