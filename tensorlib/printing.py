"""How a tensor is written: ``repr``, ``str``, ``format``, and the options that govern them.

The text says, in order: the values, and then only what a reader could not guess, which is the device when it is not the
cpu, the size when the values do not show it, the dtype when it is not the one such values would get by default, the layout
when it is not strided.

How: 1. pick what will be seen (``_visible``: everything, or ``edgeitems`` at both ends of every long axis), by slicing, so
that the cost depends on what is printed and never on the number of elements;  2. choose one column format from those
values alone (``_Real``, ``_Complex``, ``_Plain``);  3. break rows at ``linewidth`` (``_block``);  4. append the suffixes.

Values reach this module as Python numbers, each exact: a float16, bfloat16 or float8 element is printed from the double it
equals, not from a shortened decimal.  Rules: PyTorch's, for every record of its golden table; names carry our module.
"""

from . import _core
from ._dtypetable import DTYPES

__all__ = ["get_printoptions", "printoptions", "set_printoptions"]

_MODULE = "tensorlib."
_OPENING = "tensor("
_INF = float("inf")

# Elements of these dtypes have no value of their own; their bytes are shown in hexadecimal.
_SHELL_ITEMSIZE = {row["name"]: row["itemsize"] for row in DTYPES if row["tier"] == "shell"}
_UNSIGNED_OF_ITEMSIZE = {row["itemsize"]: code for code, row in enumerate(DTYPES) if row["kind"] == "u"}

# float8_e8m0fnu has no zero: storing 0 gives 2**-127, which therefore counts as zero when a format is chosen (as in PyTorch).
_ZERO_OF = {"float8_e8m0fnu": 2.0 ** -127}

# Limits of fixed-point notation, in exact doubles: beyond them a column is written with exponents.
_LARGEST_FIXED = 1.0e8
_SMALLEST_FIXED = 1.0e-4
_WIDEST_RATIO = 1000.0

# ---------------------------------------------------------------------------------------------------------------- options

_PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": _INF, "edgeitems": 3, "linewidth": 80},
}
_options = {**_PROFILES["default"], "sci_mode": None}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None)

    Set how tensors are printed, for the whole process.

    precision: digits after the point (4).  threshold: number of elements above which the middle is left out (1000).
    edgeitems: how many are then shown at each end of an axis (3).  linewidth: characters a line (80).  profile: ``"default"``,
    ``"short"`` or ``"full"``, applied before the other arguments.  sci_mode: True or False forces or forbids exponents, None
    decides by the values.  What is not named keeps its value, except ``sci_mode``, which every call sets.  Values are not
    checked.

    >>> tl.set_printoptions(precision=2)
    >>> tl.tensor([1.12345])
    tensor([1.12])
    """
    _options.update(_PROFILES.get(profile, {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options.update((name, value) for name, value in given.items() if value is not None)
    _options["sci_mode"] = sci_mode


def get_printoptions():
    """get_printoptions() -> dict

    The current options, a copy: what :func:`set_printoptions` takes, without profile.
    """
    return dict(_options)


class printoptions:
    """printoptions(**options)

    Context manager: :func:`set_printoptions` on entry, the former options again on exit.  May be used again, and nested.

    >>> with tl.printoptions(precision=1):
    ...     print(tl.tensor([0.123]))
    tensor([0.1])
    """

    def __init__(self, **options):
        self._wanted = options
        self._former = []

    def __enter__(self):
        former = get_printoptions()
        set_printoptions(**self._wanted)   # first, so that a wrong name leaves nothing to undo
        self._former.append(former)

    def __exit__(self, *exc_info):
        _options.update(self._former.pop())


# ----------------------------------------------------------------------------------------------------------- what is seen

def _visible(t, edgeitems):
    """The shown part of `t` as (values, holes): nested lists of numbers, and per axis whether its middle is left out.

    edgeitems None shows everything.  Otherwise no axis gives more than 2 * edgeitems entries, whatever its length.
    """
    if edgeitems is None:
        return t.tolist(), [False] * t.dim()
    holes = [n > 2 * edgeitems for n in t.shape]
    return _edges(t, edgeitems), holes


def _edges(t, edgeitems):
    n = t.shape[0]
    cut = n > 2 * edgeitems
    if t.dim() == 1:
        return t[:edgeitems].tolist() + t[n - edgeitems:].tolist() if cut else t.tolist()
    rows = [*range(edgeitems), *range(n - edgeitems, n)] if cut else range(n)
    return [_edges(t[i], edgeitems) for i in rows]


def _flat(values, depth):
    for _ in range(depth - 1):
        values = [item for row in values for item in row]
    return values if depth else [values]


# ---------------------------------------------------------------------------------------------------------- column formats
# A format is chosen from all visible values at once.  `width` is the width of the widest finite one: nan and inf are
# padded to it, but never widen it.

class _Plain:
    """Integers, booleans and bytes: right-aligned."""

    def __init__(self, values, spell=str):
        self.spell = spell
        self.width = max([1, *(len(spell(v)) for v in values)])

    def __call__(self, value):
        return self.spell(value).rjust(self.width)


class _Real:
    """Floating-point numbers: ``1.`` if all are integers, else fixed point, or exponents if the magnitudes need them."""

    def __init__(self, values, precision, sci_mode, zero=0.0):
        significant = [v for v in values if v != zero and v - v == 0]   # v - v is nan for inf and nan
        self.spec, self.point, self.width = ".0f", ".", 1
        if not significant:
            return   # zeros and non-finite values: nothing to align, exponents would say nothing
        self.choose(significant, precision, sci_mode)
        self.width = max(len(self.spell(v)) for v in significant)

    def choose(self, significant, precision, sci_mode):
        if sci_mode is None:
            sizes = [abs(v) for v in significant]
            largest, smallest = max(sizes), min(sizes)
            sci_mode = largest / smallest > _WIDEST_RATIO or largest > _LARGEST_FIXED or smallest < _SMALLEST_FIXED
        if sci_mode:
            self.spec, self.point = f".{precision}e", ""
        elif any(v != int(v) for v in significant):
            self.spec, self.point = f".{precision}f", ""

    def spell(self, value):
        text = format(value, self.spec)
        return text + self.point if value - value == 0 else text

    def __call__(self, value):
        return self.spell(value).rjust(self.width)


class _Complex:
    """Complex numbers: one format for the real parts, an independent one for the imaginary parts, which are not padded."""

    def __init__(self, values, precision, sci_mode):
        self.real = _Real([v.real for v in values], precision, sci_mode)
        self.imag = _Real([v.imag for v in values], precision, sci_mode)
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, value):
        imag = self.imag.spell(value.imag)
        return self.real(value.real) + ("" if imag.startswith("-") else "+") + imag + "j"


def _column_format(dtype, values):
    if dtype.is_complex:
        return _Complex(values, _options["precision"], _options["sci_mode"])
    if dtype.is_floating_point:
        return _Real(values, _options["precision"], _options["sci_mode"], _ZERO_OF.get(_name(dtype), 0.0))
    return _Plain(values)


# ------------------------------------------------------------------------------------------------------------------- text

def _name(member):
    return str(member).rpartition(".")[2]


def _block(values, holes, write, edgeitems, indent):
    """Nested lists as text whose lines after the first are indented for an opening bracket at column `indent`."""
    entries, hole = list(values), holes[0]
    if len(holes) > 1:
        entries = [_block(row, holes[1:], write, edgeitems, indent + 1) for row in entries]
        if hole:
            entries.insert(edgeitems, "...")
        return "[" + ("," + "\n" * (len(holes) - 1) + " " * (indent + 1)).join(entries) + "]"
    entries = [write(v) for v in entries]
    if hole:
        entries.insert(edgeitems, " ...")
    per_line = max(1, (_options["linewidth"] - indent) // (write.width + 2))
    lines = [", ".join(entries[at:at + per_line]) for at in range(0, len(entries), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _values_text(t, indent):
    """The values of a strided tensor that has some, as text that starts at column `indent`."""
    edgeitems = _options["edgeitems"] if t.numel() > _options["threshold"] else None
    if edgeitems == 0 and t.dim():
        return "[...]"
    spell_bytes = None
    itemsize = _SHELL_ITEMSIZE.get(_name(t.dtype))
    if itemsize is not None:
        t = t.view(_core._make_dtypes(DTYPES)[_UNSIGNED_OF_ITEMSIZE[itemsize]])   # made already: this looks them up
        spell_bytes = f"0x{{:0{2 * itemsize}x}}".format
    if not t.dim():
        edgeitems = None
    values, holes = _visible(t, edgeitems)
    seen = _flat(values, t.dim())
    write = _Plain(seen, spell_bytes) if spell_bytes else _column_format(t.dtype, seen)
    return _block(values, holes, write, edgeitems, indent) if holes else write(values)


def _assemble(text, suffixes, indent, newline_first=False):
    """`text`, then the suffixes, each on the same line where it fits.  A new line starts below the opening bracket."""
    used = len(text) - text.rfind("\n") - 1 + 2   # 2: the comma and the space, or the bracket, still to come
    for suffix in suffixes:
        if newline_first or used + len(suffix) + 2 > _options["linewidth"]:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
        newline_first = False
    return text + ")"


def _dtype_is_guessable(dtype, has_values):
    """Would a reader expect this dtype?  From values: the default float, its complex, int64, bool; otherwise the first only."""
    default = _core._get_default_dtype()
    if not has_values or dtype == default:
        return dtype == default
    # The default complex follows torch: only float64 has complex128, every other default has complex64.
    default_complex = "complex128" if _name(default) == "float64" else "complex64"
    return _name(dtype) in ("bool", "int64", default_complex)


def _text(t, opening, bare=False):
    """The whole text, the first line starting with `opening`.  bare: a part of a sparse tensor, whose dtype stands outside."""
    indent = len(opening)
    suffixes = []
    if t.device.type != "cpu" and not bare:
        suffixes.append(f"device='{t.device}'")
    size = f"size={tuple(t.shape)}"
    dtype = f"dtype={_MODULE}{_name(t.dtype)}"
    grad = ["requires_grad=True"] if getattr(t, "requires_grad", False) else []
    if _name(t.layout) != "strided":
        return _sparse_text(t, opening, suffixes, size, dtype, grad)
    if t.device.type == "meta":
        values, has_values, show_size = "...", False, True
    elif t.numel() == 0:
        values, has_values, show_size = "[]", False, t.dim() != 1 or bare
    else:
        values, has_values, show_size = _values_text(t, indent), True, _options["edgeitems"] == 0
    if show_size:
        suffixes.append(size)
    if not bare and not _dtype_is_guessable(t.dtype, has_values):
        suffixes.append(dtype)
    return _assemble(opening + values, suffixes + grad, indent)


def _sparse_text(t, opening, suffixes, size, dtype, grad):
    indent = len(opening)
    suffixes += [size, f"nnz={t._nnz()}"]
    if not _dtype_is_guessable(t.dtype, True):
        suffixes.append(dtype)
    suffixes.append(f"layout={_MODULE}{_name(t.layout)}")
    if t.device.type == "meta":
        return _assemble(opening + "...", suffixes + grad, indent)
    parts = []
    for name, part in (("indices", t._indices()), ("values", t._values())):
        # A part starts below the outer bracket: the column of its own bracket is what its lines are indented for.
        lead = " " * indent + name + "=" + _OPENING
        parts.append(_text(part, lead, bare=True)[indent:])
    return _assemble(opening + (",\n" + " " * indent).join(parts), suffixes + grad, indent, newline_first=True)


def tensor_repr(t):
    """``repr(t)``."""
    return _text(t, _OPENING)


def tensor_str(t):
    """``str(t)``: the same text as ``repr(t)``."""
    return _text(t, _OPENING)


def tensor_format(t, spec):
    """``format(t, spec)``: a zero-dim tensor is formatted as its Python number; any other takes no spec: ``str(t)``."""
    if t.dim() == 0 and t.device.type != "meta":
        return format(t.item(), spec)
    if spec:
        raise TypeError("unsupported format string passed to Tensor.__format__")
    return tensor_str(t)
