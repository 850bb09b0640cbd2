"""The founding documents run: every example and every stated result, transcribed by hand, one test a statement.

000  PyTorch, tensor attributes        003  torch.empty_permuted
001  .NET, how tensors differ          002  memory formats, NCHW and channels last

They run with `import tensorlib as torch` (decision 28).  The statements of a section share their names, as at a prompt: before
a statement is tested the ones above it run.  What a later step brings is in PENDING, and only there; such a statement runs
too, and has to fail until it is taken off the list.
"""

import contextlib
import io

import pytest

from conformance.records import lib, ours

COUNTS = {"passed": 0, "pending": 0, "steps": {}}


class Raises:
    """The statement is refused with this exception, and the text holds each of the words."""

    def __init__(self, kind, *words):
        self.kind, self.words = kind, words

    def __repr__(self):
        return f"{self.kind} {self.words}"


OK = object()          # a statement that has to run, and shows nothing


def attributes():
    yield "dtype", [
        ("torch.float32.is_floating_point", "True"),
        ("[d.is_floating_point for d in (torch.float16, torch.bfloat16, torch.float64)]", "[True, True, True]"),
        ("[d.is_floating_point for d in (torch.bool, torch.uint8, torch.int64, torch.complex64)]", "[False, False, False, False]"),
        ("[d.is_complex for d in (torch.complex32, torch.complex64, torch.complex128)]", "[True, True, True]"),
        ("[d.is_complex for d in (torch.float32, torch.int64, torch.bool)]", "[False, False, False]"),
        ("torch.float32.abbr", "'f32'"),
    ]
    operands = [
        ("float_tensor = torch.ones(1, dtype=torch.float)", OK),
        ("double_tensor = torch.ones(1, dtype=torch.double)", OK),
        ("complex_float_tensor = torch.ones(1, dtype=torch.complex64)", OK),
        ("complex_double_tensor = torch.ones(1, dtype=torch.complex128)", OK),
        ("int_tensor = torch.ones(1, dtype=torch.int)", OK),
        ("long_tensor = torch.ones(1, dtype=torch.long)", OK),
        ("uint_tensor = torch.ones(1, dtype=torch.uint8)", OK),
        ("bool_tensor = torch.ones(1, dtype=torch.bool)", OK),
        ("long_zerodim = torch.tensor(1, dtype=torch.long)", OK),
        ("int_zerodim = torch.tensor(1, dtype=torch.int)", OK),
    ]
    yield "promotion", operands + [
        ("torch.add(5, 5).dtype", "torch.int64"),
        ("(int_tensor + 5).dtype", "torch.int32"),
        ("(int_tensor + long_zerodim).dtype", "torch.int32"),
        ("(long_tensor + int_tensor).dtype", "torch.int64"),
        ("(bool_tensor + long_tensor).dtype", "torch.int64"),
        ("(bool_tensor + uint_tensor).dtype", "torch.uint8"),
        ("(float_tensor + double_tensor).dtype", "torch.float64"),
        ("(complex_float_tensor + complex_double_tensor).dtype", "torch.complex128"),
        ("(bool_tensor + int_tensor).dtype", "torch.int32"),
        ("torch.add(long_tensor, float_tensor).dtype", "torch.float32"),
    ]
    yield "promotion rules", [
        ("(torch.ones(2, dtype=torch.int8) + 1.5).dtype == torch.get_default_dtype()", "True"),
        ("(torch.ones(2, dtype=torch.bool) + 1).dtype", "torch.int64"),
        ("(torch.ones(2, dtype=torch.int8) + 300).dtype", "torch.int8"),
        ("(torch.ones(2, dtype=torch.int8) + torch.tensor(1.5, dtype=torch.float64)).dtype", "torch.float64"),
        ("(torch.ones(2, dtype=torch.float32) + torch.tensor(1.5, dtype=torch.float64)).dtype", "torch.float32"),
        ("(torch.ones(2, dtype=torch.float32) * torch.ones(2, dtype=torch.complex64)).dtype", "torch.complex64"),
    ]
    refused = Raises("RuntimeError", "can't be cast to the desired output type")
    yield "casting to the output", operands + [
        ("float_tensor *= float_tensor", OK),
        ("float_tensor *= int_tensor", OK),
        ("float_tensor *= uint_tensor", OK),
        ("float_tensor *= bool_tensor", OK),
        ("float_tensor *= double_tensor", OK),
        ("int_tensor *= long_tensor", OK),
        ("int_tensor *= uint_tensor", OK),
        ("uint_tensor *= int_tensor", OK),
        ("int_tensor *= float_tensor", refused),
        ("bool_tensor *= int_tensor", refused),
        ("bool_tensor *= uint_tensor", refused),
        ("float_tensor *= complex_float_tensor", refused),
    ]
    yield "device from a string", [
        ("torch.device('cuda:0')", "device(type='cuda', index=0)"),
        ("torch.device('cpu')", "device(type='cpu')"),
        ("torch.device('mps')", "device(type='mps')"),
        ("torch.device('cuda')", "device(type='cuda')"),
    ]
    yield "device from a type and an index", [
        ("torch.device('cuda', 0)", "device(type='cuda', index=0)"),
        ("torch.device('mps', 0)", "device(type='mps', index=0)"),
        ("torch.device('cpu', 0)", "device(type='cpu', index=0)"),
    ]
    yield "device from an index", [
        ("torch.testing.simulated(device_type='cuda').__enter__() and torch.device(0)", "device(type='cuda', index=0)"),
        ("torch.testing.simulated(device_type='xpu', devices=2).__enter__() and torch.device(1)", "device(type='xpu', index=1)"),
        ("torch.device(0)", Raises("RuntimeError", "Cannot access accelerator device when none is available.")),
    ]
    yield "device of a tensor", [
        ("torch.ones(2).device", "device(type='cpu')"),
        ("torch.ones(2, device='meta').device", "device(type='meta')"),
    ]
    yield "device as a context", [
        ("with torch.device('cuda:1'):\n    r = torch.randn(2, 3)", OK),
        ("r.device", "device(type='cuda', index=1)"),
        ("with torch.device('meta'):\n    m = torch.randn(2, 3, device='cpu')", OK),
        ("m.device", "device(type='cpu')"),
        ("with torch.device('meta'):\n    m = torch.randn(2, 3, device=None)", OK),
        ("m.device", "device(type='meta')"),
        ("torch.set_default_device('meta')", OK),
        ("torch.randn(2, 3).device", "device(type='meta')"),
        ("torch.set_default_device(None)", OK),
    ]
    yield "functions that take a device", [
        ("cuda1 = torch.device('cuda:1')", OK),
        ("torch.randn((2,3), device=cuda1).device", "device(type='cuda', index=1)"),
        ("torch.randn((2,3), device='cuda:1').device", "device(type='cuda', index=1)"),
        ("torch.randn((2,3), device=torch.device('cuda:1')).device", "device(type='cuda', index=1)"),
        ("torch.randn((2,3), device=1).device", "device(type='cuda', index=1)"),
    ]
    mixed = Raises("RuntimeError", "cuda:0", "cpu")
    yield "mixing devices", [
        ("(torch.ones(()) + torch.ones(()).cuda()).device", "device(type='cuda', index=0)"),
        ("(torch.ones(()).cuda() + torch.ones(())).device", "device(type='cuda', index=0)"),
        ("(torch.ones(()) + torch.ones(1).cuda()).device", "device(type='cuda', index=0)"),
        ("(torch.ones(1).cuda() + torch.ones(())).device", "device(type='cuda', index=0)"),
        ("torch.ones(()).cuda() + torch.ones(1)", mixed),
        ("torch.ones(1) + torch.ones(()).cuda()", mixed),
    ]
    yield "layout", [
        ("x = torch.tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]])", OK),
        ("x.stride()", "(5, 1)"),
        ("x.t().stride()", "(1, 5)"),
        ("x.layout", "torch.strided"),
        ("torch.zeros(2, 3, layout=torch.sparse_coo).layout", "torch.sparse_coo"),
    ]
    yield "memory format", [
        ("torch.empty(2, 3, 4, 5, memory_format=torch.contiguous_format).stride()", "(60, 20, 5, 1)"),
        ("s = torch.empty(2, 3, 4, 5, memory_format=torch.channels_last).stride()", OK),
        ("s[0] > s[2] > s[3] > s[1] == 1", "True"),
        ("s = torch.empty(2, 3, 4, 5, 6, memory_format=torch.channels_last_3d).stride()", OK),
        ("s[0] > s[2] > s[3] > s[4] > s[1] == 1", "True"),
        ("torch.empty(2, 3, 4, 5).permute(3, 1, 0, 2).clone(memory_format=torch.preserve_format).stride()", "(1, 20, 60, 5)"),
        ("torch.empty(2, 3, 4, 5).permute(3, 1, 0, 2)[::2].clone(memory_format=torch.preserve_format).stride()", "(24, 8, 4, 1)"),
    ]


def empty_permuted():
    yield "examples", [
        ("torch.empty((2, 3, 5, 7)).stride()", "(105, 35, 7, 1)"),
        ("torch.empty_permuted((2, 3, 5, 7), (0, 1, 2, 3)).stride()", "(105, 35, 7, 1)"),
        ("torch.empty((2, 3, 5, 7), memory_format=torch.channels_last).stride()", "(105, 1, 21, 3)"),
        ("torch.empty_permuted((2, 3, 5, 7), (0, 2, 3, 1)).stride()", "(105, 1, 21, 3)"),
        ("torch.empty_permuted((2, 3, 5, 7), (0, 2, 3, 1)).dim_order()", "(0, 2, 3, 1)"),
    ]
    yield "text", [
        ("p = (1, 3, 0, 2)", OK),
        ("t = torch.empty_permuted((2, 3, 5, 7), p)", OK),
        ("[t.stride(p[i]) for i in range(4)] == list(torch.empty([t.size(d) for d in p]).stride())", "True"),
        ("t.shape == torch.empty((2, 3, 5, 7)).permute(p).shape", "False"),
        ("torch.empty_permuted(size=(2, 3), physical_layout=(1, 0), dtype=None, layout=None, device=None, requires_grad=False, "
         "pin_memory=False).stride()", "(1, 2)"),
        ("torch.empty_permuted((2, 3), (1, 0)).layout", "torch.strided"),
        ("torch.empty_permuted((2, 3), (1, 0)).dtype == torch.get_default_dtype()", "True"),
        ("torch.empty_permuted((2, 3), (1, 0)).device == torch.get_default_device()", "True"),
        ("torch.empty_permuted((2, 3), (1, 0), requires_grad=True).requires_grad", "True"),
        ("torch.empty_permuted((2, 3), (1, 0), pin_memory=True).stride()", "(1, 2)"),
    ]
    yield "deterministic fill", [
        ("torch.use_deterministic_algorithms(True)", OK),
        ("torch.utils.deterministic.fill_uninitialized_memory = True", OK),
        ("all(v != v for v in torch.empty_permuted((2, 2), (1, 0)).flatten().tolist())", "True"),
        ("all(v != v for v in torch.empty_permuted((2, 2), (1, 0), dtype=torch.complex64).flatten().tolist())", "True"),
        ("torch.empty_permuted((2, 2), (1, 0), dtype=torch.int16).tolist()", "[[32767, 32767], [32767, 32767]]"),
        ("torch.use_deterministic_algorithms(False)", OK),
    ]


CUBE = "tensor([[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]])"
LINE = "tensor([0, 1, 2, 3, 4, 5, 6, 7])"
PLACES = [(0, c, h, w) for c in (0, 1) for h in (0, 1) for w in (0, 1)]
# The article's list for walking the channels last tensor from its innermost dimension outwards.
CWHN = [(0, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 0), (0, 1, 1, 0), (0, 0, 1, 1), (0, 1, 1, 1)]


def memory_format():
    made = [("x=torch.arange(8).reshape(1,2,2,2)", OK), ("x_cl=x.to(memory_format=torch.channels_last)", OK)]
    yield "NCHW and channels last", [
        made[0],
        ("print(x)", CUBE),
        ("print(x.flatten())", LINE),
        ("print(x.shape)", "torch.Size([1, 2, 2, 2])"),
        ("print(x.stride())", "(8, 4, 2, 1)"),
        made[1],
        ("print(x_cl)", CUBE),
        ("print(x_cl.flatten())", LINE),
        ("print(x_cl.shape)", "torch.Size([1, 2, 2, 2])"),
        ("print(x_cl.stride())", "(8, 1, 4, 2)"),
    ]
    yield "the memory underneath", made + [
        ("type(x.storage()).__name__", "'TypedStorage'"),
        ("print(torch.tensor(list(x.storage())))", LINE),
        ("print(torch.tensor(list(x_cl.storage())))", "tensor([0, 4, 1, 5, 2, 6, 3, 7])"),
        (f"print(torch.tensor([x_cl[i].item() for i in {CWHN}]))", "tensor([0, 4, 1, 5, 2, 6, 3, 7])"),
        (f"[x_cl.storage()[n] == x_cl[i].item() for n, i in enumerate({CWHN})]", str([True] * 8)),
    ]
    bridge = list(made)
    for name, where in (("x", [0, 1, 2, 3, 4, 5, 6, 7]), ("x_cl", [0, 2, 4, 6, 1, 3, 5, 7])):
        bridge += [(f"sum(i * s for i, s in zip({place}, {name}.stride()))", str(n)) for place, n in zip(PLACES, where)]
        bridge += [(f"[{name}.storage()[n] for n in {where}]", "[0, 1, 2, 3, 4, 5, 6, 7]"),
                   (f"[{name}[i].item() for i in {PLACES}]", "[0, 1, 2, 3, 4, 5, 6, 7]")]
    yield "from index to memory", bridge


def dotnet():
    refused = Raises("ValueError")
    yield "empty shapes and scalars", [
        ("from tensorlib import spans", OK),
        ("t = spans.create([])", OK),
        ("list(t.shape), t.numel()", "([0], 0)"),
        ("torch.empty(()).shape, torch.empty(()).numel()", "(torch.Size([]), 1)"),
        ("data = torch.tensor([1, 2, 3, 4, 5, 6])", OK),
        ("list(spans.TensorSpan(data).lengths)", "[6]"),
        ("list(spans.squeeze(spans.TensorSpan(data, [1, 1])).lengths)", "[1]"),
        ("s = spans.squeeze(spans.TensorSpan(data, [1, 1]))", OK),
        ("list(spans.broadcast(s, [2, 3]).lengths)", "[2, 3]"),
        ("z = spans.TensorSpan(data, [2, 0, 3])", OK),
        ("list(z.strides), z.flattened_length, z.is_empty", "([0, 0, 0], 0, True)"),
        ("spans.TensorSpan(data, [2, -1])", refused),
        ("spans.TensorSpan(data, [0, -1])", refused),
        ("spans.TensorSpan(data, [2, 3], [1, 1])", refused),
        ("spans.TensorSpan(data, [2, 3], [100, 1])", refused),
    ]
    yield "strides and reversed data", [
        ("from tensorlib import spans", OK),
        ("spans.TensorSpan(torch.arange(6), [6], [-1])", refused),
        ("source = spans.create([1, 2, 3, 4], [2, 2])", OK),
        ("reversed_ = spans.reverse_dimension(source.as_readonly_span(), 0)", OK),
        ("reversed_.flatten().tolist()", "[3, 4, 1, 2]"),
        ("torch.shares_memory(reversed_, source)", "False"),
        ("source.flatten().tolist()", "[1, 2, 3, 4]"),
    ]
    yield "resizing", [
        ("from tensorlib import spans", OK),
        ("spans.resize(torch.tensor([1, 2]), [5]).tolist()", "[1, 2, 0, 0, 0]"),
        ("spans.resize(torch.tensor([1, 2, 3]), [2]).tolist()", "[1, 2]"),
        ("gaps = torch.full((8,), 9)", OK),
        ("spans.resize_to(torch.tensor([1, 2]), spans.TensorSpan(gaps, [4], [2]))", OK),
        ("(gaps.tolist(), hasattr(spans, 'resize_to'))[0]", "[1, 9, 2, 9, 0, 9, 0, 9]"),
        ("small = torch.full((2,), 9)", OK),
        ("spans.resize_to(torch.tensor([1, 2, 3]), spans.TensorSpan(small))", OK),
        ("small.tolist()", "[1, 2]"),
        ("spans.resize_to(torch.tensor([1, 2]), spans.TensorSpan(gaps, [3], [0]))", refused),
        ("spans.concatenate([torch.tensor([1]), torch.tensor([2])], spans.TensorSpan(gaps, [2], [0]))", refused),
        ("spans.resize_to(torch.tensor([7]), spans.TensorSpan(gaps, [1], [0]))", OK),
        ("spans.resize_to(torch.tensor([7]), spans.TensorSpan(gaps, [0], [0]))", OK),
    ]
    yield "overlap", [
        ("from tensorlib import spans", OK),
        ("a = torch.tensor([1, 2, 3, 4, 5, 6])", OK),
        ("spans.copy_to(spans.TensorSpan(a[:5]), spans.TensorSpan(a[1:]))", OK),            # dense, equal counts: a segment move
        ("(a.tolist(), spans)[0]", "[1, 1, 2, 3, 4, 5]"),
        ("v = spans.TensorSpan(a, [3], [2])", OK),
        ("spans.copy_to(v, v)", OK),                                                          # identical views
        ("b = torch.tensor([1, 2, 3, 4, 5, 6])", OK),
        ("spans.flatten_to(spans.TensorSpan(b, [2, 2]), spans.TensorSpan(b[1:]))", OK),     # dense source, destination range
        ("(b.tolist(), spans)[0]", "[1, 1, 2, 3, 4, 6]"),
        ("c = torch.tensor([1, 2, 3, 4])", OK),
        ("spans.add(spans.TensorSpan(c), spans.TensorSpan(c), spans.TensorSpan(c))", OK),   # same start, lengths and strides
        ("(c.tolist(), spans)[0]", "[2, 4, 6, 8]"),
        ("spans.add(spans.TensorSpan(c[:3]), spans.TensorSpan(c[:3]), spans.TensorSpan(c[1:]))", refused),   # shifted: no copy
        ("spans.add(spans.TensorSpan(c[1:]), spans.TensorSpan(c[:3]), spans.TensorSpan(c[1:]))", refused),   # each input by itself
        ("repeated = spans.TensorSpan(c, [3], [0])", OK),
        ("spans.add(repeated, repeated, repeated)", refused),
        ("spans.add(torch.tensor([1, 2, 3]), 1, repeated)", refused),                         # broadcast destination
        ("(c.tolist(), spans)[0]", "[2, 4, 6, 8]"),                                             # refused before writing
        ("spans.resize_to(spans.TensorSpan(c[:2]), spans.TensorSpan(c[1:]))", OK),            # compact source and destination
        ("spans.resize_to(spans.TensorSpan(c, [2], [2]), spans.TensorSpan(c[:3]))", refused),
        ("d = torch.tensor([1, 2, 3, 4])", OK),
        ("spans.reverse_to(spans.TensorSpan(d), spans.TensorSpan(d))", OK),                   # a dense view onto itself
        ("(d.tolist(), spans)[0]", "[4, 3, 2, 1]"),
        ("one = spans.TensorSpan(d, [1, 4])", OK),
        ("spans.reverse_dimension_to(one, one, 0)", OK),                                      # a reversal without effect
        ("spans.try_copy_to(spans.TensorSpan(d), spans.TensorSpan(torch.zeros(3, dtype=torch.int64)))", "False"),
        ("spans.try_flatten_to(spans.TensorSpan(d), spans.TensorSpan(torch.zeros(3, dtype=torch.int64)))", "False"),
        ("spans.try_copy_to(spans.TensorSpan(d, [2, 2]), spans.TensorSpan(torch.zeros(3, 3, dtype=torch.int64)))", "False"),
        ("spans.try_copy_to(spans.TensorSpan(d, [2], [2]), spans.TensorSpan(d[:2]))", refused),
    ]
    yield "the example of the page", [
        ("from tensorlib import spans", OK),
        ("storage = torch.tensor([1, 2, 3, 4, 5, 6])", OK),
        ("source = spans.ReadOnlyTensorSpan(storage, [2, 2], [3, 1])", OK),
        ("destination = spans.TensorSpan(storage, [2, 2])", OK),
        ("spans.copy_to(source, destination)", refused),
        ("(storage.tolist(), source)[0]", "[1, 2, 3, 4, 5, 6]"),
        ("snapshot = torch.zeros(source.flattened_length, dtype=torch.int64)", OK),
        ("spans.flatten_to(source, spans.TensorSpan(snapshot))", OK),
        ("snapshot.tolist()", "[1, 2, 4, 5]"),
        ("independent_source = spans.ReadOnlyTensorSpan(snapshot, source.lengths)", OK),
        ("spans.copy_to(independent_source, destination)", OK),
        ("(storage.tolist(), source)[0]", "[1, 2, 4, 5, 5, 6]"),
    ]


DOCUMENTS = {"000": attributes, "001": dotnet, "002": memory_format, "003": empty_permuted}

# (document, section, statements or None for all, but not these, step, what is missing)
PENDING = [
    ("000", "device from an index", ["torch.testing.simulated(device_type='cuda').__enter__() and torch.device(0)",
                                     "torch.testing.simulated(device_type='xpu', devices=2).__enter__() and torch.device(1)"], (),
     6, "a simulated accelerator"),
    ("000", "device as a context", ["with torch.device('cuda:1'):\n    r = torch.randn(2, 3)", "r.device"], (), 6,
     "an accelerator"),
    ("000", "functions that take a device", None, ["cuda1 = torch.device('cuda:1')"], 6, "an accelerator"),
    ("000", "mixing devices", None, (), 6, "an accelerator"),
    ("000", "layout", ["torch.zeros(2, 3, layout=torch.sparse_coo).layout"], (), 6, "sparse_coo"),
    ("003", "text", ["torch.empty_permuted((2, 3), (1, 0), pin_memory=True).stride()"], (), 6, "pinned memory"),
    ("003", "text", ["torch.empty_permuted((2, 3), (1, 0), requires_grad=True).requires_grad"], (), None,
     "requires_grad (decision 33)"),
    ("001", "empty shapes and scalars", None, ["torch.empty(()).shape, torch.empty(()).numel()",
                                               "data = torch.tensor([1, 2, 3, 4, 5, 6])"], 4, "tensorlib.spans"),
    ("001", "strides and reversed data", None, (), 4, "tensorlib.spans"),
    ("001", "resizing", None, ["gaps = torch.full((8,), 9)", "small = torch.full((2,), 9)"], 4, "tensorlib.spans"),
    ("001", "overlap", None, ["a = torch.tensor([1, 2, 3, 4, 5, 6])", "b = torch.tensor([1, 2, 3, 4, 5, 6])",
                              "c = torch.tensor([1, 2, 3, 4])", "d = torch.tensor([1, 2, 3, 4])"], 4, "tensorlib.spans"),
    ("001", "the example of the page", None, ["storage = torch.tensor([1, 2, 3, 4, 5, 6])"], 4, "tensorlib.spans"),
]


def pending(document, section, code):
    for doc, sec, only, but, step, what in PENDING:
        if doc == document and sec == section and code not in but and (only is None or code in only):
            return step, what
    return None


STATEMENTS = []
for document, make in DOCUMENTS.items():
    for section, lines in make():
        STATEMENTS += [(document, section, lines, n) for n in range(len(lines))]


def squeeze(text):
    """The articles' own line breaks are lost: compare words."""
    return " ".join(text.split())


def play(code, scope):
    """Run one statement as a prompt would, and return what it shows."""
    out = io.StringIO()
    try:
        ready = compile(code, "<statement>", "eval")
    except SyntaxError:
        ready = compile(code, "<statement>", "exec")
    with contextlib.redirect_stdout(out):
        value = eval(ready, scope)
    return out.getvalue() + ("" if value is None else repr(value))


def reset():
    lib.set_default_device(None)
    lib.use_deterministic_algorithms(False)


def check(lines, n):
    scope = {"torch": lib}
    for code, _ in lines[:n]:
        with contextlib.suppress(Exception):
            play(code, scope)
    code, want = lines[n]
    if isinstance(want, Raises):
        try:
            shown = play(code, scope)
        except Exception as error:
            assert want.kind in {c.__name__ for c in type(error).__mro__}, f"{code} raised {error!r}, expected {want}"
            for word in want.words:
                assert word in str(error), f"{code} raised {error!r}, whose text lacks {word!r}"
            return
        raise AssertionError(f"{code} gave {shown}, expected {want}")
    shown = play(code, scope)
    if want is not OK:
        assert squeeze(shown) == ours(want), f"{code} shows {squeeze(shown)}, expected {ours(want)}"


def ident(case):
    document, section, lines, n = case
    return f"{document}-{section}-{n}"


@pytest.mark.parametrize("case", STATEMENTS, ids=ident)
def test_statement(case):
    document, section, lines, n = case
    waits = pending(document, section, lines[n][0])
    try:
        if waits is None:
            check(lines, n)
            COUNTS["passed"] += 1
            return
        try:
            check(lines, n)
        except Exception:
            COUNTS["pending"] += 1
            where = f"step {waits[0]}" if waits[0] else "requires_grad"
            COUNTS["steps"][where] = COUNTS["steps"].get(where, 0) + 1
            return
        raise AssertionError(f"{lines[n][0]!r} passes: take it off PENDING ({waits})")
    finally:
        reset()


def test_the_pending_list_is_exact():
    """Every entry of PENDING names statements that are there, and the counts by step are the ones stated here."""
    counted = {}
    for document, section, lines, n in STATEMENTS:
        waits = pending(document, section, lines[n][0])
        if waits:
            counted[waits] = counted.get(waits, 0) + 1
    sections = {(d, s): {code for code, _ in lines} for d, s, lines, _ in STATEMENTS}
    for document, section, only, but, *_ in PENDING:
        assert set(only or ()) | set(but) <= sections[document, section], f"PENDING names an absent statement of {section}"
    by_step = {}
    for (step, _), n in counted.items():
        by_step[step] = by_step.get(step, 0) + n
    assert by_step == EXPECTED_PENDING, by_step
    assert len(STATEMENTS) == EXPECTED_STATEMENTS, len(STATEMENTS)


EXPECTED_PENDING = {4: 67, 6: 16, None: 1}
EXPECTED_STATEMENTS = 234
