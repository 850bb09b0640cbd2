"""Photographs to a normalised batch: the step in front of every image model, checked and timed beside NumPy.

    python examples/preprocess.py [--size 224] [--output PICTURE.png] [IMAGE ...]

1. Pillow decodes each photograph, turns it upright, and crops it to a square of one size.
2. tensorlib takes the bytes where they lie, as uint8 of shape (N, H, W, 3), without a copy.
3. ``permute`` reads them as (N, 3, H, W): still no copy, the memory order is what is called channels_last.
4. One cast to float32 chooses the order of the result, channels_last or contiguous; then ``(x / 255 - mean) / std`` in place.
5. Both batches are compared with NumPy's bit for bit, and timed beside it (and beside torch, where it is installed).
6. A picture shows the photographs, their normalised channels, and how the two orders lie in memory.

A file that cannot be used is refused in one sentence, and the others go through; the exit status is then 1.  Without
arguments: the photographs that come inside Matplotlib and scikit-learn.
"""

import argparse
import importlib.util
import os
import pathlib
import struct
import sys
import time
import warnings

try:
    import numpy as np
    from PIL import Image, ImageOps, UnidentifiedImageError
except ImportError as missing:
    sys.exit(f"{missing.name} is not installed; this example needs NumPy and Pillow, and Matplotlib for the picture: "
             "pip install numpy pillow matplotlib")

import tensorlib as tl

MEAN = (0.485, 0.456, 0.406)   # per channel, over the ImageNet photographs: what most published models expect
STD = (0.229, 0.224, 0.225)
DEFAULT_PICTURE = pathlib.Path(__file__).resolve().parent / "output" / "preprocess.png"
INSIDE_PACKAGES = [("matplotlib", "mpl-data/sample_data/grace_hopper.jpg"),
                   ("sklearn", "datasets/images/china.jpg"), ("sklearn", "datasets/images/flower.jpg")]
MOST_PIXELS = 80_000_000   # 240 MB decoded; more is more often an attack or a mistake than a photograph


class Refused(Exception):
    """A file that is no usable photograph; the text is the sentence for the user."""


# ------------------------------------------------------------------------------------------------------ 1. files to pixels

def default_photographs():
    found = []
    for package, inside in INSIDE_PACKAGES:
        spec = importlib.util.find_spec(package)   # finds the folder, imports nothing
        path = pathlib.Path(spec.submodule_search_locations[0], inside) if spec else None
        if path and path.is_file():
            found.append(path)
    return found


def decode(path):
    """The photograph at `path` as an upright 8-bit RGB image, and what had to be done to it; or Refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")   # Pillow's remarks on odd metadata; what matters is an exception
            with Image.open(path) as image:
                if image.width * image.height > MOST_PIXELS:
                    raise Refused(f"it has {image.width} x {image.height} pixels, more than {MOST_PIXELS:,}")
                image.load()
                upright = ImageOps.exif_transpose(image)
            rotated = ["turned upright"] if image.getexif().get(0x0112, 1) not in (0, 1) else []
            return to_rgb(upright, rotated)
    except UnidentifiedImageError:
        raise Refused("it is not an image that Pillow can read") from None
    except Image.DecompressionBombError:
        raise Refused(f"it has more than {MOST_PIXELS:,} pixels") from None
    except FileNotFoundError:
        raise Refused("there is no such file") from None
    except IsADirectoryError:
        raise Refused("it is a folder") from None
    except PermissionError:
        raise Refused("it may not be read") from None
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, struct.error) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise Refused(f"its data are truncated or damaged ({reason})") from None


def to_rgb(image, notes):
    mode = image.mode
    if mode == "RGB":
        return image, notes
    if mode in ("I", "F"):
        raise Refused(f"its 32-bit samples (mode {mode}) have no agreed range to scale from")
    if mode.startswith("I;16"):
        return sixteen_to_eight_bits(image).convert("RGB"), [*notes, "16 bits reduced to 8"]
    if mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        rgba = image.convert("RGBA")
        white = Image.new("RGBA", rgba.size, "white")
        return Image.alpha_composite(white, rgba).convert("RGB"), [*notes, "alpha laid on white"]
    names = {"P": "palette looked up", "L": "grey repeated", "1": "black and white repeated"}
    return image.convert("RGB"), [*notes, names.get(mode, f"converted from {mode}")]


def sixteen_to_eight_bits(image):
    """65535 becomes 255, rounded to nearest.  (Pillow's own conversion clips at 255 instead.)"""
    dtype = ">u2" if image.mode.endswith("B") else "<u2"
    wide = np.frombuffer(image.tobytes(), dtype=dtype).astype(np.uint16)
    narrow = tl.from_numpy(wide).to(tl.float32).div(257).add(0.5).to(tl.uint8)
    return Image.frombytes("L", image.size, narrow.numpy().tobytes())


def printable(path):
    """A file's name as text: names need not be UTF-8."""
    return os.fsencode(path).decode("utf-8", "replace")


def load(paths, size):
    """(labels, images): square RGB images of one size, and what to call them.  Says what it refuses, and why."""
    labels, images = [], []
    for path in paths:
        try:
            image, notes = decode(path)
        except Refused as refused:
            print(f"  refused  {printable(path)}: {refused}.")
            continue
        images.append(ImageOps.fit(image, (size, size), Image.Resampling.BICUBIC))
        labels.append(printable(pathlib.Path(path).name))
        print(f"  read     {printable(path)}: {image.width} x {image.height}" + "".join(f", {note}" for note in notes))
    return labels, images


# ------------------------------------------------------------------------------------------------------ 2-4. the main job

def pack(images):
    """One writable buffer that holds all pixels in the order N, H, W, channel."""
    return bytearray().join(image.tobytes() for image in images)


def normalise(lib, nhwc, memory_format, mean, std):
    """(N, H, W, 3) uint8 to normalised (N, 3, H, W) float32 in the given memory order.  `lib` is tensorlib (or torch)."""
    nchw = nhwc.permute(0, 3, 1, 2)   # a view
    x = nchw.to(lib.float32, memory_format=memory_format, copy=True)
    lib.div(x, 255, out=x)
    lib.sub(x, mean, out=x)
    lib.div(x, std, out=x)
    return x


def normalise_numpy(nhwc, order, mean, std):
    """The same with NumPy, the same operations in the same order.  order: "channels_last" or "contiguous"."""
    nchw = nhwc.transpose(0, 3, 1, 2)
    x = nchw.astype(np.float32, order="K" if order == "channels_last" else "C")
    np.divide(x, np.float32(255), out=x)
    np.subtract(x, mean, out=x)
    np.divide(x, std, out=x)
    return x


def per_channel(lib, values):
    return lib.tensor(values, dtype=lib.float32).reshape(1, 3, 1, 1)


# ------------------------------------------------------------------------------------------------------ 5. check and time

def same_bits(a, b):
    bits = [np.ascontiguousarray(x).view(np.uint32) for x in (a, b)]   # so that nan equals itself, and -0 is not 0
    return a.shape == b.shape and np.array_equal(*bits)


def check(batches, references):
    """Are values, order in memory and strides NumPy's?  Prints a line for each order."""
    all_well = True
    for order, batch in batches.items():
        reference = references[order]
        steps = zip(batch.shape, batch.stride(), reference.strides, strict=True)     # along an axis of one element any step is right
        well = same_bits(batch.numpy(), reference) and all(n == 1 or ours * batch.element_size() == theirs for n, ours, theirs in steps)
        all_well &= well
        print(f"  {order:14} shape {tuple(batch.shape)}, stride {tuple(batch.stride())}: "
              + ("equal to NumPy bit for bit" if well else "DIFFERS from NumPy"))
    return all_well


def timings(buffer, shape, seconds=1.0):
    """{order: {library: best seconds}}, measured in turns so that all meet the same machine."""
    nhwc = tl.frombuffer(buffer, dtype=tl.uint8).reshape(shape)
    mean, std = per_channel(tl, MEAN), per_channel(tl, STD)
    array = np.frombuffer(buffer, np.uint8).reshape(shape)
    mean_np, std_np = (np.array(v, np.float32).reshape(1, 3, 1, 1) for v in (MEAN, STD))
    jobs = {}
    for order, memory_format in (("channels_last", "channels_last"), ("contiguous", "contiguous_format")):
        jobs[order, "tensorlib"] = lambda f=memory_format: normalise(tl, nhwc, getattr(tl, f), mean, std)
        jobs[order, "NumPy"] = lambda o=order: normalise_numpy(array, o, mean_np, std_np)
    if importlib.util.find_spec("torch"):
        import torch
        torch.set_num_threads(1)
        pixels = torch.frombuffer(buffer, dtype=torch.uint8).reshape(shape)
        mean_t, std_t = per_channel(torch, MEAN), per_channel(torch, STD)
        for order, memory_format in (("channels_last", "channels_last"), ("contiguous", "contiguous_format")):
            jobs[order, "torch"] = lambda f=memory_format: normalise(torch, pixels, getattr(torch, f), mean_t, std_t)
    best = dict.fromkeys(jobs, float("inf"))
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 3 or (time.perf_counter() < end and rounds < 200):
        for key, job in jobs.items():
            start = time.perf_counter()
            job()
            best[key] = min(best[key], time.perf_counter() - start)
        rounds += 1
    table = {}
    for (order, library), taken in best.items():
        table.setdefault(order, {})[library] = taken
    return table


# ------------------------------------------------------------------------------------------------------ 6. the picture

INK, FAINT = "#1f2933", "#7b8794"
CHANNELS = (("red", "#f4b6ae", "#a32a1c"), ("green", "#b9dfbd", "#22682b"), ("blue", "#b5cdf0", "#1d4b91"))
MOST_SHOWN = 4


class Sheet:
    """A figure whose parts are placed in inches from its top left corner."""

    def __init__(self, width, height):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        self.width, self.height = width, height
        self.figure = Figure(figsize=(width, height), facecolor="white")
        FigureCanvasAgg(self.figure)

    def axes(self, left, top, width, height):
        x, y = left / self.width, 1 - (top + height) / self.height
        return self.figure.add_axes((x, y, width / self.width, height / self.height))

    def text(self, left, top, text, **style):
        self.figure.text(left / self.width, 1 - top / self.height, text, va="center", **style)


def draw(path, labels, images, batch):
    """Write the picture.  `batch`: the normalised (N, 3, H, W) tensor."""
    shown = min(len(images), MOST_SHOWN)
    columns = max(shown, 3)
    width, margin, gap = 13.0, 0.6, 0.3
    tile = (width - 2 * margin - gap * (columns - 1)) / columns
    photographs = 1.5
    scale = photographs + tile + tile / 3 + 0.95
    memory = scale + 0.85
    sheet = Sheet(width, memory + 5.35)
    sheet.text(margin, 0.45, "From photographs to a normalised batch", fontsize=21, color=INK, weight="bold")
    note = "" if shown == len(images) else f"; the first {shown} of {len(images)} are shown"
    sheet.text(margin, 0.85, f"uint8 (N, H, W, 3)  →  float32 {tuple(batch.shape)},  "
               f"(x / 255 − mean) / std for each channel{note}", fontsize=12.5, color=FAINT)
    left = margin + (columns - shown) * (tile + gap) / 2
    for i in range(shown):
        mappable = draw_photograph(sheet, left + i * (tile + gap), photographs, tile, labels[i], images[i], batch[i])
    draw_scale(sheet.figure, sheet.axes(width / 2 - 2.4, scale, 4.8, 0.16), mappable)
    draw_memory(sheet.axes(margin, memory, width - 2 * margin, 5.1))
    DEFAULT_PICTURE.parent.mkdir(exist_ok=True)
    sheet.figure.savefig(path, dpi=130)


def draw_photograph(sheet, left, top, side, label, image, channels):
    """One photograph above its three normalised channels."""
    axes = sheet.axes(left, top, side, side)
    axes.imshow(np.asarray(image))
    axes.set_title(label if len(label) <= 30 else label[:28] + "...", fontsize=12, color=INK, pad=7, parse_math=False)
    bare(axes)
    gap = 0.06
    small = (side - 2 * gap) / 3
    for c, (name, _, dark) in enumerate(CHANNELS):
        axes = sheet.axes(left + c * (small + gap), top + side + gap, small, small)
        mappable = axes.imshow(channels[c].numpy(), cmap="RdBu_r", vmin=-2.7, vmax=2.7)
        axes.set_xlabel(name, fontsize=10.5, color=dark, labelpad=4)
        bare(axes)
    return mappable


def draw_scale(figure, axes, mappable):
    bar = figure.colorbar(mappable, cax=axes, orientation="horizontal", ticks=[-2, -1, 0, 1, 2])
    bar.outline.set_visible(False)
    axes.tick_params(labelsize=10, colors=FAINT, length=0, pad=4)
    axes.set_title("normalised value: standard deviations from the channel's mean", fontsize=10.5, color=FAINT, pad=5)


def bare(axes):
    axes.set(xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set_visible(False)


def physical_order(t):
    """The values of a dense tensor in the order in which they lie in memory."""
    return t.as_strided((t.numel(),), (1,)).tolist()


def draw_memory(axes):
    """A tensor of 18 elements, and its two orders in memory as the library really stores them."""
    height, width = 2, 3
    n = 3 * height * width
    tiny = tl.arange(n).reshape(1, 3, height, width)
    last = tiny.contiguous(memory_format=tl.channels_last)
    axes.set(xlim=(0, n), ylim=(8.0, -0.75), aspect="auto")
    bare(axes)
    axes.text(0, -0.45, f"The same tensor, shape {tuple(tiny.shape)}, in the two orders of memory", fontsize=15, color=INK,
              weight="bold", va="center")
    for c, (name, light, dark) in enumerate(CHANNELS):   # the tensor itself: three planes of height x width
        left = 2.0 + 5.5 * c
        for h in range(height):
            for w in range(width):
                cell(axes, left + w, 0.3 + 0.85 * h, int(tiny[0, c, h, w]), light, dark)
        axes.text(left - 0.18, 0.3 + 0.85, f"channel {c}\n{name}", fontsize=10.5, color=dark, ha="right", va="center")
    draw_strip(axes, 3.15, tiny, "contiguous (NCHW)", height * width,
               [f"all pixels of channel {c}, {name}" for c, (name, _, _) in enumerate(CHANNELS)])
    draw_strip(axes, 5.95, last, "channels_last (NHWC)", 3, [f"pixel ({h}, {w})" for h in range(height) for w in range(width)])


def draw_strip(axes, top, t, title, group, captions):
    n = t.numel()
    per_channel_count = n // 3
    axes.text(0, top - 0.38, title, fontsize=12.5, color=INK, weight="bold", va="center")
    axes.text(n, top - 0.38, f"stride {tuple(t.stride())}", fontsize=11.5, color=FAINT, va="center", ha="right",
              family="monospace")
    for address, value in enumerate(physical_order(t)):
        _, light, dark = CHANNELS[value // per_channel_count]
        cell(axes, address, top, value, light, dark)
        axes.text(address + 0.5, top + 1.03, str(address), fontsize=8.5, color=FAINT, ha="center", va="center")
    axes.text(-0.1, top + 1.03, "offset", fontsize=8.5, color=FAINT, ha="right", va="center")
    for i, caption in enumerate(captions):
        left, right, y = i * group + 0.08, (i + 1) * group - 0.08, top + 1.3
        axes.plot([left, left, right, right], [y, y + 0.13, y + 0.13, y], color=FAINT, linewidth=1)
        axes.text((left + right) / 2, y + 0.37, caption, fontsize=10.5, color=INK, ha="center", va="center")


def cell(axes, x, y, value, light, dark):
    from matplotlib.patches import FancyBboxPatch
    axes.add_patch(FancyBboxPatch((x + 0.06, y + 0.05), 0.88, 0.75, boxstyle="round,pad=0,rounding_size=0.09", facecolor=light,
                                  edgecolor=dark, linewidth=0.9))
    axes.text(x + 0.5, y + 0.44, str(value), fontsize=12, color=dark, ha="center", va="center", weight="bold")


# ------------------------------------------------------------------------------------------------------ the program

def parse(arguments):
    parser = argparse.ArgumentParser(description="Turn photographs into a normalised batch, check it, time it, and draw it.")
    parser.add_argument("images", nargs="*", metavar="IMAGE", help="photographs; by default those inside installed packages")
    parser.add_argument("--size", type=int, default=224, help="side of the square that each is cropped to (224)")
    parser.add_argument("--output", type=pathlib.Path, default=DEFAULT_PICTURE, help="where the picture goes")
    options = parser.parse_args(arguments)
    if not 1 <= options.size <= 4096:
        parser.error("--size is 1 to 4096")
    output = options.output
    if output.suffix.lower() not in (".png", ".jpg", ".jpeg", ".pdf", ".svg"):
        parser.error(f"--output is the picture's file, .png, .jpg, .pdf or .svg: {output}")
    if output != DEFAULT_PICTURE and (output.is_dir() or not output.absolute().parent.is_dir()):
        parser.error(f"--output is the picture's file, in a folder that exists: {output}")
    return options


def main(arguments=None):
    options = parse(arguments)
    paths = options.images or default_photographs()
    if not paths:
        print("No photograph: name some, or install the packages that bring them: pip install matplotlib scikit-learn")
        return 1
    print("Photographs")
    labels, images = load(paths, options.size)
    if not images:
        print("No photograph could be used.")
        return 1

    buffer = pack(images)
    shape = (len(images), options.size, options.size, 3)
    nhwc = tl.frombuffer(buffer, dtype=tl.uint8).reshape(shape)
    array = np.frombuffer(buffer, np.uint8).reshape(shape)
    print(f"Batch\n  pixels         shape {shape}, uint8, in place: "
          + ("no copy was made" if nhwc.data_ptr() == array.ctypes.data else "COPIED"))
    mean, std = per_channel(tl, MEAN), per_channel(tl, STD)
    batches = {"channels_last": normalise(tl, nhwc, tl.channels_last, mean, std),
               "contiguous": normalise(tl, nhwc, tl.contiguous_format, mean, std)}
    mean_np, std_np = (np.array(v, np.float32).reshape(1, 3, 1, 1) for v in (MEAN, STD))
    references = {order: normalise_numpy(array, order, mean_np, std_np) for order in batches}
    well = check(batches, references)

    table = timings(buffer, shape)
    print(f"Time for the batch, best of many runs in turns, {' and '.join(next(iter(table.values())))} on one thread")
    for order, row in table.items():
        print(f"  {order:14} " + ", ".join(f"{library} {taken * 1e3:.2f} ms" for library, taken in row.items())
              + f"; {row['tensorlib'] / row['NumPy']:.2f} of NumPy's time")

    try:
        draw(options.output, labels, images, batches["channels_last"])
        print(f"Picture\n  {options.output}")
    except ImportError:
        print("Picture\n  not drawn: Matplotlib is not installed (pip install matplotlib)")
    refused = len(paths) - len(images)
    if refused:
        print(f"{refused} of {len(paths)} files refused; see above.")
    return 0 if well and not refused else 1


if __name__ == "__main__":
    sys.exit(main())
