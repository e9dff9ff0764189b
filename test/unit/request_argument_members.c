#include "json.h"

#include "config/input_files.h"
#include "request/argument_members.h"

/* A struct that an object fills in. */
struct filled {
    char *name;
    struct strvec words, variables;
    struct input_files files;
    bool flag;
    int whole;
    double number, seconds;
    size_t length;
};

static int read_length(struct argument_reader *reader, const char *name, const json_t *value,
                       void *target)
{
    const char *text = argument_text(reader, name, value);

    if (!text || *text == '\0')
        return text ? argument_wrong(reader, name, "longer") : -1;
    *(size_t *)target = strlen(text);
    return 0;
}

#define FILLED(member) .offset = offsetof(struct filled, member)
static const struct argument_member members[] = {
    {"name", ARGUMENT_NAME, FILLED(name), .maximum = 5},
    {"words", ARGUMENT_WORDS, FILLED(words)},
    {"variables", ARGUMENT_OBJECT, FILLED(variables)},
    {"files", ARGUMENT_FILES, FILLED(files)},
    {"flag", ARGUMENT_BOOLEAN, FILLED(flag)},
    {"whole", ARGUMENT_WHOLE, FILLED(whole), .minimum = -1, .maximum = 7},
    {"number", ARGUMENT_NUMBER, FILLED(number)},
    {"seconds", ARGUMENT_SECONDS, FILLED(seconds)},
    {"length", ARGUMENT_TEXT, FILLED(length), .read = read_length},
    ARGUMENT_MEMBERS_END,
};

struct fixture {
    struct filled filled;
    struct error error;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.error = ERROR_INIT};
}

static void tear_down(struct fixture *fixture)
{
    free(fixture->filled.name);
    strvec_release(&fixture->filled.words);
    strvec_release(&fixture->filled.variables);
    input_files_release(&fixture->filled.files);
    error_release(&fixture->error);
}

static int read_text(struct fixture *fixture, const char *text)
{
    struct argument_reader reader = {.error = &fixture->error, .workdir = "/workspace"};
    json_auto_t *value = json_of(text);

    return argument_members_read(&reader, members, "it", value, &fixture->filled);
}

/* The second name replaces the first one. */
CASE_WITH(argument_members__each_kind, set_up(fixture))
{
    const struct filled *filled = &fixture->filled;

    assert_int_equal(read_text(fixture, "{\"name\": \"first\"}"), 0);
    assert_int_equal(read_text(fixture, "{\"name\": \"abcde\", \"words\": [\"a\", \"\"], "
                                        "\"variables\": {\"A\": \"1\"}, \"flag\": true, "
                                        "\"files\": [{\"filename\": \"f\", \"content\": \"x\"}], "
                                        "\"whole\": 7, \"number\": 0, \"seconds\": 0.5, "
                                        "\"length\": \"four\"}"),
                     0);
    assert_string_equal(filled->name, "abcde");
    assert_int_equal(filled->words.count, 2);
    assert_string_equal(filled->words.items[0], "a");
    assert_string_equal(filled->variables.items[0], "A=1");
    assert_int_equal(filled->files.count, 1);
    assert_true(filled->flag);
    assert_int_equal(filled->whole, 7);
    assert_true(filled->number == 0 && filled->seconds == 0.5);
    assert_int_equal(filled->length, 4);
}

/* Members that are missing, null or "" change nothing, except a text; a value may come as text. */
CASE_WITH(argument_members__not_given, set_up(fixture))
{
    struct filled *filled = &fixture->filled;

    filled->number = 3;
    filled->flag = true;
    assert_int_equal(read_text(fixture, "{\"name\": \"\", \"number\": null, \"flag\": \"\", "
                                        "\"words\": \"[\\\"w\\\"]\", \"whole\": \"2\", "
                                        "\"seconds\": \"0.5\"}"),
                     0);
    assert_null(filled->name);
    assert_true(filled->number == 3 && filled->flag);
    assert_string_equal(filled->words.items[0], "w");
    assert_int_equal(filled->whole, 2);
    assert_true(filled->seconds == 0.5);
}

CASE_WITH(argument_members__wrong_values, set_up(fixture))
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"name\": \"abcdef\"}", "it.name must be a string of at most 5 bytes"},
        {"{\"name\": 7}", "it.name must be a string"},
        {"{\"name\": \"a\\u0000\"}", "it.name must be a string without NUL characters"},
        {"{\"words\": 7}", "it.words must be an array of strings"},
        {"{\"words\": [7]}", "it.words[0] must be a string"},
        {"{\"variables\": []}", "it.variables must be an object with strings by name"},
        {"{\"files\": {}}", "it.files must be an array of objects with filename and content"},
        {"{\"flag\": 1}", "it.flag must be true or false"},
        {"{\"flag\": \"yes\"}",
         "it.flag must be true or false; text came, which is not that in JSON"},
        {"{\"whole\": -2}", "it.whole must be a whole number from -1 to 7"},
        {"{\"whole\": 8}", "it.whole must be a whole number from -1 to 7"},
        {"{\"whole\": 4294967298}", "it.whole must be a whole number from -1 to 7"},
        {"{\"whole\": 2.5}", "it.whole must be a whole number from -1 to 7"},
        {"{\"number\": -0.5}", "it.number must be a number, 0 or greater"},
        {"{\"number\": true}", "it.number must be a number, 0 or greater"},
        {"{\"seconds\": 0}", "it.seconds must be a number of seconds greater than 0"},
        {"{\"length\": \"\"}", "it.length must be longer"},
        {"{\"flag\": true, \"nam\": 1}",
         "it has no member 'nam'; known are: name, words, variables, files, flag, whole, number, "
         "seconds, length"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (read_text(fixture, cases[i].text) == 0)
            fail_msg("%s is taken", cases[i].text);
        assert_error(&fixture->error, ERROR_USAGE, cases[i].message);
        tear_down(fixture);
        set_up(fixture);
    }
}
