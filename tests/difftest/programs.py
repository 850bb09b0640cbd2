"""Random programs over the operations of the op table, views, copies and reductions, as lines of Python.

A program is a list of `Step`; each step is one line of code in which the library is called `torch`, so a program can be
printed and replayed on either library.  A generator is seeded with one integer and nothing else.
"""

import random

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
          "float64", "complex32", "complex64", "complex128"]
# How often each is drawn: the ones people use, then the rest.
WEIGHTS = [3, 3, 2, 2, 3, 4, 1, 1, 1, 2, 2, 6, 4, 1, 2, 2]
BITS = {"uint8": (0, 8), "int8": (1, 8), "int16": (1, 16), "int32": (1, 32), "int64": (1, 64), "uint16": (0, 16), "uint32": (0, 32),
        "uint64": (0, 63)}                     # uint64 stays below 2**63, where the reference can follow in int64

BINARY = ["add", "sub", "mul", "div", "minimum", "maximum", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or",
          "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"]
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
             "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}
UNARY = ["neg", "abs", "sqrt", "exp", "logical_not", "bitwise_not"]
IN_PLACE = ["add", "sub", "mul", "div", "eq", "lt", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_and"]
REDUCTIONS = ["sum", "mean", "amax", "amin", "all", "any"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]


class Step:
    """One line.  kind says which rules apply; target is the assigned name, reads and writes are the tensors it uses."""

    def __init__(self, kind, op, code, target=None, reads=(), writes=None, **facts):
        self.kind, self.op, self.code, self.target = kind, op, code, target
        self.reads, self.writes, self.facts = list(reads), writes, facts

    @property
    def line(self):
        return f"{self.target} = {self.code}" if self.target else self.code


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0

    def name(self):
        self.count += 1
        return f"t{self.count - 1}"

    def dtype(self):
        return self.random.choices(DTYPES, WEIGHTS)[0]

    def number(self, dtype):
        r = self.random
        if dtype == "bool":
            return r.random() < 0.5
        if dtype in BITS:
            signed, bits = BITS[dtype]
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
            return r.choice([r.randint(max(low, -9), 9), r.randint(max(low, -9), 9), r.randint(low, high), low, high, 0, 1])
        if dtype.startswith("complex"):
            return complex(self.number("float16"), self.number("float16")) if r.random() < 0.9 else complex(r.randint(-3, 3), 0)
        special = r.random()
        if special < 0.06:
            return r.choice([float("nan"), float("inf"), float("-inf"), -0.0, 0.0])
        wide = dtype in ("float32", "float64")
        return r.choice([r.randint(-64, 64) / 8, float(r.randint(-9, 9)), r.uniform(-4, 4) if wide else 0.5])

    def literal(self, value):
        text = repr(value)
        for word in ("nan", "inf"):
            if isinstance(value, float):
                text = text.replace(word, f"float('{word}')") if word in text else text
        if isinstance(value, complex):
            text = f"complex({self.literal(value.real)}, {self.literal(value.imag)})"
        return text

    def shape(self, rank=None):
        r = self.random
        rank = r.choices(range(6), [2, 4, 6, 5, 5, 2])[0] if rank is None else rank
        return [r.choices([0, 1, 2, 3, 4], [1, 4, 6, 6, 3])[0] for _ in range(rank)]

    # -- steps that make tensors ---------------------------------------------------------------------------------------

    def fresh(self, shape=None, dtype=None):
        """A tensor of given data and of a random layout: row-major, channels last, permuted, stepped, padded, expanded."""
        r = self.random
        shape = self.shape() if shape is None else list(shape)
        dtype = dtype or self.dtype()
        layout = r.choices(["plain", "channels_last", "permuted", "stepped", "padded", "expanded", "strided"],
                           [5, 3, 3, 2, 2, 2, 1])[0]
        name = self.name()
        if layout == "channels_last" and len(shape) in (4, 5) and 0 not in shape:
            last = "channels_last" if len(shape) == 4 else "channels_last_3d"
            return self.data(name, shape, dtype, f".contiguous(memory_format=torch.{last})")
        if layout == "permuted" and len(shape) > 1:
            order = r.sample(range(len(shape)), len(shape))
            stored = [0] * len(shape)
            for k, d in enumerate(order):
                stored[d] = shape[k]
            return self.data(name, stored, dtype, f".permute({order})")
        if layout == "stepped" and shape:
            d, step = r.randrange(len(shape)), r.choice([2, 3])
            stored = shape[:d] + [shape[d] * step] + shape[d + 1:]
            return self.data(name, stored, dtype, f"[{', '.join([':'] * d + [f'::{step}'])}]")
        if layout == "padded" and shape:
            d = r.randrange(len(shape))
            stored = shape[:d] + [shape[d] + 2] + shape[d + 1:]
            return self.data(name, stored, dtype, f".narrow({d}, 1, {shape[d]})")
        if layout == "expanded" and any(n > 1 for n in shape):
            stored = [1 if n > 1 and r.random() < 0.6 else n for n in shape]
            return self.data(name, stored, dtype, f".expand({shape})")
        if layout == "strided" and shape and 0 not in shape:
            strides = [r.choice([0, 1, 2, 3, 5]) for _ in shape]
            need = 1 + sum((n - 1) * s for n, s in zip(shape, strides))
            return self.data(name, [need + 1], dtype, f".as_strided({shape}, {strides}, 1)")
        return self.data(name, shape, dtype, "")

    def data(self, name, shape, dtype, after):
        n = 1
        for size in shape:
            n *= size
        values = ", ".join(self.literal(self.number(dtype)) for _ in range(n))
        return Step("make", "tensor", f"torch.tensor([{values}], dtype=torch.{dtype}).reshape({shape}){after}", name)

    # -- operands ------------------------------------------------------------------------------------------------------

    def scalar(self, dtype):
        kind = self.random.choices(["bool", "int", "float", "complex", "big"], [1, 5, 4, 1, 1])[0]
        if kind == "big":
            return self.random.choice([300, -200, 70000, 2**31, -2**40])
        return self.number({"bool": "bool", "int": "int8", "float": "float32", "complex": "complex64"}[kind])

    def partner(self, env, name):
        """A second operand: mostly of a shape that broadcasts with the first."""
        r = self.random
        if r.random() < 0.3:
            return name if r.random() < 0.2 else r.choice(list(env)), []
        shape = list(env[name].shape)
        if r.random() < 0.85:
            shape = shape[r.randint(0, len(shape)):] if r.random() < 0.3 else shape
            shape = [1 if r.random() < 0.2 else n for n in shape]
            if r.random() < 0.1:
                shape = [r.randint(1, 2), *shape]
        else:
            shape = self.shape()
        dtype = str(env[name].dtype).split(".")[1] if r.random() < 0.4 else None
        step = self.fresh(shape[:6], dtype)
        return step.target, [step]

    # -- one random step over the tensors of env -------------------------------------------------------------------------

    def step(self, env):
        """Steps that run in order: operands that have to be made first, then the operation."""
        r = self.random
        name = r.choice(list(env))
        make = r.choices([self.binary, self.scalar_binary, self.unary, self.compare_all, self.where, self.clamp, self.reduction,
                          self.view, self.copying, self.in_place, self.with_out, self.assign, self.fresh_step],
                         [6, 5, 5, 1, 2, 2, 5, 9, 5, 6, 3, 4, 1])[0]
        return make(env, name)

    def fresh_step(self, env, name):
        return [self.fresh()]

    def binary(self, env, name):
        op, (other, before) = self.random.choice(BINARY), self.partner(env, name)
        pair = [name, other] if self.random.random() < 0.7 else [other, name]
        form = self.random.random()
        alpha = None
        if form < 0.4 and op in OPERATORS:
            code = f"{pair[0]} {OPERATORS[op]} {pair[1]}"
        elif form < 0.5 and op in ("add", "sub"):
            alpha = self.random.choice([2, -1, 0.5, True, 3])
            code = f"torch.{op}({pair[0]}, {pair[1]}, alpha={alpha})"
        elif form < 0.75 or op in ("minimum", "maximum"):
            code = f"torch.{op}({pair[0]}, {pair[1]})"
        else:
            code = f"{pair[0]}.{op}({pair[1]})"
        return [*before, Step("pointwise", op, code, self.name(), pair, alpha=alpha)]

    def scalar_binary(self, env, name):
        op = self.random.choice([op for op in BINARY if not op.startswith(("minimum", "maximum", "logical"))])
        value = self.scalar(env[name].dtype)
        left = self.random.random() < 0.3 and op in OPERATORS
        if left:
            code = f"{self.literal(value)} {OPERATORS[op]} {name}"
        elif op in OPERATORS and self.random.random() < 0.6:
            code = f"{name} {OPERATORS[op]} {self.literal(value)}"
        else:
            code = f"torch.{op}({name}, {self.literal(value)})"
        return [Step("pointwise", op, code, self.name(), [name], number=value, left=left)]

    def compare_all(self, env, name):
        value = self.scalar(env[name].dtype)
        op = self.random.choice(COMPARISONS)
        code = f"{name} {OPERATORS[op]} {self.literal(value)}"
        return [Step("pointwise", op, code, self.name(), [name], number=value, left=False)]

    def unary(self, env, name):
        op = self.random.choice(UNARY)
        code = f"torch.{op}({name})" if self.random.random() < 0.6 else f"{name}.{op}()"
        return [Step("pointwise", op, code, self.name(), [name])]

    def where(self, env, name):
        other, before = self.partner(env, name)
        condition = self.fresh(list(env[name].shape), "bool" if self.random.random() < 0.9 else None)
        return [*before, condition, Step("pointwise", "where", f"torch.where({condition.target}, {name}, {other})", self.name(),
                                         [condition.target, name, other])]

    def clamp(self, env, name):
        choices = [0, 1, 2, 3, 0.5, 1.5] if str(env[name].dtype).endswith("uint64") else [-2, -1, 0, 1, 2, 3, 0.5, 1.5]
        low, high = sorted(self.random.choice(choices) for _ in range(2))
        bounds, numbers = self.random.choice([(f"{low}, {high}", [low, high]), (f"min={low}", [low]), (f"max={high}", [high])])
        return [Step("pointwise", "clamp", f"torch.clamp({name}, {bounds})", self.name(), [name], numbers=numbers)]

    def reduction(self, env, name):
        r, rank = self.random, env[name].dim()
        op = r.choice(REDUCTIONS)
        dims = r.sample(range(-rank, rank), r.randint(1, rank)) if rank else []
        how = r.random()
        if how < 0.25:
            arguments = ""
        elif how < 0.6 and rank:
            arguments = f"{r.randrange(-rank, rank)}" + ", keepdim=True" * (r.random() < 0.4)
        elif op in ("all", "any"):
            arguments = "" if not rank else f"{r.randrange(rank)}, keepdim=True"
        else:
            arguments = f"{tuple(dims)}" + ", keepdim=True" * (r.random() < 0.4)
        if op in ("sum", "mean") and r.random() < 0.15:
            dtype = r.choice(["float64", "float32", "int64", "int32", "complex64"])
            arguments += (", " if arguments else "") + f"dtype=torch.{dtype}"
        used = dims if arguments.startswith("(") else []
        integers = arguments.split("torch.")[1] if "torch.int" in arguments and op == "sum" else None
        return [Step("reduce", op, f"torch.{op}({name}{', ' * bool(arguments)}{arguments})", self.name(), [name], dims=used,
                     integers=integers)]

    # -- views ---------------------------------------------------------------------------------------------------------

    def index(self, shape):
        """One basic index: integers, slices with steps, None, an ellipsis."""
        r, parts = self.random, []
        for n in shape[:r.randint(0, len(shape))]:
            what = r.random()
            if what < 0.3:
                parts.append(str(r.randint(-n, n) if r.random() < 0.05 or n == 0 else r.randrange(-n, n)))
            else:
                a, b = (r.choice(["", str(r.randint(-n - 1, n + 1))]) for _ in range(2))
                parts.append(f"{a}:{b}" + r.choice(["", "", f":{r.randint(1, 3)}"]))
        if r.random() < 0.25:
            parts.insert(r.randint(0, len(parts)), "None")
        if r.random() < 0.25:
            parts.append("...")
        return ", ".join(parts) or "..."

    def other_shape(self, shape):
        """A shape of as many elements: neighbours merged, sizes split, ones put in."""
        r, out = self.random, list(shape)
        for _ in range(r.randint(0, 3)):
            k = r.randrange(len(out) + 1)
            what = r.random()
            if what < 0.4 and k + 1 < len(out):
                out[k:k + 2] = [out[k] * out[k + 1]]
            elif what < 0.7 and k < len(out) and out[k] in (4, 6, 8, 9, 12):
                part = 3 if out[k] % 3 == 0 else 2
                out[k:k + 1] = [part, out[k] // part]
            elif what < 0.85:
                out.insert(k, 1)
            elif k < len(out) and out[k] == 1:
                del out[k]
        if r.random() < 0.05 and out:
            out[0] += 1
        return out

    def view(self, env, name):
        r, shape = self.random, list(env[name].shape)
        rank = len(shape)

        def dim():
            return r.randrange(-rank, rank) if rank and r.random() < 0.97 else rank
        choices = [
            lambda: ("index", f"{name}[{self.index(shape)}]"),
            lambda: ("index", f"{name}[{self.index(shape)}]"),
            lambda: ("permute", f"{name}.permute({r.sample(range(rank), rank)})"),
            lambda: ("transpose", f"{name}.transpose({dim()}, {dim()})"),
            lambda: ("t", f"{name}.t()"), lambda: ("mT", f"{name}.mT"),
            lambda: ("movedim", f"torch.movedim({name}, {dim()}, {dim()})"),
            lambda: ("reshape", f"{name}.reshape({self.other_shape(shape)})"),
            lambda: ("view", f"{name}.view({self.other_shape(shape)})"),
            lambda: ("flatten", f"{name}.flatten()" if not rank or r.random() < 0.5 else f"{name}.flatten({r.randrange(rank)})"),
            lambda: ("squeeze", f"{name}.squeeze({dim() if r.random() < 0.6 else ''})"),
            lambda: ("unsqueeze", f"{name}.unsqueeze({r.randint(-rank - 1, rank)})"),
            lambda: ("expand", f"{name}.expand({[r.choice([n, -1]) if n != 1 else r.choice([1, 2, 3]) for n in shape]})"),
            lambda: ("narrow", f"{name}.narrow({dim()}, {r.randint(0, 2)}, {r.randint(0, 2)})"),
            lambda: ("select", f"{name}.select({dim()}, {r.randint(-2, 2)})"),
            lambda: ("unbind", f"{name}.unbind({dim()})[0]"),
            lambda: ("split", f"torch.split({name}, {r.randint(1, 3)}, {dim()})[-1]"),
            lambda: ("chunk", f"{name}.chunk({r.randint(1, 3)}, {dim()})[-1]"),
        ]
        op, code = r.choice(choices)()
        return [Step("view", op, code, self.name(), [name])]

    # -- copies --------------------------------------------------------------------------------------------------------

    def copying(self, env, name):
        r = self.random
        form = r.choice(["contiguous_format", "preserve_format", "channels_last", "channels_last_3d"])
        dtype = self.dtype()
        op, code = r.choice([
            ("clone", f"{name}.clone()"), ("clone", f"{name}.clone(memory_format=torch.{form})"),
            ("contiguous", f"{name}.contiguous()"),
            ("contiguous", f"{name}.contiguous(memory_format=torch.{'channels_last' if form.startswith('p') else form})"),
            ("to", f"{name}.to(torch.{dtype})"), ("to", f"{name}.to(torch.{dtype})"),
            ("to", f"{name}.to(memory_format=torch.{form})"), ("to", f"{name}.to(torch.{dtype}, memory_format=torch.{form})"),
            ("to", f"{name}.to({name}.dtype, copy=True)"),
            ("zeros_like", f"torch.zeros_like({name})"), ("ones_like", f"torch.ones_like({name}, memory_format=torch.{form})"),
            ("full_like", f"torch.full_like({name}, 3)")])
        used = form if "memory_format" in code else "contiguous_format" if op == "contiguous" else "preserve_format"
        return [Step("copy", op, code, self.name(), [name], dtype=dtype if ".to(torch." in code else None, form=used)]

    # -- writing -------------------------------------------------------------------------------------------------------

    def in_place(self, env, name):
        r = self.random
        op = r.choice(IN_PLACE)
        if r.random() < 0.35 and not op.startswith("logical"):
            value = self.scalar(env[name].dtype)
            return [Step("write", op, f"{name}.{op}_({self.literal(value)})", None, [name], name, number=value, left=False)]
        if r.random() < 0.15:
            op = r.choice(["neg", "abs", "sqrt", "exp", "logical_not", "bitwise_not"])
            return [Step("write", op, f"{name}.{op}_()", None, [name], name)]
        other, before = self.partner(env, name)
        return [*before, Step("write", op, f"{name}.{op}_({other})", None, [name, other], name)]

    def with_out(self, env, name):
        """out= of the right shape (any layout), of no elements, of another shape, or an existing tensor."""
        r = self.random
        op = r.choice(["add", "sub", "mul", "div", "lt", "maximum", "logical_or", "neg", "abs", "sqrt"])
        before, reads = [], [name]
        if op not in UNARY:
            other, before = self.partner(env, name)
            reads.append(other)
        if r.random() < 0.3:
            out = r.choice(list(env))
        else:
            shape = list(env[name].shape) if r.random() < 0.7 else [0] if r.random() < 0.5 else self.shape()
            made = self.fresh(shape, str(env[name].dtype).split(".")[1] if r.random() < 0.6 else None)
            before.append(made)
            out = made.target
        return [*before, Step("out", op, f"torch.{op}({', '.join(reads)}, out={out})", None, reads, out)]

    def assign(self, env, name):
        r, shape = self.random, list(env[name].shape)
        how = r.random()
        if how < 0.25:
            call = r.choice(["fill_(2)", "zero_()", "fill_(1.5)", "fill_(True)"])
            return [Step("fill", "fill", f"{name}.{call}", None, [], name)]
        if how < 0.45:
            value = self.scalar(env[name].dtype)
            return [Step("fill", "setitem", f"{name}[{self.index(shape)}] = {self.literal(value)}", None, [], name, number=value)]
        other, before = self.partner(env, name)
        if how < 0.75:
            return [*before, Step("copy_", "copy_", f"{name}.copy_({other})", None, [other], name)]
        index = self.index(shape)
        return [*before, Step("copy_", "setitem", f"{name}[{index}] = {other}", None, [other], name, index=index)]
