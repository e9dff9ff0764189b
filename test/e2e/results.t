#!/usr/bin/env bash
# The schema of results: it is printed, and describes all that the commands print as JSON.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

results=share/isolator_results.schema.json

test_case --quick '--schema results prints the schema of results' && {
    isolator config --schema results
    is "$status|$(cmp "$scratch/out" "$results" 2>&1)|$err" "0||" "--schema results prints $results"
    isolator config --schema config
    is "$status|$(cmp "$scratch/out" share/isolator_config.schema.json 2>&1)|$err" "0||" "--schema config prints the other one"
    isolator config --schema all
    is "$status|$out|$err" "2||isolator: --schema: 'all' is not config or results" "another schema"
    isolator config results
    is "$status|$out|$err" "2||isolator: unexpected argument 'results'; see isolator config --help" "results without --schema"
}

test_case 'the schema of results describes what is printed' && {
    mkdir "$scratch/tests"
    echo 1 | tee "$scratch/tests/1.in" >"$scratch/tests/1.out"
    echo 2 | tee "$scratch/tests/2.in" >"$scratch/tests/2.out"
    one=$(snippet py 'print(1)')
    mkdir -p "$scratch/package/submissions/accepted" # without a problem.yaml that says anything
    touch "$scratch/package/problem.yaml"
    cp -R "$scratch/tests" "$scratch/package/data"
    cp "$one" "$scratch/package/submissions/accepted/one.py"
    {
        "$ISOLATOR" run "$(snippet ash 'echo out; echo err >&2; echo data >a.csv; exit 3')" --artifacts "$scratch/made"
        "$ISOLATOR" run -t 0.2 "$(snippet ash 'sleep 100')"
        "$ISOLATOR" run "$(snippet c 'int main(void) { return 0; }')"
        "$ISOLATOR" run "$(snippet c 'int main(void) { return x; }')"
        "$ISOLATOR" run "$scratch/missing.py"
        "$ISOLATOR" run --allow-host 127.0.0.1:1 "$(snippet ash 'wget -q -O - http://127.0.0.1:1/')"
        (with_servers "$(tool_server one good)"; "$ISOLATOR" run --tools one "$(snippet py 'import tools; tools.one.echo()')")
        "$ISOLATOR" test --json --tests "$scratch/tests" "$one"
        "$ISOLATOR" test --json --tests "$scratch/tests" "$one" "$(snippet py 'print(input())')"
        "$ISOLATOR" test --json --tests "$scratch/tests" --checker "$(snippet py 'import sys
print("points 2.5", file=sys.stderr)
sys.exit(7 if open(sys.argv[1]).read() == "1\n" else 3)')" "$one"
        "$ISOLATOR" test --json --tests "$scratch/tests" --interactor "$(snippet py 'input()')" --transcript "$one"
        "$ISOLATOR" test --json --problem "$scratch/package"
        workspace=$("$ISOLATOR" create --language busybox) && "$ISOLATOR" exec "$workspace" -- true
        printf 'x = "a" * 10**6\nx\n# %%%%\n1 / 0\n# %%%%\nexit(3)\n' | "$ISOLATOR" session --json
        printf '%s\n' '{"id": "a", "language": "python", "entrypoint_code": "print(1)"}' nonsense \
            '{"language": "python", "entrypoint_code": "", "tests": [{"group": "a", "no_expected": true}], "groups": [{"name": "a", "max_score": 1}]}' | "$ISOLATOR" batch -q --share
    } >"$scratch/results" 2>"$scratch/err" </dev/null
    "$ISOLATOR" rm --force "$workspace" >/dev/null
    within "$(wc -l <"$scratch/results")" 20 20 "results"
    said=$(node test/mcp/results_schema.mjs "$results" <"$scratch/results" 2>&1)
    is "$said" "not seen: retries" "the schema has all members, and they have its types"
}

finish
