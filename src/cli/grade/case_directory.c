#include "cli/grade/case_directory.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>

#include "base/archive.h"
#include "base/cleanup.h"
#include "base/linux.h"
#include "base/text.h"
#include "cli/grade/case_file.h"
#include "cli/grade/case_groups.h"
#include "cli/grade/case_listing.h"
#include "cli/grade/case_scores.h"
#include "cli/grade/legacy_breaks.h"
#include "container/supervisor_link.h"
#include "run/result.h"

/* Maximum bytes of one argument, and of all of a test: the kernel's limits (execve(2)). */
enum { ARGUMENT_MAX = 131071, ARGUMENTS_MAX = 2000000 };

/* Maximum arguments of a test, as in a line of isolator batch. */
enum { ARGUMENT_COUNT_MAX = 10000 };

/* Maximum bytes of all expected outputs, which are kept in memory. */
#define EXPECTED_MAX (1LL << 30)

/* Maximum number of files of no test that a warning names. */
enum { OTHERS_NAMED = 5 };

struct reading {
    const char *path; /* of the directory, escaped */
    struct test_root root;
    struct case_listing listing;
    struct case_groups groups;
    const struct case_request *defaults;
    long long expected; /* bytes of the expected outputs so far */
    struct error *error;
};

/* The path of a file of the test for messages, escaped; owned. */
static char *shown_path(const struct reading *reading, const char *name, enum case_file which)
{
    CLEANUP_FREE char *path = string_format("%s%s", name, case_file_ending(which));

    return case_file_shown(&reading->root, path);
}

/* ---- files that belong to no test, and tests without an expected output */

/* Whether a file may hold the expected output of the test: "1.expected", "1.OUT", "1.out.txt". */
static bool may_be_expected(const char *file, const char *test)
{
    static const char *const words[] = {"out", "ans", "exp", "sol", "res"};
    const size_t length = strlen(test);

    if (strncasecmp(file, test, length) != 0)
        return false;
    for (const char *dot = file + length; dot && *dot == '.'; dot = strchr(dot + 1, '.'))
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strncasecmp(dot + 1, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

/* The file that probably holds the expected output of the test; owned; NULL: there is none. */
static char *find_similar(const struct reading *reading, const char *test)
{
    for (size_t i = 0; i < reading->listing.others.count; i++)
        if (may_be_expected(reading->listing.others.items[i], test))
            return string_copy(reading->listing.others.items[i]);
    for (size_t i = 0; i < reading->listing.count; i++) {
        const struct listed_test *listed = &reading->listing.tests[i];

        if (strcasecmp(listed->name, test) == 0 && listed->has[TEST_OUTPUT])
            return string_format("%s%s", listed->name, case_file_ending(TEST_OUTPUT));
    }
    return NULL;
}

static bool lacks_expected(const struct listed_test *listed)
{
    return !listed->has[TEST_OUTPUT] && !listed->has[TEST_ANSWER];
}

/* The error about the first test without an expected output. */
static int refuse_test(const struct reading *reading, const struct listed_test *listed,
                       size_t lacking)
{
    CLEANUP_FREE char *file =
        shown_path(reading, listed->name, listed->has[TEST_INPUT] ? TEST_INPUT : TEST_ARGUMENTS);
    CLEANUP_FREE char *output = shown_path(reading, listed->name, TEST_OUTPUT);
    CLEANUP_FREE char *similar = find_similar(reading, listed->name);
    CLEANUP_FREE char *shown = similar ? text_escape(similar) : NULL;
    CLEANUP_FREE char *advice =
        shown ? string_format("rename '%s/%s' to '%s'", reading->path, shown, output)
              : string_format("add '%s'", output);
    CLEANUP_FREE char *others =
        lacking > 1 ? string_format(" and %zu more", lacking - 1) : string_copy("");

    return error_set(reading->error, ERROR_INPUT,
                     "'%s'%s: there is no expected output; %s, or check only the exit status with "
                     "--no-expected",
                     file, others, advice);
}

static int check_expected(const struct reading *reading)
{
    const struct listed_test *first = NULL;
    size_t lacking = 0;

    for (size_t i = 0; i < reading->listing.count; i++) {
        if (!lacks_expected(&reading->listing.tests[i]))
            continue;
        lacking++;
        if (!first)
            first = &reading->listing.tests[i];
    }
    return first ? refuse_test(reading, first, lacking) : 0;
}

/* A test whose input was "1.IN" would run without it. */
static int check_other(const struct reading *reading, const char *file)
{
    const char *dot = strrchr(file, '.');

    for (int which = 0; dot && which <= TEST_ARGUMENTS; which++)
        if (strcasecmp(dot, case_file_ending((enum case_file)which)) == 0) {
            CLEANUP_FREE char *name = string_format("%.*s", (int)(dot - file), file);
            CLEANUP_FREE char *escaped = text_escape(file);
            CLEANUP_FREE char *path = shown_path(reading, name, (enum case_file)which);

            return error_set(reading->error, ERROR_INPUT,
                             "'%s/%s' belongs to no test, since its ending is not in lower case; "
                             "rename it to '%s'",
                             reading->path, escaped, path);
        }
    return 0;
}

/* Checks the files that belong to no test, and adds the warning about them. */
static int check_others(struct reading *reading, struct strvec *warnings)
{
    const struct strvec *others = &reading->listing.others;
    const size_t named = others->count < OTHERS_NAMED ? others->count : OTHERS_NAMED;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *list = NULL;

    if (others->count == 0)
        return 0;
    for (size_t i = 0; i < others->count; i++)
        if (check_other(reading, others->items[i]) != 0)
            return -1;
    for (size_t i = 0; i < named; i++)
        strvec_push_owned(&names, text_escape_short(others->items[i], TEXT_SHOWN_MAX));
    if (reading->listing.other_count > named)
        strvec_pushf(&names, "and %zu more", reading->listing.other_count - named);
    list = strvec_join(&names, ", ");
    strvec_pushf(warnings, "'%s': ignored what belongs to no test: %s", reading->path, list);
    return 0;
}

/* ---- one test */

static int add_argument(const struct reading *reading, struct case_request *test,
                        enum case_file which, const char *text, size_t length)
{
    CLEANUP_FREE char *shown = NULL;

    if (length <= ARGUMENT_MAX && test->arguments.count < ARGUMENT_COUNT_MAX) {
        strvec_pushf(&test->arguments, "%.*s", (int)length, text);
        return 0;
    }
    shown = shown_path(reading, test->name, which);
    if (length > ARGUMENT_MAX)
        return error_set(reading->error, ERROR_INPUT, "'%s' has an argument of more than %d bytes",
                         shown, ARGUMENT_MAX);
    return error_set(reading->error, ERROR_INPUT, "'%s' has more than %d arguments", shown,
                     ARGUMENT_COUNT_MAX);
}

static int read_file(const struct reading *reading, const char *name, enum case_file which,
                     long long max, struct strbuf *content)
{
    CLEANUP_FREE char *path = string_format("%s%s", name, case_file_ending(which));

    return case_file_read(&reading->root, path, max, content, reading->error);
}

static int read_arguments(const struct reading *reading, struct case_request *test)
{
    CLEANUP(strbuf_release) struct strbuf content = STRBUF_INIT;
    size_t at = 0;

    if (read_file(reading, test->name, TEST_ARGUMENTS, ARGUMENTS_MAX, &content) != 0)
        return -1;
    if (content.length > 0 && memchr(content.data, '\0', content.length)) {
        CLEANUP_FREE char *shown = shown_path(reading, test->name, TEST_ARGUMENTS);

        return error_set(reading->error, ERROR_INPUT, "'%s' has a NUL byte", shown);
    }
    while (at < content.length) {
        const char *line = content.data + at;
        size_t length = strcspn(line, "\n");

        at += length + 1;
        if (length > 0 && line[length - 1] == '\r')
            length--;
        if (add_argument(reading, test, TEST_ARGUMENTS, line, length) != 0)
            return -1;
    }
    return 0;
}

/* NAME.args is over the arguments of a group, and excludes those of NAME.yaml. */
static int set_arguments(const struct reading *reading, const struct listed_test *listed,
                         const struct case_settings *settings, struct case_request *test)
{
    if (listed->has[TEST_ARGUMENTS])
        return read_arguments(reading, test);
    for (size_t i = 0; i < settings->arguments.count; i++) {
        const char *text = settings->arguments.items[i];

        if (add_argument(reading, test, TEST_SETTINGS, text, strlen(text)) != 0)
            return -1;
    }
    return 0;
}

static int apply_settings(struct reading *reading, const struct listed_test *listed,
                          struct case_request *test)
{
    CLEANUP(case_settings_release) struct case_settings settings = CASE_SETTINGS_INIT;

    if (case_groups_settings(&reading->groups, listed->name, listed->has[TEST_SETTINGS], &settings,
                             reading->error) != 0)
        return -1;
    if (settings.has_own_arguments && listed->has[TEST_ARGUMENTS]) {
        CLEANUP_FREE char *shown = shown_path(reading, test->name, TEST_ARGUMENTS);

        return error_set(reading->error, ERROR_INPUT,
                         "'%s' is next to a file that ends in .yaml and has args; give one of them",
                         shown);
    }
    test->comparison =
        settings.has_comparison ? settings.comparison : reading->defaults->comparison;
    strvec_push_all(&test->checker_arguments, &settings.validator_arguments);
    test->timeout_seconds = settings.timeout_seconds;
    test->cpu_seconds = settings.cpu_seconds;
    test->max_output_bytes = settings.max_output_bytes > 0 ? settings.max_output_bytes
                                                           : reading->defaults->max_output_bytes;
    return set_arguments(reading, listed, &settings, test);
}

static int read_expected(struct reading *reading, const struct listed_test *listed,
                         struct case_request *test)
{
    const bool is_package = reading->root.package >= 0; /* .out is for its statement */
    const bool has_answer = listed->has[TEST_ANSWER];
    const enum case_file which =
        listed->has[TEST_OUTPUT] && !(is_package && has_answer) ? TEST_OUTPUT : TEST_ANSWER;
    CLEANUP(strbuf_release) struct strbuf content = STRBUF_INIT;

    if (listed->has[TEST_OUTPUT] && has_answer && !is_package) {
        CLEANUP_FREE char *shown = shown_path(reading, test->name, TEST_OUTPUT);

        return error_set(reading->error, ERROR_INPUT,
                         "'%s' is next to a file that ends in .ans; both are the expected "
                         "output of one test",
                         shown);
    }
    if (read_file(reading, test->name, which, OUTPUT_HARD_MAX, &content) != 0)
        return -1;
    reading->expected += (long long)content.length;
    if (reading->expected > EXPECTED_MAX)
        return error_set(reading->error, ERROR_INPUT,
                         "the expected outputs in '%s' are larger than %lld bytes in all",
                         reading->path, EXPECTED_MAX);
    test->expected_length = content.length;
    test->expected = strbuf_steal(&content);
    return 0;
}

static int read_test(struct reading *reading, const struct listed_test *listed,
                     struct case_request *test)
{
    CLEANUP_FREE char *input = string_format("%s%s", listed->name, case_file_ending(TEST_INPUT));
    CLEANUP_FREE char *files =
        string_format("%s%s", listed->name, case_file_ending(TEST_DIRECTORY));

    test->name = string_copy(listed->name);
    if (listed->has[TEST_INPUT]) {
        test->stdin_file = case_file_open(&reading->root, input, ARCHIVE_FILE_MAX, reading->error);
        if (test->stdin_file < 0)
            return -1;
    }
    test->no_expected = lacks_expected(listed);
    if (!test->no_expected && read_expected(reading, listed, test) != 0)
        return -1;
    if (listed->has[TEST_DIRECTORY] &&
        case_file_add_directory(&reading->root, files, &test->files, reading->error) != 0)
        return -1;
    return apply_settings(reading, listed, test);
}

static void reading_release(struct reading *reading)
{
    case_listing_release(&reading->listing);
    case_groups_release(&reading->groups);
}

/*
 * Which tests of a package need not run after one that is not accepted. The texts of 2023-07 and
 * 2025-09 do not say. Problemtools (1.20260620 and later, config/testdata.yaml) stops in all
 * formats, and so does BAPCtools without --all; with scores, all tests can count.
 */
static void set_skips(const struct reading *reading, const struct case_directory_options *options,
                      struct case_requests *tests)
{
    if (!options->package || options->all_tests)
        return;
    if (options->is_legacy)
        legacy_breaks_set(&reading->groups, tests);
    for (size_t i = 0; i < tests->count && !options->is_legacy && !tests->groups; i++) {
        tests->items[i].skip_from = i + 1;
        tests->items[i].skip_to = tests->count;
    }
}

int case_directory_read(const char *path, const struct case_directory_options *options,
                        const struct case_request *defaults, struct case_requests *tests,
                        struct strvec *warnings, struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(path);
    CLEANUP_FD const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CLEANUP_FD const int package =
        options->package ? open(options->package, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    CLEANUP(reading_release)
    struct reading reading = {.path = escaped,
                              .root = {escaped, directory, package},
                              .listing = CASE_LISTING_INIT,
                              .groups = CASE_GROUPS_INIT,
                              .defaults = defaults,
                              .error = error};

    if (directory < 0 || (options->package && package < 0))
        return error_set_errno(error, ERROR_INPUT, "cannot open the directory '%s'", escaped);
    reading.groups.has_validator = options->has_validator;
    reading.groups.validator_flags = options->validator_flags;
    reading.groups.is_scoring = options->is_scoring;
    reading.groups.is_legacy = options->is_legacy;
    reading.groups.gives_no_score = options->gives_no_score;
    reading.groups.no_grader = options->no_grader;
    reading.groups.constants = options->constants;
    reading.groups.warnings = warnings;
    linux_raise_descriptors(); /* a test has one for its standard input */
    if (case_listing_read(&reading.listing, directory, package >= 0, escaped, error) != 0 ||
        (!options->no_expected && check_expected(&reading) != 0) ||
        check_others(&reading, warnings) != 0 ||
        case_groups_read(&reading.groups, &reading.root, &reading.listing.groups, error) != 0)
        return -1;
    for (size_t i = 0; i < reading.listing.count; i++)
        if (read_test(&reading, &reading.listing.tests[i], case_requests_add(tests)) != 0)
            return -1;
    if (case_scores_read(&reading.groups, tests, error) != 0)
        return -1;
    set_skips(&reading, options, tests);
    return 0;
}
