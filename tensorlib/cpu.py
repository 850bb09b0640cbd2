"""tensorlib.cpu: the processor, asked the way accelerators are asked."""


def is_available():
    """is_available() -> bool

    True: there is always a processor.
    """
    return True


def device_count():
    """device_count() -> int

    1: all cores together are one device.
    """
    return 1


def current_device():
    """current_device() -> str

    ``"cpu"``.
    """
    return "cpu"


def synchronize(device=None):
    """synchronize(device=None)

    Returns at once: on the processor a call has finished its work when it returns.
    """
