# For the tests of isolator batch, after lib.sh: running it, and what its results say.
# shellcheck shell=bash disable=SC2016,SC2154 # single quotes are for Perl; lib.sh sets $out and its like

# batch ARG...: runs isolator batch; $out has a line for each result.
batch() { isolator batch "$@"; }

# merge MEMBERS: writes the configuration with these members merged into it to laid.json.
merge() {
    perl -MJSON::PP -e '
        local $/;
        my ($config, $laid) = (JSON::PP->new->decode(<STDIN>), JSON::PP->new->decode($ARGV[0]));
        $config->{$_} = ref $laid->{$_} eq "HASH" ? {%{$config->{$_}}, %{$laid->{$_}}} : $laid->{$_} for keys %$laid;
        print JSON::PP->new->encode($config)' "$1" <"$ISOLATOR_CONFIG" >"$scratch/laid.json"
}

# batch_with MEMBERS ARG...: runs it with that configuration.
batch_with() {
    merge "$1"
    shift
    batch --config "$scratch/laid.json" "$@"
}

# results EXPRESSION: the value of a Perl expression for each result %$r, one a line, in the order of the input lines;
# quoted(TEXT) is a text as JSON, in one line.
results() {
    perl -MJSON::PP -e '
        binmode STDOUT, ":utf8";
        sub quoted { JSON::PP->new->allow_nonref->encode($_[0]) }
        my @results = sort { $a->{line} <=> $b->{line} } map { JSON::PP->new->utf8->decode($_) } <STDIN>;
        print join "\n", map { our $r = $_; eval $ARGV[0] } @results' "$1" <"$scratch/out"
}
brief='join " ", $r->{line}, $r->{id} // "null", $r->{status}, $r->{exitCode}, quoted($r->{stdout})'

# summary: what is on stderr, without times.
summary() { sed 's/ in [0-9]*\.[0-9] s/ in TIME/' <<<"$err"; }

# warm MEMBERS [CONFIG]: runs a line with these members in a warm container; says whether its interpreter was ready.
warm() {
    local round served
    for round in $(seq 20); do
        echo '{"language": "python", "entrypoint_code": "import time; time.sleep('$((2 * round))')"}' >"$scratch/round"
        echo "{\"language\": \"python\", $1}" >>"$scratch/round"
        batch_with "{\"warm\": {\"python\": 1}${2-}}" -j 1 "$scratch/round" 2>"$scratch/err"
        served=$(results '$r->{line} == 2 && $r->{warm} ? ($r->{ready} ? "ready" : "cold") . " $r->{status} $r->{stdout}" : ()' | head -n 1)
        [ -z "$served" ] || break
    done
    echo "$served"
}
