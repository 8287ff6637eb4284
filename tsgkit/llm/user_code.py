"""User code named on the command line: ``python:MODULE:NAME`` is the object, ``NAME()`` its return value.

>>> load_object("python:math:sqrt")(9.0), load_object("python:collections:OrderedDict()")
(3.0, OrderedDict())
>>> load_object("python:math:squirt")
Traceback (most recent call last):
tsgkit.errors.UsageError: python:math:squirt: math has no squirt

A module is installed, or a file (``python:./mine.py:NAME``); no code is loaded because of where it is. A factory is
called once per process. An object of a running program gets its name by :func:`registered_name`.
"""

from __future__ import annotations

import asyncio
import dis
import importlib
import importlib.util
import inspect
import itertools
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar
from functools import cache, partial
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any

from tsgkit.errors import OwnCodeError, UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.secrets import Secrets

PREFIX = "python:"
"""The prefix of names of user code."""
FORM = "python:MODULE:NAME, or python:MODULE:NAME() for what NAME returns; a file is named python:./mine.py:NAME"
OWN_MODULE = "tsgkit_own_"
"""The beginning of names of modules that were loaded from files."""
OWN = "this process"
"""The place where user code answers, told where a service has its address."""
REGISTERED: dict[str, Any] = {}
"""The objects of running programs by the names that were made for them, here or where a worker was started."""
LOADED_FILES: dict[str, None] = {}
"""The names of the files that were loaded for the parts that they register."""
LOADING: ContextVar[str] = ContextVar("LOADING", default="")
"""The name of the file that is being loaded for the parts that it registers; empty if none is."""


def registered_name(code: Any, name: str = "") -> str:  # noqa: ANN401
    """Return the name under which an object of this process is registered: the given one, else its own."""
    kind = code if hasattr(code, "__qualname__") else type(code)
    full_name = f"{PREFIX}{name or f'{kind.__module__}:{kind.__qualname__}'}"
    REGISTERED[full_name] = code
    return full_name


def load_object(name: str) -> Any:  # noqa: ANN401  (whatever the user's code holds)
    """Return the object that a name refers to. Raise ``UsageError`` if it is missing or its code fails."""
    return REGISTERED[name] if name in REGISTERED else _loaded(name)


@cache
def _loaded(name: str) -> Any:  # noqa: ANN401
    module_name, _, attribute = name.removeprefix(PREFIX).rpartition(":")
    is_factory = attribute.endswith("()")
    attribute = attribute.removesuffix("()")
    if not name.startswith(PREFIX) or not module_name or not all(map(str.isidentifier, attribute.split("."))):
        raise UsageError(f"{name}: no name of code", hint=f"expected {FORM}")
    code: Any = _module(module_name, name)
    for part in attribute.split("."):
        if not hasattr(code, part):
            known = [attribute_name for attribute_name in dir(code) if not attribute_name.startswith("_")]
            where = code.__name__ if isinstance(code, ModuleType) else type(code).__name__
            raise UsageError(f"{name}: {where.removeprefix(OWN_MODULE)} has no {part}", hint=meant(part, known))
        code = getattr(code, part)
    if not is_factory:
        return code
    if not callable(code):
        raise UsageError(f"{name}: {attribute} is no factory: it cannot be called", hint="leave out the parentheses")
    try:
        return code()
    except Exception as error:
        raise UsageError(f"{name}: the factory failed: {described(error)}") from error


def described(error: BaseException) -> str:
    """Return an exception of user code in one line."""
    lines = str(error).splitlines()
    return type(error).__name__ + (f": {lines[0]}" if lines else "")


def check_function(what: str, function: object, *parameters: str, waits: bool = False) -> None:
    """Raise ``UsageError`` if a function cannot take these parameters, or is async without ``waits``. It is not
    called."""
    listed = f"({', '.join(parameters)})"
    if not callable(function):
        raise UsageError(f"{what}: {function!r:.60} is no function", hint=f"give one of {listed}")
    if not waits and is_async(function):
        raise UsageError(f"{what} is an async function, expected a plain one", hint="write def, not async def")
    try:
        inspect.signature(function).bind(*parameters)
    except TypeError:
        hint = "its parameters are given in this order"
        raise UsageError(f"{what} cannot be called with {listed}", hint=hint) from None
    except ValueError:  # a function of another language does not tell its parameters
        pass


def is_async(function: object) -> bool:
    """Return whether calling an object makes something to be awaited."""
    return any(map(inspect.iscoroutinefunction, (function, type(function).__call__)))


def call_own(what: str, function: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401
    """Call a function of the user's; ``OwnCodeError`` with the place where it fails."""
    try:
        return function(*arguments)
    except Exception as error:
        raise own_failure(what, error) from error


def own_failure(what: str, error: Exception) -> OwnCodeError:
    """Return the failure of a user's function: the exception and the innermost line in the user's file."""
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)][1:]
    lines = [line for file, line in frames if file == frames[0][0]]
    location = f" ({Path(frames[0][0]).name}:{lines[-1]})" if lines else ""
    return OwnCodeError(Secrets.of_environment().redact(f"{what} failed: {described(error)}{location}"))


def own_text(what: str, output: object) -> str:
    """Return a text that a function of the user's returned; ``OwnCodeError`` where it is none."""
    if isinstance(output, str):
        return output
    raise OwnCodeError(f"{what} returned {type(output).__name__}, expected a text")


def text_of_code(code: Any) -> str:  # noqa: ANN401
    """Return the source of user code and the plain values bound to it, so that other values are other code.

    >>> from functools import partial
    >>> text_of_code(partial(max, 1)) == text_of_code(partial(max, 2))
    False
    """
    if isinstance(code, str):
        return code
    if isinstance(code, partial):
        bound = [*code.args, *itertools.chain.from_iterable(sorted(code.keywords.items()))]
        return "\0".join([text_of_code(code.func), *(repr(value) for value in bound if _is_plain(value))])
    function = inspect.unwrap(code) if inspect.isroutine(code) else type(code)
    values = list[Any]()  # of its defaults and its closure, without variables that it sets itself
    if inspect.isfunction(function):
        rebound = {step.argval for step in dis.get_instructions(function) if step.opname == "STORE_DEREF"}
        values += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        for name, cell in sorted(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)):
            if name not in rebound:
                with suppress(ValueError):  # a name of the surrounding function that has no value yet
                    values.append(cell.cell_contents)
    file = getattr(inspect.getmodule(function), "__file__", None)
    if file and Path(file).suffix == ".py" and function.__module__ != "__main__":
        source = f"{function.__qualname__}\0{Path(file).read_text('utf-8', 'replace')}"
    else:
        try:
            source = inspect.getsource(function)  # of the main script only its own text
        except (OSError, TypeError):
            body = getattr(function, "__code__", None)
            parts = [] if body is None else [body.co_code.hex(), str(body.co_names), str(body.co_consts)]
            source = "\0".join([function.__qualname__, *parts])
    return "\0".join([source, *(repr(value) for value in values if _is_plain(value))])


def _is_plain(value: object) -> bool:
    """Return whether a value is immutable data, whose text says all about it."""
    if isinstance(value, tuple | frozenset):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | bytes | int | float)


async def in_a_thread(call: Callable[[], Any]) -> Any:  # noqa: ANN401
    """Call a function in a daemon thread, so that it does not delay the end of the process."""
    done: Future[Any] = Future()

    def work() -> None:
        try:
            output = call()
        except BaseException as error:  # noqa: BLE001  (SystemExit too is the failure of this one call)
            is_carried = isinstance(error, Exception) and not isinstance(error, StopIteration)  # else it would be lost
            done.set_exception(error if is_carried else RuntimeError(described(error)))
        else:
            done.set_result(output)

    done.set_running_or_notify_cancel()  # who is cancelled waits no longer, and what comes then is dropped
    threading.Thread(target=work, daemon=True, name="tsgkit-own-code").start()
    return await asyncio.wrap_future(done)


def load_file(name: str) -> ModuleType:
    """Load a file of the user's, which registers parts of its own; ``UsageError`` where its code fails."""
    path = Path(name)
    if not name or not path.is_file():
        raise UsageError(f"{name or '--code'}: no such file", hint="name a Python file: --code mine.py")
    token = LOADING.set(name)
    try:
        module = _module(name if "/" in name or name.endswith(".py") else f"./{name}", name)
    finally:
        LOADING.reset(token)
    LOADED_FILES[name] = None
    return module


def own_modules() -> tuple[ModuleType, ...]:
    """Return the modules that were loaded from files of the user's, which no other process finds by their names."""
    return tuple(module for name, module in sys.modules.items() if name.startswith(OWN_MODULE))


def _module(module_name: str, name: str) -> ModuleType:
    """Return an installed module, or that of a file; ``UsageError`` about a name where it cannot be loaded."""
    try:
        if module_name.endswith(".py") or "/" in module_name:
            return _of_file(Path(os.path.normpath(module_name)))
        return importlib.import_module(module_name)
    except UsageError:
        raise
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing and f"{module_name}.".startswith(f"{missing}."):
            hint = "install it, or name a file: python:./mine.py:NAME"
            raise UsageError(f"{name}: no module {missing}", hint=hint) from None
        raise UsageError(f"{name}: cannot be loaded: {described(error)}") from error


@cache
def _of_file(path: Path) -> ModuleType:
    """Load one file once, as a module that nothing else can import by accident."""
    if not path.is_file():
        raise UsageError(f"{path}: no such file", hint=f"expected {FORM}")
    module_name = f"{OWN_MODULE}{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: no Python file", hint="its name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # what defines classes looks its module up
    spec.loader.exec_module(module)
    return module
