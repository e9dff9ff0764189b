# Runs in the start of an interpreter, as sitecustomize, and imports MODULES: "Ready programs" in supervisor/protocol.h. A
# program that follows must not notice more than that they are imported, so this takes back what has made the interpreter find
# it. An error ends the interpreter, which means that it cannot be made ready.
import os
import sys


def _read(length):
    data = b""
    while len(data) < length:
        part = os.read(3, length - len(data))
        if not part:
            os._exit(1)
        data += part
    return data


def _restore_environment():
    hidden = _read(int(_read(12)))
    stat = os.open("/proc/self/stat", os.O_RDONLY)
    # The 50th and the 51st field of proc(5) are the place of the environment; the second one is in parentheses.
    first, end = map(int, os.read(stat, 4096).rpartition(b")")[2].split()[47:49])
    os.close(stat)
    memory = os.open("/proc/self/mem", os.O_RDWR)
    place = (b"\0" + os.pread(memory, end - first, first)).index(b"\0PYTHONPATH=")
    os.pwrite(memory, hidden, first + place)
    os.close(memory)
    # In the same order: the interpreter may have added variables of its own.
    names = list(os.environb)
    later = {name: os.environb.pop(name) for name in names[names.index(b"PYTHONPATH"):]}
    del later[b"PYTHONPATH"]
    os.environb.update(variable.split(b"=", 1) for variable in hidden.split(b"\0")[:-1])
    os.environb.update(later)


def _hide():
    directory = os.path.dirname(__file__)
    cached = __spec__.cached
    if cached and os.path.exists(cached):
        os.unlink(cached)
        os.rmdir(os.path.dirname(cached))
    os.unlink(__file__)
    os.rmdir(directory)
    last = os.path.basename(directory)
    sys.path[:] = [path for path in sys.path if os.path.basename(path) != last]
    for path in list(sys.path_importer_cache):
        if os.path.basename(path) == last:
            del sys.path_importer_cache[path]
    del sys.modules[__name__]


# The garbage collector does not look again at what was imported: with numpy, it would take longer than most programs when the
# interpreter ends, since it looks at everything several times then.
def _freeze():
    known = "gc" in sys.modules
    import gc
    if hasattr(gc, "freeze"):
        gc.collect()
        gc.freeze()
    if not known:
        del sys.modules["gc"]


# A template has one thread, so libraries that start others when they are imported are asked not to.
def _import_modules():
    asked = [name for name in ("OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS") if IS_TEMPLATE and name not in os.environ]
    os.environ.update(dict.fromkeys(asked, "1"))
    for module in MODULES:
        __import__(module)
    for name in asked:
        del os.environ[name]


# What a fork has in common with its template, and must not have: the state of generators of random numbers, and the id that the
# main thread has noted.
def _renew():
    for name in ("random", "numpy.random"):
        if name in sys.modules:
            sys.modules[name].seed()
    if "threading" in sys.modules:
        sys.modules["threading"].main_thread()._set_native_id()


def _finish():
    try:
        _import_modules()
        if IS_TEMPLATE:
            _renew()  # what fails here would fail in each fork
        _freeze()
    except BaseException:
        os._exit(1)
    try:
        os.ftruncate(3, 0)  # of an interpreter that stays, it is the file for the input of its cells
    except OSError:
        os.close(3)
    if IS_TEMPLATE:
        os.stat(".")  # a template waits here, and each fork goes on
        _renew()


try:
    _restore_environment()
    _hide()
except BaseException:
    os._exit(1)
try:
    import sitecustomize  # that of the image, if it has one; the error is that of any start without
finally:
    _finish()
