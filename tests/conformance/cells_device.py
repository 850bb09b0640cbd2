"""Cells of device.json: making and comparing device objects, the default device, meta, and mixing devices."""

import contextvars
import copy
import pickle
import threading

from conformance.records import IS_TORCH, Cell, differs, lib

FILE = "device.json"


def names():
    return {"torch": lib, "copy": copy, "pickle": pickle, "threading": threading}


def run(row):
    scope = names()
    if "expr" in row:
        exec(row["code"], scope)
        return eval(row["expr"], scope)
    return eval(row["code"], scope)


def apart(row):
    """Run one record in a thread and a context of its own, and put the process-wide default device back."""
    box = []

    def body():
        try:
            box.append((True, run(row)))
        except Exception as error:
            box.append((False, error))
        finally:
            if not IS_TORCH:                   # there the default belongs to the thread, and a leaked block forbids the reset
                lib.set_default_device(None)

    thread = threading.Thread(target=contextvars.Context().run, args=(body,))
    thread.start()
    thread.join()
    ok, value = box[0]
    if str(lib.get_default_device()) != "cpu" or str(lib.empty(1).device) != "cpu":
        raise AssertionError(f"the record left the default device at {lib.get_default_device()}")
    if not ok:
        raise value
    return value


def match(got, want):
    return differs(got, want.get("result"))


def cells(book):
    for section, how in (("construct", run), ("compare_and_tensor_device", run), ("context", apart),
                         ("meta_and_cross_device", run)):
        for i, row in enumerate(book.doc[section]):
            yield Cell(FILE, f"/{section}/{i}", row["code"] + ("; " + row["expr"] if "expr" in row else ""), row,
                       lambda row=row, how=how: how(row), match)
