#include "test.h"

#include "base/memory.h"
#include "run/hints.h"

#define NETWORK "this container has no network; --allow-host HOST allows a host"
#define DISK    "a disk of this container is full; raise --workdir-size or --tmp-size"
#define MEMORY  "for more memory, raise --memory"
#define PACKAGE                                                                                    \
    "the package 'six' is not in the image; to add it: isolator prepare py --network bridge "      \
    "--run "                                                                                       \
    "'pip install six'"

static struct result failed(enum reason reason, const char *err)
{
    struct result result = RESULT_INIT;

    result.reason = reason;
    result.exit_code = 1;
    result.error = string_copy("failed");
    strbuf_addstr(&result.text[1], err);
    return result;
}

/* Checks the warnings for a person, joined, and releases the result. */
static void check(struct result *result, bool has_network, const char *expected)
{
    struct language language = {.name = (char *)"py"};
    CLEANUP_FREE char *joined = NULL;

    strvec_push(&language.extensions, ".py");
    assert_int_equal(
        hints_add(result, &(struct hint_program){&language, has_network}, &hint_person),
        strstr(expected, "package") != NULL);
    joined = strvec_join(&result->warnings, "\n");
    assert_string_equal(joined, expected);
    strvec_release(&language.extensions);
    result_release(result);
}

static void check_exit(const char *err, const char *expected)
{
    struct result result = failed(REASON_EXIT, err);

    check(&result, false, expected);
}

CASE(hints__of_a_program)
{
    check_exit("ModuleNotFoundError: No module named 'six'\n", PACKAGE);
    check_exit("urlopen error [Errno -3] Temporary failure in name resolution\n", NETWORK);
    check_exit("Error: getaddrinfo EAI_AGAIN example.org\n", NETWORK);
    check_exit("OSError: [Errno 101] Network is unreachable\n", NETWORK);
    check_exit("dial tcp: connect: network is unreachable\n", NETWORK);
    check_exit("curl: (6) Could not resolve host: a\n", NETWORK);
    check_exit("OSError: [Errno 28] No space left on device\n", DISK);
    check_exit("Error: ENOSPC: no space left on device, write\n", DISK);
    check_exit("Segmentation fault\n", "");
}

CASE(hints__with_a_network)
{
    struct result result = failed(REASON_EXIT, "Network is unreachable");

    check(&result, true, "");
}

CASE(hints__of_memory)
{
    struct result result = failed(REASON_OOM, "Network is unreachable");

    check(&result, false, MEMORY);
}

/* Who reads only the first warnings reads what helps. */
CASE(hints__come_first)
{
    struct result result = failed(REASON_EXIT, "ENOSPC, No module named 'six'");

    strvec_push(&result.warnings, "one");
    strvec_push(&result.warnings, "two");
    check(&result, true, DISK "\n" PACKAGE "\none\ntwo");
}

static void check_reader(const struct hint_reader *reader, const char *expected)
{
    static const struct hint_program program = {.language = NULL};
    struct result result = failed(REASON_EXIT, "ENOSPC, EAI_AGAIN");
    CLEANUP_FREE char *joined = NULL;

    assert_false(hints_add(&result, &program, reader));
    result.reason = REASON_OOM;
    hints_add(&result, &program, reader);
    joined = strvec_join(&result.warnings, "\n");
    assert_string_equal(joined, expected);
    assert_int_equal(result.hints, 3);
    result_release(&result);
}

/* Each is told the names that it writes. */
CASE(hints__of_each_reader)
{
    check_reader(&hint_person, NETWORK "\n" DISK "\n" MEMORY);
    check_reader(&hint_line,
                 "this container has no network; network.allow of the configuration allows hosts\n"
                 "a disk of this container is full; raise workdirMB or tmpMB of the "
                 "configuration\n"
                 "for more memory, raise memory_mb");
    check_reader(&hint_model,
                 "this container has no network; only the user can allow hosts\n"
                 "a disk of this container is full; only the user can make workdirMB or tmpMB "
                 "larger\n"
                 "use less memory; only the user can make memoryMB larger");
}

/* So many are remembered; the others come again. */
CASE(hints__come_once)
{
    CLEANUP(strvec_release) struct strvec printed = STRVEC_INIT;

    for (int i = 0; i <= HINTS_PRINTED_MAX; i++) {
        CLEANUP_FREE char *hint = string_format("hint %d", i);

        assert_true(hints_is_new(&printed, hint));
        assert_int_equal(hints_is_new(&printed, hint), i == HINTS_PRINTED_MAX);
    }
    assert_false(hints_is_new(&printed, "hint 0"));
    assert_int_equal(printed.count, HINTS_PRINTED_MAX);
}

/* What ends a program from outside says nothing of what it wrote before. */
CASE(hints__only_after_a_failure_of_its_own)
{
    struct result result = failed(REASON_TIMEOUT, "No module named 'six'");

    check(&result, false, "");
    result = failed(REASON_EXIT, "No module named 'six'");
    free(result.error);
    result.error = NULL;
    result.exit_code = 0;
    check(&result, false, "");
}

CASE(hints__of_a_cell_a_build_and_tests)
{
    static const char words[] = "No module named 'six'";
    struct result result = failed(REASON_EXCEPTION, "Network is unreachable");

    free(result.error);
    result.error = string_copy(words);
    check(&result, false, PACKAGE);
    result = failed(REASON_BUILD, "Network is unreachable");
    result.build = memory_allocate(sizeof *result.build);
    *result.build = (struct build_result){.exit_code = 1};
    strbuf_addstr(&result.build->text[1], words);
    check(&result, false, PACKAGE);
    result = failed(REASON_TESTS, "");
    result.tests.items = memory_allocate(2 * sizeof *result.tests.items);
    result.tests.count = 2;
    for (int i = 0; i < 2; i++) {
        result.tests.items[i] = (struct case_result)CASE_RESULT_INIT;
        strbuf_addstr(&result.tests.items[i].text[1], i == 0 ? "ENOSPC" : words);
    }
    result.tests.items[1].message = string_copy("failed");
    check(&result, false, PACKAGE);
}
