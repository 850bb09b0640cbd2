"""Comparisons, logic, bits, and the choice between two values."""
from .rows import op, printed


def _compare(name, sign, answer, beyond, on="bif", **expr):
    return op(name, "input other", on=on, result="bool", out="any", operator=name, beyond=beyond,
              expr=expr or f"a {sign} b", doc=f"``out[i] = input[i] {sign} other[i]``.",
              example=(f"tl.{name}(tl.tensor([1, 2, 3]), 2)", printed(answer)))


def _logical(name, sign, answer):
    test = {"b": f"a {sign} b", "i": f"(a != 0) {sign} (b != 0)", "f": f"(a != 0) {sign} (b != 0)",
            "c": f"{{t}}_true(a) {sign} {{t}}_true(b)"}
    return op(name, "input other", on="bifc", result="bool", out="any", expr=test,
              doc=f"``out[i] = bool(input[i]) {sign} bool(other[i])``, where every value other than zero is True.",
              example=(f"tl.{name}(tl.tensor([0, 1, 2]), tl.tensor([0, 0, 1]))", printed(answer)))


def _bitwise(name, sign, answer):
    return op(name, "input other", on="bi", expr=f"a {sign} b", operator=name[8:], form="numbers",
              doc=f"``out[i] = input[i] {sign} other[i]``, bit by bit.",
              example=(f"tl.{name}(tl.tensor([12, 10]), 6)", printed(answer)))


ROWS = [
    _compare("eq", "==", [False, True, False], (False, False), on="bifc8", b="a == b", i="a == b", f="a == b", c="{t}_eq(a, b)"),
    _compare("ne", "!=", [True, False, True], (True, True), on="bifc8", b="a != b", i="a != b", f="a != b", c="!{t}_eq(a, b)"),
    _compare("lt", "<", [True, False, False], (False, True)), _compare("le", "<=", [True, True, False], (False, True)),
    _compare("gt", ">", [False, False, True], (True, False)), _compare("ge", ">=", [False, True, True], (True, False)),
    op("where", "condition input other", on="bifc8", form="where", out="exact", inplace=False,
       masks="condition", selects=True, expr="a ? b : c",
       doc="``out[i] = input[i] if condition[i] else other[i]``.",
       example=("tl.where(tl.tensor([True, False]), tl.tensor([1, 2]), 0)", "tensor([1, 0])")),
    _logical("logical_and", "&&", [False, False, True]), _logical("logical_or", "||", [False, True, True]),
    _logical("logical_xor", "!=", [False, True, False]),
    op("logical_not", "input", on="bifc", result="bool", out="any",
       expr={"b": "!a", "i": "a == 0", "f": "a == 0", "c": "!{t}_true(a)"},
       doc="``out[i] = not bool(input[i])``.",
       example=("tl.logical_not(tl.tensor([0, 3]))", "tensor([ True, False])")),
    _bitwise("bitwise_and", "&", [4, 2]), _bitwise("bitwise_or", "|", [14, 14]), _bitwise("bitwise_xor", "^", [10, 12]),
    op("bitwise_not", "input", on="bi", operator="invert", out="exact", expr={"b": "!a", "i": "~a"},
       doc="``out[i] = ~input[i]``, bit by bit; on bool the logical not.",
       example=("tl.bitwise_not(tl.tensor([0, 5]))", "tensor([-1, -6])")),
]
