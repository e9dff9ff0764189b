#include "test.h"

#include <getopt.h>
#include <math.h>

#include "cli/run_option_table.h"
#include "config/config_load.h"

/* One command line: the words after "isolator", and what was read from them. */
struct fixture {
    struct strvec words; /* argv; the parser may write into it */
    struct run_options options;
    struct error error;
    int result;
};

/*
 * Makes getopt_long() start anew: it keeps a pointer into the arguments that it has read, and ours
 * are freed. A program has only one command line.
 */
static void reset_getopt(void)
{
    char word[] = "run";
    char *words[] = {word, NULL};
    const struct option none[] = {{NULL, 0, NULL, 0}};

    optind = 0;
    getopt_long(1, words, "-:", none, NULL);
}

/* Splits the line at '|' and reads it as options of the command. */
static void parse_command(struct fixture *fixture, enum run_options_command command,
                          const char *line)
{
    *fixture = (struct fixture){.error = ERROR_INIT};
    strvec_push(&fixture->words, command == RUN_OPTIONS_TEST ? "test" : "run");
    while (*line) {
        const size_t length = strcspn(line, "|");

        strvec_pushf(&fixture->words, "%.*s", (int)length, line);
        line += length + (line[length] == '|');
    }
    fixture->result = run_options_parse(&fixture->options, command, (int)fixture->words.count,
                                        fixture->words.items, &fixture->error);
}

static void parse_line(struct fixture *fixture, const char *line)
{
    parse_command(fixture, RUN_OPTIONS_RUN, line);
}

static void tear_down(struct fixture *fixture)
{
    reset_getopt();
    run_options_release(&fixture->options);
    strvec_release(&fixture->words);
    error_release(&fixture->error);
}

static void parse_valid(struct fixture *fixture, const char *line)
{
    parse_line(fixture, line);
    assert_no_error(&fixture->error);
    assert_int_equal(fixture->result, 0);
}

static void assert_refused(const char *line, const char *message)
{
    struct fixture fixture;

    parse_line(&fixture, line);
    assert_int_equal(fixture.result, -1);
    assert_error(&fixture.error, ERROR_USAGE, message);
    tear_down(&fixture);
}

static void assert_joined(const struct strvec *strings, const char *expected)
{
    CLEANUP_FREE char *joined = strvec_join(strings, "|");

    assert_string_equal(joined, expected);
}

CASE(run_options__only_a_file)
{
    struct fixture fixture;
    const struct run_options *options = &fixture.options;

    parse_valid(&fixture, "dir/hello.py");
    assert_string_equal(options->file, "dir/hello.py");
    assert_string_equal(options->request.entrypoint, "hello.py");
    assert_null(options->request.language);
    assert_null(options->request.image);
    assert_null(options->request.workdir);
    assert_null(options->request.input.dir);
    assert_null(options->request.save_image);
    assert_null(options->request.save_dockerfile);
    assert_null(options->stdin_path);
    assert_null(options->config_path);
    assert_int_equal(options->request.input.file, -1);
    assert_int_equal(options->request.input.stdin_file, -1);
    assert_int_equal(options->request.arguments.count, 0);
    assert_int_equal(options->request.environment.count, 0);
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        assert_true(isnan(options->request.policy.limits.number[i]));
    assert_int_equal(options->request.policy.read_only, -1);
    assert_null(options->request.policy.network);
    assert_false(options->request.policy.has_user);
    assert_false(options->stream);
    assert_false(options->verbose);
    assert_false(options->help);
    tear_down(&fixture);
}

CASE(run_options__long_forms)
{
    struct fixture fixture;
    const struct request *request = &fixture.options.request;

    parse_valid(
        &fixture,
        "--language|py|--dir|d|--entrypoint|e|--stdin|in|--timeout|1m30s|--memory|64|--cpus|1.5"
        "|--pids-limit|9|--workdir-size|10|--tmp-size|11|--output-limit|2048|--network|bridge"
        "|--read-only|--cap-drop|net_raw|--user|1:2|--image|i:1|--container-workdir|/w"
        "|--save-image|t:1|--save-dockerfile|D|--runtime|docker|--config|c.json|--stream"
        "|--verbose");
    assert_string_equal(request->language, "py");
    assert_string_equal(request->input.dir, "d");
    assert_string_equal(request->entrypoint, "e");
    assert_string_equal(fixture.options.stdin_path, "in");
    assert_true(request->policy.limits.number[LIMIT_TIMEOUT] == 90);
    assert_true(request->policy.limits.number[LIMIT_MEMORY] == 64);
    assert_true(request->policy.limits.number[LIMIT_CPUS] == 1.5);
    assert_true(request->policy.limits.number[LIMIT_PIDS] == 9);
    assert_true(request->policy.limits.number[LIMIT_WORKDIR] == 10);
    assert_true(request->policy.limits.number[LIMIT_TMP] == 11);
    assert_true(request->policy.limits.number[LIMIT_OUTPUT] == 2048);
    assert_string_equal(request->policy.network, "bridge");
    assert_int_equal(request->policy.read_only, 1);
    assert_joined(&request->policy.cap_drop, "NET_RAW");
    assert_int_equal(request->policy.uid, 1);
    assert_int_equal(request->policy.gid, 2);
    assert_string_equal(request->image, "i:1");
    assert_string_equal(request->workdir, "/w");
    assert_string_equal(request->save_image, "t:1");
    assert_string_equal(request->save_dockerfile, "D");
    assert_string_equal(fixture.options.config_path, "c.json");
    assert_true(fixture.options.stream);
    assert_true(fixture.options.verbose);
    assert_null(fixture.options.file);
    tear_down(&fixture);
}

CASE(run_options__short_forms)
{
    static const char *const lines[] = {
        "-l|py|-d|d|-e|e|-t|500ms|-m|64|-c|2|-v", "-lpy|-dd|-ee|-t500ms|-m64|-c2|-v",
        "-vlpy|-dd|-ee|-vt500ms|-m64|-c|2", "-l|py|-d|d|-e|e|-t|500ms|-m|64|-vvc2"};

    for (size_t i = 0; i < COUNT(lines); i++) {
        struct fixture fixture;
        const struct request *request = &fixture.options.request;

        parse_valid(&fixture, lines[i]);
        assert_string_equal(request->language, "py");
        assert_string_equal(request->input.dir, "d");
        assert_string_equal(request->entrypoint, "e");
        assert_true(request->policy.limits.number[LIMIT_TIMEOUT] == 0.5);
        assert_true(request->policy.limits.number[LIMIT_MEMORY] == 64);
        assert_true(request->policy.limits.number[LIMIT_CPUS] == 2);
        assert_true(fixture.options.verbose);
        tear_down(&fixture);
    }
}

CASE_WITH(run_options__values_after_an_equals_sign,
          parse_valid(fixture, "--language=py|--timeout=2s|--image=a=b|--stdin=-|--memory=64|x.py"))
{
    assert_string_equal(fixture->options.request.language, "py");
    assert_true(fixture->options.request.policy.limits.number[LIMIT_TIMEOUT] == 2);
    assert_string_equal(fixture->options.request.image, "a=b");
    assert_string_equal(fixture->options.stdin_path, "-");
    assert_true(fixture->options.request.policy.limits.number[LIMIT_MEMORY] == 64);
}

/* A value may look like an option. */
CASE_WITH(run_options__values_with_a_dash,
          parse_valid(fixture, "--config|--stream|--dir|-v|--entrypoint|--|--language|py"))
{
    assert_string_equal(fixture->options.config_path, "--stream");
    assert_string_equal(fixture->options.request.input.dir, "-v");
    assert_string_equal(fixture->options.request.entrypoint, "--");
    assert_false(fixture->options.stream);
    assert_false(fixture->options.verbose);
}

CASE_WITH(run_options__last_value_wins,
          parse_valid(fixture,
                      "--language|a|--language|b|-m|64|-m|128|--network|none|--network|bridge"
                      "|--read-only|--read-only=false|--user|1|--user|2:3|x"))
{
    assert_string_equal(fixture->options.request.language, "b");
    assert_true(fixture->options.request.policy.limits.number[LIMIT_MEMORY] == 128);
    assert_string_equal(fixture->options.request.policy.network, "bridge");
    assert_int_equal(fixture->options.request.policy.read_only, 0);
    assert_int_equal(fixture->options.request.policy.uid, 2);
    assert_int_equal(fixture->options.request.policy.gid, 3);
}

CASE(run_options__repeatable_options)
{
    struct fixture fixture;

    setenv("UNIT_INHERITED", "from outside", 1);
    unsetenv("UNIT_UNSET");
    parse_valid(&fixture, "--env|A=1|--env|B=|--env=C=x=y|--env|UNIT_INHERITED|--env|A=2"
                          "|--cap-drop|a,b|--cap-drop|c|x.py");
    assert_joined(&fixture.options.request.environment, "A=2|B=|C=x=y|UNIT_INHERITED=from outside");
    assert_joined(&fixture.options.request.policy.cap_drop, "A|B|C");
    tear_down(&fixture);
}

CASE(run_options__allowed_hosts)
{
    static const enum run_options_command commands[] = {RUN_OPTIONS_RUN, RUN_OPTIONS_TEST,
                                                        RUN_OPTIONS_SESSION};

    for (size_t i = 0; i < COUNT(commands); i++) {
        const bool is_test = commands[i] == RUN_OPTIONS_TEST;
        CLEANUP_FREE char *line =
            string_format("%s--allow-host|a.example|--network|none|--allow-host=*.b.example:8080|"
                          "--allow-host|a.example:1|x.py",
                          is_test ? "--tests=d|" : "");
        struct fixture fixture;
        const struct sandbox_policy *policy = &fixture.options.request.policy;

        parse_command(&fixture, commands[i], line);
        assert_no_error(&fixture.error);
        assert_string_equal(policy->network, "none");
        assert_int_equal(policy->network_rules.count, 2);
        assert_string_equal(policy->network_rules.hosts[0].name, "a.example");
        assert_int_equal(policy->network_rules.hosts[0].port_count, 3);
        assert_string_equal(policy->network_rules.hosts[1].name, "*.b.example");
        assert_int_equal(policy->network_rules.hosts[1].port_count, 1);
        assert_int_equal(policy->network_rules.hosts[1].ports[0], 8080);
        tear_down(&fixture);
    }
}

CASE(run_options__wrong_hosts)
{
    assert_refused("--allow-host|https://a/|x.py",
                   "--allow-host: 'https://a/' is a URL or a path; write the host alone, like "
                   "example.com");
    assert_refused("--allow-host|a|--network|bridge|x.py",
                   "--allow-host and --network bridge cannot be used together; only a container "
                   "without a network has the proxy");
    assert_refused("--network|bridge|--allow-host|a|x.py",
                   "--allow-host and --network bridge cannot be used together; only a container "
                   "without a network has the proxy");
}

/* Every user of the host can list the arguments of a process; values may be secrets. */
CASE_WITH(run_options__hides_values_of_variables,
          parse_valid(fixture, "--env|A=secret|--env=B=secret|x.py|--|C=shown"))
{
    assert_joined(&fixture->options.request.environment, "A=secret|B=secret");
    assert_joined(&fixture->words, "run|--env|A=xxxxxx|--env=B=xxxxxx|x.py|--|C=shown");
}

CASE(run_options__read_only)
{
    static const struct {
        const char *line;
        int expected;
    } lines[] = {
        {"--read-only|x.py", 1}, {"--read-only=true|x.py", 1}, {"--read-only=false|x.py", 0}};

    for (size_t i = 0; i < COUNT(lines); i++) {
        struct fixture fixture;

        parse_valid(&fixture, lines[i].line);
        assert_int_equal(fixture.options.request.policy.read_only, lines[i].expected);
        assert_string_equal(fixture.options.file, "x.py");
        tear_down(&fixture);
    }
    assert_refused("--read-only=yes|x.py", "--read-only: 'yes' is not true or false");
    assert_refused("--read-only=|x.py", "--read-only: '' is not true or false");
}

static void assert_file(const char *line, const char *file, const char *entrypoint,
                        const char *arguments)
{
    struct fixture fixture;

    parse_valid(&fixture, line);
    assert_text_or_null(fixture.options.file, file);
    assert_text_or_null(fixture.options.request.entrypoint, entrypoint);
    assert_joined(&fixture.options.request.arguments, arguments);
    tear_down(&fixture);
}

CASE(run_options__file_and_arguments)
{
    assert_file("x.py", "x.py", "x.py", "");
    assert_file("/a/b.c/x.py", "/a/b.c/x.py", "x.py", "");
    assert_file("./-x.py", "./-x.py", "-x.py", "");
    assert_file("x.py|--", "x.py", "x.py", "");
    assert_file("x.py|--|a|-b|--stream|--|c", "x.py", "x.py", "a|-b|--stream|--|c");
    assert_file("-v|x.py|-m|64", "x.py", "x.py", "");
    assert_file("x.py|-v|--|-v", "x.py", "x.py", "-v");
    assert_file("-l|py|-|--|a", "-", NULL, "a");
    assert_file("-d|dir|-e|e.py|--|a", NULL, "e.py", "a");
    assert_file("-d|dir|-l|py", NULL, NULL, "");
    assert_file("-d|dir|-e|e.py", NULL, "e.py", "");
    assert_file("dir/|-l|py", "dir/", "", "");
}

CASE(run_options__files_beside_the_program)
{
    struct fixture fixture;

    parse_valid(&fixture, "a.py|--file|d/e//|b.txt|-v|../c");
    assert_string_equal(fixture.options.file, "a.py");
    assert_joined(&fixture.options.request.paths, "d/e|b.txt|../c");
    tear_down(&fixture);
    parse_valid(&fixture, "-|-l|py|b.txt");
    assert_joined(&fixture.options.request.paths, "b.txt");
    tear_down(&fixture);
    assert_refused("a.py|b|c/b", "'c/b' has the same name as another file");
    assert_refused("a.py|--file|..", "--file: '..' does not end in a name");
    assert_refused("a.py|--file|x/.", "--file: 'x/.' does not end in a name");
    assert_refused("a.py|--file|/", "--file: '/' does not end in a name");
    assert_refused("a.py|-", "standard input can only be the program or --stdin");
    assert_refused("a.py|b|--save-dockerfile|D",
                   "--save-dockerfile copies FILE or --dir alone; put all files in --dir");
}

CASE(run_options__nothing_to_run)
{
    assert_refused("", "nothing to run; give a FILE, -, --dir or --code");
    assert_refused("-v|--stream", "nothing to run; give a FILE, -, --dir or --code");
    assert_refused("--|x.py", "nothing to run; give a FILE, -, --dir or --code");
}

CASE(run_options__conflicting_options)
{
    assert_refused("x.py|--dir|d",
                   "FILE and --dir cannot be used together; name the program in --dir with "
                   "--entrypoint");
    assert_refused("x.py|--entrypoint|e", "--entrypoint needs --dir");
    assert_refused("--entrypoint|e", "nothing to run; give a FILE, -, --dir or --code");
    assert_refused("--dir|d", "--dir needs --entrypoint, or --language to run its default file");
    assert_refused("-", "a program from stdin needs --language");
    assert_refused("-|-l|py|--stdin|-", "the program and --stdin cannot both be read from stdin");
    assert_refused("-|-l|py|--save-dockerfile|D",
                   "--save-dockerfile needs a FILE or --dir to copy from");
}

CASE(run_options__program_from_stdin)
{
    struct fixture fixture;

    parse_valid(&fixture, "x.py|--stdin|-");
    assert_string_equal(fixture.options.stdin_path, "-");
    tear_down(&fixture);
    parse_valid(&fixture, "-|-l|py|--stdin|file");
    assert_string_equal(fixture.options.stdin_path, "file");
    tear_down(&fixture);
}

CASE(run_options__unknown_options)
{
    assert_refused("--memroy|64|x.py", "unknown option '--memroy'; did you mean --memory?");
    assert_refused("--memroy=64|x.py", "unknown option '--memroy=64'; did you mean --memory?");
    assert_refused("--zzzzzzzz|x.py", "unknown option '--zzzzzzzz'; see isolator run --help");
    assert_refused("x.py|-Z", "unknown option '-Z'; put the program's arguments after --");
    assert_refused("x.py|--longest",
                   "unknown option '--longest'; put the program's arguments after --");
    assert_refused("-vZ|x.py", "unknown option '-Z'; see isolator run --help");
    assert_refused("-v\xc3\xa4|x.py", "unknown option '-v\xc3\xa4'; see isolator run --help");
    assert_refused("--\x1b[2J|x.py", "unknown option '--\\x1b[2J'; see isolator run --help");
    assert_refused("--verbose=1|x.py", "option '--verbose' takes no value");
}

CASE(run_options__missing_values)
{
    assert_refused("x.py|--memory", "option '--memory' needs a value");
    assert_refused("x.py|-m", "option '-m' needs a value");
    assert_refused("x.py|-vm", "option '-m' needs a value");
    assert_refused("x.py|--env", "option '--env' needs a value");
}

CASE(run_options__wrong_values)
{
    assert_refused("-t|-1s|x.py",
                   "--timeout: '-1s' is not a duration; write it like 500ms, 30, 1m30s or 1h");
    assert_refused("-t|0s|x.py", "--timeout: '0s' must be more than 0 and less than a year");
    assert_refused("-m|5|x.py", "--memory must be from 6 to 16777216 MB");
    assert_refused("-m|64k|x.py", "--memory must be from 6 to 16777216 MB");
    assert_refused("-m|64mm|x.py",
                   "--memory: '64mm' is not a size; write it like 512m, 1g, or 64 MB");
    assert_refused("-m|64.5|x.py", "--memory must be a whole number");
    assert_refused("-m|-64|x.py",
                   "--memory: '-64' is not a size; write it like 512m, 1g, or 64 MB");
    assert_refused("-m||x.py", "--memory: '' is not a size; write it like 512m, 1g, or 64 MB");
    assert_refused("-c|0|x.py", "--cpus must be from 0.01 to 4096");
    assert_refused("-c|nan|x.py",
                   "--cpus: 'nan' is not a number; to run code, use isolator run --code TEXT");
    assert_refused("--pids-limit|1|x.py", "--pids-limit must be from 8 to 4194304");
    assert_refused("--workdir-size|0|x.py", "--workdir-size must be from 1 to 1048576 MB");
    assert_refused("--tmp-size|0|x.py", "--tmp-size must be from 1 to 1048576 MB");
    assert_refused("--output-limit|1|x.py", "--output-limit must be from 1024 to 67108864 bytes");
    assert_refused("--network|host|x.py",
                   "--network: network 'host' would lift the isolation; use none, "
                   "bridge or a network of the engine");
    assert_refused("--user|root|x.py",
                   "--user: 'root' is not a user; write numbers up to 2097151, like "
                   "65534 or 1000:1000");
    assert_refused("--cap-drop|,|x.py",
                   "--cap-drop: ',' is not a list of capabilities, like ALL or NET_RAW,MKNOD");
    assert_refused("--runtime|nerdctl|x.py", "--runtime: 'nerdctl' is not docker or podman");
    assert_refused("--env|UNIT_UNSET|x.py", "--env: 'UNIT_UNSET' is not set in the environment");
    assert_refused("--env||x.py", "--env: '' is not set in the environment");
    assert_refused("--save-dockerfile||x.py", "--save-dockerfile: the path is empty");
}

static void assert_help(const char *line)
{
    struct fixture fixture;

    parse_valid(&fixture, line);
    assert_true(fixture.options.help);
    tear_down(&fixture);
}

CASE(run_options__help)
{
    assert_help("--help");
    assert_help("-h");
    assert_help("a.py|--dir|d|--help");
    assert_help("-vh");
}

/* With --help nothing else is checked. */
CASE(run_options__help_ignores_other_errors)
{
    assert_help("--help|--bogus");
    assert_help("-h|--memory|x");
    assert_help("--help|a.py|b.py");
}

/* The state of getopt_long() must not leak into the next command line. */
CASE(run_options__second_command_line)
{
    struct fixture fixture;

    struct fixture before;

    parse_line(&before, "-Zvh|x.py");
    parse_valid(&fixture, "x.py");
    tear_down(&before);
    assert_text_or_null(fixture.options.file, "x.py");
    assert_false(fixture.options.verbose);
    assert_false(fixture.options.help);
    tear_down(&fixture);
}

CASE(run_options__help_names_every_option)
{
    static const char *const names[] = {"-l, --language NAME ",
                                        "-d, --dir DIR ",
                                        "-e, --entrypoint PATH ",
                                        "--stdin FILE ",
                                        "--env KEY[=VALUE] ",
                                        "-t, --timeout DURATION ",
                                        "-m, --memory MB ",
                                        "-c, --cpus N ",
                                        "--cpu-seconds N ",
                                        "--pids-limit N ",
                                        "--workdir-size MB ",
                                        "--tmp-size MB ",
                                        "--output-limit BYTES ",
                                        "--network NAME ",
                                        "--allow-host HOST[:PORT] ",
                                        "--read-only[=BOOL] ",
                                        "--cap-drop LIST ",
                                        "--user UID[:GID] ",
                                        "--image IMAGE ",
                                        "--container-workdir PATH ",
                                        "--save-image TAG ",
                                        "--save-dockerfile PATH ",
                                        "--runtime NAME ",
                                        "--config FILE ",
                                        "--stream ",
                                        "-v, --verbose ",
                                        "-h, --help "};
    CLEANUP_FREE char *help = options_help(&run_option_tables[RUN_OPTIONS_RUN]);

    assert_memory_equal(help, "usage: isolator run [OPTIONS] [FILE...] [-- ARG...]\n", 52);
    for (size_t i = 0; i < COUNT(names); i++)
        if (!strstr(help, names[i]))
            fail_msg("'%s' is not in the help", names[i]);
}

/* Every subject of an error, such as a limit, has an option, and --help lists it. */
CASE(run_options__every_subject_has_an_option)
{
    static const char *const others[] = {"network", "readOnly",       "capDrop",
                                         "user",    REQUEST_LANGUAGE, REQUEST_ENTRYPOINT};
    CLEANUP_FREE char *text = options_help(&run_option_tables[RUN_OPTIONS_RUN]);

    for (size_t i = 0; i < LIMIT_NUMBERS + COUNT(others); i++) {
        const char *subject =
            i < LIMIT_NUMBERS ? limit_rules[i].key.name : others[i - LIMIT_NUMBERS];
        const char *option = run_options_namer(subject);

        assert_non_null(option);
        if (!strstr(text, option))
            fail_msg("%s is not an option of --help", option);
    }
    assert_string_equal(run_options_namer("memoryMB"), "--memory");
    assert_string_equal(run_options_namer("pidsLimit"), "--pids-limit");
    assert_null(run_options_namer("maxQueued"));
}

CASE(run_options__of_test)
{
    struct fixture fixture;
    const struct run_options *options = &fixture.options;

    parse_command(&fixture, RUN_OPTIONS_TEST,
                  "--tests|d|x.py|--compare|float|--tolerance|1e-3|--output-limit|2048|"
                  "--stop-on-failure|--json|-m|64|--|a");
    assert_no_error(&fixture.error);
    assert_int_equal(fixture.result, 0);
    assert_string_equal(options->tests, "d");
    assert_string_equal(options->request.entrypoint, "x.py");
    assert_int_equal(options->comparison.mode, COMPARE_FLOAT);
    assert_true(options->comparison.tolerance == 1e-3);
    assert_int_equal(options->request.test_output_bytes, 2048);
    assert_true(isnan(options->request.policy.limits.number[LIMIT_OUTPUT]));
    assert_true(options->stop_on_failure && options->json && !options->table);
    assert_true(options->request.policy.limits.number[LIMIT_MEMORY] == 64);
    assert_joined(&options->request.arguments, "a");
    tear_down(&fixture);
    parse_command(&fixture, RUN_OPTIONS_TEST, "--tests|d|x.py");
    assert_int_equal(fixture.result, 0);
    assert_int_equal(options->comparison.mode, COMPARE_TRIM);
    assert_true(options->comparison.tolerance == -1);
    assert_false(options->no_detail || options->comparison.ignore_case);
    assert_int_equal(options->request.test_output_bytes, 0);
    tear_down(&fixture);
}

CASE(run_options__checker_of_tests)
{
    struct fixture fixture;
    const struct run_options *options = &fixture.options;

    parse_command(&fixture, RUN_OPTIONS_TEST, "--tests|d|x.py|--checker|judge/check.cpp");
    assert_no_error(&fixture.error);
    assert_string_equal(options->checker, "judge/check.cpp");
    assert_null(options->validator);
    assert_null(options->request.checker); /* it is not read yet */
    tear_down(&fixture);
    parse_command(&fixture, RUN_OPTIONS_TEST, "--tests|d|x.py|--validator=judge");
    assert_no_error(&fixture.error);
    assert_string_equal(options->validator, "judge");
    assert_null(options->checker);
    tear_down(&fixture);
    parse_command(&fixture, RUN_OPTIONS_TEST, "--tests|d|x.py|--interactor|i.py|--transcript");
    assert_no_error(&fixture.error);
    assert_string_equal(options->interactor, "i.py");
    assert_true(options->transcript);
    tear_down(&fixture);
    parse_command(&fixture, RUN_OPTIONS_TEST, "--tests|d|x.py|--interactive-validator|v");
    assert_no_error(&fixture.error);
    assert_string_equal(options->interactive_validator, "v");
    assert_false(options->transcript);
    tear_down(&fixture);
    parse_command(&fixture, RUN_OPTIONS_TEST, "--tests|d|x.py");
    assert_null(options->checker);
    assert_null(options->validator);
    assert_null(options->interactor);
    assert_null(options->interactive_validator);
    tear_down(&fixture);
}

CASE(run_options__several_files)
{
    struct fixture fixture;
    const struct run_options *options = &fixture.options;

    parse_command(&fixture, RUN_OPTIONS_TEST, "a/x.py|--tests|d|y.c|-j|7|--|b");
    assert_no_error(&fixture.error);
    assert_joined(&options->files, "a/x.py|y.c");
    assert_string_equal(options->file, "a/x.py");
    assert_string_equal(options->request.entrypoint, "x.py");
    assert_int_equal(options->parallel, 7);
    assert_joined(&options->request.arguments, "b");
    run_options_set_program(&fixture.options, "b/y.c");
    assert_string_equal(options->request.entrypoint, "y.c");
    tear_down(&fixture);
}

CASE(run_options__refused_by_test)
{
    static const struct {
        const char *line, *message;
    } lines[] = {
        {"x.py", "nothing to test with; give a directory with --tests"},
        {"--tests|d", "nothing to run; give a FILE, - or --dir"},
        {"--tests|d|x.py|--compare|diff",
         "--compare: 'diff' is not a way to compare; use trim, exact, tokens, float or lines"},
        {"--tests|d|x.py|--time-limit|2",
         "--time-limit needs --problem; without it, set --cpu-seconds"},
        {"--problem|d|--time-limit|2|--timeout|3",
         "--time-limit and --timeout cannot be used together; it sets the CPU time and the "
         "timeout"},
        {"--problem|d|--time-limit|2|--cpu-seconds|3",
         "--time-limit and --cpu-seconds cannot be used together; it sets the CPU time and the "
         "timeout"},
        {"--problem|d|--time-limit|0",
         "--time-limit: '0' is not a number of seconds greater than 0, like 2.5"},
        {"--problem|d|--time-limit|2s",
         "--time-limit: '2s' is not a number of seconds greater than 0, like 2.5"},
        {"--problem|d|--time-limit|1e9",
         "--time-limit: '1e9' is not a number of seconds greater than 0, like 2.5"},
        {"--tests|d|x.py|--tolerance|0.1", "--tolerance needs --compare float"},
        {"--tests|d|x.py|--tolerance|absolute=0.1",
         "--tolerance absolute=NUMBER needs --compare float"},
        {"--tests|d|x.py|--compare|float|--tolerance|1|--tolerance|relative=1",
         "--tolerance and --tolerance relative=NUMBER cannot be used together; the first is both"},
        {"--tests|d|x.py|--compare|float|--tolerance|relative=",
         "--tolerance: 'relative=' is not a number from 0, like 1e-6"},
        {"--tests|d|x.py|--checker|a.py|--validator|b.py",
         "--checker and --validator cannot be used together"},
        {"--tests|d|x.py|--max-output|0",
         "--max-output: must be a whole number from 1 to 67108864"},
        {"--tests|d|x.py|--compare|float|--tolerance|x",
         "--tolerance: 'x' is not a number from 0, like 1e-6"},
        {"--tests|d|x.py|--compare|float|--tolerance|-1",
         "--tolerance: '-1' is not a number from 0, like 1e-6"},
        {"--tests|d|x.py|--output-limit|0",
         "--output-limit: must be a whole number from 64 to 1048576"},
        {"--tests|d|x.py|--output-limit|64.5",
         "--output-limit: must be a whole number from 64 to 1048576"},
        {"--tests|d|x.py|--output-limit|x", "--output-limit: 'x' is not a number"},
        {"--tests|d|x.py|--json|--table", "--json and --table cannot be used together"},
        {"--tests|d|x.py|-|-l|c",
         "- and another FILE cannot be used together; stdin is one program"},
        {"--tests|d|-|x.py|-l|c",
         "- and another FILE cannot be used together; stdin is one program"},
        {"--tests|d|x.py|y.py|--dir|d",
         "FILE and --dir cannot be used together; name the program in --dir with --entrypoint"},
        {"--tests|d|x.py|-j|0", "--jobs: must be a whole number from 1 to 1024"},
        {"--tests|d|x.py|--jobs|1.5", "--jobs: must be a whole number from 1 to 1024"},
        {"--tests|d|x.py|--jobs|x", "--jobs: 'x' is not a number"},
        {"--invented", "unknown option '--invented'; see isolator test --help"},
        {"--tests|d|x.py|--stdin|f",
         "unknown option '--stdin'; put the program's arguments after --"},
        {"--tests|d|x.py|--stream",
         "unknown option '--stream'; put the program's arguments after --"},
    };

    for (size_t i = 0; i < COUNT(lines); i++) {
        struct fixture fixture;

        parse_command(&fixture, RUN_OPTIONS_TEST, lines[i].line);
        assert_int_equal(fixture.result, -1);
        assert_error(&fixture.error, ERROR_USAGE, lines[i].message);
        tear_down(&fixture);
    }
    assert_refused("x.py|--tests|d",
                   "unknown option '--tests'; put the program's arguments after --");
}

/* What the command line has set is what it would be without. */
static void check_defaults(const struct run_options *options, const struct run_options *without,
                           const struct config *config)
{
    const struct sandbox_policy *given = &options->request.policy, *defaults = &config->defaults;
    CLEANUP_FREE char *drop = strvec_join(&given->cap_drop, ",");
    CLEANUP_FREE char *default_drop = strvec_join(&defaults->cap_drop, ",");
    struct limits limits;

    limits_init(&limits);
    limits_overlay(&limits, &defaults->limits);
    if (options->command == RUN_OPTIONS_TEST)
        limits.number[LIMIT_TIMEOUT] = RUN_OPTIONS_TEST_TIMEOUT;
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        assert_true(isnan(given->limits.number[i]) || given->limits.number[i] == limits.number[i]);
    if (given->network)
        assert_string_equal(given->network, defaults->network);
    if (given->read_only != -1)
        assert_int_equal(given->read_only, defaults->read_only);
    if (given->cap_drop.count > 0)
        assert_string_equal(drop, default_drop);
    if (options->request.workdir)
        assert_string_equal(options->request.workdir, config->workdir);
    if (options->request.test_output_bytes > 0)
        assert_int_equal(options->request.test_output_bytes, TEST_OUTPUT_BYTES);
    assert_int_equal(options->comparison.mode, without->comparison.mode);
    if (options->comparison.tolerance >= 0)
        assert_true(options->comparison.tolerance == COMPARISON_TOLERANCE_DEFAULT);
    if (options->max_output_bytes > 0)
        assert_int_equal(options->max_output_bytes, TEST_MAX_OUTPUT_BYTES);
}

/* Gives an option the default that --help has for it. */
static void check_default(enum run_options_command command, const struct option_rule *rule,
                          const struct config *config)
{
    static const char *const needed[] = {[RUN_OPTIONS_RUN] = "x.py",
                                         [RUN_OPTIONS_TEST] = "x.py|--tests=d",
                                         [RUN_OPTIONS_SESSION] = ""};
    const bool is_tolerance = strcmp(option_text(rule)->name, "--tolerance") == 0;
    CLEANUP_FREE char *line =
        string_format("%s%s|%s=%s", needed[command], is_tolerance ? "|--compare=float" : "",
                      option_text(rule)->name, option_text(rule)->by_default);
    CLEANUP_FREE char *plain =
        string_format("%s%s", needed[command], is_tolerance ? "|--compare=float" : "");
    struct fixture with, without;

    parse_command(&without, command, plain);
    reset_getopt();
    parse_command(&with, command, line + (line[0] == '|'));
    assert_no_error(&with.error);
    check_defaults(&with.options, &without.options, config);
    tear_down(&with);
    tear_down(&without);
}

CASE(run_options__of_a_workspace)
{
    struct fixture fixture;
    const struct run_options *options = &fixture.options;

    parse_command(&fixture, RUN_OPTIONS_CREATE,
                  "--name|w1|--lifetime|1m30s|--idle|1500ms|--memory|64m|a.txt|dir/b.txt");
    assert_no_error(&fixture.error);
    assert_true(options->detach && options->request.no_program);
    assert_null(options->file);
    assert_joined(&options->request.paths, "a.txt|dir/b.txt");
    assert_string_equal(options->request.language, "python");
    assert_string_equal(options->name, "w1");
    assert_int_equal(options->lifetime_seconds, 90);
    assert_int_equal(options->idle_seconds, 2);
    tear_down(&fixture);
    parse_command(&fixture, RUN_OPTIONS_EXEC, "-t|2s|--env=A=1|-w|src|w1|--|ls|-l");
    assert_no_error(&fixture.error);
    assert_string_equal(options->request.directory, "src");
    assert_true(options->request.no_program && !options->detach);
    assert_null(options->file);
    assert_string_equal(options->name, "w1");
    assert_joined(&options->request.arguments, "ls|-l");
    tear_down(&fixture);
}

CASE(run_options__wrong_visits)
{
    static const struct {
        const char *line, *message;
    } lines[] = {
        {"--|ls", "no workspace is named; isolator ps lists them"},
        {"w1", "the command follows two dashes, as in: isolator exec w1 -- ls -l"},
        {"w1|ls|--|-l", "the command follows two dashes, as in: isolator exec w1 -- ls -l"},
        {"-i|--stdin|f|w1|--|cat",
         "--interactive and --stdin cannot be used together; the program has one standard input"},
    };

    for (size_t i = 0; i < COUNT(lines); i++) {
        struct fixture fixture;

        parse_command(&fixture, RUN_OPTIONS_EXEC, lines[i].line);
        assert_error(&fixture.error, ERROR_USAGE, lines[i].message);
        tear_down(&fixture);
    }
}

CASE(run_options__defaults_change_nothing)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    int checked = 0;

    config_init(&config);
    assert_int_equal(config_load_built_in(&config, &error), 0);
    for (int command = RUN_OPTIONS_RUN; command <= RUN_OPTIONS_SESSION; command++) {
        const struct option_table *table = &run_option_tables[command];

        for (size_t i = 0; i < table->count; i++) {
            const struct option_rule *rule = &table->rules[i];

            /* the number of processor cores stands in words */
            if (!options_has(table, rule) || !option_text(rule)->by_default ||
                strchr(option_text(rule)->by_default, ' '))
                continue;
            check_default((enum run_options_command)command, rule, &config);
            checked++;
        }
    }
    assert_in_range(checked, 35, 60);
}
