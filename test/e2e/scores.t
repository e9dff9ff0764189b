#!/usr/bin/env bash
# Scores of tests and of their groups: in a line of a batch, and in a directory of tests.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for other shells; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# scores: the summary, the groups and the tests of the result, one a line.
scores() {
    json '
        sub number { $_[0] // "-" }
        join "\n", join(" ", $r->{reason}, map { "$_ " . number($r->{summary}{$_}) } qw(passed score maxScore fraction)),
            (map { "group $_->{name} $_->{status} " . number($_->{score}) . " of " . number($_->{maxScore}) . " $_->{passed}/$_->{total}" } @{$r->{groups} // []}),
            (map { "$_->{name} $_->{status} " . number($_->{score}) . " of " . number($_->{maxScore}) } @{$r->{tests}})'
}
# batch_of MEMBERS [ARG...]: runs isolator batch with a line of these members, a Perl list. The program prints its input.
batch_of() {
    perl -MJSON::PP -e 'print encode_json({language => "busybox", entrypoint_code => "cat", eval $ARGV[0]}), "\n"' "$1" >"$scratch/lines"
    shift
    isolator batch "$@" "$scratch/lines"
}
# A test in a group that is passed, or not.
prelude='sub good { return {group => $_[0], stdin => "a", expected_stdout => "a", @_[1..$#_]} } sub bad { return {%{good(@_)}, expected_stdout => "b"} }'

# ---- lines of a batch

test_case 'subtasks: a sum, a minimum, and samples that are required' && {
    groups='groups => [{name => "samples", max_score => 0, aggregation => "pass-fail"}, {name => "small", max_score => 30, aggregation => "min",
        require_pass => ["samples"]}, {name => "large", max_score => 70, require_pass => ["samples", "small"]}]'
    batch_of "$prelude; $groups, tests => [good('samples'), good('small'), good('small'), good('large'), bad('large')]"
    expect "$status $(scores)" "half of the large one" <<'END'
1 tests passed 4 score 65 maxScore 100 fraction 0.8
group samples passed 0 of 0 1/1
group small passed 30 of 30 2/2
group large failed 35 of 70 1/2
1 passed - of -
2 passed 30 of 30
3 passed 30 of 30
4 passed 35 of 35
5 wrong-answer 0 of 35
END
    batch_of "$prelude; $groups, tests => [good('samples'), good('small'), bad('small'), good('large')]"
    expect "$(scores | grep -v '^[0-9]')" "a required group is not passed" <<'END'
tests passed 3 score 0 maxScore 100 fraction 0.75
group samples passed 0 of 0 1/1
group small failed 0 of 30 1/2
group large blocked 0 of 70 1/1
END
    batch_of "$prelude; $groups, stop_on_failure => \\1, tests => [good('samples'), bad('small'), good('large')]"
    expect "$(scores)" "what did not run is no verdict, but for a group that is blocked" <<'END'
tests passed 1 score 0 maxScore 100 fraction 0.333333333333333
group samples passed 0 of 0 1/1
group small failed 0 of 30 0/1
group large blocked 0 of 70 0/1
1 passed - of -
2 wrong-answer 0 of 30
3 not-run - of 70
END
    batch_of "$prelude; groups => [{name => 'a', max_score => 1}], detail => 'outcome', tests => [good('a')]"
    is "$(scores | head -n 2)" "exit passed 1 score 1 maxScore 1 fraction 1
group a passed 1 of 1 1/1" "all is right, and only the outcome is shown"
}

test_case 'points without groups, and no scores' && {
    batch_of "$prelude; tests => [good(undef, points => 2.5), bad(undef, points => 1), good(undef)]"
    expect "$(scores)" "points" <<'END'
tests passed 2 score 2.5 maxScore 3.5 fraction 0.666666666666667
1 passed 2.5 of 2.5
2 wrong-answer 0 of 1
3 passed - of -
END
    batch_of "$prelude; tests => [good(undef)]"
    is "$(json 'join " ", sort(keys %{$r->{summary}}), exists $r->{groups} ? "groups" : "", exists $r->{tests}[0]{maxScore} ? "max" : ""')" \
        "failed firstFailure passed total  " "without both, the result has no members for them"
}

test_case 'a build that fails leaves scores unknown' && {
    batch_of "$prelude; language => 'c', entrypoint_code => 'int main(', groups => [{name => 'a', max_score => 9}], tests => [good('a')]"
    expect "$(scores)" "the result" <<'END'
build passed 0 score - maxScore 9 fraction 0
group a unknown - of 9 0/1
1 not-run - of 9
END
}

# A validator that writes what the program prints to score.txt, or what follows * to score_multiplier.txt.
cat >"$scratch/validate.py" <<'END'
import sys
word = sys.stdin.read()
if word != "none":
    for line in word.split():
        open(sys.argv[3] + ("score_multiplier.txt" if line[0] == "*" else "score.txt"), "w").write(line.strip("*"))
sys.exit(42)
END
judged() { # MEMBERS INPUT...: a test in the group a for each input; MEMBERS are those of the group
    perl -MJSON::PP -e 'local @ARGV = @ARGV; my $members = shift; my $code = do { local $/; <STDIN> };
        print encode_json({language => "busybox", entrypoint_code => "cat", checker => {language => "python", code => $code, convention => "kattis"},
            groups => [{name => "a", eval $members}], tests => [map { {group => "a", stdin => $_, no_expected => \1} } @ARGV]}), "\n"' \
        "$@" <"$scratch/validate.py" >"$scratch/lines"
    isolator batch "$scratch/lines"
}

test_case 'scores and multipliers of a validator' && {
    judged 'max_score => 60' none 7.5 '*0.5'
    expect "$status $(scores)" "with a maximum" <<'END'
0 exit passed 3 score 37.5 maxScore 60 fraction 1
group a passed 37.5 of 60 3/3
1 passed 20 of 20
2 passed 7.5 of 20
3 passed 10 of 20
END
    judged '' 250 3
    expect "$(scores)" "without one" <<'END'
exit passed 2 score 253 maxScore - fraction 1
group a passed 253 of - 2/2
1 passed 250 of -
2 passed 3 of -
END
    wrong() {
        judged "$1" "$2" none
        is "$(json '"$r->{reason} $r->{tests}[0]{status} " . ($r->{summary}{score} // "null") . " $r->{tests}[0]{error}"')" "judge-error judge-error null $3" "$2"
    }
    wrong 'max_score => 20' 11 "the checker has given the score 11, which is not from 0 to 10"
    wrong 'max_score => 20' '*1.5' "the checker has given the multiplier 1.5, which is not from 0 to 1"
    wrong 'max_score => 20' '*1 5' "the validator has written both score.txt and score_multiplier.txt"
    wrong '' none "the checker has given no score to a test without a maximum"
    wrong '' '*1' "the checker has given a multiplier to a test without a maximum"
}

test_case --quick 'lines that are refused' && {
    refused() {
        batch_of "$1"
        is "$(json '"$r->{reason} $r->{error}"')" "input $2" "$1"
    }
    refused 'groups => [{name => "a"}]' "groups need tests"
    refused 'groups => [{name => "a"}], tests => [{group => "a", no_expected => \1}]' "the group 'a' needs a max_score, or each of its tests points"
    refused 'tests => [{group => "b", no_expected => \1}]' "there is no group 'b'"
}

test_case 'a job has scores' && {
    batch_of "$prelude; groups => [{name => 'a', max_score => 9}], tests => [good('a'), bad('a'), good('a')]" --detach
    job=$(json '$r->{job}')
    isolator wait "$job"
    expect "$(scores)" "the result" <<'END'
tests passed 2 score 6 maxScore 9 fraction 0.666666666666667
group a failed 6 of 9 2/3
1 passed 3 of 3
2 wrong-answer 0 of 3
3 passed 3 of 3
END
}

# ---- directories of tests

test_case 'test_group.yaml: the groups, and what is refused' && {
    mkdir -p "$scratch/data/secret/a"
    for i in 1 2; do echo $i >"$scratch/data/secret/a/$i.in"; done
    printf 'max_score: 10\nscore_aggregation: sum\n' >"$scratch/data/secret/a/test_group.yaml"
    isolator test --json --tests "$scratch/data" --validator "$scratch/validate.py" "$(snippet ash 'read -r n; echo "$n"')"
    expect "$status $(scores)" "scores of a validator" <<'END'
0 exit passed 2 score 3 maxScore 100 fraction 1
group secret passed 3 of 100 2/2
group secret/a passed 3 of 10 2/2
secret/a/1 passed 1 of 5
secret/a/2 passed 2 of 5
END
    printf 'max_score: 110\nscore_aggregation: sum\n' >"$scratch/data/secret/a/test_group.yaml"
    isolator test --table --no-expected --tests "$scratch/data" share/examples/subtasks/solutions/full.py
    is "$status|$err" "2|isolator: '$scratch/data': the group 'secret' has more points in it than its max_score" "too many points"
    isolator test --no-expected --tests "$scratch/data" share/examples/subtasks/solutions/*.py
    is "$status|$err" "2|isolator: '$scratch/data': the group 'secret' has more points in it than its max_score" "for several files, too"
}

finish
