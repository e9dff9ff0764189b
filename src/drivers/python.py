# The driver of a Python interpreter that stays: it runs one cell after the other in one namespace, like a notebook.
# Runs with CPython 3.8 and later, as `python3 -u -c TEXT`. The supervisor of the container starts it with these descriptors:
#
#   0     a file for the standard input of the cell, which the driver renews before each cell
#   1, 2  standard output and error, for the life of the interpreter
#   3     the file of 0, to be written
#   4     a pipe: for each cell a line with its number, its size and the size of its standard input, in 3 x 12 characters, and
#         then cell and input; the cell is one JSON object. End of file: the session is over
#   5     a pipe: after each cell a NUL, the number as it came, the report, which is one JSON object, and a NUL
#
# The cell: {"number": 3, "code": "...", "arguments": ["a"], "environment": {"NAME": "value"}, "value_max": BYTES,
# "figures_max": BYTES} and, if it applies, "file" and "line", where the code begins in a file of the caller, for tracebacks;
# "names_max": BYTES of names for completion that the caller wants; "keeps_processes": true, if those
# of a cell go on. The report: {"value": repr of the last expression, or null} and, if it applies, "value_cut": true; "exception": {"name", "message"}; "exit": STATUS; "interrupted": true (SIGINT ended the
# cell); "figures": [{"type", "data"}] and "figures_omitted": COUNT; "names": of variables, and "files": of the working
# directory. Output and tracebacks go to the streams. The last value is also in the variable _, unless the cell has its own.
#
# A cell may do what it likes to the interpreter. So the driver keeps what it needs: its own copy of the built-in functions
# and references to modules. If a cell breaks it nevertheless, the interpreter ends; it must not hang.


def driver():
    import sys
    directory = sys.path.pop(0)  # a file of the session may have the name of a module
    import __future__
    import _ast
    import io
    import json
    import os
    import signal
    import types
    sys.path.insert(0, directory)

    main, builtin_names = sys.modules["__main__"].__dict__, sys.modules["builtins"].__dict__
    del main["driver"]
    decode, encode = json.JSONDecoder().raw_decode, json.JSONEncoder(ensure_ascii=False).iterencode
    getpid, leave, read, write, dup2, os_listdir = os.getpid, os._exit, os.read, os.write, os.dup2, os.listdir
    truncate, pwrite, seek = os.ftruncate, os.pwrite, os.lseek
    waitid, LOOK, END = os.waitid, os.WEXITED | os.WNOHANG | os.WNOWAIT, os.WEXITED | os.WNOHANG
    P_PID, KILLED = os.P_PID, (os.CLD_KILLED, signal.SIGKILL)
    environ, modules, print_error, hook_of_errors = os.environ, sys.modules, sys.__excepthook__, sys.excepthook
    exc_info, traceback_of = sys.exc_info, BaseException.__dict__["__traceback__"].__get__
    set_signal, set_mask = signal.signal, signal.pthread_sigmask
    SIGNALS = signal.valid_signals() - {signal.SIGINT}
    INPUT, BEGIN, ANSWER, MESSAGE_MAX, SOURCES_MAX, SOURCES_BYTES = 3, 4, 5, 1000, 256, 1 << 20
    IS_COROUTINE, COMPILE = 0x80, _ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    path_finder = modules["_frozen_importlib_external"].PathFinder
    FUTURES = 0
    for name in __future__.all_feature_names:
        FUTURES |= getattr(__future__, name).compiler_flag
    own_pid, own_streams = getpid(), (sys.stdout, sys.stderr)
    recursion_limit = sys.getrecursionlimit()
    input_encoding, input_errors = sys.stdin.encoding, sys.stdin.errors
    kept = [os.dup(descriptor) for descriptor in (0, 1, 2)]
    for descriptor in (INPUT, BEGIN, ANSWER):
        os.set_inheritable(descriptor, False)

    state = types.SimpleNamespace(interruptible=False, loop=None, task=None, cancelled=False, flags=COMPILE, mask=(), value=None, hinted=False,
                                  tracked=set(), untracked=set())
    sources = {}  # the text of the last cells, or of the files that they are from, for tracebacks

    def on_sigint(number, frame):
        # Between cells a SIGINT is ignored. While the event loop waits or works, its task is cancelled; else the code
        # that runs gets a KeyboardInterrupt.
        if not state.interruptible:
            return
        if state.task and frame.f_globals.get("__name__", "driver").partition(".")[0] in ("asyncio", "selectors", "driver"):
            state.cancelled = True
            state.loop.call_soon_threadsafe(state.task.cancel)
        else:
            raise KeyboardInterrupt

    def attempt(function, *arguments):
        # Calls the function; a SIGINT may end it. Returns the exception that ended it, without the driver's own frames,
        # or None.
        try:
            try:
                state.interruptible = True
                function(*arguments)
            finally:
                state.interruptible = False
        except BaseException as error:
            state.interruptible = False
            trace = exc_info()[2]
            while trace and trace.tb_frame.f_code.co_filename not in sources:
                trace = trace.tb_next
            inner = trace
            while inner and inner.tb_next:
                if inner.tb_next.tb_frame.f_code is on_sigint.__code__:
                    inner.tb_next = None
                inner = inner.tb_next
            return BaseException.with_traceback(error, trace)
        return None

    def clean(text):
        # The text as a JSON string can hold it: without lone surrogates and NUL.
        return str(text).encode("utf-8", "backslashreplace").replace(b"\0", b"\\x00")

    # ---- before and after a cell

    def restore_streams():
        for descriptor, copy in enumerate(kept):
            dup2(copy, descriptor)
        seek(0, 0, 0)
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", False)), input_encoding, input_errors)
        for descriptor, name in ((1, "stdout"), (2, "stderr")):
            if getattr(getattr(sys, name, None), "closed", True) is True:
                raw = io.FileIO(descriptor, "w", False)
                setattr(sys, name, io.TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True))

    def set_environment(variables):
        # Returns what the variables were before.
        before = {name: environ.get(name) for name in variables}
        for name, value in variables.items():
            environ[name] = value
        return before

    def restore_environment(variables, before):
        # A variable that the cell itself has changed keeps its new value.
        for name, value in variables.items():
            if environ.get(name) == value:
                if before[name] is None:
                    del environ[name]
                else:
                    environ[name] = before[name]

    def flush():
        for stream in (getattr(sys, "stdout", None), getattr(sys, "stderr", None), *own_streams):
            try:
                stream.flush()
            except Exception:
                pass  # closed, or the cell's own invention

    # ---- the code of a cell

    def place(cell, code):
        # The name and the text of the code: a cell has its own lines, one of a file those of the file.
        if "file" not in cell:
            return "<cell %d>" % cell["number"], code
        return cell["file"], "\n" * (cell["line"] - 1) + code

    def keep_source(name, code):
        sources[name] = earlier_lines(sources.pop(name, ""), code) if name[:1] != "<" else code
        size = sum(len(text) for text in sources.values())
        while len(sources) > SOURCES_MAX or (size > SOURCES_BYTES and len(sources) > 1):
            oldest = next(iter(sources))
            size -= len(sources.pop(oldest))
            if "linecache" in modules:
                modules["linecache"].cache.pop(oldest, None)

    def earlier_lines(earlier, code):
        # The code, whose first lines are empty, with the lines of the same file that came before.
        begin = len(code) - len(code.lstrip("\n"))
        return "\n".join((earlier.split("\n") + [""] * begin)[:begin]) + "\n" * (begin > 0) + code[begin:]

    def show_sources():
        # Tracebacks and inspect.getsource() find the text of cells in linecache, if that is there.
        if "linecache" in modules:
            cache = modules["linecache"].cache
            for name, code in sources.items():
                if name not in cache or len(code) != cache[name][0]:
                    cache[name] = (len(code), None, (code + "\n").splitlines(True), name)

    def evaluate(body, last):
        # The value of the cell. If there is an await in it, all of it runs in the event loop.
        if not (body.co_flags | (last.co_flags if last else 0)) & IS_COROUTINE:
            eval(body, main)
            return eval(last, main) if last else None

        async def whole():
            value = None
            for code in (body, last) if last else (body,):
                value = eval(code, main)
                if code.co_flags & IS_COROUTINE:
                    value = await value
            return value if last else None

        return run_until_complete(whole())

    def run_until_complete(coroutine):
        import asyncio
        if not state.loop or state.loop.is_closed():
            state.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(state.loop)
        state.cancelled = False
        state.task = task = state.loop.create_task(coroutine)
        try:
            return state.loop.run_until_complete(task)
        except asyncio.CancelledError as error:
            if not state.cancelled:
                raise
            raise KeyboardInterrupt().with_traceback(error.__traceback__) from None
        except KeyboardInterrupt:
            if not task.done():  # it was raised in a callback: end the cell's own task too
                task.cancel()
                state.loop.run_until_complete(asyncio.wait([task]))
            raise
        finally:
            if task.done() and not task.cancelled():
                task.exception()
            state.task = None

    def run_code(name, code, report, value_max):
        set_mask(signal.SIG_SETMASK, state.mask)
        tree = compile(code, name, "exec", state.flags | _ast.PyCF_ONLY_AST, True)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
        body = compile(tree, name, "exec", state.flags, True)
        state.flags |= body.co_flags & FUTURES
        if last:
            last = compile(_ast.Expression(last.value), name, "eval", state.flags, True)
        value = evaluate(body, last)
        if value is not None:
            builtin_names["_"] = state.value = value
            shown = clean(shorter_repr(value, value_max))
            report["value"] = shown[:value_max].decode("utf-8", "ignore")
            if len(shown) > value_max:
                report["value_cut"] = True

    def shorter_repr(value, size):
        # The repr. Of a large value of a built-in type only the beginning, which is longer than can be shown.
        kind = type(value)
        if kind in (str, bytes, bytearray, list, tuple) and len(value) > size:
            value = value[:size + 1]
        elif kind is dict and len(value) > size:
            value = dict(item for item, number in zip(value.items(), range(size + 1)))
        return repr(value)

    # ---- how it ended

    def show_error(error):
        flush()
        if sys.excepthook is not hook_of_errors:
            sys.excepthook(type(error), error, traceback_of(error))
            return
        import traceback
        import linecache  # noqa: F401, show_sources() fills it
        show_sources()
        text = "".join(traceback.format_exception(type(error), error, traceback_of(error)))
        sys.stderr.write(text + hint_at_notebooks(error))

    def hint_at_notebooks(error):
        # What to write for what works in a notebook or at a prompt, and not here.
        line = error.text.strip() if type(error) in (SyntaxError, IndentationError) and isinstance(error.text, str) else ""
        said = type(error) in (IndentationError, NameError, RuntimeError, EOFError) and str(error)
        if type(error) is SyntaxError and line[:1] in ("%", "!"):
            return "Lines that begin with % or ! are for IPython only; write subprocess.run([...]) or plain Python.\n"
        if line[:3] == ">>>":
            return "Write the code without the prompts >>> and ... of an interpreter.\n"
        if line[-1:] == "?" or line[:1] == "?":
            return "Write help(%s): a question mark is for IPython only.\n" % line.strip("?")
        if said and said[:17] == "unexpected indent":
            return "Write the first line of the cell, and all that belong to it, without indentation.\n"
        if said == "name 'display' is not defined":
            return "Write the value as the last line of the cell, or print it: display() is for notebooks only.\n"
        if said == "no running event loop":
            return "Write await before what needs the event loop: it runs only in a cell that awaits.\n"
        if said == "EOF when reading a line":
            return "input() reads the standard input of the cell, in which there are no more lines.\n"
        return ""

    def show_exit(code, report):
        report["exit"] = 0 if code is None else code & 0xff if isinstance(code, int) else 1
        if code is not None and not isinstance(code, int):
            print(code, file=sys.stderr)

    def describe(error, report):
        report["exception"] = said = {"name": "Exception", "message": ""}
        said["name"] = clean(type(error).__name__)[:MESSAGE_MAX].decode("utf-8", "ignore")
        said["message"] = clean(error)[:MESSAGE_MAX].decode("utf-8", "ignore")

    def hint_at_spawn():
        # Processes that are spawned do not find what cells define; a pool starts them again without end.
        if not state.hinted and ("multiprocessing.popen_spawn_posix" in modules or "multiprocessing.popen_forkserver" in modules):
            state.hinted = True
            sys.stderr.write("Processes that multiprocessing spawns cannot find functions of cells; "
                             "use multiprocessing.get_context('fork'), or import them from a file.\n")

    def prefer_fork(context):
        # What a cell defines is there in a process that is a fork. From 3.14 on, another way is the default.
        context._default_context._default_context = context._concrete_contexts["fork"]

    def watch_exits(module):
        # A process that could not find its function exits with 1; so do others, and the hint says of which it speaks.
        popen, poll = module.Popen, module.Popen.poll

        def watched(self, *flags):
            known, status = self.returncode, poll(self, *flags)
            if known is None and status == 1:
                hint_at_spawn()
            return status
        popen.poll = watched

    def watch_tracker(module):
        # One that ended with its cell is followed by another, which complains about names that it does not know.
        tracker, send = module._resource_tracker, module._resource_tracker._send

        def watched(command, name, kind):
            is_known = name not in state.untracked
            state.untracked.discard(name)
            (state.tracked.add if command == "REGISTER" else state.tracked.discard)(name)
            if is_known or command == "REGISTER":
                send(command, name, kind)
        tracker._send = watched

    class Finder:
        # Calls a function of the driver when a module of multiprocessing has been imported.
        @staticmethod
        def find_spec(name, path=None, target=None):
            spec = AFTER_IMPORT.get(name) and path_finder.find_spec(name, path)
            if spec:
                execute = spec.loader.exec_module
                spec.loader.exec_module = lambda module: AFTER_IMPORT[name](execute(module) or module)
            return spec

    AFTER_IMPORT = {"multiprocessing.context": prefer_fork, "multiprocessing.popen_spawn_posix": watch_exits,
                    "multiprocessing.popen_forkserver": watch_exits, "multiprocessing.resource_tracker": watch_tracker}
    sys.meta_path.insert(0, Finder)

    def is_interrupt(error):
        return issubclass(type(error), KeyboardInterrupt)

    def report_error(error, report):
        if issubclass(type(error), SystemExit):
            attempt(show_exit, error.code, report)
            return
        if is_interrupt(error):
            report["interrupted"] = True
            attempt(hint_at_spawn)
        elif is_interrupt(attempt(describe, error, report)):  # its text never ends
            del report["exception"]
            report["interrupted"] = True
            return
        failure = attempt(show_error, error)
        if report.get("exception", {}).get("name") == "BrokenProcessPool":
            attempt(hint_at_spawn)
        if failure is not None and not is_interrupt(failure):
            attempt(print_error, type(error), error, traceback_of(error))

    def find_pictures(value, pictures):
        # The open figures of matplotlib, and the value if it is a picture: all that can be one, as functions that make PNG.
        def saved(figure):
            picture = io.BytesIO()
            figure.savefig(picture, format="png", bbox_inches="tight")
            return picture.getvalue()

        pyplot, module = modules.get("matplotlib.pyplot"), modules.get("matplotlib.figure")
        figures = [pyplot.figure(number) for number in pyplot.get_fignums()] if pyplot else []
        if module and isinstance(value, module.Figure) and not any(value is figure for figure in figures):
            figures.append(value)
        pictures.extend(lambda figure=figure: saved(figure) for figure in figures)
        if callable(getattr(type(value), "_repr_png_", None)):
            pictures.append(value._repr_png_)

    def add_figure(picture, figures, size):
        # Adds a picture as PNG; returns how many are left out: 0 or 1. None is no picture.
        from binascii import b2a_base64
        picture = picture()
        data = b2a_base64(picture, newline=False).decode() if picture is not None else ""
        fits = sum(len(figure["data"]) for figure in figures) + len(data) <= size
        if data and fits:
            figures.append({"type": "image/png", "data": data})
        return int(not fits)

    def take_figures(report, size):
        # The pictures of the cell; closes the figures of matplotlib.
        pictures, figures, omitted = [], [], []
        attempt(find_pictures, state.value, pictures)
        while pictures:
            error = attempt(lambda: omitted.append(add_figure(pictures[0], figures, size)))
            if is_interrupt(error):
                report["interrupted"] = True
                break
            if error is not None:
                attempt(show_error, error)
                omitted.append(1)
            del pictures[0]
            report["figures"] = figures
        if "matplotlib.pyplot" in modules:
            attempt(lambda: modules["matplotlib.pyplot"].close("all"))
        if sum(omitted) + len(pictures) > 0:
            report["figures_omitted"] = sum(omitted) + len(pictures)

    def add_names(report, size):
        # Names for completion: those of variables, and the files of the working directory.
        for member, names in (("names", [*main, *builtin_names]), ("files", os_listdir("."))):
            report[member], left = [], size // 2
            for name in (name for name in names if isinstance(name, str) and name[:1] != "_"):
                name = clean(name).decode()
                left -= len(name) + 4
                if left >= 0:
                    report[member].append(name)

    # ---- the cells

    def children_of(pid):
        for task in os_listdir("/proc/%s/task" % pid):
            with open("/proc/%s/task/%s/children" % (pid, task)) as children:
                yield from map(int, children.read().split())

    def killed_children():
        # Those that were killed and are still to be waited for.
        for pid in children_of("self"):
            end = waitid(P_PID, pid, LOOK)
            if end and (end.si_code, end.si_status) == KILLED:
                yield pid

    def helpers():
        # The processes that multiprocessing starts for itself, with what it knows of them.
        for module, name, member in (("multiprocessing.forkserver", "_forkserver", "_forkserver_pid"),
                                     ("multiprocessing.resource_tracker", "_resource_tracker", "_pid")):
            known = getattr(modules.get(module), name, None)
            if getattr(known, member, None):
                yield getattr(known, member), known

    def running(pid="self"):
        # The names of the processes that cells have started and that run.
        own = dict(helpers())
        for child in children_of(pid):
            with open("/proc/%d/stat" % child) as stat:
                name, _, rest = stat.read().partition(" (")[2].rpartition(") ")
            if child in own:
                yield from running(child)
            elif rest[:1] not in "ZX":
                yield name

    def close_pools():
        # Those of multiprocessing, whose workers end: a worker that is killed may hold a lock for which its pool waits.
        pool = modules["multiprocessing.pool"]
        for entry in list(modules["multiprocessing.util"]._finalizer_registry.values()):
            known = entry._weakref and entry._weakref()
            if isinstance(known, pool.Pool) and not isinstance(known, pool.ThreadPool):
                for job in list(known._cache.values()):
                    job._number_left = 1
                    job._set(getattr(job, "_index", 0), (False, RuntimeError("the pool ended with the cell that used it")))
                known._cache.clear()
                known.close()

    def end_processes():
        # The supervisor kills the processes of the cell; says so, so that the next cell does not wait for them.
        names = sorted(running())
        if names:
            if "multiprocessing.pool" in modules:
                close_pools()
            sys.stderr.write("%d process%s of this cell end%s with it (%s); in a session that is opened with keep_processes they go on.\n" % (
                len(names), "es" * (len(names) > 1), "s" * (len(names) == 1), ", ".join(sorted(set(names)))[:100]))

    def forget_processes():
        # Processes of earlier cells that were killed take up no more of the limit. The libraries are told of theirs.
        if "multiprocessing" in modules:
            modules["multiprocessing"].active_children()
        killed = set(killed_children())
        for pid, known in helpers():
            if pid in killed:
                known._stop()
                state.untracked |= state.tracked
                state.tracked.clear()
        if killed and "subprocess" in modules:
            import gc
            popen = modules["subprocess"].Popen
            for known in gc.get_objects():
                if popen in type(known).__mro__ and getattr(known, "pid", 0) in killed:
                    known.poll()
            modules["subprocess"]._cleanup()
        for pid in killed & set(killed_children()):
            waitid(P_PID, pid, END)

    def run_cell(cell):
        report, state.value, state.hinted = {"value": None}, None, False
        attempt(forget_processes)
        variables = cell.get("environment") or {}
        before = set_environment(variables)
        sys.argv = ["cell", *(cell.get("arguments") or [])]
        code = cell["code"]
        if code[:1] == "\ufeff":  # a file may begin so
            code = code[1:]
        name, code = place(cell, code)
        keep_source(name, code)
        show_sources()
        error = attempt(run_code, name, code, report, cell["value_max"])
        if error is not None:
            report_error(error, report)
        if getpid() != own_pid:  # the cell has called os.fork(), and this is the child
            attempt(flush)
            leave(report.get("exit", 0 if error is None else 1))
        if "interrupted" not in report:  # figures of a cell that was interrupted come with the next one
            take_figures(report, cell["figures_max"])
        if "names_max" in cell:
            attempt(add_names, report, cell["names_max"])
        if not cell.get("keeps_processes"):
            attempt(end_processes)
        error = attempt(flush)
        if is_interrupt(error):
            report["interrupted"] = True
        attempt(hold_signals)
        restore_environment(variables, before)
        return report

    def hold_signals():
        # Other signals than SIGINT wait for the next cell, so that no handler of a cell runs in the driver.
        set_signal(signal.SIGINT, on_sigint)
        state.mask = set_mask(signal.SIG_BLOCK, SIGNALS)

    def receive(size):
        # So many bytes of the pipe; leaves at its end: the session is over.
        text, failures = bytearray(), 0
        while len(text) < size:
            try:
                part = read(BEGIN, size - len(text))
            except BaseException:  # raised by a signal handler of a cell, or a cell has closed the pipe
                part, failures = None, failures + 1
            if part == b"" or failures > 100:
                leave(0)
            text += part or b""
        return text

    def next_cell():
        # Waits for the next cell, and writes its standard input to the file. Returns its number as it came, and the cell.
        head = receive(39)
        text, left = receive(int(head[13:25])), int(head[26:])
        truncate(INPUT, 0)
        at = 0
        while at < left:
            part = receive(min(left - at, 1 << 16))
            while part:
                written = pwrite(INPUT, part, at)
                at += written
                del part[:written]
        return head[:12], decode(text.decode())[0]

    attempt(hold_signals)
    while True:
        if sys.getrecursionlimit() < recursion_limit:
            sys.setrecursionlimit(recursion_limit)
        number, cell = next_cell()
        restore_streams()
        report = "".join(encode(run_cell(cell), _one_shot=True)).encode()
        answer = b"\0" + number + report + b"\0"
        try:
            while answer:
                answer = answer[write(ANSWER, answer):]
        except OSError:  # a cell has closed the pipe
            leave(1)


type(driver)(driver.__code__, {"__builtins__": dict(__builtins__.__dict__), "__name__": "driver"})()
