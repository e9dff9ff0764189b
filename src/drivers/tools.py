# The tools of a program, for Python 3.7 and later. isolator lays this next to a program that has tools, as isolator_tools.py,
# and a tools.py that is the same module, unless the program brings a file of that name.
#
# It is a client of MCP: a JSON message a line at the UNIX socket $ISOLATOR_TOOLS. Each request has a connection of its own, so
# threads, forks and the calls of a session have nothing in common.
"""Tools that this program may call: tools.SERVER.TOOL(argument=value). See also search(), describe() and aio."""

import itertools as _itertools
import json as _json
import os as _os
import socket as _socket


class ToolError(Exception):
    """A call that was refused or has failed; its text says why."""


_files, _seen = _itertools.count(1), {}


def _exchange(line):
    if "ISOLATOR_TOOLS" not in _os.environ:
        raise ToolError("this program has no tools")
    try:
        with _socket.socket(_socket.AF_UNIX) as connection:
            connection.connect(_os.environ["ISOLATOR_TOOLS"])
            connection.sendall(line)
            with connection.makefile("rb") as stream:
                answer = stream.readline()
    except OSError as error:
        raise ToolError("cannot reach the tools: %s" % error) from None
    if not answer.endswith(b"\n"):
        raise ToolError("the connection to the tools was lost")
    return answer


def _request(method, params):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = _json.loads(_exchange(_json.dumps(message).encode() + b"\n"))
    if "error" in answer:
        raise ToolError(answer["error"]["message"])
    return answer["result"]


def _list():
    params, found = {}, {}
    while params is not None:
        page = _request("tools/list", params)
        found.update((tool["name"], tool) for tool in page["tools"])
        params = {"cursor": page["nextCursor"]} if page.get("nextCursor") else None
    _seen.update(found)
    return found


def _save(data, kind):
    import base64
    import mimetypes

    name = "tool-%d%s" % (next(_files), mimetypes.guess_extension(kind or "") or ".bin")
    with open(name, "wb") as file:
        file.write(base64.b64decode(data))
    return name


def _part(part):
    content = part.get("resource", part)
    if "text" in content:
        return content["text"]
    data = content.get("data", content.get("blob"))
    return part if data is None else _save(data, content.get("mimeType"))


def _text_value(texts):
    # A server may return each item of a list as a text of its own.
    try:
        return [_json.loads(text) for text in texts] if len(texts) > 1 else _json.loads("".join(texts))
    except ValueError:
        return "\n".join(texts)


def _value(result):
    # Pictures and the like become files of the working directory, and the value has their names.
    parts = [_part(part) for part in result["content"]]
    is_text = all(part.get("type") == "text" for part in result["content"])
    if result.get("isError"):
        raise ToolError("\n".join(map(str, parts)) or "the tool has failed")
    value = result.get("structuredContent")
    if isinstance(value, dict) and list(value) == ["result"] and not (is_text and _text_value(parts) == value):
        return value["result"]  # FastMCP wraps what is no object; the texts of others have the object itself
    if "structuredContent" in result:
        return value
    return _text_value(parts) if is_text else parts[0] if len(parts) == 1 else parts


def _written(name):
    # SERVER.TOOL as a program writes it: the tool list-issues is list_issues.
    server, _, tool = name.replace("-", "_").partition(".")
    return server + "." + tool.replace(".", "_")


def _real_name(name):
    if "_" not in name or name in _seen or name in _list():
        return name
    same = [known for known in _seen if _written(known) == _written(name)]
    own = [known for known in same if known.partition(".")[0] == name.partition(".")[0]] or same
    return own[0] if len(own) == 1 else name


def _call(name, arguments):
    return _value(_request("tools/call", {"name": _real_name(name), "arguments": arguments}))


async def _call_async(name, arguments):
    import asyncio

    return await asyncio.get_running_loop().run_in_executor(None, _call, name, arguments)


def _search(text=""):
    """The names of the tools in whose name or description all of these words occur, with the first lines of these."""
    found = {}
    for name, tool in _list().items():
        description = tool.get("description") or ""
        if all(word in (name + " " + description).lower() for word in text.lower().split()):
            found[name] = description.split("\n")[0]
    return found


def _describe(name):
    """What its server says about the tool SERVER.TOOL: a description, and the schemas of its arguments and its value."""
    name = _real_name(name)
    if name not in _seen and name not in _list():
        raise ToolError("there is no tool '%s'" % name)
    return _seen[name]


class _Tool:
    def __init__(self, name, call):
        self._name, self._call, self.__name__ = name, call, name

    def __call__(*values, **arguments):  # an argument may be named self
        self, given = values[0], values[1:]
        if len(given) == 1 and isinstance(given[0], dict) and not arguments:
            arguments = given[0]
        elif given:
            names = ", ".join(name + "=..." for name in _describe(self._name)["inputSchema"].get("properties", {}))
            raise TypeError("arguments of a tool have names: tools.%s(%s)" % (_written(self._name), names))
        return self._call(self._name, arguments)

    @property
    def __doc__(self):
        return _describe(self._name).get("description")

    @property
    def __signature__(self):
        from inspect import Parameter, Signature

        schema = _describe(self._name)["inputSchema"]
        required, names = schema.get("required", []), [name for name in schema.get("properties", {}) if name.isidentifier()]
        default = {name: Parameter.empty if name in required else None for name in names}
        names.sort(key=lambda name: name not in required)
        return Signature([Parameter(name, Parameter.KEYWORD_ONLY, default=default[name]) for name in names])

    def __repr__(self):
        return "<tool %s>" % self._name


class _Server:
    def __init__(self, name, call):
        self._name, self._call = name, call

    def __getitem__(self, tool):
        return _Tool(self._name + "." + tool, self._call)

    def __getattr__(self, tool):
        if tool.startswith("__"):
            raise AttributeError(tool)
        return self[tool]

    def __dir__(self):
        names = [_written(name).partition(".") for name in _list()]
        return [tool for server, _, tool in names if server == self._name.replace("-", "_")]

    def __repr__(self):
        return "<tools of %s>" % self._name


class _Function(_Server):
    # A function of this module, and a server of the same name.
    def __init__(self, name, function):
        super().__init__(name, _call)
        self.__wrapped__, self.__doc__ = function, function.__doc__

    def __call__(self, *values, **arguments):
        return self.__wrapped__(*values, **arguments)


class _Aio:
    """The same with functions to be awaited: await tools.aio.SERVER.TOOL(argument=value)."""

    def __getattr__(self, server):
        if server.startswith("__"):
            raise AttributeError(server)
        return _Server(server, _call_async)


aio, search, describe = _Aio(), _Function("search", _search), _Function("describe", _describe)


def __getattr__(server):
    if server.startswith("__"):
        raise AttributeError(server)
    return _Server(server, _call)


def __dir__():
    return sorted({"ToolError", "aio", "describe", "search"} | {_written(name).partition(".")[0] for name in _list()})
