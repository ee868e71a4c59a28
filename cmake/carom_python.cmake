# The Python package: sets CAROM_HAS_PYTHON_PACKAGE.
