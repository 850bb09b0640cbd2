"""The dtypes, one row each: the only list of dtypes in the project.

Pure data that imports nothing: csrc/gen.py reads it by path at build time, the policy layer at run time.  The position of a
row is the dtype's code in C.  The sixteen arithmetic dtypes come first (codes 0-15), then what has a defined cast, then the
rest.

Fields of a row
  name, aliases, abbr   as PyTorch prints them
  itemsize              bytes an element
  category              0 bool < 1 integral < 2 floating < 3 complex: the order of type promotion; None = outside promotion
  kind                  NumPy's kind letter ("V" where NumPy has no such dtype)
  signed                None where the question has no answer
  tier                  "compute"  has loops of its own
                        "storage"  computes through `compute`, and is rounded once when stored
                        "cast"     is only converted, copied and compared as bytes
                        "shell"    is only copied and compared as bytes
  ctype                 name of the C type in scalar.h
  compute               the dtype its arithmetic is done in (itself for tier "compute"), None for shells
  to_complex            the complex dtype of the same precision, None if there is none
  scalar_name           the name that error messages of PyTorch use
  buffer                struct-module format of the buffer protocol, None if there is none
  numpy                 NumPy's name, None if NumPy has no such dtype (ml_dtypes may)
  dlpack                (type code, bits) of DLPack, None if there is none
"""

FIELDS = ("name", "aliases", "abbr", "itemsize", "category", "kind", "signed", "tier", "ctype", "compute", "to_complex",
          "scalar_name", "buffer", "numpy", "dlpack")


def _row(name, abbr, itemsize, category, kind, signed, tier, ctype, compute, scalar_name, *, aliases=(), to_complex=None,
         buffer=None, numpy=None, dlpack=None):
    return {"name": name, "aliases": aliases, "abbr": abbr, "itemsize": itemsize, "category": category, "kind": kind,
            "signed": signed, "tier": tier, "ctype": ctype, "compute": compute, "to_complex": to_complex,
            "scalar_name": scalar_name, "buffer": buffer, "numpy": numpy, "dlpack": dlpack}


DTYPES = [
    _row("bool", "b8", 1, 0, "b", False, "compute", "bool8", "bool", "Bool", buffer="?", numpy="bool", dlpack=(6, 8)),
    _row("uint8", "u8", 1, 1, "u", False, "compute", "u8", "uint8", "Byte", buffer="B", numpy="uint8", dlpack=(1, 8)),
    _row("int8", "i8", 1, 1, "i", True, "compute", "i8", "int8", "Char", buffer="b", numpy="int8", dlpack=(0, 8)),
    _row("int16", "i16", 2, 1, "i", True, "compute", "i16", "int16", "Short", aliases=("short",), buffer="h", numpy="int16",
         dlpack=(0, 16)),
    _row("int32", "i32", 4, 1, "i", True, "compute", "i32", "int32", "Int", aliases=("int",), buffer="i", numpy="int32",
         dlpack=(0, 32)),
    _row("int64", "i64", 8, 1, "i", True, "compute", "i64", "int64", "Long", aliases=("long",), buffer="q", numpy="int64",
         dlpack=(0, 64)),
    _row("uint16", "u16", 2, 1, "u", False, "compute", "u16", "uint16", "UInt16", buffer="H", numpy="uint16", dlpack=(1, 16)),
    _row("uint32", "u32", 4, 1, "u", False, "compute", "u32", "uint32", "UInt32", buffer="I", numpy="uint32", dlpack=(1, 32)),
    _row("uint64", "u64", 8, 1, "u", False, "compute", "u64", "uint64", "UInt64", buffer="Q", numpy="uint64", dlpack=(1, 64)),
    _row("float16", "f16", 2, 2, "f", True, "storage", "f16", "float32", "Half", aliases=("half",), to_complex="complex32",
         buffer="e", numpy="float16", dlpack=(2, 16)),
    _row("bfloat16", "bf16", 2, 2, "f", True, "storage", "bf16", "float32", "BFloat16", to_complex="complex64",
         dlpack=(4, 16)),
    _row("float32", "f32", 4, 2, "f", True, "compute", "f32", "float32", "Float", aliases=("float",), to_complex="complex64",
         buffer="f", numpy="float32", dlpack=(2, 32)),
    _row("float64", "f64", 8, 2, "f", True, "compute", "f64", "float64", "Double", aliases=("double",),
         to_complex="complex128", buffer="d", numpy="float64", dlpack=(2, 64)),
    _row("complex32", "c32", 4, 3, "c", True, "storage", "c32", "complex64", "ComplexHalf", aliases=("chalf",),
         to_complex="complex32", dlpack=(5, 32)),
    _row("complex64", "c64", 8, 3, "c", True, "compute", "c64", "complex64", "ComplexFloat", aliases=("cfloat",),
         to_complex="complex64", buffer="Zf", numpy="complex64", dlpack=(5, 64)),
    _row("complex128", "c128", 16, 3, "c", True, "compute", "c128", "complex128", "ComplexDouble", aliases=("cdouble",),
         to_complex="complex128", buffer="Zd", numpy="complex128", dlpack=(5, 128)),
    _row("float8_e4m3fn", "f8e4m3fn", 1, 2, "f", True, "cast", "f8e4m3fn", "float32", "Float8_e4m3fn", dlpack=(10, 8)),
    _row("float8_e5m2", "f8e5m2", 1, 2, "f", True, "cast", "f8e5m2", "float32", "Float8_e5m2", dlpack=(12, 8)),
    _row("float8_e4m3fnuz", "f8e4m3fnuz", 1, 2, "f", True, "cast", "f8e4m3fnuz", "float32", "Float8_e4m3fnuz",
         dlpack=(11, 8)),
    _row("float8_e5m2fnuz", "f8e5m2fnuz", 1, 2, "f", True, "cast", "f8e5m2fnuz", "float32", "Float8_e5m2fnuz",
         dlpack=(13, 8)),
    _row("float8_e8m0fnu", "f8e8m0fnu", 1, 2, "f", False, "cast", "f8e8m0fnu", "float32", "Float8_e8m0fnu", dlpack=(14, 8)),
    _row("float4_e2m1fn_x2", "f4e2m1fnx2", 1, None, "V", True, "shell", "byte1", None, "Float4_e2m1fn_x2"),
]
DTYPES += [_row(f"uint{n}", f"uint{n}", 1, None, "V", False, "shell", "byte1", None, f"UInt{n}",
                aliases=("bit",) if n == 1 else ()) for n in range(1, 8)]
DTYPES += [_row(f"int{n}", f"int{n}", 1, None, "V", True, "shell", "byte1", None, f"Int{n}") for n in range(1, 8)]
DTYPES += [
    _row("bits1x8", "b1x8", 1, None, "V", None, "shell", "byte1", None, "Bits1x8"),
    _row("bits2x4", "b2x4", 1, None, "V", None, "shell", "byte1", None, "Bits2x4"),
    _row("bits4x2", "b4x2", 1, None, "V", None, "shell", "byte1", None, "Bits4x2"),
    _row("bits8", "b8x1", 1, None, "V", None, "shell", "byte1", None, "Bits8"),
    _row("bits16", "b16x1", 2, None, "V", None, "shell", "byte2", None, "Bits16"),
    _row("quint8", "quint8", 1, None, "V", None, "shell", "byte1", None, "QUInt8"),
    _row("qint8", "qint8", 1, None, "V", None, "shell", "byte1", None, "QInt8"),
    _row("qint32", "qint32", 4, None, "V", None, "shell", "byte4", None, "QInt32"),
    _row("quint4x2", "quint4x2", 1, None, "V", None, "shell", "byte1", None, "QUInt4x2"),
    _row("quint2x4", "quint2x4", 1, None, "V", None, "shell", "byte1", None, "QUInt2x4"),
]

ARITHMETIC = 16   # rows before this one take part in arithmetic and promotion
CASTABLE = 21     # rows before this one have a defined cast to each other
