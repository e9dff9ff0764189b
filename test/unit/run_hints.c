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
    assert_int_equal(hints_add(result, &language, has_network, &hint_person),
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
        result.tests.items[i] = (struct test_result)TEST_RESULT_INIT;
        strbuf_addstr(&result.tests.items[i].text[1], i == 0 ? "ENOSPC" : words);
    }
    result.tests.items[1].message = string_copy("failed");
    check(&result, false, PACKAGE);
}
