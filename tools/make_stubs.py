"""Writes the types of the public names, tensorlib/__init__.pyi and those of its modules of functions, from the built package;
--check only says whether they are current.

Signatures come from the package itself, the type of a result from the first line of a docstring (`add(input, other) -> Tensor`)
or from RETURNS below, the type of an argument from its name.  What neither tells stays without a type.
"""

import inspect
import re
import sys
import types
from pathlib import Path

import tensorlib as tl
from tensorlib import _optable

PACKAGE = Path(__file__).resolve().parent.parent / "tensorlib"
MODULE_STUBS = {"nn/functional.pyi": tl.nn.functional, "special.pyi": tl.special}

MODULE_HEAD = '''"""The types of {name}'s functions.  Written by tools/make_stubs.py; do not edit."""

from typing import Any

from tensorlib import Tensor

'''

HEAD = '''"""The types of tensorlib's public names.  Written by tools/make_stubs.py; do not edit."""

import builtins
from collections.abc import Iterator
from typing import Any, TypeAlias

'''

BUILTINS = ("bool", "int", "float", "complex", "str", "tuple", "list", "dict", "bytes", "type", "object")
# Inside the classes, names such as dtype and float are attributes; their types go by these names there.
ALIASES = {"dtype": "_dtype", "device": "_device", "layout": "_layout", "memory_format": "_memory_format", "Size": "_Size"}
ARGUMENTS = {
    "dtype": "_dtype | None", "device": "_device | builtins.str | builtins.int | None", "out": "Tensor | None",
    "layout": "_layout | None", "memory_format": "_memory_format | None", "requires_grad": "builtins.bool",
    "pin_memory": "builtins.bool", "keepdim": "builtins.bool", "input": "Tensor", "non_blocking": "builtins.bool",
}
# Functions that take a number or a sequence where others take a tensor.
NUMBERS_TOO = {row["name"] for row in _optable.OPS} | {alias for row in _optable.OPS for alias in row["aliases"]}
# Results that no docstring states in a form that can be read off.
RETURNS = {
    "dim": "builtins.int", "ndimension": "builtins.int", "numel": "builtins.int", "nelement": "builtins.int",
    "storage_offset": "builtins.int", "data_ptr": "builtins.int", "element_size": "builtins.int", "get_device": "builtins.int",
    "is_contiguous": "builtins.bool", "is_complex": "builtins.bool", "is_floating_point": "builtins.bool",
    "is_signed": "builtins.bool", "is_tensor": "builtins.bool", "can_cast": "builtins.bool",
    "is_non_overlapping_and_dense": "builtins.bool", "dim_order": "builtins.tuple[builtins.int, ...]",
    "unbind": "builtins.tuple[Tensor, ...]", "split": "builtins.tuple[Tensor, ...]", "chunk": "builtins.tuple[Tensor, ...]",
    "tensor_split": "builtins.tuple[Tensor, ...]", "item": "Any", "tolist": "Any", "numpy": "Any", "size": "Any", "stride": "Any",
    "get_default_dtype": "_dtype", "promote_types": "_dtype", "result_type": "_dtype", "get_default_device": "_device",
    "set_default_dtype": "None", "set_default_device": "None", "set_printoptions": "None", "use_deterministic_algorithms": "None",
    "to_real": "_dtype", "to_complex": "_dtype", "untyped_storage": "UntypedStorage", "storage": "TypedStorage",
}
TENSOR_FUNCTIONS = set()    # filled below: functions whose result is a tensor


def qualified(name):
    """A type written in a docstring, with builtins spelled out."""
    name = {"dict": "dict[Any, Any]", "list": "list[Any]", "tuple": "tuple[Any, ...]"}.get(name, name)
    name = re.sub(r"\b(" + "|".join(BUILTINS) + r")\b", r"builtins.\1", name)
    return re.sub(r"(?<![\w.])(" + "|".join(ALIASES) + r")\b", lambda m: ALIASES[m[1]], name)


def returns(name, function, owner=None):
    text = inspect.getdoc(function) or ""
    stated = re.search(r"^[\w.]+\(.*\) -> ([\w\[\], .|]+?)\.?$", text, re.MULTILINE)   # an alias has its first name there
    if stated and all(word in known_types() for word in re.findall(r"[A-Za-z_]\w*", stated[1])):
        return qualified(stated[1])
    if name in RETURNS:
        return RETURNS[name]
    if owner == "Tensor" or name in TENSOR_FUNCTIONS:
        return "Tensor"
    return None


def samples():
    """One object of each class with properties, from which the types of the properties are read off."""
    return {type(x).__name__: x for x in (tl.zeros(2, 2), tl.float32, tl.device("cpu", 0), tl.finfo(tl.float32), tl.iinfo(tl.int8),
                                          tl.strided, tl.contiguous_format, tl.zeros(1).storage(), tl.zeros(1).untyped_storage())}


def property_type(owner, member):
    sample = samples().get(owner)
    value = getattr(sample, member, None)
    if value is None:
        return "Any"
    kind = type(value)
    if kind is tuple:
        return "builtins.tuple[Any, ...]"
    return f"builtins.{kind.__name__}" if kind.__module__ == "builtins" else ALIASES.get(kind.__name__, kind.__name__)


def known_types():
    return {*BUILTINS, "Tensor", "None", "Any", *(n for n, v in vars(tl).items() if inspect.isclass(v))}


def parameters(function, name, method):
    """The parameter list as text, or None where the function does not tell its signature."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    parts, seen_star = [], False
    for number, p in enumerate(signature.parameters.values()):
        if p.kind is p.KEYWORD_ONLY and not seen_star:
            parts.append("*")
            seen_star = True
        seen_star = seen_star or p.kind is p.VAR_POSITIONAL
        prefix = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        text = prefix + p.name
        if not (number == 0 and method):
            kind = ARGUMENTS.get(p.name, "Any")
            if p.name == "input" and name in NUMBERS_TOO:
                kind = "Any"
            text += f": {kind}" + (" = ..." if p.default is not p.empty else "")
        parts.append(text)
        if p.kind is p.POSITIONAL_ONLY:
            following = list(signature.parameters.values())[number + 1:number + 2]
            if not following or following[0].kind is not p.POSITIONAL_ONLY:
                parts.append("/")
    return ", ".join(parts)


def definition(name, function, owner=None, indent="", kind="method"):
    lines = []
    if kind in ("staticmethod", "classmethod"):
        lines.append(f"{indent}@{kind}")
    listed = parameters(function, name, owner is not None and kind != "staticmethod")
    if listed is None:
        listed = ("self, " if owner and kind == "method" else "") + "*args: Any, **kwargs: Any"
    result = returns(name, function, owner)
    lines.append(f"{indent}def {name}({listed})" + (f" -> {result}" if result else " -> Any") + ": ...")
    return lines


OPERATORS = ("add sub mul truediv and or xor radd rsub rmul rtruediv rand ror rxor iadd isub imul itruediv iand ior ixor "
             "lt le gt ge").split()


def class_lines(name, cls):
    bases = [b.__name__ for b in cls.__bases__ if not b.__module__.startswith("tensorlib") and b is not object]
    bases = [{"tuple": "builtins.tuple[builtins.int, ...]"}.get(b, f"builtins.{b}") for b in bases]
    lines = [f"class {name}" + (f"({', '.join(bases)})" if bases else "") + ":"]
    members = {}
    for ancestor in reversed([c for c in cls.__mro__ if c.__module__.startswith("tensorlib")]):
        members |= vars(ancestor)
    if name == "Tensor":
        lines += ["    def __init__(self, *args: Any, **kwargs: Any) -> None: ...",
                  "    def __getitem__(self, index: Any, /) -> Tensor: ...",
                  "    def __setitem__(self, index: Any, value: Any, /) -> None: ...", "    def __len__(self) -> builtins.int: ...",
                  "    def __iter__(self) -> Iterator[Tensor]: ...", "    def __bool__(self) -> builtins.bool: ...",
                  "    def __int__(self) -> builtins.int: ...", "    def __float__(self) -> builtins.float: ...",
                  "    def __complex__(self) -> builtins.complex: ...", "    def __index__(self) -> builtins.int: ...",
                  "    def __neg__(self) -> Tensor: ...", "    def __abs__(self) -> Tensor: ...",
                  "    def __invert__(self) -> Tensor: ...", "    def __hash__(self) -> builtins.int: ...",
                  "    def __eq__(self, other: Any, /) -> Tensor: ...  # type: ignore[override]",
                  "    def __ne__(self, other: Any, /) -> Tensor: ...  # type: ignore[override]",
                  "    def __array__(self, *args: Any, **kwargs: Any) -> Any: ..."]
        lines += [f"    def __{o}__(self, other: Any, /) -> Tensor: ..." for o in OPERATORS if hasattr(cls, f"__{o}__")]
    elif "__init__" in members or "__new__" in members or "__cinit__" in members or name in ("device", "Size"):
        if not issubclass(cls, BaseException):
            lines.append("    def __init__(self, *args: Any, **kwargs: Any) -> None: ...")
    if "__enter__" in members:
        lines += ["    def __enter__(self) -> Any: ...", "    def __exit__(self, *args: Any) -> Any: ..."]
    for member, value in sorted(members.items()):
        if member.startswith("_"):
            continue
        if isinstance(value, (staticmethod, classmethod)):
            lines += definition(member, value.__func__, name, "    ", type(value).__name__)
        elif isinstance(value, (property, types.GetSetDescriptorType, types.MemberDescriptorType)):
            lines += ["    @property", f"    def {member}(self) -> {property_type(name, member)}: ..."]
        elif callable(value):
            lines += definition(member, value, name, "    ")
        else:
            lines.append(f"    {member}: Any")
    if len(lines) == 1:
        lines.append("    ...")
    return lines


def stub():
    public = {name: value for name, value in sorted(vars(tl).items()) if not name.startswith("_")}
    for row in [*_optable.OPS, *_optable.REDUCTIONS]:
        TENSOR_FUNCTIONS.update([row["name"], row["name"] + "_", *row.get("aliases", ())])
    classes = {n: v for n, v in public.items() if inspect.isclass(v)}
    modules = {n for n, v in public.items() if inspect.ismodule(v)}
    lines = [f"from . import {name} as {name}" for name in sorted(modules) if (PACKAGE / name).exists()
             or (PACKAGE / f"{name}.py").exists()]
    lines += ["", "__version__: builtins.str", ""]
    for name, cls in classes.items():
        lines += [*class_lines(name, cls), ""]
    lines += [f"{alias}: TypeAlias = {name}" for name, alias in ALIASES.items()] + [""]
    for name, value in public.items():
        if name in classes or name in modules:
            continue
        if isinstance(value, (tl.dtype, tl.layout, tl.memory_format)):
            lines.append(f"{name}: {ALIASES[type(value).__name__]}")
        elif callable(value):
            lines += definition(name, value)
        else:
            lines.append(f"{name}: {'None' if value is None else 'builtins.' + type(value).__name__}")
    return HEAD + "\n".join(lines) + "\n"


def module_stub(module):
    lines = [line for name in sorted(module.__all__) for line in definition(name, getattr(module, name))]
    return (MODULE_HEAD.format(name=module.__name__) if lines else "") + "\n".join(lines) + "\n"


def main():
    texts = {"__init__.pyi": stub()} | {name: module_stub(module) for name, module in MODULE_STUBS.items()}
    for name, text in texts.items():
        path = PACKAGE / name
        if path.exists() and path.read_text() == text:
            continue
        if "--check" in sys.argv[1:]:
            sys.exit(f"{name} is not what the package offers; run: python tools/make_stubs.py")
        path.write_text(text)


if __name__ == "__main__":
    main()
