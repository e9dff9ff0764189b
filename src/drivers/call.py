# The driver of tests that call a function, for Python 3.7 and later. isolator lays it next to the program as isolator_call.py, and
# runs it in place of the program, with the path of that, the name of the function, and the name of its class or "". The
# arguments of the call are a JSON array in isolator_call.json, in the working directory.
#
# Descriptor 3 is a pipe for one line of JSON: {"value": VALUE} if the function has returned, or {"error": TEXT} if there is no
# such function, or if its value cannot be written. The text is for a person. VALUE has null, booleans, numbers, strings and
# arrays as JSON has them. An object in it has one member, which says what it stands for:
#
#   {"dict": {"name": VALUE, ...}}    a dictionary
#   {"set": [VALUE, ...]}             a set, in any order
#   {"number": TEXT}                  an integer of more than 64 bits, NaN, Infinity or -Infinity
#
# The program can do to this process what it likes. What it writes to descriptor 3 is no more than what its function could return.
#
# Tests can be forks of an interpreter that has come to the file with the arguments (run/ready_program.h). So nothing that is done
# before may depend on the request, or need descriptor 3. What is imported here is of the standard library, even if the program has
# files with the same names next to it.
import sys

sys.path.pop(0)
KNOWN = set(sys.modules)

import json
import math
import os
import traceback
import types

STANDARD_PATH = list(sys.path)
OWN = {name.partition(".")[0] for name in set(sys.modules) - KNOWN}
INT_BITS = 63
neighbours = set()  # the names of what is in the directory of the program, without their endings


class NoValue(Exception):
    pass


def key(name):
    if isinstance(name, str):
        return str(name)
    is_plain = name is None or isinstance(name, (int, float))
    return json.dumps(name if is_plain else number(name, "is the key of a dictionary"))


def dictionary(value):
    members = {key(name): plain(item) for name, item in value.items()}
    if len(members) < len(value):
        raise NoValue("two keys of a dictionary are the same in JSON")
    return {"dict": members}


def elements(value):
    try:
        return sorted(value)
    except TypeError:
        return list(value)


def digits(value):
    try:
        return str(int(value))
    except ValueError:
        raise NoValue("an integer in its value has too many digits") from None


def plain(value):
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value) if -(1 << INT_BITS) <= value < 1 << INT_BITS else {"number": digits(value)}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"number": json.dumps(float(value))}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return {"set": [plain(item) for item in elements(value)]}
    if isinstance(value, dict):
        return dictionary(value)
    return plain(number(value, "is or is in its value"))


def number(value, place):
    """The number that one of another type is, such as numpy.int64, Fraction and Decimal."""
    import numbers  # after prefer_standard()

    kind = type(value)
    try:
        if isinstance(value, numbers.Integral):
            return int(value)
        if isinstance(value, numbers.Real) or isinstance(value, numbers.Number) and not isinstance(value, numbers.Complex):
            return float(value)
        if kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"):
            return bool(value)
    except (OverflowError, ValueError):
        pass
    return refuse(value, place)


def refuse(value, place):
    raise NoValue("an object of type '%s' %s, which JSON does not have" % (type(value).__name__, place))


def modules_in(path, names):
    finder = sys.modules["_frozen_importlib_external"].PathFinder
    return {name for name in names if getattr(finder.find_spec(name, path), "loader", None)}


def forget(names):
    for name in list(sys.modules):
        if name.partition(".")[0] in names:
            del sys.modules[name]


def prefer_program(directory):
    """Lets the program import its own modules, also those with names of modules that are imported here."""
    sys.path.insert(0, directory)
    neighbours.update(name.partition(".")[0] for name in os.listdir(directory))
    forget(modules_in([directory], neighbours & OWN))


def prefer_standard():
    """Lets what is used here, such as traceback, import those of the standard library."""
    sys.path = [*STANDARD_PATH, *sys.path]  # a value may be the list that it was
    forget(modules_in(STANDARD_PATH, neighbours.intersection(sys.modules)))


def load(path):
    module = types.ModuleType("solution")
    module.__file__ = path
    sys.modules["solution"] = module
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    exec(code, module.__dict__)
    return module


def find(module, function, owner):
    found = getattr(module, function, None)
    if not owner and callable(found):
        return found
    holder = getattr(module, owner or "Solution", None)
    if not isinstance(holder, type) and owner:
        raise NoValue("the program has no class '%s'" % owner)
    if isinstance(holder, type) and callable(getattr(holder, function, None)):
        return getattr(holder(), function)
    raise NoValue("the program has no function '%s'" % function if not isinstance(holder, type) else
                  "the class '%s' of the program has no method '%s'" % (holder.__name__, function))


def end(status, report):
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            status = status or 1
    if report:
        line = json.dumps(report).encode() + b"\n"
        while line:
            line = line[os.write(3, line):]
    os._exit(status)


def show(error):
    prefer_standard()
    frames = error.__traceback__
    while frames and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)


def main():
    path, function, owner = sys.argv[1:4]
    sys.argv[:4] = [path]
    with open("isolator_call.json", encoding="utf-8") as file:
        arguments = json.load(file)
    os.remove("isolator_call.json")
    os.set_inheritable(3, False)
    prefer_program(os.path.dirname(os.path.abspath(path)))
    try:
        value = find(load(path), function, owner)(*arguments)
    except NoValue as error:
        end(1, {"error": str(error)})
    except Exception as error:
        show(error)
        end(1, None)
    prefer_standard()
    try:
        report = {"value": plain(value)}
    except NoValue as error:
        report = {"error": str(error)}
    except RecursionError:
        report = {"error": "its value has too many levels"}
    end(1 if "error" in report else 0, report)


main()
