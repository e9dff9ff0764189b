#include "mcp_client.h"

#include "mcp/advice.h"

/* Checks the warnings of a result, joined, and releases it. */
static void check(struct result *result, const char *more, const char *language, bool sessions,
                  const char *expected)
{
    struct config config;
    CLEANUP_FREE char *joined = NULL;

    set_up_config(&config, more);
    advice_add(result, config_language(&config, language),
               &(struct advice_offers){.sessions = sessions});
    joined = strvec_join(&result->warnings, "\n");
    assert_string_equal(joined, expected);
    result_release(result);
    config_release(&config);
}

#define INTERPRETER                                                                                \
    "{\"languages\": {\"py\": {\"sessionCommand\": [\"python3\", \"-c\", \"{python_driver}\"]}}}"
#define PRINT "print what you want to see"
#define IN_A_SESSION                                                                               \
    "; in a session (\"session\": \"new\") the value of the last expression and open figures "     \
    "come "                                                                                        \
    "back by themselves"

static struct result ended(int exit_code, const char *out, const char *err)
{
    struct result result = RESULT_INIT;

    result.reason = REASON_EXIT;
    result.exit_code = exit_code;
    result.error = exit_code == 0 ? NULL : string_copy("failed");
    strbuf_addstr(&result.text[0], out);
    strbuf_addstr(&result.text[1], err);
    return result;
}

/* A job reaches no hosts, which this program could. */
CASE(advice__to_start_a_job_without_hosts)
{
    struct result result = RESULT_INIT;

    result.reason = REASON_TIMEOUT;
    result_add_network(&result);
    advice_add(&result, NULL, &(struct advice_offers){.job = true});
    assert_string_equal(result.warnings.items[0],
                        "a program that needs longer, and no hosts, can run as a job: give "
                        "\"background\": true and \"hosts\": [], and call wait_job for the result");
    result_release(&result);
}

/* Whether a warning names jobs. */
static void check_job(enum reason reason, bool session, bool job, bool expected)
{
    struct result result = RESULT_INIT;

    result.reason = reason;
    if (session)
        result_add_session(&result, "0123");
    advice_add(&result, NULL, &(struct advice_offers){.job = job});
    assert_int_equal(result.warnings.count, expected);
    if (expected)
        assert_string_equal(result.warnings.items[0],
                            "a program that needs longer can run as a job: give \"background\": "
                            "true, and call wait_job for the result");
    result_release(&result);
}

CASE(advice__to_start_a_job)
{
    check_job(REASON_TIMEOUT, false, true, true);
    check_job(REASON_TIMEOUT, false, false, false);
    check_job(REASON_TIMEOUT, true, true, false);
    check_job(REASON_CPU_TIME, false, true, false);
}

CASE(advice__to_print)
{
    struct result result = ended(0, "", "");

    check(&result, INTERPRETER, "py", true, PRINT IN_A_SESSION);
    result = ended(0, "", "");
    check(&result, INTERPRETER, "py", false, PRINT);
}

CASE(advice__not_to_print)
{
    struct result result = ended(0, "x", "");

    check(&result, INTERPRETER, "py", true, "");
    result = ended(0, "", "x");
    check(&result, INTERPRETER, "py", true, "");
    result = ended(1, "", "");
    check(&result, INTERPRETER, "py", true, "");
    result = ended(0, "", "");
    check(&result, INTERPRETER, "sh", true, ""); /* it has no interpreter that stays */
    result = ended(0, "", "");
    check(&result, INTERPRETER, "none", true, "");
    result = ended(0, "", "");
    result_add_session(&result, "0123456789abcdef0123456789abcdef");
    check(&result, INTERPRETER, "py", true, "");
    result = ended(0, "", "");
    artifacts_add(&result.artifacts, string_copy("a"), string_copy("b"), 1, false);
    check(&result, INTERPRETER, "py", true, "");
}

#define NODE "{\"languages\": {\"py\": {\"extensions\": [\".js\"]}}}"

static void check_package(const char *more, const char *err, const char *package,
                          const char *install)
{
    struct result result = ended(1, "", err);
    CLEANUP_FREE char *expected =
        package
            ? string_format("the package '%s' is not in the image, and a program cannot install "
                            "it; the user can: isolator prepare py --network bridge --run '%s %s'",
                            package, install, package)
            : string_copy("");

    check(&result, more, "py", true, expected);
}

CASE(advice__of_python)
{
    static const char install[] = "pip install";

    check_package(NULL, "Traceback\nModuleNotFoundError: No module named 'numpy'\n", "numpy",
                  install);
    check_package(NULL, "No module named 'a.b.c'", "a", install);
    check_package(NULL, "No module named 'one' No module named 'two'", "two", install);
    check_package(NULL, "No module named 'yaml'", "pyyaml", install);
    check_package(NULL, "No module named 'sklearn.svm'", "scikit-learn", install);
    check_package(NULL, "No module named 'a.b'; 'a' is not a package", NULL, install);
    check_package(NULL, "Cannot find module 'x'", NULL, install);
    check_package(NULL, "something else", NULL, install);
}

CASE(advice__of_javascript)
{
    static const char install[] = "npm install --prefix /";

    check_package(NODE, "Error: Cannot find module 'lodash'\nRequire stack:", "lodash", install);
    check_package(NODE, "Cannot find package 'lodash' imported from /a", "lodash", install);
    check_package(NODE, "Cannot find module 'a/b/c'", "a", install);
    check_package(NODE, "Cannot find module '@a/b/c'", "@a/b", install);
    check_package(NODE, "Cannot find module './near'", NULL, install);
    check_package(NODE, "Cannot find module '/workspace/near.js'", NULL, install);
}

/* The name comes from the program. */
CASE(advice__of_harmful_names)
{
    check_package(NULL, "No module named 'a b'", NULL, "");
    check_package(NULL, "No module named 'a;b'", NULL, "");
    check_package(NULL, "No module named 'a\nb'", NULL, "");
    check_package(NULL, "No module named '$(a)'", NULL, "");
    check_package(NULL, "No module named '--index-url=x'", NULL, "");
    check_package(NULL, "No module named ''", NULL, "");
    check_package(NULL, "No module named 'a", NULL, "");
    check_package(NULL, "No module named '\xc3\xa4'", NULL, "");
    check_package(NULL,
                  "No module named 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff'",
                  "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff", "pip install");
    check_package(NULL,
                  "No module named 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffg'",
                  NULL, "");
}

CASE(advice__only_after_a_failure)
{
    struct result result = ended(0, "", "No module named 'a'");

    check(&result, NULL, "py", true, "");
    result = ended(137, "", "No module named 'a'");
    result.reason = REASON_OOM;
    check(&result, NULL, "py", true, "use less memory; only the user can make memoryMB larger");
}

/* What no model can do is a warning, so that it stands in structuredContent too. */
CASE(advice__to_tell_the_user)
{
    struct result result = RESULT_INIT;

    check(&result, NULL, "py", true,
          "the program has not run; if that happens again, only the user can fix it: tell the "
          "user");
    result = (struct result)RESULT_INIT;
    result.container = string_copy("isolator-0");
    check(&result, NULL, "py", true, "");
    result = (struct result)RESULT_INIT;
    result.reason = REASON_IMAGE_MISSING;
    check(&result, NULL, "py", true, "only the user can run this command: tell the user");
    result = (struct result)RESULT_INIT;
    result.reason = REASON_IMAGE_MISSING;
    result_add_session(&result, "0123456789abcdef0123456789abcdef");
    check(&result, NULL, "py", true, "");
}

/* What the configuration lets a model do. */
static void check_offers(const char *more, bool memory, bool network)
{
    struct config config;
    struct advice_offers offers;

    set_up_config(&config, more);
    offers = advice_offers_of(&config, config_language(&config, "py"));
    assert_int_equal(offers.memory, memory);
    assert_int_equal(offers.network, network);
    config_release(&config);
}

CASE(advice__of_what_a_configuration_offers)
{
    check_offers(NULL, false, false);
    check_offers("{\"maximums\": {\"memoryMB\": 4096}}", true, false);
    check_offers("{\"languages\": {\"py\": {\"network\": \"bridge\"}}}", false, true);
    check_offers("{\"languages\": {\"sh\": {\"network\": \"bridge\"}}}", false, false);
}

/* The report of a cell says how it ended. The configuration may know what is there. */
CASE(advice__of_a_cell)
{
    struct result result = ended(1, "", "");

    free(result.error);
    result.reason = REASON_EXCEPTION;
    result.error = string_copy("the cell ended with ModuleNotFoundError: No module named 'pandas'");
    check(&result, "{\"languages\": {\"py\": {\"packages\": [\"numpy\", \"six\"]}}}", "py", true,
          "the package 'pandas' is not in the image, and a program cannot install it; the user "
          "can: isolator prepare py --network bridge --run 'pip install pandas'\n"
          "packages in the image: numpy, six");
}

/* Names are given with ' ' between them; `more` have no name. */
static void check_files(const char *names, size_t more, const char *expected)
{
    struct result result = ended(0, "", "");
    CLEANUP_FREE char *words = string_copy(names);

    for (char *rest = words, *name; (name = strtok_r(rest, " ", &rest));)
        strvec_push(&result.unreturned, name);
    result.unreturned_count = result.unreturned.count + more;
    check(&result, INTERPRETER, "py", true, expected);
}

#define WRITTEN "files written and not returned: "
#define GIVE    "; to get them, give \"artifacts\": "

CASE(advice__to_ask_for_files)
{
    CLEANUP_FREE char *long_name = string_format("%0100d", 1);
    CLEANUP_FREE char *shown = string_format("%080d...", 0);
    CLEANUP_FREE char *expected = string_format(WRITTEN "%s" GIVE "[\"**\"]", shown);
    CLEANUP_FREE char *long_names = string_format("%s %s %s", long_name, long_name, long_name);
    CLEANUP_FREE char *two =
        string_format(WRITTEN "%s, %s and 8 more" GIVE "[\"**\"]", shown, shown);

    check_files("a.csv", 0, WRITTEN "a.csv" GIVE "[\"*.csv\"]");
    check_files("a.csv b.csv", 3, WRITTEN "a.csv, b.csv and 3 more" GIVE "[\"*.csv\"]");
    check_files("a.csv b.txt", 0, WRITTEN "a.csv, b.txt" GIVE "[\"**\"]");
    check_files("out/a.csv", 0, WRITTEN "out/a.csv" GIVE "[\"**\"]");
    check_files("a", 0, WRITTEN "a" GIVE "[\"**\"]");
    check_files("a.c*", 0, WRITTEN "a.c*" GIVE "[\"**\"]");
    check_files("a.\"]", 0, WRITTEN "a.\"]" GIVE "[\"**\"]");
    check_files(long_name, 0, expected);
    check_files(long_names, 7, two);
}
