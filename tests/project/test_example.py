"""examples/preprocess.py: every kind of file is handled or refused in one sentence, and the numbers are NumPy's."""

import importlib.util
import os
import pathlib
import shutil

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("PIL")
from PIL import Image

import tensorlib as tl

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "preprocess.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("preprocess", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def short(example, monkeypatch, request):
    """Few rounds of timing; and a picture only where a test is about the picture, since drawing takes a second."""
    whole = example.timings
    monkeypatch.setattr(example, "timings", lambda buffer, shape: whole(buffer, shape, seconds=0.0))
    if "drawn" not in request.node.name:
        monkeypatch.setattr(example, "draw", lambda path, *rest: None)


def photograph(width=40, height=30, seed=0):
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.png"
    photograph().save(path)
    return path


def run(example, tmp_path, capsys, *arguments):
    (tmp_path / "out").mkdir(exist_ok=True)
    code = example.main([*map(str, arguments), "--size", "16", "--output", str(tmp_path / "out" / "picture.png")])
    return code, capsys.readouterr().out


def pixels(example, image, path):
    """What `decode` makes of an image saved at `path`, as an array, with its notes."""
    image.save(path)
    decoded, notes = example.decode(path)
    assert decoded.mode == "RGB"
    return np.asarray(decoded), notes


def test_batch_is_checked(example, tmp_path, capsys, good):
    code, out = run(example, tmp_path, capsys, good, good)
    assert code == 0 and out.count("equal to NumPy bit for bit") == 2 and "no copy was made" in out
    assert "stride (768, 1, 48, 3)" in out and "stride (768, 256, 16, 1)" in out


def test_picture_is_drawn(example, tmp_path, capsys, good):
    pytest.importorskip("matplotlib")
    code, out = run(example, tmp_path, capsys, good, good, good, good, good)
    assert code == 0
    picture = tmp_path / "out" / "picture.png"
    assert str(picture) in out
    with Image.open(picture) as image:
        image.load()
        assert image.format == "PNG" and image.width > 1000
        assert len(image.convert("RGB").getcolors(2**24)) > 500


def test_a_wrong_result_would_be_reported(example, capsys):
    reference = np.arange(48, dtype=np.float32).reshape(1, 3, 4, 4)
    wrong = reference.copy()
    wrong[0, 2, 3, 3] = np.nextafter(wrong[0, 2, 3, 3], np.float32(99))
    assert example.check({"contiguous": tl.from_numpy(reference)}, {"contiguous": reference})
    assert not example.check({"contiguous": tl.from_numpy(wrong)}, {"contiguous": reference})
    turned = tl.from_numpy(reference).contiguous(memory_format=tl.channels_last)
    assert not example.check({"contiguous": turned}, {"contiguous": reference})   # right values, wrong order in memory
    assert capsys.readouterr().out.count("DIFFERS") == 2


def broken(kind, path):
    if kind == "text":
        path.write_text("not an image at all\n" * 50)
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "folder":
        path.mkdir()
    elif kind == "float":
        Image.fromarray(np.ones((4, 4), np.float32)).save(path, format="TIFF")
    elif kind == "bomb":
        Image.new("1", (20_000, 9_000)).save(path, format="PNG")
    elif kind.startswith("truncated"):
        photograph(200, 150).save(path, format=kind.split()[1])
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


REFUSALS = {"text": "not an image", "empty": "not an image", "folder": "folder", "missing": "no such file", "float": "32-bit",
            "bomb": "pixels", "truncated JPEG": "truncated", "truncated PNG": "truncated", "truncated TIFF": "truncated",
            "truncated WEBP": "truncated"}


@pytest.mark.parametrize("kind", REFUSALS)
def test_refused_in_one_sentence_while_others_go_through(example, tmp_path, capsys, good, kind):
    path = tmp_path / "bad.img"
    try:
        broken(kind, path)
    except (OSError, KeyError):
        pytest.skip("this Pillow cannot write the format")
    code, out = run(example, tmp_path, capsys, path, good)
    refusals = [line for line in out.splitlines() if line.startswith("  refused")]
    assert code == 1 and out.endswith("1 of 2 files refused; see above.\n")
    assert len(refusals) == 1 and str(path) in refusals[0] and refusals[0].endswith(".")
    if not (kind == "truncated WEBP" and "not an image" in refusals[0]):   # some WebP builds cannot even open half a file
        assert REFUSALS[kind] in refusals[0]
    assert out.count("shape (1, 3, 16, 16)") == 2 and out.count("equal to NumPy bit for bit") == 2


def test_nothing_usable(example, tmp_path, capsys):
    code, out = run(example, tmp_path, capsys, tmp_path / "missing.jpg")
    assert code == 1 and "No photograph could be used." in out and not (tmp_path / "out" / "picture.png").exists()


def test_exif_rotation_is_applied(example, tmp_path):
    image = Image.new("RGB", (40, 20))
    image.paste((255, 0, 0), (0, 0, 20, 20))   # the left half is red; orientation 6 says: turn right by a quarter
    exif = Image.Exif()
    exif[0x0112] = 6
    image.save(tmp_path / "turned.png", exif=exif)
    decoded, notes = example.decode(tmp_path / "turned.png")
    array = np.asarray(decoded)
    assert array.shape == (40, 20, 3) and notes == ["turned upright"]
    assert (array[:20] == (255, 0, 0)).all() and (array[20:] == 0).all()


def test_alpha_is_laid_on_white(example, tmp_path):
    image = Image.new("RGBA", (2, 1))
    image.putdata([(10, 20, 30, 255), (10, 20, 30, 0)])
    array, notes = pixels(example, image, tmp_path / "alpha.png")
    assert array.tolist() == [[[10, 20, 30], [255, 255, 255]]] and notes == ["alpha laid on white"]


def test_grey_with_alpha(example, tmp_path):
    image = Image.new("LA", (2, 1))
    image.putdata([(7, 255), (7, 0)])
    assert pixels(example, image, tmp_path / "la.png")[0].tolist() == [[[7] * 3, [255] * 3]]


def test_palette(example, tmp_path):
    image = Image.new("P", (2, 1))
    image.putpalette([1, 2, 3, 250, 240, 230])
    image.putdata([0, 1])
    array, notes = pixels(example, image, tmp_path / "palette.png")
    assert array.tolist() == [[[1, 2, 3], [250, 240, 230]]] and notes == ["palette looked up"]
    image.info["transparency"] = 1
    array, notes = pixels(example, image, tmp_path / "transparent.png")
    assert array.tolist() == [[[1, 2, 3], [255, 255, 255]]] and notes == ["alpha laid on white"]


def test_sixteen_bits_are_rounded_not_clipped(example, tmp_path):
    wide = np.array([[0, 128, 129, 257, 32768, 65407, 65535]], dtype=np.uint16)
    image = Image.fromarray(wide)
    assert image.mode == "I;16"
    array, notes = pixels(example, image, tmp_path / "wide.png")
    assert array[0, :, 0].tolist() == [round(v / 257) for v in wide[0].tolist()] and notes == ["16 bits reduced to 8"]
    assert (array == array[..., :1]).all()


@pytest.mark.parametrize("mode, ending", [("L", "png"), ("1", "png"), ("CMYK", "jpg")])
def test_other_modes_become_rgb(example, tmp_path, mode, ending):
    array, notes = pixels(example, photograph().convert(mode), tmp_path / f"image.{ending}")
    assert array.shape == (30, 40, 3) and len(notes) == 1


def test_odd_shapes_are_cropped(example, tmp_path, capsys):
    paths = []
    for i, size in enumerate([(1, 1), (1, 300), (300, 1)]):
        paths.append(tmp_path / f"{i}.png")
        photograph(*size).save(paths[-1])
    code, out = run(example, tmp_path, capsys, *paths)
    assert code == 0 and "  refused" not in out and "shape (3, 3, 16, 16)" in out


def test_default_photographs_are_inside_packages(example):
    pytest.importorskip("matplotlib")
    found = example.default_photographs()
    assert found and all(example.decode(path)[0].mode == "RGB" for path in found)


@pytest.mark.parametrize("name", [b"$_$.png", b"\xff.png"])
def test_names_that_are_no_plain_text_are_drawn(example, tmp_path, capsys, good, name):
    path = pathlib.Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    try:
        shutil.copy(good, path)
    except OSError:
        pytest.skip("this file system refuses the name")
    code, out = run(example, tmp_path, capsys, path)
    assert code == 0 and name.decode("utf-8", "replace") in out


def test_axes_of_one_element(example, tmp_path, capsys, good):
    assert example.main([str(good), "--size", "1", "--output", str(tmp_path / "picture.png")]) == 0
    assert "DIFFERS" not in capsys.readouterr().out


@pytest.mark.parametrize("output", ["missing/picture.png", "missing/folder/picture.png", "", "picture.txt", "picture"])
def test_output_that_cannot_be_written(example, tmp_path, capsys, good, output):
    with pytest.raises(SystemExit) as stopped:
        example.main([str(good), "--output", str(tmp_path / output)])
    assert stopped.value.code == 2 and "--output is the picture's file" in capsys.readouterr().err
    assert not (tmp_path / "missing").exists()
