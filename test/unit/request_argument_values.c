#include "json.h"

#include "base/json_text.h"
#include "request/argument_files.h"
#include "request/argument_values.h"

/* What values are read into. */
struct fixture {
    struct error error;
    struct argument_reader reader;
    struct strvec words;
    struct input_files files;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.error = ERROR_INIT};
    fixture->reader.error = &fixture->error;
    fixture->reader.workdir = "/workspace";
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    strvec_release(&fixture->words);
    input_files_release(&fixture->files);
}

/* The readers of lists, which are given a fixture. */
typedef int list_reader(struct fixture *fixture, const json_t *value);

static int read_words(struct fixture *fixture, const json_t *value)
{
    return argument_words(&fixture->reader, "words", value, &fixture->words);
}

static int read_variables(struct fixture *fixture, const json_t *value)
{
    return argument_variables(&fixture->reader, "variables", value, &fixture->words);
}

static int read_files(struct fixture *fixture, const json_t *value)
{
    return argument_files(&fixture->reader, "files", value, &fixture->files);
}

/* The same where files can be named: "uri" stands for an empty file, and nothing else for any. */
static int open_uri(void *context, const char *uri, struct file_range *range, struct error *error)
{
    assert_null(context);
    if (strcmp(uri, "uri") != 0)
        return error_set(error, ERROR_INPUT, "there is no '%s'", uri);
    *range = (struct file_range){.file = shared_file_create(error), .offset = 3, .length = 4};
    return 0;
}

static int read_named_files(struct fixture *fixture, const json_t *value)
{
    static const struct file_opener opener = {.open = open_uri};

    fixture->reader.opener = &opener;
    return argument_files(&fixture->reader, "files", value, &fixture->files);
}

static void read_good(struct fixture *fixture, list_reader *read, const char *text)
{
    json_t *value = json_of(text);
    const int result = read(fixture, value);

    assert_no_error(&fixture->error);
    assert_int_equal(result, 0);
    json_decref(value);
}

/* Reads a value that must fail with this message. */
static void check_refused(list_reader *read, const char *text, const char *message)
{
    struct fixture fixture;
    json_t *value = json_of(text);

    set_up(&fixture);
    assert_int_equal(read(&fixture, value), -1);
    if (fixture.error.kind != ERROR_USAGE && fixture.error.kind != ERROR_INPUT)
        fail_msg("an error of kind %d", fixture.error.kind);
    assert_error(&fixture.error, fixture.error.kind, message);
    json_decref(value);
    tear_down(&fixture);
}

static void check_joined(const struct strvec *strings, const char *expected)
{
    CLEANUP_FREE char *joined = strvec_join(strings, "|");

    assert_string_equal(joined, expected);
}

/* ---- strings and numbers */

CASE_WITH(argument_values__wrong, set_up(fixture))
{
    assert_int_equal(argument_wrong(&fixture->reader, "tests[3].stdin", "a string"), -1);
    assert_error(&fixture->error, ERROR_USAGE, "tests[3].stdin must be a string");
}

static void check_text_refused(const char *json, const char *message)
{
    struct fixture fixture;
    json_t *value = json_of(json);

    set_up(&fixture);
    assert_null(argument_text(&fixture.reader, "x", value));
    assert_error(&fixture.error, ERROR_USAGE, message);
    json_decref(value);
    tear_down(&fixture);
}

CASE(argument_values__text)
{
    struct fixture fixture;
    json_t *value = json_of("\"caf\\u00e9\"");

    set_up(&fixture);
    assert_string_equal(argument_text(&fixture.reader, "x", value), "caf\xc3\xa9");
    json_decref(value);
    tear_down(&fixture);
    check_text_refused("5", "x must be a string");
    check_text_refused("null", "x must be a string");
    check_text_refused("\"a\\u0000\"", "x must be a string without NUL characters");
    check_text_refused("\"\\u0000\"", "x must be a string without NUL characters");
}

CASE(argument_values__bytes)
{
    json_t *value = json_of("\"a\\u0000b\"");
    size_t length;
    CLEANUP_FREE char *bytes = argument_bytes(value, &length);

    assert_int_equal(length, 3);
    assert_memory_equal(bytes, "a\0b", 4);
    json_decref(value);
}

CASE_WITH(argument_values__stdin, set_up(fixture))
{
    json_t *value = json_of("\"a\\u0000b\\n\"");
    json_t *none = json_of("[\"a\"]");
    struct strbuf content;
    CLEANUP_FD int file = -1;

    assert_int_equal(argument_stdin(&fixture->reader, "stdin", value, &file), 0);
    content = read_all(file);
    assert_int_equal(content.length, 4);
    assert_memory_equal(content.data, "a\0b\n", 4);
    strbuf_release(&content);
    assert_int_equal(argument_stdin(&fixture->reader, "stdin", none, &file), -1);
    assert_error(&fixture->error, ERROR_USAGE, "stdin must be a string");
    json_decref(value);
    json_decref(none);
}

static void check_seconds(const char *json, double expected, const char *message)
{
    struct fixture fixture;
    json_t *value = json_of(json);
    double seconds;

    set_up(&fixture);
    assert_int_equal(argument_seconds(&fixture.reader, "t", value, &seconds), message ? -1 : 0);
    if (message)
        assert_error(&fixture.error, ERROR_USAGE, message);
    else
        assert_true(seconds == expected);
    json_decref(value);
    tear_down(&fixture);
}

CASE(argument_values__seconds)
{
    static const char *const wrong[] = {"0", "-1", "0.0", "\"5\"", "true", "[5]", "null"};

    check_seconds("1", 1, NULL);
    check_seconds("0.25", 0.25, NULL);
    for (size_t i = 0; i < COUNT(wrong); i++)
        check_seconds(wrong[i], 0, "t must be a number of seconds greater than 0");
}

/* ---- words and variables */

CASE(argument_values__words)
{
    struct fixture fixture;

    set_up(&fixture);
    strvec_push(&fixture.words, "first");
    read_good(&fixture, read_words, "[\"-x\", \"\", \"a b\"]");
    check_joined(&fixture.words, "first|-x||a b");
    assert_int_equal(fixture.reader.words, 5);
    tear_down(&fixture);
    check_refused(read_words, "\"-x\"", "words must be an array of strings");
    check_refused(read_words, "[\"-x\", 5]", "words[1] must be a string");
    check_refused(read_words, "[null]", "words[0] must be a string");
    check_refused(read_words, "[\"a\\u0000\"]", "words[0] must be a string without NUL characters");
}

CASE(argument_values__variables)
{
    struct fixture fixture;

    set_up(&fixture);
    read_good(&fixture, read_variables, "{\"A\": \"1\", \"B\": \"\", \"C\": \"x=y\\nz\"}");
    check_joined(&fixture.words, "A=1|B=|C=x=y\nz");
    assert_int_equal(fixture.reader.words, 12);
    tear_down(&fixture);
    check_refused(read_variables, "[\"A=1\"]", "variables must be an object with strings by name");
    check_refused(read_variables, "{\"A\": 1}", "variables.A must be a string");
    check_refused(read_variables, "{\"A\\n\": 1}", "variables.A\\n must be a string");
    check_refused(read_variables, "{\"A\": \"secret\\u0000\"}",
                  "variables.A must be a string without NUL characters");
    check_refused(read_variables, "{\"A=B\": \"secret\"}",
                  "variables.A=B: the name of a variable cannot have '=' in it");
}

/* The start, an array of `count` words with `length` letters each, and the end. */
static char *long_words(const char *open, int count, size_t length, const char *close)
{
    struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, open);
    for (int i = 0; i < count; i++) {
        strbuf_addstr(&text, i > 0 ? "\",\"" : "");
        for (size_t k = 0; k < length; k++)
            strbuf_addch(&text, 'x');
    }
    strbuf_addstr(&text, close);
    return strbuf_steal(&text);
}

/* The kernel refuses to start a program with more. */
CASE(argument_values__words_that_are_too_long)
{
    CLEANUP_FREE char *word = long_words("[\"", 1, 131072, "\"]");
    CLEANUP_FREE char *enough = long_words("[\"", 1, 131071, "\"]");
    CLEANUP_FREE char *variable = long_words("{\"V\": \"", 1, 131070, "\"}");
    CLEANUP_FREE char *all = long_words("[\"", 16, 131071, "\"]");
    struct fixture fixture;
    json_t *value = json_of(enough);

    check_refused(read_words, word,
                  "words[0] must be shorter: a program can be given 128 KiB in one piece at most");
    check_refused(
        read_variables, variable,
        "variables.V must be shorter: a program can be given 128 KiB in one piece at most");
    check_refused(read_words, all,
                  "arguments and environment must be shorter: a program can be given 2 MB at most; "
                  "files and stdin may be larger");
    set_up(&fixture);
    read_good(&fixture, read_words, enough);
    assert_int_equal(strlen(fixture.words.items[0]), 131071);
    fixture.reader.words = 1900000; /* those that were read before count too */
    assert_int_equal(read_words(&fixture, value), -1);
    json_decref(value);
    tear_down(&fixture);
}

/* A JSON array or object with `count` items: numbers, each between these two texts. */
static char *many(int count, const char *open, const char *before, const char *after,
                  const char *close)
{
    struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, open);
    for (int i = 0; i < count; i++)
        strbuf_addf(&text, "%s%s%d%s", i > 0 ? "," : "", before, i, after);
    strbuf_addstr(&text, close);
    return strbuf_steal(&text);
}

CASE(argument_values__too_many)
{
    CLEANUP_FREE char *words = many(10001, "[", "\"", "\"", "]");
    CLEANUP_FREE char *variables = many(1001, "{", "\"V", "\": \"\"", "}");
    CLEANUP_FREE char *enough = many(1000, "{", "\"V", "\": \"\"", "}");
    CLEANUP_FREE char *files = many(10001, "[", "", "", "]");
    struct fixture fixture;

    check_refused(read_words, words, "words must be an array of at most 10000 strings");
    check_refused(read_variables, variables,
                  "variables must be an object of at most 1000 variables");
    check_refused(read_files, files, "files must be an array of at most 10000 files");
    set_up(&fixture);
    read_good(&fixture, read_variables, enough);
    assert_int_equal(fixture.words.count, 1000);
    tear_down(&fixture);
}

/* ---- files */

static void check_file(const struct fixture *fixture, size_t i, const char *path, const char *data,
                       size_t length)
{
    const struct input_file *file = &fixture->files.items[i];

    assert_true(i < fixture->files.count);
    assert_string_equal(file->path, path);
    assert_int_equal(file->length, length);
    assert_memory_equal(file->data, data, length);
}

CASE(argument_values__files)
{
    struct fixture fixture;

    set_up(&fixture);
    read_good(&fixture, read_files,
              "[{\"filename\": \"a.txt\", \"content\": \"caf\\u00e9\\u0000\"},"
              "{\"filename\": \"b/c\", \"content\": \"Zm9v\", \"encoding\": \"utf-8\"},"
              "{\"filename\": \"d\", \"content\": \"AP8=\", \"encoding\": \"base64\"},"
              "{\"filename\": \"e\", \"content\": \"\", \"encoding\": null},"
              "{\"filename\": \"./f\", \"content\": \"\"},"
              "{\"filename\": \"/workspace/g/h\", \"content\": \"\"}]");
    assert_int_equal(fixture.files.count, 6);
    check_file(&fixture, 4, "f", "", 0);
    check_file(&fixture, 5, "g/h", "", 0);
    check_file(&fixture, 0, "a.txt", "caf\xc3\xa9\0", 6);
    check_file(&fixture, 1, "b/c", "Zm9v", 4);
    check_file(&fixture, 2, "d", "\0\xff", 2);
    check_file(&fixture, 3, "e", "", 0);
    tear_down(&fixture);

    set_up(&fixture);
    read_good(&fixture, read_files, "[]");
    assert_int_equal(fixture.files.count, 0);
    tear_down(&fixture);
}

static void check_wrong_file(const char *file, const char *message)
{
    CLEANUP_FREE char *files =
        string_format("[{\"filename\": \"good\", \"content\": \"\"}, %s]", file);
    CLEANUP_FREE char *text = string_format("files[1]%s", message);

    check_refused(read_files, files, text);
}

CASE(argument_values__files_that_are_none)
{
    check_refused(read_files, "{}", "files must be an array of objects with filename and content");
    check_wrong_file("\"a\"",
                     " must be an object with filename and content; text came, which is not "
                     "that in JSON");
    check_wrong_file("null", " must be an object with filename and content");
    check_wrong_file("{\"content\": \"\"}", ": filename is missing");
    check_wrong_file("{\"filename\": \"a\", \"content\": \"\", \"mode\": 7}",
                     " has no member 'mode'; known are: filename, content, encoding, uri");
    check_wrong_file("{\"filename\": 1, \"content\": \"\"}",
                     " must be an object whose filename is a string without NUL characters");
    check_wrong_file("{\"filename\": \"a\\u0000\", \"content\": \"\"}",
                     " must be an object whose filename is a string without NUL characters");
    check_wrong_file("{\"filename\": \"../a\", \"content\": \"\"}",
                     ": '../a' must not have '..', '.' or empty parts");
    check_wrong_file("{\"filename\": \"/a\", \"content\": \"\"}",
                     ": '/a' must be relative to the directory");
}

CASE(argument_values__contents_that_are_none)
{
    check_wrong_file("{\"filename\": \"a\"}", " must be an object whose content is a string");
    check_wrong_file("{\"filename\": \"a\", \"content\": null}",
                     " must be an object whose content is a string");
    check_wrong_file("{\"filename\": \"a\", \"content\": 5}",
                     " must be an object whose content is a string");
    check_wrong_file("{\"filename\": \"a\", \"content\": \"\", \"encoding\": \"latin-1\"}",
                     " must be an object whose encoding is \"utf-8\" or \"base64\"");
    check_wrong_file("{\"filename\": \"a\", \"content\": \"\", \"encoding\": 64}",
                     " must be an object whose encoding is \"utf-8\" or \"base64\"");
    check_wrong_file("{\"filename\": \"a\", \"content\": \"no base64!\", \"encoding\": \"base64\"}",
                     " must be an object whose content is valid base64, as its encoding says");
}

CASE_WITH(argument_values__files_by_uri, set_up(fixture))
{
    const struct input_file *file;

    read_good(fixture, read_named_files,
              "[{\"filename\": \"a\", \"uri\": \"uri\", \"content\": null},"
              " {\"filename\": \"b\", \"content\": \"x\", \"uri\": null},"
              " {\"filename\": \"c\", \"content\": \"\", \"encoding\": \"\", \"uri\": \"uri\"},"
              " {\"filename\": \"d\", \"encoding\": \"utf-8\", \"uri\": \"uri\"},"
              " {\"filename\": \"e\", \"content\": \"\", \"encoding\": \"\", \"uri\": \"\"},"
              " \"{\\\"filename\\\": \\\"f\\\", \\\"content\\\": \\\"x\\\"}\"]");
    assert_int_equal(fixture->files.count, 6);
    assert_int_equal(fixture->files.items[2].range.offset, 3);
    assert_int_equal(fixture->files.items[3].range.offset, 3);
    check_file(fixture, 4, "e", "", 0);
    check_file(fixture, 5, "f", "x", 1);
    file = &fixture->files.items[0];
    assert_string_equal(file->path, "a");
    assert_null(file->data);
    assert_int_equal(file->range.offset, 3);
    assert_int_equal(file->range.length, 4);
    assert_null(fixture->files.items[1].range.file);
    assert_memory_equal(fixture->files.items[1].data, "x", 1);
}

CASE(argument_values__files_by_wrong_uris)
{
    check_refused(read_files, "[{\"filename\": \"a\", \"uri\": \"uri\"}]",
                  "files[0].uri: only calls of isolator-mcp can name files; give content");
    check_refused(read_named_files, "[{\"filename\": \"a\"}]",
                  "files[0] must be an object with filename and either content or uri");
    check_refused(read_named_files, "[{\"filename\": \"a\", \"content\": \"x\", \"uri\": \"uri\"}]",
                  "files[0] must be an object with either content or uri, not both");
    check_refused(read_named_files,
                  "[{\"filename\": \"a\", \"encoding\": \"base64\", \"uri\": \"uri\"}]",
                  "files[0] must be an object with either content or uri, not both");
    check_refused(read_named_files, "[{\"filename\": \"a\", \"uri\": 1}]",
                  "files[0].uri must be a string");
    check_refused(read_named_files, "[{\"filename\": \"a\", \"uri\": \"uri\\u0000\"}]",
                  "files[0].uri must be a string without NUL characters");
    check_refused(read_named_files, "[{\"filename\": \"a\", \"uri\": \"x\"}]",
                  "files[0].uri: there is no 'x'");
    check_refused(read_named_files, "[{\"filename\": \"a\", \"url\": \"x\"}]",
                  "files[0] has no member 'url'; known are: filename, content, encoding, uri");
    check_refused(read_named_files, "[{\"filename\": \"../a\", \"uri\": \"uri\"}]",
                  "files[0]: '../a' must not have '..', '.' or empty parts");
}

/* Each may need a descriptor. */
CASE(argument_values__many_files_by_uri)
{
    json_t *files = json_array();
    struct fixture fixture;

    for (int i = 0; i < 256; i++) {
        CLEANUP_FREE char *name = string_format("%d", i);
        json_array_append_new(files, json_pack("{s:s, s:s}", "filename", name, "uri", "uri"));
    }
    set_up(&fixture);
    assert_int_equal(read_named_files(&fixture, files), 0);
    tear_down(&fixture);
    json_array_append_new(files, json_pack("{s:s, s:s}", "filename", "x", "uri", "uri"));
    set_up(&fixture);
    assert_int_equal(read_named_files(&fixture, files), -1);
    assert_error(&fixture.error, ERROR_USAGE, "files[256].uri: a call can name at most 256 files");
    tear_down(&fixture);
    json_decref(files);
}

/* ---- what hosts and clients make of values */

/* Reads {"x": TEXT} as this type: what it is meant to be, "-" for nothing. */
static void check_meant(enum argument_type type, const char *text, const char *expected)
{
    CLEANUP_FREE char *whole = string_format("{\"x\": %s}", text);
    json_t *object = json_of(whole);
    struct argument_reader reader = {.error = NULL};
    json_t *meant = argument_given(&reader, object, "x", type);
    CLEANUP_FREE char *shown =
        meant ? json_dumps(meant, JSON_ENCODE_ANY | JSON_COMPACT) : string_copy("-");

    assert_string_equal(shown, expected);
    json_decref(meant);
    json_decref(object);
}

CASE(argument_values__given)
{
    for (int type = ARGUMENT_TEXT; type <= ARGUMENT_BOOLEAN; type++) {
        check_meant((enum argument_type)type, "null", "-");
        check_meant((enum argument_type)type, "\"\"", type == ARGUMENT_TEXT ? "\"\"" : "-");
        check_meant((enum argument_type)type, "[7]", "[7]"); /* the reader refuses it */
    }
}

CASE(argument_values__any_value)
{
    check_meant(ARGUMENT_VALUE, "null", "null");
    check_meant(ARGUMENT_VALUE, "\"\"", "\"\"");
    check_meant(ARGUMENT_VALUE, "\"[7]\"", "\"[7]\"");
}

CASE(argument_values__text_that_is_json)
{
    check_meant(ARGUMENT_ARRAY, "\"[\\\"a\\\", 1]\"", "[\"a\",1]");
    check_meant(ARGUMENT_OBJECT, "\"{\\\"a\\\": {}}\"", "{\"a\":{}}");
    check_meant(ARGUMENT_NUMBER, "\"30\"", "30");
    check_meant(ARGUMENT_NUMBER, "\" 2.5 \"", "2.5");
    check_meant(ARGUMENT_BOOLEAN, "\"true\"", "true");
    check_meant(ARGUMENT_BOOLEAN, "\"false\"", "false");
    /* not of the type, or not clean */
    check_meant(ARGUMENT_ARRAY, "\"{}\"", "\"{}\"");
    check_meant(ARGUMENT_ARRAY, "\"a, b\"", "\"a, b\"");
    check_meant(ARGUMENT_ARRAY, "\"[1] x\"", "\"[1] x\"");
    check_meant(ARGUMENT_OBJECT, "\"{\\\"a\\\": 1, \\\"a\\\": 2}\"",
                "\"{\\\"a\\\": 1, \\\"a\\\": 2}\"");
    check_meant(ARGUMENT_NUMBER, "\"30 s\"", "\"30 s\"");
    check_meant(ARGUMENT_NUMBER, "\"\\\"30\\\"\"", "\"\\\"30\\\"\"");
    check_meant(ARGUMENT_BOOLEAN, "\"True\"", "\"True\"");
    check_meant(ARGUMENT_BOOLEAN, "\"1\"", "\"1\"");
    /* text stays text where the schema has a string */
    check_meant(ARGUMENT_TEXT, "\"[1]\"", "\"[1]\"");
    check_meant(ARGUMENT_NAME, "\"true\"", "\"true\"");
}

/* Text is parsed only as long as all of it together has no more values than a line may have. */
CASE(argument_values__text_with_many_values)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    struct argument_reader reader = {.error = NULL};
    json_t *value, *meant;

    strbuf_addch(&text, '[');
    for (int i = 0; i < JSON_TEXT_VALUES_MAX / 2 + 1000; i++)
        strbuf_addstr(&text, i == 0 ? "1" : ",1");
    strbuf_addch(&text, ']');
    value = json_string(strbuf_string(&text));
    meant = argument_meant(&reader, value, ARGUMENT_ARRAY);
    assert_true(json_is_array(meant));
    json_decref(meant);
    meant = argument_meant(&reader, value, ARGUMENT_ARRAY);
    assert_true(json_is_string(meant));
    json_decref(meant);
    json_decref(value);
}

CASE(argument_values__hint)
{
    struct error error = ERROR_INIT;
    struct argument_reader reader = {.error = &error};
    json_t *text = json_string("[1"), *number = json_integer(1);

    argument_wrong(&reader, "x", "an array");
    assert_int_equal(argument_hint(&reader, number, ARGUMENT_ARRAY), -1);
    assert_string_equal(error.message, "x must be an array");
    assert_int_equal(argument_hint(&reader, text, ARGUMENT_TEXT), -1);
    assert_string_equal(error.message, "x must be an array");
    assert_int_equal(argument_hint(&reader, text, ARGUMENT_ARRAY), -1);
    assert_error(&error, ERROR_USAGE, "x must be an array; text came, which is not that in JSON");
    json_decref(text);
    json_decref(number);
}
