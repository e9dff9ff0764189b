"""Requests and results, compared with what isolator knows. None of these needs an engine."""
import inspect
import json
import pathlib
import re
from dataclasses import fields

import pytest

import isolator
from isolator import _result
from isolator._request import encode, members, request_of

SCHEMA = json.loads(pathlib.Path("share/isolator_results.schema.json").read_text())
LINE = {
    "status": "success", "exitCode": 0, "stdout": "42\n", "stderr": "", "durationMs": 12, "error": None,
    "imageTag": None, "reason": "exit", "signal": None, "stdoutBytes": 3, "stderrBytes": 0,
    "stdoutTruncated": False, "stderrTruncated": False, "peakMemoryBytes": None, "cpuMs": 9,
    "image": "python:3", "container": "isolator-1", "warm": False, "artifacts": [], "warnings": [],
}  # fmt: skip


def members_of(*kinds):
    return {name for kind in kinds for name in _result._MEMBERS[kind]}


@pytest.mark.parametrize(
    "kinds, schema",
    [
        ([isolator.Result, isolator.TestResult, isolator.CellResult], SCHEMA),
        ([isolator.Artifact], SCHEMA["$defs"]["artifact"]),
        ([isolator.Build], SCHEMA["$defs"]["build"]),
        ([isolator.Network], SCHEMA["$defs"]["network"]),
        ([isolator.Connection], SCHEMA["$defs"]["connection"]),
        ([isolator.ToolCall], SCHEMA["$defs"]["toolCall"]),
        ([isolator.ToolCallCounts], SCHEMA["$defs"]["toolCallCounts"]),
        ([isolator.Summary], SCHEMA["$defs"]["summary"]),
        ([isolator.GroupOutcome], SCHEMA["$defs"]["group"]),
        ([isolator.TestOutcome], SCHEMA["$defs"]["test"]),
    ],
)
def test_attributes_are_the_members_of_the_schema(kinds, schema):
    assert members_of(*kinds) == set(schema["properties"])


def test_each_definition_of_the_schema_has_a_class():
    classes = {"artifact", "build", "connection", "network", "toolCall", "toolCallCounts", "summary", "group", "interactor",
        "test"}
    assert set(SCHEMA["$defs"]) == classes


def line(**changes):
    return json.dumps({**LINE, **changes})


def test_a_result():
    result = isolator.parse_result(line(id=["a", 1], line=3))
    assert type(result) is isolator.Result
    assert (result.id, result.line, result.exit_code, result.cpu_ms) == (["a", 1], 3, 0, 9)
    assert (result.retries, result.build, result.artifacts, dict(result.extra)) == (None, None, (), {})
    assert result.ok


def test_members_of_a_newer_program_are_kept():
    artifact = {"name": "a.csv", "bytes": 1, "sha256": "0", "mimeType": "text/csv", "owner": 5}
    result = isolator.parse_result(line(energyJoules=1.5, artifacts=[artifact]))
    assert result.extra == {"energyJoules": 1.5}
    assert result.artifacts[0].extra == {"owner": 5}
    assert result.artifacts[0].path is None


def test_calls_of_tools():
    calls = [{"name": "one.echo", "ok": True, "ms": 3, "bytes": 51}, {"name": "x", "ok": False, "ms": 0, "bytes": 0}]
    result = isolator.parse_result(line(toolCalls=calls, toolCallCounts={"ok": 1, "failed": 1, "bytes": 51}))
    assert [(call.name, call.ok, call.ms, call.bytes) for call in result.tool_calls] == [
        ("one.echo", True, 3, 51),
        ("x", False, 0, 0),
    ]
    counts = result.tool_call_counts
    assert (counts.ok, counts.failed, counts.bytes, dict(result.extra)) == (1, 1, 51, {})
    without = isolator.parse_result(line())
    assert (without.tool_calls, without.tool_call_counts) == (None, None)


def test_the_kind_of_a_result():
    assert isinstance(isolator.parse_result(line(session="s", value="42")), isolator.CellResult)
    summary = {"passed": 1, "failed": 2, "total": 3, "firstFailure": "b"}
    result = isolator.parse_result(line(tests=[], summary=summary))
    assert isinstance(result, isolator.TestResult)
    assert (result.summary.failed, result.summary.first_failure, result.tests) == (2, "b", ())
    assert (result.summary.score, result.groups) == (None, None)
    assert isolator.parse_result(line(), isolator.TestResult).summary is None


def test_scores():
    summary = {"passed": 1, "failed": 1, "total": 2, "firstFailure": "b", "score": 40, "maxScore": None, "fraction": 0.5}
    group = {"name": "a", "status": "blocked", "score": None, "maxScore": 60.0, "passed": 1, "total": 2}
    result = isolator.parse_result(line(tests=[], summary=summary, groups=[group]))
    assert (result.summary.score, result.summary.max_score, result.summary.fraction) == (40.0, None, 0.5)
    one = result.groups[0]
    assert (one.name, one.status, one.score, one.max_score) == ("a", "blocked", None, 60.0)


@pytest.mark.parametrize(
    "text, message",
    [
        ("{", "isolator printed a line that is not JSON: "),
        ("[" * 100000, "isolator printed a line that is not JSON: "),
        (b"\xff", "isolator printed a line that is not JSON: "),
        ("[]", "isolator printed a line that is not a JSON object"),
        ("{}", "isolator printed a result with a wrong or missing 'status'"),
        (line(exitCode=True), "isolator printed a result with a wrong or missing 'exitCode'"),
        (line(stdout=None), "isolator printed a result with a wrong or missing 'stdout'"),
        (line(warnings=[1]), "isolator printed a result with a wrong or missing 'warnings'"),
        (line(warnings={}), "isolator printed a result with a wrong or missing 'warnings'"),
        (line(artifacts=[1]), "isolator printed a result whose Artifact is not an object"),
        (line(build="x"), "isolator printed a result whose Build is not an object"),
    ],
)
def test_a_line_that_is_no_result(text, message):
    with pytest.raises(isolator.ProgramError) as raised:
        isolator.parse_result(text)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    "reason, kind",
    [("input", isolator.UsageError)]
    + [(reason, isolator.EngineError) for reason in ("engine", "image-missing", "judge-error", "cancelled")],
)
def test_check_raises_what_says_nothing_about_the_program(reason, kind):
    result = isolator.parse_result(line(status="error", reason=reason, error="why"))
    with pytest.raises(kind, match="^why$") as raised:
        result.check()
    assert raised.value.result is result


def test_check_returns_the_result_of_a_program_that_failed():
    of_others = {"input", "engine", "image-missing", "judge-error", "cancelled"}
    for reason in set(SCHEMA["properties"]["reason"]["enum"]) - of_others:
        result = isolator.parse_result(line(status="error", reason=reason, error="why"))
        assert result.check() is result


def known_members(**request):
    """The names that isolator lists if a request has an unknown member."""
    with pytest.raises(isolator.UsageError) as raised:
        isolator.run({"language": "python", "entrypoint_code": "1", **request})
    return set(str(raised.value).split("known are: ")[1].split(", "))


def names_of(request):
    return set(members(request))


def test_members_of_a_request_are_those_of_isolator_batch():
    mappings = ("files", "checker", "call")
    request = isolator.Request(**{one.name: {} if one.name in mappings else [] for one in fields(isolator.Request)})
    of_the_line = {"id", "session", "close_session", "keep_processes"}
    assert names_of(request) == known_members(unknown=1) | of_the_line


def test_members_of_a_test_are_those_of_isolator_batch():
    test = isolator.Test(**{one.name: {} if one.name == "files" else [] for one in fields(isolator.Test)})
    assert names_of(test) == known_members(tests=[{"unknown": 1}])


def test_members_of_a_group_are_those_of_isolator_batch():
    group = isolator.Group(**{one.name: [] for one in fields(isolator.Group)})
    assert names_of(group) == known_members(groups=[{"name": "a", "unknown": 1}])


def test_members_of_a_checker_are_those_of_isolator_batch():
    checker = isolator.Checker(**{one.name: {} if one.name == "files" else [] for one in fields(isolator.Checker)})
    assert names_of(checker) == known_members(checker={"unknown": 1})


def test_members_of_a_call_are_those_of_isolator_batch():
    call = isolator.Call(**{one.name: [] for one in fields(isolator.Call)})
    assert names_of(call) == known_members(call={"unknown": 1})


def test_parameters_of_a_call_are_the_members_of_a_request():
    of_a_batch = {"id", "session", "close_session", "keep_processes", "workspace", "command", "shell"}
    expected = {one.name: one.type for one in fields(isolator.Request) if one.name not in of_a_batch}
    parameters = inspect.signature(request_of).parameters.values()
    assert {one.name: one.annotation for one in parameters if one.name != "code"} == {
        name: kind for name, kind in expected.items() if name != "code"
    }
    for function in (isolator.run, isolator.test, isolator.aio.run, isolator.aio.test):
        assert list(inspect.signature(function).parameters) == [one.name for one in parameters]


def test_a_request_as_a_line():
    request = isolator.Request(
        "print()", "python", files={"a": "text", "b": b"\xff"}, arguments=("x",), id=None,
        tests=[isolator.Test(files={"c": ""}, no_expected=True)],
    )  # fmt: skip
    assert json.loads(encode(request)) == {
        "entrypoint_code": "print()",
        "language": "python",
        "additional_files": [
            {"filename": "a", "content": "text"},
            {"filename": "b", "content": "/w==", "encoding": "base64"},
        ],
        "arguments": ["x"],
        "tests": [{"files": [{"filename": "c", "content": ""}], "no_expected": True}],
    }


def test_a_call_as_a_member():
    tests = [
        isolator.Test(call_arguments=(1, [2]), expected_value=[3]),
        isolator.Test(call_arguments=[], expected_value_json="null"),
        isolator.Test(call_arguments=[], expected_values=(1, [1])),
    ]
    line = json.loads(encode(isolator.Request("1", "python", tests=tests, call=isolator.Call("f", class_name="A"))))
    assert line["call"] == {"function": "f", "class": "A"}
    assert line["tests"] == [
        {"call_arguments": [1, [2]], "expected_value": [3]},
        {"call_arguments": [], "expected_value_json": "null"},
        {"call_arguments": [], "expected_values": [1, [1]]},
    ]


def test_groups_as_a_member():
    groups = [isolator.Group("a", max_score=30, aggregation="min"), isolator.Group("b", require_pass=("a",))]
    request = isolator.Request("1", "python", tests=[isolator.Test("4", group="a"), isolator.Test("5", points=2)], groups=groups)
    line = json.loads(encode(request))
    assert line["groups"] == [
        {"name": "a", "max_score": 30, "aggregation": "min"},
        {"name": "b", "require_pass": ["a"]},
    ]
    assert line["tests"] == [{"stdin": "4", "group": "a"}, {"stdin": "5", "points": 2}]


def test_a_checker_as_a_member():
    checker = isolator.Checker("int main()", "cpp", files={"testlib.h": "lib"}, arguments=("strict",), memory_mb=64)
    request = isolator.Request("1", "python", tests=[isolator.Test("4")], checker=checker)
    assert json.loads(encode(request))["checker"] == {
        "code": "int main()",
        "language": "cpp",
        "files": [{"filename": "testlib.h", "content": "lib"}],
        "arguments": ["strict"],
        "memory_mb": 64,
    }
    mapping = {"language": "cpp", "code": "int main()"}
    assert json.loads(encode({"entrypoint_code": "1", "checker": mapping}))["checker"] == mapping


def test_the_score_of_a_test():
    test = {
        "name": "a", "status": "partly-right", "exitCode": 0, "signal": None, "durationMs": 1, "cpuMs": 1,
        "peakMemoryBytes": None, "stdout": "", "stderr": "", "stdoutTruncated": False, "stderrTruncated": False,
        "error": "half", "score": 2,
    }  # fmt: skip
    scores = [{"score": 2}, {"score": 2.5}, {"score": None}]
    result = isolator.parse_result(line(tests=[{**test, **score} for score in scores]))
    assert [one.score for one in result.tests] == [2, 2.5, None]


def test_members_beside_a_request_replace_its_members():
    request = isolator.Request("1", "python", stdin="a")
    assert request_of(request, stdin="b") == isolator.Request("1", "python", stdin="b")
    assert request_of({"entrypoint_code": "1", "language": "c"}, "python") == {
        "entrypoint_code": "1",
        "language": "python",
    }


def test_a_request_that_is_no_json():
    for wrong in ({"id": object()}, {"id": float("nan")}):
        with pytest.raises(isolator.UsageError, match="^the request cannot be written as JSON: "):
            isolator.run(wrong)


@pytest.mark.parametrize(
    "arguments, given, message",
    [
        ((), {"timeout": 5}, "run() has no argument 'timeout'; the nearest is 'timeout_seconds'"),
        ((), {"env": {}}, "run() has no argument 'env'; the nearest is 'environment'"),
        ((), {"memroy_mb": 5}, "run() has no argument 'memroy_mb'; the nearest is 'memory_mb'"),
        (("python", "text"), {}, "run() takes code and language by position and the rest by name, such as stdin='text'"),
        (("python", 5), {}, "run() takes code and language by position and the rest by name, such as timeout_seconds=5"),
    ],
)
def test_arguments_that_run_has_not(arguments, given, message):
    for run in (isolator.run, isolator.aio.run):
        with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
            run("1", *arguments, **given)
    with pytest.raises(TypeError, match=r"^test\(\) has no argument 'xyz'; known are: code, language, filename, "):
        isolator.test("1", xyz=1)
