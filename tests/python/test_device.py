"""Device objects, their text form, and the default device: with blocks above one base (decisions 18, 19, 34, 35)."""
import asyncio
import copy
import json
import pathlib
import pickle
import random
import threading

import pytest

import tensorlib as tl

DATA = pathlib.Path(__file__).parents[1] / "data"
TYPES = ["cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy", "vulkan",
         "mps", "meta", "hpu", "mtia", "privateuseone"]


@pytest.fixture(autouse=True)
def base_restored():
    yield
    tl.set_default_device(None)


def default():
    return str(tl.get_default_device())


def made():
    return str(tl.empty(2).device)


# -- objects ----------------------------------------------------------------------------------------------------------

def golden_constructions():
    if not ((DATA / "device.json").exists() and (DATA / "overruled.json").exists()):
        return []
    records = json.loads((DATA / "device.json").read_text())["construct"]
    for entry in json.loads((DATA / "overruled.json").read_text())["entries"]:
        if entry["file"] == "device.json" and entry["record"].startswith("/construct/"):
            records[int(entry["record"].split("/")[2])].update(ok=False, err=entry["value"]["raises"], msg="")
    return records


@pytest.mark.parametrize("record", golden_constructions(), ids=lambda record: record["code"])
def test_golden_constructions(record):
    if record["ok"]:
        device = eval(record["code"], {"torch": tl})
        assert {"repr": repr(device), "str": str(device), "type": device.type, "index": device.index} == record["result"]
        return
    with pytest.raises((RuntimeError, TypeError)) as caught:
        eval(record["code"], {"torch": tl})
    assert type(caught.value).__name__ == record["err"]
    opening = record["msg"].split(" - got")[0].split(" cpu, ")[0]
    assert str(caught.value).startswith(opening.replace("torch.", "tensorlib."))


@pytest.mark.parametrize("kind", TYPES)
def test_every_form_means_the_same(kind):
    for index in (None, 0, 1, 9, 10, 127):
        text = kind if index is None else f"{kind}:{index}"
        device = tl.device(text)
        assert (device.type, device.index, str(device)) == (kind, index, text)
        assert eval(repr(device), {"device": tl.device}) == device
        for same in (tl.device(kind, index), tl.device(type=kind, index=index), tl.device(device), tl.device(device=text),
                     tl.device(text.encode()), pickle.loads(pickle.dumps(device)), copy.deepcopy(device), copy.copy(device)):
            assert same == device
            assert hash(same) == hash(device)
            assert repr(same) == repr(device)


def test_different_devices_differ():
    devices = [tl.device(kind, index) for kind in TYPES for index in (None, 0, 1, 127)]
    assert len(set(devices)) == len(devices) == 4 * len(TYPES)
    assert tl.device("cpu") != "cpu"
    assert tl.device("cpu") not in (None, 0)
    for compare in (lambda a, b: a < b, lambda a, b: a >= b):
        with pytest.raises(TypeError, match="comparison not implemented"):
            compare(devices[0], devices[1])


def test_random_strings_are_parsed_as_the_grammar_says():
    rng = random.Random(5)
    accepted = 0
    for _ in range(5000):
        kind = rng.choice([*TYPES, "gpu", "CPU", "", " cpu", "cpu0"])
        tail = rng.choice(["", ":", ":0", ":00", ":-1", ":+1", ": 1", ":1 ", ":x", ":1:2", ":²", f":{rng.randrange(300)}"])
        digits = tail[1:]
        valid = kind in TYPES and (tail == "" or digits.isdecimal() and digits.isascii() and str(int(digits)) == digits
                                   and int(digits) <= 127)
        accepted += valid
        if valid:
            assert str(tl.device(kind + tail)) == kind + tail
        else:
            with pytest.raises(RuntimeError):
                tl.device(kind + tail)
    assert 500 < accepted < 4500


@pytest.mark.parametrize("index", [-1, -2**70, 128, 255, 256, 2**31, 2**64, 2**70])
def test_an_index_is_never_wrapped(index):
    with pytest.raises(RuntimeError, match="Device index must"):
        tl.device("cuda", index)
    with pytest.raises(RuntimeError, match="Device index must not be negative|Cannot access accelerator device"):
        tl.device(index)


def test_a_bare_number_is_an_accelerator_and_there_is_none():
    for call in (lambda: tl.device(0), lambda: tl.device(1), lambda: tl.empty(1, device=0), lambda: tl.set_default_device(0)):
        with pytest.raises(RuntimeError, match=r"^Cannot access accelerator device when none is available\.$"):
            call()


def test_objects_are_closed_and_read_only():
    device = tl.device("cuda:1")
    for name in ("index", "type"):
        with pytest.raises(AttributeError, match=f"attribute '{name}' of 'tensorlib.device' objects is not writable"):
            setattr(device, name, 0)
    with pytest.raises(AttributeError, match="'tensorlib.device' object has no attribute 'foo'"):
        device.foo  # noqa: B018
    device.__init__("cpu")
    assert str(device) == "cuda:1"
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Derived", (tl.device,), {})
    with pytest.raises(TypeError, match="not callable"):
        tl.device("meta")(made)


# -- the device of a tensor -------------------------------------------------------------------------------------------

def test_tensors_on_cpu_and_meta_have_no_index():
    for text in ("cpu", "cpu:0", "cpu:5", "meta", "meta:3"):
        tensor = tl.empty(1, device=text)
        assert tensor.device == tl.device(text.split(":")[0])
        assert tl.empty(1, device=tl.device(text)).device == tensor.device
        with tl.device(text):
            assert tl.empty(1).device == tensor.device
            assert default() == text


@pytest.mark.parametrize("kind", [kind for kind in TYPES if kind not in ("cpu", "meta")])
def test_a_type_without_a_backend_is_named(kind):
    for text in (kind, f"{kind}:1"):
        with pytest.raises(RuntimeError, match=f"'{text}'.*no usable backend for '{kind}'"):
            tl.empty(1, device=text)
        with tl.device(text):                    # entering is fine, making a tensor is not
            assert default() == text
            with pytest.raises(RuntimeError, match=f"'{text}'"):
                tl.empty(1)
            assert str(tl.empty(1, device="cpu").device) == "cpu"


def test_wrong_device_arguments():
    for wrong, name in ((1.5, "float"), (tl.float32, r"tensorlib\.dtype"), (True, "bool"), ([], "list")):
        with pytest.raises(TypeError, match=f"argument 'device' must be tensorlib.device, not {name}"):
            tl.empty(1, device=wrong)
    with pytest.raises(RuntimeError, match="Device string must not be empty"):
        tl.empty(1, device="")
    with pytest.raises(RuntimeError, match=r"^Expected one of .* device type at start of device string: foo$"):
        tl.empty(1, device="foo")


# -- the default device -----------------------------------------------------------------------------------------------

def test_random_blocks_agree_with_a_list():
    """Blocks entered and left in any order, the base changed in between: the innermost block wins, then the base."""
    rng = random.Random(11)
    names = ["cpu", "meta", "cpu:1", "meta:2"]
    shared = {name: tl.device(name) for name in names}
    seen = set()
    for _ in range(300):
        blocks, base, done = [], "cpu", []
        tl.set_default_device(None)
        for _ in range(rng.randrange(1, 20)):
            name = rng.choice(names)
            device = shared[name] if rng.random() < 0.5 else tl.device(name)
            action = rng.choice(["enter", "enter", "leave", "base", "forget"])
            if action == "enter":
                assert device.__enter__() is device
                blocks.append(name)
            elif action == "leave":              # of the innermost block of that device, if there is one
                assert device.__exit__(None, None, None) is None
                if name in blocks:
                    del blocks[len(blocks) - 1 - blocks[::-1].index(name)]
            elif action == "base":
                tl.set_default_device(device if rng.random() < 0.5 else name)
                base = name
            else:
                tl.set_default_device(None)
                base = "cpu"
            done.append((action, name))
            assert default() == (blocks[-1] if blocks else base), done
            assert made() == default().split(":")[0]
            seen.add((len(blocks), base))
        for name in blocks:
            shared[name].__exit__(None, None, None)
        assert default() == base
    assert len(seen) > 15


def test_with_yields_the_device_and_ends_on_errors():
    device = tl.device("meta")
    with device as same:
        assert same is device
        with device:
            assert made() == "meta"
        assert made() == "meta"
    assert made() == "cpu"
    with pytest.raises(ValueError, match="inside"), device:
        raise ValueError("inside")
    assert made() == "cpu"


def test_explicit_devices_and_existing_tensors_do_not_look_at_it():
    tensor = tl.ones(2)
    with tl.device("meta"):
        assert str(tl.empty(2, device="cpu").device) == "cpu"
        assert str(tl.empty(2, device=None).device) == "meta"
        for result in (tensor + 1, tensor.clone(), tl.empty_like(tensor), tensor.to(tl.float64), tensor[:1]):
            assert str(result.device) == "cpu"


def test_base_changed_inside_a_block_shows_when_it_ends():
    with tl.device("cpu"):
        tl.set_default_device("meta")
        assert (default(), made()) == ("cpu", "cpu")
    assert (default(), made()) == ("meta", "meta")
    tl.set_default_device(tl.device("cpu", 0))
    assert (default(), made()) == ("cpu:0", "cpu")


def test_set_default_device_refuses():
    for wrong, error, words in (("foo", RuntimeError, "Expected one of"), (1.5, TypeError, r"got \(float\)"),
                                ("cuda", RuntimeError, "no usable backend"), ("cuda:128", RuntimeError, "128")):
        with pytest.raises(error, match=words):
            tl.set_default_device(wrong)
        assert default() == "cpu"
    with pytest.raises(TypeError):
        tl.set_default_device()
    tl.set_default_device("cuda:1")
    assert default() == "cuda:1"
    with pytest.raises(RuntimeError, match="cuda:1"):
        tl.empty(2)


def in_thread(function):
    result = []
    thread = threading.Thread(target=lambda: result.append(function()))
    thread.start()
    thread.join()
    return result[0]


def test_threads_share_the_base_and_not_the_blocks():
    with tl.device("meta"):
        assert in_thread(made) == "cpu"
    tl.set_default_device("meta")
    assert in_thread(made) == "meta"

    def change():
        tl.set_default_device("cpu")
        return made()

    assert in_thread(change) == "cpu"
    assert made() == "cpu"

    entered, looked = threading.Event(), threading.Event()

    def hold():
        with tl.device("meta"):
            entered.set()
            looked.wait(10)
            return made()

    box = []
    thread = threading.Thread(target=lambda: box.append(hold()))
    thread.start()
    assert entered.wait(10)
    assert made() == "cpu"
    looked.set()
    thread.join()
    assert box == ["meta"]


def test_tasks_inherit_and_do_not_leak():
    seen = {}

    async def inside(name):
        with tl.device("meta"):
            await asyncio.sleep(0.001)
            seen[name] = made()

    async def plain(name):
        await asyncio.sleep(0.0005)
        seen[name] = made()

    async def main():
        await asyncio.gather(inside("a"), plain("b"))
        seen["after"] = made()
        with tl.device("meta"):
            task = asyncio.create_task(plain("child"))
        await task

    asyncio.run(main())
    assert seen == {"a": "meta", "b": "cpu", "after": "cpu", "child": "meta"}


def test_a_suspended_generator_leaks_its_block_until_it_is_closed():
    def generator():
        with tl.device("meta"):
            yield made()

    running = generator()
    assert next(running) == "meta"
    assert made() == "meta"
    with tl.device("cpu"):
        running.close()                          # left from inside another block: that one stays
        assert made() == "cpu"
    assert made() == "cpu"


def test_a_generator_closed_by_another_thread_raises_nothing():
    def generator():
        with tl.device("meta"):
            yield

    running = generator()
    next(running)
    assert in_thread(running.close) is None
    tl.device("meta").__exit__(None, None, None)
    assert made() == "cpu"


def test_cpu_namespace():
    names = {name for name in vars(tl.cpu) if not name.startswith("_")}
    assert names == {"is_available", "device_count", "synchronize", "current_device"}
    assert (tl.cpu.is_available(), tl.cpu.device_count(), tl.cpu.current_device()) == (True, 1, "cpu")
    assert tl.cpu.synchronize() is tl.cpu.synchronize("cpu") is None
