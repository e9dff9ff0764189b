#include "test.h"

#include <getopt.h>

#include "config/options.h"

struct values {
    const char *file;
    char *copy;
    bool quiet, help;
    int jobs;
    struct limits limits;
    char *calls;
};

static int call(void *place, const char *value, struct error *error)
{
    char **calls = place;
    char *more = string_format("%s%s;", *calls ? *calls : "", value ? value : "-");

    free(*calls);
    *calls = more;
    return value && strcmp(value, "wrong") == 0 ? error_set(error, ERROR_USAGE, "it is wrong") : 0;
}

enum { FIRST = 1, SECOND = 2 };

static const struct option_rule rules[] = {
    {{0, "--file", "FILE", "a file", NULL, "Reads it."}, OPTION_STRING(struct values, file)},
    {{'c', "--copy", "TEXT", "a text", "none", "Copies TEXT.\n.Pp\nMore."},
     OPTION_COPY(struct values, copy)},
    {{'j', "--jobs", "N", "a number", NULL, "So many."}, OPTION_WHOLE(struct values, jobs, 2, 9)},
    {OPTION_LIMIT(struct values, limits, LIMIT_MEMORY)},
    {{0, "--maybe", "[BOOL]", "true or false", NULL, "Says it."},
     OPTION_CALL(struct values, calls, call),
     .subject = "maybe"},
    {{0, "--first", NULL, "of the first", NULL, "First."},
     OPTION_CALL(struct values, calls, call),
     .commands = FIRST},
    {{'s', "--second", NULL, "of the second", NULL, "Second."},
     OPTION_CALL(struct values, calls, call),
     .commands = SECOND},
    {{'q', "--quiet", NULL, "less", NULL, "Less."}, OPTION_FLAG(struct values, quiet)},
    {{'h', "--help", NULL, "this", NULL, "This."}, OPTION_FLAG(struct values, help)},
};

static const struct option_table plain = {.command = "isolator command",
                                          .usage = "usage: isolator command\n",
                                          .after = "The end.\n",
                                          .commands = FIRST,
                                          OPTION_RULES(rules)};

/* One command line and what was read from it. */
struct fixture {
    struct strvec words, operands, rest;
    struct values values;
    struct error error;
    int result;
};

/*
 * Makes getopt_long() start anew: it keeps a pointer into the arguments that it has read, and ours
 * are freed. A program has only one command line.
 */
static void reset_getopt(void)
{
    char word[] = "command";
    char *words[] = {word, NULL};
    const struct option none[] = {{NULL, 0, NULL, 0}};

    optind = 0;
    getopt_long(1, words, "-:", none, NULL);
}

/* Splits the line at '|' and reads it. */
static void parse(struct fixture *fixture, const struct option_table *table, const char *line)
{
    *fixture = (struct fixture){.error = ERROR_INIT};
    strvec_push(&fixture->words, "command");
    while (*line) {
        const size_t length = strcspn(line, "|");

        strvec_pushf(&fixture->words, "%.*s", (int)length, line);
        line += length + (line[length] == '|');
    }
    fixture->result =
        options_parse(table, (int)fixture->words.count, fixture->words.items, &fixture->values,
                      &fixture->operands, &fixture->rest, &fixture->error);
}

static void tear_down(struct fixture *fixture)
{
    reset_getopt();
    free(fixture->values.copy);
    free(fixture->values.calls);
    strvec_release(&fixture->words);
    strvec_release(&fixture->operands);
    strvec_release(&fixture->rest);
    error_release(&fixture->error);
}

static void assert_refused_by(const struct option_table *table, const char *line,
                              const char *message)
{
    struct fixture fixture;

    parse(&fixture, table, line);
    assert_int_equal(fixture.result, -1);
    assert_error(&fixture.error, ERROR_USAGE, message);
    tear_down(&fixture);
}

static void assert_refused(const char *line, const char *message)
{
    assert_refused_by(&plain, line, message);
}

static void assert_joined(const struct strvec *strings, const char *expected)
{
    CLEANUP_FREE char *joined = strvec_join(strings, "|");

    assert_string_equal(joined, expected);
}

CASE_WITH(options__values,
          parse(fixture, &plain,
                "--file=f|-ca|--copy|b|-qj3|--memory=64|--maybe|--maybe=x|--first"))
{
    assert_no_error(&fixture->error);
    assert_string_equal(fixture->values.file, "f");
    assert_string_equal(fixture->values.copy, "b");
    assert_true(fixture->values.quiet);
    assert_string_equal(fixture->values.calls, "-;x;-;");
    assert_int_equal(fixture->values.jobs, 3);
    assert_float_equal(fixture->values.limits.number[LIMIT_MEMORY], 64, 0);
}

CASE(options__operands)
{
    struct option_table table = plain;
    struct fixture fixture;

    parse(&fixture, &plain, "a|-q|-|b|--|-c|d");
    assert_no_error(&fixture.error);
    assert_true(fixture.values.quiet);
    assert_joined(&fixture.operands, "a|-|b|-c|d");
    tear_down(&fixture);

    table.has_rest = true;
    parse(&fixture, &table, "a|-q|-|--|-c|d");
    assert_no_error(&fixture.error);
    assert_joined(&fixture.operands, "a|-");
    assert_joined(&fixture.rest, "-c|d");
    tear_down(&fixture);
}

/* What follows --help does not matter. */
CASE_WITH(options__help_ends_the_line, parse(fixture, &plain, "-h|--nonsense"))
{
    assert_no_error(&fixture->error);
    assert_true(fixture->values.help);
}

CASE(options__wrong_ones)
{
    struct option_table table = plain;

    assert_refused("--file", "option '--file' needs a value");
    assert_refused("--jobs", "option '--jobs' needs a value");
    assert_refused("-j", "option '-j' needs a value");
    assert_refused("--quiet=1", "option '--quiet' takes no value");
    assert_refused("--quite", "unknown option '--quite'; did you mean --quiet?");
    assert_refused("--quite=1", "unknown option '--quite=1'; did you mean --quiet?");
    assert_refused("--qui", "unknown option '--qui'; did you mean --quiet?");
    assert_refused("--cop=1", "unknown option '--cop=1'; did you mean --copy?");
    assert_refused("--frobnicate", "unknown option '--frobnicate'; see isolator command --help");
    assert_refused("--\x1b[31m", "unknown option '--\\x1b[31m'; see isolator command --help");
    assert_refused("-x", "unknown option '-x'; see isolator command --help");
    assert_refused("-qx", "unknown option '-x'; see isolator command --help");
    assert_refused("-\xc3\xa4", "unknown option '-\xc3\xa4'; see isolator command --help");
    assert_refused("-s", "unknown option '-s'; see isolator command --help");
    assert_refused("--second", "unknown option '--second'; see isolator command --help");
    assert_refused("--maybe=wrong|--nonsense", "--maybe: it is wrong");
    assert_refused("-j|10", "--jobs: must be a whole number from 2 to 9");
    assert_refused("--jobs=2.5", "--jobs: must be a whole number from 2 to 9");
    assert_refused("--jobs=two", "--jobs: 'two' is not a number");
    assert_refused("--memory=64x",
                   "--memory: '64x' is not a size; write it like 512m, 1g, or 64 MB");
    assert_refused("--memory|1", "--memory must be from 6 to 16777216 MB");
    table.has_rest = true;
    assert_refused_by(&table, "-x", "unknown option '-x'; see isolator command --help");
    assert_refused_by(&table, "f|-x", "unknown option '-x'; put the program's arguments after --");
}

CASE(options__names_of_subjects)
{
    assert_string_equal(options_name(&plain, "memoryMB"), "--memory");
    assert_string_equal(options_name(&plain, "maybe"), "--maybe");
    assert_null(options_name(&plain, "memory"));
}

CASE(options__help)
{
    CLEANUP_FREE char *help = options_help(&plain);

    assert_string_equal(help, "usage: isolator command\n"
                              "\n"
                              "      --file FILE     a file\n"
                              "  -c, --copy TEXT     a text (none)\n"
                              "  -j, --jobs N        a number\n"
                              "  -m, --memory MB     memory, without swap (256)\n"
                              "      --maybe[=BOOL]  true or false\n"
                              "      --first         of the first\n"
                              "  -q, --quiet         less\n"
                              "  -h, --help          this\n"
                              "\n"
                              "The end.\n");
}

CASE(options__manual)
{
    CLEANUP_FREE char *manual = options_manual(&plain);

    assert_string_equal(manual,
                        "= - --file FILE\nReads it.\n"
                        "= c --copy TEXT\nCopies TEXT.\n.Pp\nMore.\nThe default is none.\n"
                        "= j --jobs N\nSo many.\n"
                        "= m --memory MB\nMemory of all processes in the container "
                        "together, including the files in the working directory, in /tmp "
                        "and in /dev/shm: a number of MB, or a size like 512m or 1g. There is no "
                        "swap. Some engines need more than 6 MB to "
                        "start a container; the error says how much.\nThe default is 256.\n"
                        "= - --maybe[=BOOL]\nSays it.\n"
                        "= - --first\nFirst.\n"
                        "= q --quiet\nLess.\n"
                        "= h --help\nThis.\n");
}
