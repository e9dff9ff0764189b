#include "test.h"

#include "cli/grade/case_directory.h"
#include "container/supervisor_link.h"
#include "run/result.h"

/* The text with the directory in place of each DIR; owned. */
static char *with_directory(const char *text, const char *directory)
{
    struct strbuf result = STRBUF_INIT;
    const char *place;

    for (; (place = strstr(text, "DIR")); text = place + 3) {
        strbuf_add(&result, text, (size_t)(place - text));
        strbuf_addstr(&result, directory);
    }
    strbuf_addstr(&result, text);
    return strbuf_steal(&result);
}

static const struct case_request defaults = {
    .stdin_file = -1, .comparison = {.mode = COMPARE_EXACT}, .max_output_bytes = 77};
static const struct case_directory_options all = {.no_expected = true};

/*
 * Reads the tests of the directory, of which some may have no expected output; this must work, with
 * this warning, in which DIR is the directory. NULL: none.
 */
static struct case_requests read_with_warning(const char *directory, const char *warning)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    CLEANUP_FREE char *expected = with_directory(warning ? warning : "", directory);
    struct case_requests tests = CASE_REQUESTS_INIT;
    const int status = case_directory_read(directory, &all, &defaults, &tests, &warnings, &error);

    assert_no_error(&error);
    assert_int_equal(status, 0);
    assert_int_equal(warnings.count, warning ? 1 : 0);
    if (warning)
        assert_string_equal(warnings.items[0], expected);
    return tests;
}

static struct case_requests read_tests(const char *directory)
{
    return read_with_warning(directory, NULL);
}

/* Asserts the error, in which DIR is the directory. */
static void check_refused(const char *directory, bool no_expected, const char *text)
{
    CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    CLEANUP_FREE char *message = with_directory(text, directory);
    const struct case_directory_options options = {.no_expected = no_expected};
    struct error error = ERROR_INIT;

    assert_int_equal(case_directory_read(directory, &options, &defaults, &tests, &warnings, &error),
                     -1);
    assert_error(&error, ERROR_INPUT, message);
}

/* The same if tests may have no expected output. Removes the directory. */
static void assert_refused(char *directory, const char *text)
{
    check_refused(directory, true, text);
    temp_remove(directory);
}

/* The names of the tests, in their order, each followed by what there is: i(nput), o(utput). */
static char *list_tests(const struct case_requests *tests)
{
    struct strbuf text = STRBUF_INIT;

    for (size_t i = 0; i < tests->count; i++)
        strbuf_addf(&text, "%s%s:%s%s", i > 0 ? " " : "", tests->items[i].name,
                    tests->items[i].stdin_file >= 0 ? "i" : "",
                    tests->items[i].expected ? "o" : "");
    return strbuf_steal(&text);
}

static void assert_listed(char *directory, const char *expected)
{
    CLEANUP(case_requests_release) struct case_requests tests = read_tests(directory);
    CLEANUP_FREE char *listed = list_tests(&tests);

    assert_string_equal(listed, expected);
    temp_remove(directory);
}

CASE(case_directory__files_of_a_test)
{
    char *directory = temp_create();
    CLEANUP_FREE char *output = path_in(directory, "one.out");
    CLEANUP(strbuf_release) struct strbuf input = STRBUF_INIT;
    struct case_requests tests;

    write_in(directory, "one.in", "1 2\n");
    write_bytes(output, "a\0b\n", 4, 0644);
    write_in(directory, "one.args", "-v\n\ntwo words\r\n");
    tests = read_tests(directory);
    assert_int_equal(tests.count, 1);
    assert_string_equal(tests.items[0].name, "one");
    input = read_all(tests.items[0].stdin_file);
    assert_string_equal(input.data, "1 2\n");
    assert_false(tests.items[0].no_expected);
    assert_int_equal(tests.items[0].expected_length, 4);
    assert_memory_equal(tests.items[0].expected, "a\0b\n", 4);
    assert_int_equal(tests.items[0].arguments.count, 3);
    assert_string_equal(tests.items[0].arguments.items[0], "-v");
    assert_string_equal(tests.items[0].arguments.items[1], "");
    assert_string_equal(tests.items[0].arguments.items[2], "two words");
    case_requests_release(&tests);
    temp_remove(directory);
}

CASE(case_directory__one_file_is_enough)
{
    char *directory = temp_create();

    write_in(directory, "a.in", "");
    write_in(directory, "b.out", "");
    write_in(directory, "c.ans", "");
    write_in(directory, "d.args", "");
    write_in(directory, "e.in", "");
    write_in(directory, "e.ans", "");
    assert_listed(directory, "a:i b:o c:o d: e:io");
}

/* Each name has to be in the warning, or in the dark on purpose. */
CASE(case_directory__other_files_are_ignored)
{
    char *directory = temp_create();
    CLEANUP_FREE char *below = path_in(directory, "secret"), *listed = NULL;
    struct case_requests tests;

    write_in(directory, "a.b.in", "");
    write_in(directory, ".in", "");
    write_in(directory, ".hidden.in", "");
    write_in(directory, "README", "");
    write_in(directory, "in", "");
    write_in(directory, "a.in~", "");
    write_in(directory, "a\n.txt", "");
    write_in(directory, "a.b.svg", ""); /* pictures are for people */
    write_in(directory, "c.yaml", "");
    assert_int_equal(mkdir(below, 0700), 0);
    write_in(below, "x.txt", "");
    tests = read_with_warning(directory, "'DIR': ignored what belongs to no test: README, "
                                         "a\\n.txt, a.in~, c.yaml, in, and 1 more");
    listed = list_tests(&tests);
    assert_string_equal(listed, "a.b:i");
    case_requests_release(&tests);
    temp_remove(directory);
}

/* Tests with these files, of which one has no expected output, are refused with this advice. */
static void check_lacks(const char *const *files, const char *message)
{
    char *directory = temp_create();

    for (; *files; files++)
        write_in(directory, *files, "");
    check_refused(directory, false, message);
    temp_remove(directory);
}

#define LACKS(message, ...) check_lacks((const char *const[]){__VA_ARGS__, NULL}, message)
#define OR_NONE             ", or check only the exit status with --no-expected"

/* Such a test would pass whatever the program prints. */
CASE(case_directory__no_expected_output)
{
    LACKS("'DIR/1.in': there is no expected output; add 'DIR/1.out'" OR_NONE, "1.in", "2.out");
    LACKS("'DIR/2.args': there is no expected output; add 'DIR/2.out'" OR_NONE, "1.out", "2.args");
    LACKS("'DIR/2.in' and 2 more: there is no expected output; add 'DIR/2.out'" OR_NONE, "10.in",
          "2.in", "3.in", "1.in", "1.ans");
    LACKS("'DIR/1.in': there is no expected output; rename 'DIR/1.expected' to 'DIR/1.out'" OR_NONE,
          "1.in", "1.expected", "1.desc", "11.expected");
    LACKS("'DIR/1.in': there is no expected output; rename 'DIR/1.OUT' to 'DIR/1.out'" OR_NONE,
          "1.in", "1.OUT");
    LACKS("'DIR/1.in': there is no expected output; rename 'DIR/1.out.txt' to 'DIR/1.out'" OR_NONE,
          "1.in", "1.out.txt");
    LACKS("'DIR/a.in': there is no expected output; rename 'DIR/A.out' to 'DIR/a.out'" OR_NONE,
          "a.in", "A.out");
    LACKS("'DIR/1.in': there is no expected output; add 'DIR/1.out'" OR_NONE, "1.in", "1.timeout",
          "1.layout", "1expected");
}

/* A test whose input is "1.IN" would run without it, whatever is asked for. */
CASE(case_directory__endings_in_upper_case)
{
    char *directory = temp_create();

    write_in(directory, "1.IN", "");
    write_in(directory, "1.out", "");
    check_refused(directory, false,
                  "'DIR/1.IN' belongs to no test, since its ending is not in lower case; rename it "
                  "to 'DIR/1.in'");
    assert_refused(directory, "'DIR/1.IN' belongs to no test, since its ending is not in lower "
                              "case; rename it to 'DIR/1.in'");
}

CASE(case_directory__natural_order)
{
    static const char *const names[] = {"10.in",       "9.in", "1.in",  "sample-10.in",
                                        "sample-2.in", "x.in", "x1.in", "sample.in"};
    char *directory = temp_create();

    for (size_t i = 0; i < COUNT(names); i++)
        write_in(directory, names[i], "");
    assert_listed(directory, "1:i 9:i 10:i sample:i sample-2:i sample-10:i x:i x1:i");
}

/* By bytes, and what is in a directory comes before names that go on with another letter. */
CASE(case_directory__order_of_a_package)
{
    char *directory = temp_create();
    CLEANUP_FREE char *below = path_in(directory, "sample"), *listed = NULL;
    const struct case_directory_options options = {.no_expected = true, .package = directory};
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;

    assert_int_equal(mkdir(below, 0700), 0);
    write_in(below, "1.in", "");
    write_in(directory, "sample-1.in", "");
    write_in(directory, "9.in", "");
    write_in(directory, "10.in", "");
    assert_int_equal(case_directory_read(directory, &options, &defaults, &tests, &warnings, &error),
                     0);
    listed = list_tests(&tests);
    assert_string_equal(listed, "10:i 9:i sample/1:i sample-1:i");
    temp_remove(directory);
}

CASE(case_directory__links)
{
    char *directory = temp_create();
    CLEANUP_FREE char *link = path_in(directory, "a.in");

    write_in(directory, ".shared", "x");
    assert_int_equal(symlink(".shared", link), 0);
    assert_listed(directory, "a:i");
}

CASE(case_directory__nothing_in_it)
{
    char *directory = temp_create();

    assert_refused(directory, "'DIR' has no tests; a test is a file NAME.in and a file NAME.out");
    check_refused("/nonexistent\n", false,
                  "cannot open the directory '/nonexistent\\n': No such file or directory");
    check_refused("/dev/null", false, "cannot open the directory '/dev/null': Not a directory");
}

/* A FIFO without a writer would block. */
CASE(case_directory__not_regular_files)
{
    char *directory = temp_create();
    CLEANUP_FREE char *fifo = path_in(directory, "a\n.in");
    CLEANUP_FREE char *below = NULL, *link = NULL;

    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_refused(directory, "'DIR/a\\n.in' is not a regular file");
    directory = temp_create();
    below = path_in(directory, "b.out");
    assert_int_equal(mkdir(below, 0700), 0);
    assert_refused(directory, "'DIR/b.out' is not a regular file");
    directory = temp_create();
    link = path_in(directory, "c.in");
    assert_int_equal(symlink("nowhere", link), 0);
    assert_refused(directory, "cannot open 'DIR/c.in': No such file or directory");
}

static void write_sparse(const char *directory, const char *name, off_t size)
{
    CLEANUP_FREE char *path = path_in(directory, name);

    write_in(directory, name, "");
    assert_int_equal(truncate(path, size), 0);
}

CASE(case_directory__sizes)
{
    char *directory = temp_create();

    write_sparse(directory, "a.in", 0x80000000LL);
    assert_refused(directory, "'DIR/a.in' is larger than 2147483647 bytes");
    directory = temp_create();
    write_sparse(directory, "a.ans", OUTPUT_HARD_MAX + 1);
    assert_refused(directory, "'DIR/a.ans' is larger than 67108864 bytes");
    directory = temp_create();
    write_sparse(directory, "a.args", 2000001);
    assert_refused(directory, "'DIR/a.args' is larger than 2000000 bytes");
}

CASE(case_directory__arguments)
{
    char *directory = temp_create();
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *path = NULL;

    strbuf_addstr(&text, "a\n");
    for (int i = 0; i < 131071; i++)
        strbuf_addch(&text, 'x');
    strbuf_addstr(&text, "\n");
    write_in(directory, "a.args", text.data);
    assert_listed(directory, "a:");
    directory = temp_create();
    text.data[text.length - 1] = 'x';
    write_in(directory, "a.args", text.data);
    assert_refused(directory, "'DIR/a.args' has an argument of more than 131071 bytes");
    directory = temp_create();
    memset(text.data, '\n', 10001);
    text.data[10001] = '\0';
    write_in(directory, "a.args", text.data);
    assert_refused(directory, "'DIR/a.args' has more than 10000 arguments");
    directory = temp_create();
    text.data[10000] = '\0';
    write_in(directory, "a.args", text.data);
    assert_listed(directory, "a:");
    directory = temp_create();
    path = path_in(directory, "a.args");
    write_bytes(path, "a\0b", 3, 0644);
    assert_refused(directory, "'DIR/a.args' has a NUL byte");
}

CASE(case_directory__names)
{
    char *directory = temp_create();

    write_in(directory, "a\xff.in", "");
    assert_refused(directory, "'DIR/a\\xff.in' has a name that is not valid UTF-8");
    directory = temp_create();
    write_in(directory, "a.out", "");
    write_in(directory, "a.ans", "");
    assert_refused(directory, "'DIR/a.out' is next to a file that ends in .ans; both are the "
                              "expected output of one test");
}

CASE(case_directory__too_many)
{
    char *directory = temp_create();
    CLEANUP_FREE char *first = path_in(directory, "0.out");

    write_in(directory, "0.out", "");
    for (int i = 1; i <= TESTS_MAX; i++) { /* a link takes less time than a file */
        CLEANUP_FREE char *path = string_format("%s/%d.out", directory, i);

        assert_int_equal(link(first, path), 0);
    }
    assert_refused(directory, "'DIR' has more than 10000 tests");
}

/* ---- directories below, and what files in YAML say */

/* Makes a directory below, and returns its path, owned. */
static char *make_below(const char *directory, const char *name)
{
    char *path = path_in(directory, name);

    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

CASE(case_directory__directories_below)
{
    char *directory = temp_create();
    CLEANUP_FREE char *secret = make_below(directory, "secret");
    CLEANUP_FREE char *group = make_below(secret, "2");
    CLEANUP_FREE char *sample = make_below(directory, "sample");
    CLEANUP_FREE char *hidden = make_below(directory, ".git");
    CLEANUP_FREE char *invalid = make_below(directory, "invalid_input");
    CLEANUP_FREE char *bad = make_below(directory, "bad");
    CLEANUP_FREE char *link = path_in(directory, "link"), *listed = NULL;
    struct case_requests tests;

    write_in(secret, "10.in", "");
    write_in(secret, "10.ans", "");
    write_in(group, "a.in", "");
    write_in(sample, "1.in", "");
    write_in(directory, "x.in", "");
    write_in(hidden, "h.in", "");
    write_in(invalid, "i.in", "");
    write_in(bad, "b.in", "");
    assert_int_equal(symlink("secret", link), 0);
    tests = read_with_warning(directory,
                              "'DIR': ignored what belongs to no test: bad, invalid_input, link");
    listed = list_tests(&tests);
    assert_string_equal(listed, "sample/1:i secret/2/a:i secret/10:io x:i");
    case_requests_release(&tests);
    temp_remove(directory);
}

CASE(case_directory__too_deep)
{
    char *directory = temp_create();
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
    char *path = string_copy(directory);

    strbuf_addstr(&message, "'DIR");
    for (int i = 0; i < 16; i++) {
        char *below = make_below(path, "d");

        free(path);
        path = below;
        strbuf_addstr(&message, "/d");
    }
    strbuf_addstr(&message, "' is too deep");
    free(path);
    assert_refused(directory, message.data);
}

CASE(case_directory__files_for_the_working_directory)
{
    char *directory = temp_create();
    CLEANUP_FREE char *files = make_below(directory, "a.files");
    CLEANUP_FREE char *below = make_below(files, "sub");
    CLEANUP_FREE char *link = path_in(files, "link");
    struct case_requests tests;
    const struct input_files *seen;
    char text[5] = "";

    write_in(directory, "a.in", "");
    write_in(below, "data.txt", "four");
    tests = read_tests(directory);
    seen = &tests.items[0].files;
    assert_int_equal(seen->count, 1);
    assert_string_equal(seen->items[0].path, "sub/data.txt");
    assert_int_equal(seen->items[0].range.length, 4);
    assert_int_equal(shared_file_read(seen->items[0].range.file, 0, text, 4), 0);
    assert_string_equal(text, "four");
    case_requests_release(&tests);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_refused(directory, "'DIR/a.files/link' is not a regular file");
}

CASE(case_directory__settings)
{
    char *directory = temp_create();
    CLEANUP_FREE char *secret = make_below(directory, "secret");
    CLEANUP_FREE char *group = make_below(secret, "g");
    const struct case_request *items;
    struct case_requests tests;

    write_in(directory, "a.in", "");
    write_in(directory, "a.yaml",
             "args: [-v, '7', 08]\nlimits: {timeout_seconds: 1.5, "
             "cpu_seconds: 1, max_output_bytes: 9}\nhint: none\n");
    write_in(directory, "b.in", "");
    write_in(secret, "test_group.yaml",
             "output_validator_args: [float_tolerance, 1e-3]\nargs: [x]\nmax_score: 5\n");
    write_in(secret, "c.in", "");
    write_in(secret, "d.in", "");
    write_in(secret, "d.args", "y");
    write_in(group, "testdata.yaml",
             "output_validator_flags: case_sensitive space_change_sensitive\n");
    write_in(group, "e.in", "");
    write_in(group, "e.yaml", "args: []\n");
    tests = read_tests(directory);
    items = tests.items;
    assert_int_equal(tests.count, 5);
    assert_int_equal(items[0].arguments.count, 3);
    assert_string_equal(items[0].arguments.items[2], "08");
    assert_true(items[0].timeout_seconds == 1.5 && items[0].cpu_seconds == 1);
    assert_int_equal(items[0].max_output_bytes, 9);
    assert_int_equal(items[0].comparison.mode, COMPARE_EXACT);
    assert_int_equal(items[1].arguments.count, 0);
    assert_int_equal(items[1].max_output_bytes, 77);
    assert_string_equal(items[2].name, "secret/c");
    assert_string_equal(items[2].arguments.items[0], "x");
    assert_int_equal(items[2].comparison.mode, COMPARE_FLOAT);
    assert_true(items[2].comparison.absolute == 1e-3 && items[2].comparison.relative == 1e-3);
    assert_true(items[2].comparison.ignore_case && !items[2].comparison.exact_space);
    assert_string_equal(items[3].arguments.items[0], "y");
    assert_string_equal(items[4].name, "secret/g/e");
    assert_int_equal(items[4].arguments.count, 0);
    assert_int_equal(items[4].comparison.mode, COMPARE_TOKENS);
    assert_true(!items[4].comparison.ignore_case && items[4].comparison.exact_space);
    case_requests_release(&tests);
    temp_remove(directory);
}

/* A test "a" with this NAME.yaml is refused; `message` follows its path. */
static void check_yaml(const char *name, const char *text, const char *message)
{
    char *directory = temp_create();
    CLEANUP_FREE char *whole = string_format("'DIR/%s': %s", name, message);

    write_in(directory, "a.in", "");
    write_in(directory, name, text);
    assert_refused(directory, whole);
}

CASE(case_directory__wrong_settings)
{
    char *directory = temp_create();

#define WRONG(text, message) check_yaml("a.yaml", text, message)
    WRONG("args: [\n", "line 2: did not find expected node content");
    WRONG("- 1\n", "it is not a mapping");
    WRONG("arg: 1\n", "there is no key 'arg'; known are: args, output_validator_args, limits, "
                      "input_validator_args, input_visualizer_args, output_visualizer_args, "
                      "full_feedback, hint, description");
    WRONG("args: -v\n", "args: must be a sequence of strings");
    WRONG("args: [[a]]\n", "args: must be a sequence of strings");
    WRONG("args: [~]\n", "args: must be a sequence of strings");
    WRONG("limits: 3\n", "limits: must be a mapping");
    WRONG("limits: {memory: 3}\n", "limits: there is no key 'memory'; known are: "
                                   "timeout_seconds, cpu_seconds, max_output_bytes");
    WRONG("limits: {timeout_seconds: 0}\n",
          "limits: timeout_seconds: must be a number of seconds greater than 0");
    WRONG("limits: {cpu_seconds: x}\n",
          "limits: cpu_seconds: must be a number of seconds greater than 0");
    WRONG("limits: {max_output_bytes: 1.5}\n",
          "limits: max_output_bytes: must be a whole number from 1 to 67108864");
    WRONG("output_validator_args: [fast]\n",
          "output_validator_args: 'fast' is no argument of the default validator");
    WRONG("output_validator_args: [float_tolerance]\n",
          "output_validator_args: a number from 0 must follow float_tolerance");
    WRONG("output_validator_args: [float_tolerance, -1]\n",
          "output_validator_args: a number from 0 must follow float_tolerance");
    WRONG("output_validator_args: [float_tolerance, 1, float_tolerance, 1]\n",
          "output_validator_args: float_tolerance is there twice");
    WRONG("output_validator_args: [float_tolerance, 1, float_absolute_tolerance, 1]\n",
          "output_validator_args: float_tolerance and float_absolute_tolerance cannot be used "
          "together; the first is both");
    check_yaml("test_group.yaml", "hint: x\n",
               "there is no key 'hint'; known are: args, output_validator_args, limits, "
               "input_validator_args, input_visualizer_args, output_visualizer_args, "
               "full_feedback, max_score, score_aggregation, require_pass, "
               "static_validation_score, static_validator_args");
    check_yaml("testdata.yaml", "output_validator_flags: [1]\n",
               "output_validator_flags: must be a string");
    write_in(directory, "a.args", "x");
    write_in(directory, "a.yaml", "args: [x]");
    assert_refused(directory, "'DIR/a.args' is next to a file that ends in .yaml and has args; "
                              "give one of them");
    directory = temp_create();
    write_in(directory, "a.in", "");
    write_in(directory, "test_group.yaml", "");
    write_in(directory, "testdata.yaml", "");
    check_refused(directory, true, "'DIR/' has both test_group.yaml and testdata.yaml");
    temp_remove(directory);
}

CASE(case_directory__arguments_of_a_validator)
{
    CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct case_directory_options options = {.no_expected = true, .has_validator = true};
    char *directory = temp_create();

    write_in(directory, "testdata.yaml", "output_validator_flags: fast  7\n");
    write_in(directory, "a.in", "");
    write_in(directory, "b.in", "");
    write_in(directory, "b.yaml", "output_validator_args: [slow]\n");
    assert_int_equal(case_directory_read(directory, &options, &defaults, &tests, &warnings, &error),
                     0);
    assert_int_equal(tests.items[0].checker_arguments.count, 2);
    assert_string_equal(tests.items[0].checker_arguments.items[1], "7");
    assert_int_equal(tests.items[1].checker_arguments.count, 1);
    assert_string_equal(tests.items[1].checker_arguments.items[0], "slow");
    temp_remove(directory);
}
