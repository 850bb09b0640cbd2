"""The price of one call on a tiny tensor."""

import operator

from measure import Row, np, scopes, shared_float32, tl, torch


def rows():
    found = []
    for n in (1, 4, 16):
        pair = scopes(a=shared_float32((n,), 1), b=shared_float32((n,), 2))
        found.append(Row("overhead", f"a + b, {n} float32", "a + b", pair, {"numpy": 0.4, "torch": 0.1}))
    for n in (1, 16):
        one = scopes(a=shared_float32((n,)))
        found.append(Row("overhead", f"a * 2.5, {n} float32", "a * 2.5", one, {"numpy": 0.3}))
    square = scopes(x=shared_float32((4, 4)))
    cube = scopes(x=shared_float32((2, 3, 4)))
    single = scopes(x=shared_float32((1,)))
    found += [
        Row("overhead", "x[1], (4, 4)", "x[1]", square, {"numpy": 1.0}),
        Row("overhead", "x[1:3, ::2], (4, 4)", "x[1:3, ::2]", square, {"numpy": 1.0}),
        Row("overhead", "permute, (2, 3, 4)", {"tensorlib": "x.permute(2, 0, 1)", "numpy": "x.transpose(2, 0, 1)",
                                               "torch": "x.permute(2, 0, 1)"}, cube, {"numpy": 1.0}),
        Row("overhead", "reshape, (2, 3, 4) to (6, 4)", "x.reshape(6, 4)", cube, {"numpy": 1.0}),
        Row("overhead", "item, 1 element", "x.item()", single, {"numpy": 1.0}),
        Row("overhead", "empty, (4, 4) float32", {"tensorlib": "empty((4, 4))", "numpy": "empty((4, 4), f)",
                                                  "torch": "empty((4, 4))"}, empties(), {"numpy": 0.5}),
        Row("overhead", "x[1, 2], (4, 4)", "x[1, 2]", square),
        Row("overhead", "x[1, 2] = 0.5, (4, 4)", "x[1, 2] = 0.5", square),
        Row("overhead", "x.sum(), (4, 4)", "x.sum()", square),
        Row("overhead", "a += b, 16 float32", "iadd(a, b)", scopes(a=shared_float32((16,), 1), b=shared_float32((16,), 2))),
    ]
    for scope in found[-1].names.values():
        scope["iadd"] = operator.iadd
    return found


def empties():
    found = {"tensorlib": {"empty": tl.empty}}
    if np is not None:
        found["numpy"] = {"empty": np.empty, "f": np.float32}
    if torch is not None:
        found["torch"] = {"empty": torch.empty}
    return found
