"""Golden records: what they say, how a result is compared with them, and how each cell is classified.

A *cell* is the smallest thing a golden file states: one record, or one entry of a matrix.  It is known by its file and JSON
pointer.  `Book` loads a file and lays the values of overruled.json over it, so every cell below sees what holds.  A cell ends
as exactly one of

  passed      the library does what the golden file says
  overruled   the library does what overruled.json says instead
  pending     named in pending.json or in pending_steps.json, run all the same, and it does not hold yet
  failed      anything else, also a pending cell that holds (its rule must go) and a rule that matches nothing
"""

import collections
import contextlib
import importlib
import json
import math
import os
import pathlib
import re
import warnings

DATA = pathlib.Path(__file__).parents[1] / "data"

# The harness is checked by running it on the library that the golden files were captured from.
MODULE = os.environ.get("TENSORLIB_TEST_MODULE", "tensorlib")
lib = importlib.import_module(MODULE)
IS_TORCH = MODULE == "torch"

DEVICE_TYPES = ("cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia "
                "privateuseone").split()


def load(name):
    return json.loads((DATA / name).read_text())


def ours(text):
    """Decision 28: printed names carry our module."""
    return text if IS_TORCH else re.sub(r"\btorch\.", "tensorlib.", text)


# ------------------------------------------------------------------------------------------------ books and cells

class Cell:
    """expect: the JSON value that holds.  run(): what the library does.  match(got, expect): None or what differs."""
    __slots__ = ("file", "pointer", "text", "expect", "run", "match", "lenient", "golden_ok")

    def __init__(self, file, pointer, text, expect, run, match=None, lenient=False):
        self.file, self.pointer, self.text, self.expect, self.run = file, pointer, text, expect, run
        self.match = match or differs
        self.lenient = lenient        # decision 31: another error class may stand for NotImplementedError
        self.golden_ok = not is_error(expect)


class Book:
    """One golden file with the overruled values in place."""

    def __init__(self, name):
        self.name = name
        self.doc = load(name)
        self.overruled = {}           # pointer -> decision
        self.used = set()
        for entry in load("overruled.json")["entries"] + load("overruled_added.json")["entries"]:
            if entry["file"] != name:
                continue
            cells = entry.get("cells") or [["", entry["value"]]]
            for below, value in cells:
                pointer = entry["record"] + below
                self._lay_over(pointer, value)
                self.overruled[pointer] = entry["decision"]
        self.pending = set(load("pending.json")["records"].get(name, ()))
        self.built = re.compile("|".join(rf"\b{re.escape(n)}\(" for n in load("pending_steps.json")["built"]) or "(?!)")

    def _lay_over(self, pointer, value):
        keys = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
        at = self.doc
        for key in keys[:-1]:
            at = at[int(key)] if isinstance(at, list) else at[key]
        last = int(keys[-1]) if isinstance(at, list) else keys[-1]
        old = at[last]
        if isinstance(old, dict) and isinstance(value, dict) and value.get("ok") is True:
            value = {k: v for k, v in old.items() if k not in ("err", "msg")} | value
        elif isinstance(old, dict) and isinstance(value, dict) and "raises" in value:
            value = {k: v for k, v in old.items() if k in ("code", "expr", "setup", "fn", "dtype", "x")} | value
        at[last] = value

    def overruled_for(self, pointer):
        """The decision that changed this cell, or None.  Remembers which overruled pointers some cell has tested."""
        found = None
        pointer = pointer.split("?")[0]        # '?default' = the same cell under another default dtype
        for p in (pointer, *(q for q in self._below.get(pointer, ()))):
            if p in self.overruled:
                self.used.add(p)
                found = self.overruled[p]
        return found

    def is_pending(self, cell):
        """Named in pending.json, or part of a record that is (as /binary/432/row/3 of /binary/432), and not built meanwhile."""
        at = "" if self.built.search(cell.text) else cell.pointer.split("?")[0]
        while at:
            if at in self.pending:
                return True
            at = at.rpartition("/")[0]
        return False

    @property
    def _below(self):
        # pointers of changed fields inside a record that is tested as one cell
        index = self.__dict__.get("_index")
        if index is None:
            index = collections.defaultdict(list)
            for p in self.overruled:
                at = p
                while "/" in at[1:]:
                    at = at.rsplit("/", 1)[0]
                    index[at].append(p)
            self.__dict__["_index"] = index
        return index


def is_error(expect):
    return isinstance(expect, dict) and ("raises" in expect or "err" in expect or expect.get("ok") is False)


# ------------------------------------------------------------------------------------------------ comparing values

def number(v):
    """The number that the golden files spell as a string or as {"complex": [re, im]}."""
    if isinstance(v, str):
        return float(v)
    if isinstance(v, dict) and "complex" in v:
        return complex(*(float(part) for part in v["complex"]))
    return v


def same_number(got, want):
    if isinstance(want, complex):
        return isinstance(got, complex) and same_number(got.real, want.real) and same_number(got.imag, want.imag)
    if isinstance(got, complex) or isinstance(got, bool) != isinstance(want, bool):
        return False
    if isinstance(want, float):
        if not isinstance(got, float):
            return False
        if math.isnan(want):
            return math.isnan(got)
        return got == want and math.copysign(1, got) == math.copysign(1, want)
    return type(got) is type(want) and got == want


def same_values(got, want):
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(same_values, got, want))
    return same_number(got, number(want))


def name_of(dtype):
    return str(dtype).rsplit(".", 1)[-1]


def tensor_differs(t, want):
    """Compare a tensor with the fields that the record gives."""
    if not isinstance(t, lib.Tensor):
        return f"got {t!r}, expected a tensor"
    fields = {"dtype": lambda: name_of(t.dtype), "size": lambda: list(t.shape), "stride": lambda: list(t.stride()),
              "offset": lambda: t.storage_offset(), "device": lambda: str(t.device), "tensor_device": lambda: str(t.device),
              "n": lambda: t.untyped_storage().nbytes() // t.element_size()}
    for field, get in fields.items():
        if field in want and get() != want[field]:
            return f"{field} is {get()}, expected {want[field]}"
    if "values" in want and not same_values(t.tolist(), want["values"]):
        return f"values are {t.tolist()}, expected {want['values']}"
    return None


def differs(got, want):
    """None, or how the value differs from the golden one."""
    if isinstance(want, dict):
        if "tensor_device" in want or ("size" in want and "dtype" in want):
            return tensor_differs(got, want)
        if "repr" in want and "type" in want:
            shown = {"repr": repr(got), "str": str(got), "type": got.type, "index": got.index}
            return None if shown == want else f"got {shown}, expected {want}"
        if "complex" in want:
            return None if same_number(got, number(want)) else f"got {got!r}, expected {want}"
        return None if got == want else f"got {got!r}, expected {want}"
    if isinstance(want, list):
        if not isinstance(got, (list, tuple)) or len(got) != len(want):
            return f"got {got!r}, expected {want}"
        for g, w in zip(got, want):
            if (found := differs(g, w)) is not None:
                return found
        return None
    if isinstance(want, str):
        if isinstance(got, float):
            return None if same_number(got, number(want)) else f"got {got!r}, expected {want}"
        shown = got if isinstance(got, str) else repr(got) if isinstance(got, lib.Tensor) else str(got)
        if isinstance(got, lib.device):
            shown = repr(got) if want.startswith("device(") else str(got)
        return None if shown == ours(want) else f"got {shown!r}, expected {ours(want)!r}"
    return None if same_number(got, want) else f"got {got!r}, expected {want!r}"


# ------------------------------------------------------------------------------------------------ comparing errors

CPP_NAMES = {v: k for k, v in load("promotion.json")["cpp_scalar_names"].items()} | {
    "Bits8": "bits8", "Float8_e5m2": "float8_e5m2", "Float8_e4m3fn": "float8_e4m3fn"}
_DEVICE = re.compile(rf"(?<![\w.])(?:{'|'.join(DEVICE_TYPES)})(?::\d+)?\b")
_WORD = re.compile(r"(?<![\w.\-+])(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w])")


def tokens(message):
    """Decision 32: the numbers, dtypes and devices of a golden text, each as a tuple of accepted spellings."""
    text = message.split(", but expected one of")[0].split("INTERNAL ASSERT")[0]
    text = re.sub(r"missing \d+ required positional", "missing required positional", text)     # Python's own words
    if len(message) >= 400:                    # cut by the file: the last word may be half a word
        text = text.rsplit(" ", 1)[0]
    found = [(w,) for w in _WORD.findall(text)]
    for word in re.findall(r"[A-Za-z_]\w*", text):
        if word in CPP_NAMES:
            found.append((CPP_NAMES[word], word))
    for word in _DEVICE.findall(text):
        found.append((word,))
    return found


def spelled(message, names):
    names = [*names, *(m for m in re.findall(r"\w+", message) if m.lower() in names)]    # UInt1, Bits8, QInt32
    return any(re.search(rf"(?<![\w.]){re.escape(n)}(?!\w)", message) or n in message.split() for n in names)


# How Python, or this library, says that an operator, an argument or a feature does not exist: not the refusal that a record asks.
ABSENT = re.compile(r"unsupported operand type\(s\) for|bad operand type for|unexpected keyword argument|has no attribute|"
                    r"is not (?:supported|there) yet")


def error_differs(error, expect, lenient=False):
    """Same exception type, or a subclass of it, and every token of the golden text in ours (decisions 31, 32, 34)."""
    wanted = expect.get("raises") or expect["err"]
    message = expect.get("msg", "")
    accepted = {wanted}
    if wanted in ("AssertionError", "NotImplementedError", "ModuleNotFoundError") and (
            "not compiled with CUDA" in message or re.search(r"'(MPS|XLA)' backend", message) or "'torch.hpu'" in message):
        accepted = {"RuntimeError"} | ({wanted} if IS_TORCH else set())          # decision 34
        message = ""
    elif lenient and wanted == "NotImplementedError":
        accepted = {"NotImplementedError", "RuntimeError", "TypeError"}          # decision 31
    classes = {c.__name__ for c in type(error).__mro__}
    absent = ABSENT.search(str(error))
    if absent and absent[0] not in message and not (wanted == "TypeError" and absent[0] == "unexpected keyword argument"):
        accepted = set()
    if not accepted & classes or (isinstance(error, AttributeError) and "AttributeError" not in accepted):
        return f"raised {type(error).__name__}: {error}; expected {wanted}: {expect.get('msg', '')}"
    if not IS_TORCH:
        about = [n for name in expect.get("about", ()) for n in (name, *(k for k, v in CPP_NAMES.items() if v == name))]
        if about and not spelled(str(error), about):
            return f"the message names none of {about}: {error!s:.200}; golden: {message:.200}"
        missing = [names[0] for names in tokens(ours(message)) if not spelled(str(error), names)]
        if missing:
            return f"the message does not name {missing}: {error!s:.200}; golden: {message:.200}"
    return None


def show(value):
    try:
        return f"{value!r:.200}"
    except Exception:                          # some shell dtypes of torch cannot be printed
        return f"a {type(value).__name__}"


def verdict(cell):
    """None if the cell holds, else what differs."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = cell.run()
    except Exception as error:
        if is_error(cell.expect):
            return error_differs(error, cell.expect, cell.lenient)
        return f"raised {type(error).__name__}: {error!s:.300}; expected {json.dumps(cell.expect)[:200]}"
    if is_error(cell.expect):
        return f"gave {show(got)}; expected {cell.expect.get('raises') or cell.expect['err']}: {cell.expect.get('msg', '')}"
    try:
        return cell.match(got, cell.expect)
    except Exception as error:                 # a result that cannot be looked at is a result that differs
        return f"looking at the result raised {type(error).__name__}: {error!s:.300}"


# ------------------------------------------------------------------------------------------------ pending rules

class Rules:
    """pending_steps.json: which cells wait for a later step, by the operation or the feature that is missing.

    A rule has `step`, `what`, and
      operations   names; a cell that calls one (`.name(`) matches.  A leading dot stands for an attribute (`.real`).
      source       a regular expression that the cell's source matches
      file, pointer, ok   what else must hold: regular expressions, and whether the record is to succeed
      not          a regular expression that the source must not match
    """

    def __init__(self):
        self.rules = load("pending_steps.json")["rules"]
        self.tests = []
        for rule in self.rules:
            names = [re.escape(n) for n in rule.get("operations", ())]
            parts = [rf"{n}\b(?!\()" if n.startswith(r"\.") else rf"(?<=\.){n}\(" for n in names]
            parts += [rule["source"]] if "source" in rule else []
            source = re.compile("|".join(parts)) if parts else None
            self.tests.append((rule, source, *(re.compile(rule.get(key, default)) for key, default in (
                ("file", ""), ("pointer", ""), ("not", r"(?!)")))))

    def find(self, cell):
        """(step, what was found) of the first rule that matches, or None."""
        for rule, source, file, pointer, unless in self.tests:
            if rule.get("ok", cell.golden_ok) != cell.golden_ok or not (file.search(cell.file) and pointer.search(cell.pointer)):
                continue
            if unless.search(cell.text):
                continue
            found = source.search(cell.text) if source else pointer.search(cell.pointer)
            if found:
                operation = found[0].rstrip("(") if "operations" in rule else ""
                return rule["step"], rule["what"], operation if operation in rule.get("operations", ()) else rule["what"]
        return None

    def needed(self):
        """What some cell has to match for the list to be as short as it can be."""
        out = set()
        for rule in self.rules:
            out |= {(rule["step"], rule["what"], n) for n in rule.get("operations", ())}
            if "operations" not in rule or "source" in rule:
                out.add((rule["step"], rule["what"], rule["what"]))
        return out


class Report:
    def __init__(self, name):
        self.name = name
        self.counts = collections.Counter()
        self.steps = collections.Counter()
        self.rule_hits = collections.Counter()
        self.failures = []

    def add(self, book, cell, rules):
        decision = book.overruled_for(cell.pointer)
        if IS_TORCH and decision is not None:
            self.counts["overruled"] += 1
            return
        later = None
        if not IS_TORCH:
            if book.is_pending(cell):
                later = "pending.json"
            elif (rule := rules.find(cell)) is not None:
                later = f"step {rule[0]}"
                self.rule_hits[rule] += 1
        found = verdict(cell)
        if later is not None:
            if found is None:
                self.failures.append((cell.pointer, cell.text, f"unexpectedly passing; it is listed in {later}"))
                self.counts["failed"] += 1
            else:
                self.counts["pending"] += 1
                self.steps[later] += 1
        elif found is not None:
            self.failures.append((cell.pointer, cell.text, found))
            self.counts["failed"] += 1
        else:
            self.counts["overruled" if decision is not None else "passed"] += 1

    def explain(self, limit=40):
        lines = [f"{self.name}: {self.counts['failed']} of {sum(self.counts.values())} cells failed"]
        lines += [f"  {pointer}\n    {text}\n    {found}" for pointer, text, found in self.failures[:limit]]
        if len(self.failures) > limit:
            lines.append(f"  ... and {len(self.failures) - limit} more")
        return "\n".join(lines)


@contextlib.contextmanager
def default_dtype(name):
    before = lib.get_default_dtype()
    lib.set_default_dtype(getattr(lib, name))
    try:
        yield
    finally:
        lib.set_default_dtype(before)
