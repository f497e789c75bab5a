"""The kinds of rows. Every module here is read, so a new kind is a function in one of them, or a new module."""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
