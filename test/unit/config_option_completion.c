#include "test.h"

#include "config/option_completion.h"

enum { FIRST = 1, SECOND = 2 };

/* Completion does not look at the places. */
static const struct option_rule rules[] = {
    {{'f', "--file", "FILE", "a file", NULL, NULL}, .kind = OPTION_SETS},
    {{0, "--path", "PATH", "a path", NULL, NULL}, .kind = OPTION_SETS},
    {{0, "--place", "PATH", "in the container", NULL, NULL}, .kind = OPTION_SETS, .choices = ""},
    {{'d', "--dir", "DIR", "a directory", NULL, NULL}, .kind = OPTION_SETS},
    {{0, "--image", "IMAGE", "an image", NULL, NULL}, .kind = OPTION_SETS},
    {{'l', "--language", "NAME", "a language", NULL, NULL},
     .kind = OPTION_SETS,
     .values = VALUES_LANGUAGES},
    {{0, "--mode", "MODE", "a mode", NULL, NULL},
     .kind = OPTION_SETS,
     .choices = "slow fast fastest"},
    {{0, "--maybe", "[BOOL]", "true or false", NULL, NULL},
     .kind = OPTION_SETS,
     .choices = "true false"},
    {{'j', "--jobs", "N", "a number", NULL, NULL}, .kind = OPTION_COUNTS},
    {{0, "--first", NULL, "of the first", NULL, NULL}, .kind = OPTION_RAISES, .commands = FIRST},
    {{'s', "--second", NULL, "of the second", NULL, NULL},
     .kind = OPTION_RAISES,
     .commands = SECOND},
    {{'q', "--quiet", NULL, "less", NULL, NULL}, .kind = OPTION_RAISES},
    {{0, "--config", "FILE", "configuration file", NULL, NULL}, .kind = OPTION_SETS},
};

static const struct option_table table = {
    .commands = FIRST, .operands = VALUES_ATTACKS, OPTION_RULES(rules)};

struct fixture {
    struct strvec words;
    struct option_completion completion;
};

/* Splits the line at blanks; the last word may be empty. */
static void find(struct fixture *fixture, const struct option_table *of, const char *line)
{
    *fixture = (struct fixture){.completion = OPTION_COMPLETION_INIT};
    for (;;) {
        const size_t length = strcspn(line, " ");

        strvec_pushf(&fixture->words, "%.*s", (int)length, line);
        if (!line[length])
            break;
        line += length + 1;
    }
    option_completion_find(&fixture->completion, of, fixture->words.items);
}

static void tear_down(struct fixture *fixture)
{
    option_completion_release(&fixture->completion);
    strvec_release(&fixture->words);
}

/* What is printed, and which values the caller has to add. */
static void assert_found(const struct option_table *of, const char *line, enum option_values values,
                         const char *lines)
{
    struct fixture fixture;

    find(&fixture, of, line);
    if (strcmp(strbuf_string(&fixture.completion.lines), lines) != 0 ||
        fixture.completion.values != values)
        fail_msg("'%s': values %d, '%s'", line, fixture.completion.values,
                 strbuf_string(&fixture.completion.lines));
    tear_down(&fixture);
}

static void assert_lines(const char *line, const char *lines)
{
    assert_found(&table, line, VALUES_UNKNOWN, lines);
}

static void assert_values(const char *line, enum option_values values)
{
    assert_found(&table, line, values, "");
}

CASE(option_completion__options)
{
    assert_lines("--fi", "--file\ta file\n--first\tof the first\n");
    assert_lines("--s", "");
    assert_lines("-q --q", "--quiet\tless\n");
    assert_lines("operand --q", "--quiet\tless\n");
    assert_lines("-q", "");
    assert_lines("--unknown", "");
}

CASE(option_completion__values)
{
    assert_lines("--file ", ":files\n");
    assert_lines("--file=", ":files\n");
    assert_lines("--path x", ":files\n");
    assert_lines("--place ", "");
    assert_lines("--dir ", ":directories\n");
    assert_lines("--jobs ", "");
    assert_lines("--mode fast", "fast\nfastest\n");
    assert_lines("--mode=s", "--mode=slow\n");
    assert_values("--image ", VALUES_IMAGES);
    assert_values("--image=", VALUES_IMAGES);
    assert_values("--language ", VALUES_LANGUAGES);
    assert_lines("--quiet=", "");
    assert_lines("--second=", "");
    assert_lines("--unknown=", "");
}

CASE(option_completion__letters)
{
    assert_lines("-f ", ":files\n");
    assert_lines("-qd ", ":directories\n");
    assert_values("-q ", VALUES_ATTACKS);
    assert_values("-dx ", VALUES_ATTACKS); /* it has its value */
    assert_values("-df ", VALUES_ATTACKS);
    assert_values("-sd ", VALUES_ATTACKS); /* -s is an option of another command */
}

/* Its value follows a "=". */
CASE(option_completion__optional_value)
{
    assert_values("--maybe ", VALUES_ATTACKS);
    assert_lines("--maybe=", "--maybe=true\n--maybe=false\n");
    assert_lines("--maybe=f", "--maybe=false\n");
}

CASE(option_completion__operands)
{
    struct option_table other = table;

    assert_values("", VALUES_ATTACKS);
    assert_values("one tw", VALUES_ATTACKS);
    assert_values("--jobs 3 ", VALUES_ATTACKS);
    assert_values("--jobs --file ", VALUES_ATTACKS); /* "--file" is the value of --jobs */
    other.operands = VALUES_UNKNOWN;
    assert_found(&other, "", VALUES_UNKNOWN, "");
    other.operands = VALUES_FILES;
    assert_found(&other, "", VALUES_UNKNOWN, ":files\n");
}

CASE(option_completion__after_two_hyphens)
{
    struct option_table other = table;

    assert_values("-- --fi", VALUES_ATTACKS);
    other.has_rest = true;
    assert_found(&other, "-- --fi", VALUES_UNKNOWN, ":files\n");
    assert_found(&other, "-- --mode ", VALUES_UNKNOWN, ":files\n");
    assert_found(&other, "--mode -- f", VALUES_ATTACKS, ""); /* "--" is the value of --mode */
    assert_found(&other, "--", VALUES_UNKNOWN,
                 "--file\ta file\n--path\ta path\n--place\tin the container\n--dir\ta directory\n"
                 "--image\tan image\n--language\ta language\n--mode\ta mode\n"
                 "--maybe\ttrue or false\n--jobs\ta number\n--first\tof the first\n"
                 "--quiet\tless\n--config\tconfiguration file\n");
}

/* Of the command line, for names that come from the configuration. */
CASE(option_completion__config)
{
    static const struct {
        const char *line, *config;
    } cases[] = {
        {"--language ", NULL},
        {"--config a --language ", "a"},
        {"--config=b --language=", "b"},
        {"--config a -q --config= -l ", ""},
        {"--mode --config=c -l ", NULL}, /* it is the value of --mode */
        {"--configure=c -l ", NULL},
        {"-- --config=c ", NULL},
        {"--config a", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;

        find(&fixture, &table, cases[i].line);
        if (!fixture.completion.config || !cases[i].config)
            assert_ptr_equal(fixture.completion.config, cases[i].config);
        else
            assert_string_equal(fixture.completion.config, cases[i].config);
        tear_down(&fixture);
    }
}

/* No shell can execute a candidate or read it as more than a word, and none is a line of its own.
 */
CASE_WITH(option_completion__unsafe_candidates, find(fixture, &table, "--image="))
{
    static const char meanings[] = "$`;&|<>(){}[]!*?~#^='\"\\ \t\n\r\x1b\x01\x7f\x80\xc3";

    for (const char *character = meanings; *character; character++) {
        CLEANUP_FREE char *candidate = string_format("a%cb", *character);
        const char alone[] = {*character, '\0'};

        option_completion_add(&fixture->completion, candidate, NULL);
        option_completion_add(&fixture->completion, alone, NULL);
    }
    option_completion_add(&fixture->completion, "", NULL);
    option_completion_add(&fixture->completion, ":files", NULL);
    assert_string_equal(strbuf_string(&fixture->completion.lines), "");
    option_completion_add(&fixture->completion, "host:5000/a_b@c%d+e,f.g-H", "safe");
    assert_string_equal(strbuf_string(&fixture->completion.lines),
                        "--image=host:5000/a_b@c%d+e,f.g-H\tsafe\n");
}

CASE_WITH(option_completion__lists, find(fixture, &table, "--image b"))
{
    option_completion_add_list(&fixture->completion, "bus, car,bicycle $b boat");
    assert_string_equal(strbuf_string(&fixture->completion.lines), "bus\nbicycle\nboat\n");
}

CASE(option_completion__command_lines)
{
    char program[] = "isolator", complete[] = "complete", hyphens[] = "--", word[] = "";
    char *with_word[] = {program, complete, hyphens, word, NULL};
    char *without_word[] = {program, complete, hyphens, NULL};
    char *without_hyphens[] = {program, complete, word, word, NULL};
    char *other[] = {program, word, hyphens, word, NULL};

    assert_ptr_equal(option_completion_words(with_word), with_word + 3);
    assert_null(option_completion_words(without_word));
    assert_null(option_completion_words(without_hyphens));
    assert_null(option_completion_words(other));
    assert_null(option_completion_words(without_word + 3));
}
