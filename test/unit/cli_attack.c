#include "test.h"

#include "cli/attack.h"
#include "json.h"

/* Reads an attack with this text. Returns the message of the error, owned, or NULL. */
static char *read_attack(struct attack *attack, const char *text)
{
    struct error error = ERROR_INIT;
    char *message = NULL;

    *attack = (struct attack){.name = "name", .text = text};
    if (attack_read(attack, &error) != 0) {
        message = string_copy(error.message);
        assert_int_equal(error.kind, ERROR_CONFIG);
    }
    error_release(&error);
    return message;
}

CASE(attack__reads_a_header)
{
    struct attack attack;

    assert_null(read_attack(
        &attack,
        "# a title\n# holds: what holds: all\n# ends: exit oom\n"
        "# status: 3\n# timeout: 5\n# memory: 64\n# cpu: 7\n# copies: 2\n# tests: 9\n# gap: why\n\n"
        "code"));
    assert_string_equal(attack.title, "a title");
    assert_string_equal(attack.holds, "what holds: all");
    assert_string_equal(attack.ends, " exit oom ");
    assert_string_equal(attack.gap, "why");
    assert_int_equal(attack.status, 3);
    assert_int_equal(attack.timeout, 5);
    assert_int_equal(attack.cpu, 7);
    assert_int_equal(attack.memory, 64);
    assert_int_equal(attack.copies, 2);
    assert_int_equal(attack.tests, 9);
}

CASE(attack__reads_a_short_header)
{
    struct attack attack;

    assert_null(read_attack(&attack, "# a title\n# holds: all"));
    assert_string_equal(attack.ends, " exit ");
    assert_string_equal(attack.gap, "");
    assert_int_equal(attack.status, 0);
    assert_int_equal(attack.timeout, 20);
    assert_int_equal(attack.cpu, 0);
    assert_int_equal(attack.memory, 128);
    assert_int_equal(attack.copies, 1);
    assert_int_equal(attack.tests, 0);
}

CASE(attack__refuses_a_header)
{
    static const char *const texts[] = {
        "",
        "code",
        "# a title",
        "# a title\n# ends: exit\n",
        "# a title that is much longer than what any table has room for\n# holds: all\n",
        "# a title\n# holds: all\n# copies: 9\n",
        "# a title\n# holds: all\n# copies: 0\n",
        "# a title\n# holds: all\n# copies: 2x\n",
        "# a title\n# holds: all\n# tests: 101\n",
        "# a title\n# holds: all\n# timeout: \n",
        "# a title\n# holds: all\n# status: 256\n",
        "# a title\n# holds: all\n# what: else\n",
        "# a title\n# holds: all\n# remark\n",
        "# a title\n# holds: \n",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct attack attack;
        CLEANUP_FREE char *message = read_attack(&attack, texts[i]);

        if (!message)
            fail_msg("accepted: %s", texts[i]);
        assert_string_equal(message, "attack 'name' has an invalid header");
    }
}

/* The built-in attacks can be read and are in the order of their names. */
CASE(attack__built_in_attacks)
{
    CLEANUP_FREE char *last = string_copy("");

    assert_true(attack_count() > 50);
    for (size_t i = 0; i < attack_count(); i++) {
        struct attack attack = attack_get(i);
        struct error error = ERROR_INIT;

        attack_read(&attack, &error);
        assert_no_error(&error);
        assert_true(strcmp(attack.name, last) > 0);
        free(last);
        last = string_copy(attack.name);
    }
}

CASE(attack__request)
{
    static const char python[] =
        "{\"maximums\": {\"memoryMB\": 100}, \"languages\": {\"python\": {\"image\": \"py:3\", "
        "\"command\": [\"python3\", \"{entrypoint}\"], \"extensions\": [\".python\"], "
        "\"defaultFilename\": \"main.python\"}}}";
    struct attack attack;
    struct config config;
    struct request request;
    struct error error = ERROR_INIT;
    CLEANUP_FREE char *environment = NULL;

    assert_null(read_attack(&attack, "# a title\n# holds: all\n# timeout: 7\n\ncode"));
    set_up_config(&config, python);
    request_init(&request);
    assert_int_equal(attack_request(&attack, 1, &config, &request, &error), 0);
    assert_string_equal(request.language, "python");
    assert_string_equal(request.input.code, attack.text);
    assert_int_equal(request.input.code_length, strlen(attack.text));
    assert_int_equal(request.policy.limits.number[LIMIT_TIMEOUT], 7);
    assert_int_equal(request.policy.limits.number[LIMIT_MEMORY], 100); /* the maximum */
    environment = strvec_join(&request.environment, "|");
    assert_string_equal(environment, "LIMIT_MEMORY_BYTES=104857600|LIMIT_CPUS=0.500|LIMIT_PIDS=64|"
                                     "LIMIT_WORKDIR_BYTES=67108864|LIMIT_TMP_BYTES=67108864|"
                                     "LIMIT_USERS=1900000-1965535|LIMIT_NETLINK=0|COPY=1");
    assert_int_equal(request.tests.count, 0);
    assert_int_equal(request.tools.count, 0);
    request_release(&request);
    attack.tools = 1;
    request_init(&request);
    assert_int_equal(attack_request(&attack, 1, &config, &request, &error), 0);
    assert_int_equal(request.tools.count, 1);
    assert_string_equal(request.tools.items[0], "isolator-selftest");
    request_release(&request);
    attack.tools = 0;
    attack.tests = 2;
    request_init(&request);
    assert_int_equal(attack_request(&attack, 0, &config, &request, &error), 0);
    assert_int_equal(request.tests.count, 2);
    assert_string_equal(request.tests.items[1].name, "1");
    assert_string_equal(request.tests.items[1].environment.items[0], "TEST=1");
    request_release(&request);
    attack.tests = 0;
    assert_int_equal(sandbox_policy_set_user(&config.maximums, "7:8", &error), 0);
    request_init(&request);
    assert_int_equal(attack_request(&attack, 1, &config, &request, &error), 0);
    assert_string_equal(request.environment.items[5], "LIMIT_USERS=7:8");
    request_release(&request);
    config_release(&config);
}

CASE(attack__request_without_python)
{
    struct attack attack;
    struct config config;
    struct request request;
    struct error error = ERROR_INIT;

    assert_null(read_attack(&attack, "# a title\n# holds: all\n"));
    set_up_config(&config, NULL);
    request_init(&request);
    assert_int_equal(attack_request(&attack, 0, &config, &request, &error), -1);
    assert_error(&error, ERROR_CONFIG,
                 "cannot run attacks: they need the language 'python', which is not in the "
                 "configuration");
    request_release(&request);
    config_release(&config);
}

static void check_calls(const char *calls, unsigned long long ok, unsigned long long failed,
                        enum attack_verdict verdict, const char *expected)
{
    CLEANUP_FREE char *text = string_format("# a title\n# holds: all\n# tools: 1\n%s", calls);
    CLEANUP(strbuf_release) struct strbuf seen = STRBUF_INIT;
    struct result result = RESULT_INIT;
    struct attack attack;

    assert_null(read_attack(&attack, text));
    assert_int_equal(attack.tools, 1);
    result.reason = REASON_EXIT;
    result.exit_code = 0;
    result_add_tools(&result);
    result.tools->succeeded = ok;
    result.tools->failed = failed;
    strbuf_addstr(&result.text[0], "held: so it says");
    assert_int_equal(attack_judge(&attack, &result, &seen), verdict);
    assert_string_equal(strbuf_string(&seen), expected);
    result_release(&result);
}

CASE(attack__judges_calls_of_tools)
{
    check_calls("", 5, 5, ATTACK_HELD, "so it says");
    check_calls("# calls: 2 1\n", 2, 1, ATTACK_HELD, "so it says");
    check_calls("# calls: 2 1\n", 3, 1, ATTACK_BREACH,
                "3 calls are said to be ok and 1 failed, instead of 2 and 1");
    check_calls("# calls: 0 1\n", 0, 0, ATTACK_BREACH,
                "0 calls are said to be ok and 0 failed, instead of 0 and 1");
}

/* What all tests have written counts, and the last one has to be held. */
CASE(attack__judges_tests)
{
    static const struct {
        const char *out[2];
        const char *seen;
        enum attack_verdict verdict;
    } cases[] = {
        {{"first", "held: both"}, "both", ATTACK_HELD},
        {{"held: one", "second"}, "ended with exit status 0: second", ATTACK_UNCLEAR},
        {{"got through: a", "got through: b"}, "a; b", ATTACK_BREACH},
        {{"got through: a\n", "held: both"}, "a", ATTACK_BREACH},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct case_result tests[2] = {CASE_RESULT_INIT, CASE_RESULT_INIT};
        CLEANUP(strbuf_release) struct strbuf seen = STRBUF_INIT;
        struct result result = RESULT_INIT;
        struct attack attack;

        assert_null(read_attack(&attack, "# a title\n# holds: all\n# tests: 2\n"));
        for (int j = 0; j < 2; j++)
            strbuf_addstr(&tests[j].text[0], cases[i].out[j]);
        result.reason = REASON_EXIT;
        result.exit_code = 0;
        result.tests = (struct case_results){.items = tests, .count = 2};
        assert_int_equal(attack_judge(&attack, &result, &seen), cases[i].verdict);
        assert_string_equal(strbuf_string(&seen), cases[i].seen);
        case_result_release(&tests[0]);
        case_result_release(&tests[1]);
    }
}

/* With gVisor, what the header says of it is a known gap, also if nothing can be said. */
CASE(attack__judges_with_gvisor)
{
    static const struct {
        const char *header, *out;
        enum attack_verdict before, after;
    } cases[] = {
        {"# gvisor: why\n", "held: all", ATTACK_HELD, ATTACK_HELD},
        {"# gvisor: why\n", "got through: a", ATTACK_BREACH, ATTACK_GAP},
        {"# gvisor: why\n", "odd", ATTACK_UNCLEAR, ATTACK_GAP},
        {"# gvisor: why\n# gap: other\n", "odd", ATTACK_UNCLEAR, ATTACK_GAP},
        {"", "got through: a", ATTACK_BREACH, ATTACK_BREACH},
        {"", "odd", ATTACK_UNCLEAR, ATTACK_UNCLEAR},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        CLEANUP_FREE char *text = string_format("# a title\n# holds: all\n%s", cases[i].header);
        CLEANUP(strbuf_release) struct strbuf seen = STRBUF_INIT, again = STRBUF_INIT;
        struct result result = RESULT_INIT;
        struct attack attack;

        assert_null(read_attack(&attack, text));
        result.reason = REASON_EXIT;
        result.exit_code = 0;
        strbuf_addstr(&result.text[0], cases[i].out);
        assert_int_equal(attack_judge(&attack, &result, &seen), cases[i].before);
        attack_set_gvisor(&attack);
        assert_int_equal(attack_judge(&attack, &result, &again), cases[i].after);
        assert_string_equal(attack.gap, *cases[i].header ? "why" : "");
        result_release(&result);
    }
}

static const char *const verdicts[] = {"held", "gap", "unclear", "breach"};

/* Asserts "VERDICT: WORDS" for a run that ended so. The attack may end with reason exit or oom. */
static void assert_verdict_with(enum reason reason, int exit_code, const char *out, size_t length,
                                const char *gap, const char *expected)
{
    CLEANUP_FREE char *text = string_format("# a title\n# holds: all\n# ends: exit oom\n%s\n", gap);
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP(strbuf_release) struct strbuf seen = STRBUF_INIT;
    CLEANUP_FREE char *got = NULL;
    struct attack attack;
    enum attack_verdict verdict;

    assert_null(read_attack(&attack, text));
    result.reason = reason;
    result.exit_code = exit_code;
    result.cpu_us = 0;
    strbuf_add(&result.text[0], out, length);
    strbuf_addstr(&result.text[1], "first\nlast \x1b[2J\n\n");
    verdict = attack_judge(&attack, &result, &seen);
    got = string_format("%s: %s", verdicts[verdict], strbuf_string(&seen));
    assert_string_equal(got, expected);
}

static void assert_verdict(enum reason reason, int exit_code, const char *out, const char *expected)
{
    assert_verdict_with(reason, exit_code, out, strlen(out), "", expected);
}

CASE(attack__judges_a_result)
{
    assert_verdict(REASON_EXIT, 0, "some\nheld: all was refused\n", "held: all was refused");
    assert_verdict(REASON_EXIT, 0, "held: all\n\n\n", "held: all");
    assert_verdict(REASON_EXIT, 0, "held: \x1b[2J", "held: \\x1b[2J");
    assert_verdict(REASON_OOM, 137, "", "held: ended with reason oom");
    assert_verdict(REASON_EXIT, 0, "held: all\nmore\n", "unclear: ended with exit status 0: more");
    assert_verdict(REASON_EXIT, 1, "held: all\n", "unclear: ended with exit status 1: held: all");
    assert_verdict(REASON_EXIT, 0, "", "unclear: ended with exit status 0: last \\x1b[2J");
    assert_verdict(REASON_TIMEOUT, 137, "held: all\n",
                   "unclear: ended with reason timeout instead of exit oom: last "
                   "\\x1b[2J");
    assert_verdict(REASON_EXIT, 0, "got through: a\nheld: all\n", "breach: a");
    assert_verdict(REASON_OOM, 137, "got through: a\nx\ngot through: b \x07\n",
                   "breach: a; b \\x07");
    assert_verdict(REASON_TIMEOUT, 137, "x got through: a\n",
                   "unclear: ended with reason timeout instead of exit oom: "
                   "last \\x1b[2J");
}

/* A program may write NULs and very much output. */
CASE(attack__judges_nuls_and_long_output)
{
    static const char nul[] = "\0 binary\ngot through: a\0b\n";
    CLEANUP(strbuf_release) struct strbuf flood = STRBUF_INIT;
    CLEANUP_FREE char *expected = NULL;

    assert_verdict_with(REASON_EXIT, 0, nul, sizeof nul - 1, "", "breach: a b");
    strbuf_addstr(&flood, "got through: ");
    for (int i = 0; i < 100000; i++)
        strbuf_addch(&flood, 'a');
    expected = string_format("breach: %.4000s", flood.data + strlen("got through: "));
    assert_verdict_with(REASON_EXIT, 0, flood.data, flood.length, "", expected);
}

CASE(attack__judges_a_known_gap)
{
    assert_verdict_with(REASON_EXIT, 0, "got through: a\n", 15, "# gap: why\n", "gap: a");
    assert_verdict_with(REASON_EXIT, 0, "held: a\n", 8, "# gap: why\n", "held: a");
    assert_verdict_with(REASON_EXIT, 0, "x\n", 2, "# gap: why\n",
                        "unclear: ended with exit status 0: x");
}

CASE(attack__judges_an_exit_status)
{
    static const char status[] = "# status: 3\n";

    assert_verdict_with(REASON_EXIT, 3, "held: a\n", 8, status, "held: a");
    assert_verdict_with(REASON_EXIT, 0, "held: a\n", 8, status,
                        "breach: exit status 3 was reported as 0");
    assert_verdict_with(REASON_EXIT, 1, "x\n", 2, status, "unclear: ended with exit status 1: x");
    assert_verdict_with(REASON_OOM, 137, "", 0, status, "held: ended with reason oom");
}

/* A program that keeps process 1 from running is not held, though isolator ended it. */
CASE(attack__judges_missing_figures)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP(strbuf_release) struct strbuf seen = STRBUF_INIT;
    struct attack attack;

    assert_null(read_attack(&attack, "# a title\n# holds: all\n# ends: timeout\n"));
    result.reason = REASON_TIMEOUT;
    result.exit_code = 137;
    assert_int_equal(attack_judge(&attack, &result, &seen), ATTACK_UNCLEAR);
    assert_string_equal(strbuf_string(&seen),
                        "ended with reason timeout, but process 1 did not report its figures");
}
