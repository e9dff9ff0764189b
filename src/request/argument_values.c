#include "request/argument_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/text.h"
#include "request/argument_names.h"

/* Maximum numbers; comparing the names takes time. */
enum { VARIABLES_MAX = 1000, ARGUMENTS_MAX = 10000 };

/* Maximum bytes of one argument or variable, and of all: the kernel's limits (execve(2)). */
enum { WORD_MAX = 131071, WORDS_MAX = 2000000 };

static bool is_of_type(const json_t *value, enum argument_type type)
{
    switch (type) {
    case ARGUMENT_TEXT:
    case ARGUMENT_NAME:
        return json_is_string(value);
    case ARGUMENT_ARRAY:
    case ARGUMENT_WORDS:
    case ARGUMENT_FILES:
        return json_is_array(value);
    case ARGUMENT_OBJECT:
        return json_is_object(value);
    case ARGUMENT_NUMBER:
    case ARGUMENT_WHOLE:
    case ARGUMENT_SECONDS:
        return json_is_number(value);
    case ARGUMENT_BOOLEAN:
    case ARGUMENT_VALUE: /* which is never parsed */
        break;
    }
    return json_is_boolean(value);
}

/* Returns what the text says in JSON, a new reference; NULL if that is not of the type. */
static json_t *parse_text(struct argument_reader *reader, const json_t *text,
                          enum argument_type type)
{
    const size_t length = json_string_length(text);
    json_t *value = NULL;

    reader->values += json_text_count(json_string_value(text), length);
    if (reader->values <= JSON_TEXT_VALUES_MAX)
        value = json_text_parse_unique(json_string_value(text), length, NULL);
    if (is_of_type(value, type))
        return value;
    json_decref(value);
    return NULL;
}

/* Takes the next word of a command off *text, owned; NULL if a quote of it is not closed. */
static char *next_word(const char **text)
{
    struct strbuf word = STRBUF_INIT;
    const char *at = *text;
    char quote = '\0';

    for (; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
        if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (quote == *at)
            quote = '\0';
        else
            strbuf_addch(&word, *at);
    }
    *text = at + strspn(at, " \t\r\n");
    if (!quote)
        return strbuf_steal(&word);
    strbuf_release(&word);
    return NULL;
}

/* The words of a command as a list, a new reference, too long if there are too many; NULL if a
 * quote is not closed. */
static json_t *split(const char *text)
{
    json_t *words = json_array();

    text += strspn(text, " \t\r\n");
    while (*text && json_array_size(words) <= ARGUMENTS_MAX) {
        CLEANUP_FREE char *word = next_word(&text);

        if (!word) {
            json_decref(words);
            return NULL;
        }
        json_array_append_new(words, json_string_nocheck(word));
    }
    return words;
}

/*
 * The list that a model means by a text that is not JSON, a new reference; NULL if that is unclear.
 * What begins like JSON was meant to be that.
 */
static json_t *list_of_text(struct argument_reader *reader, json_t *value, enum argument_type type)
{
    const char *text = json_string_value(value);
    const char first = text[strspn(text, " \t\r\n")];
    json_t *list;

    if (!reader->warnings || type < ARGUMENT_ARRAY || type > ARGUMENT_FILES || first == '[' ||
        first == '{' || strlen(text) != json_string_length(value))
        return NULL;
    if (type != ARGUMENT_WORDS)
        return json_pack("[O]", value);
    list = split(text);
    if (json_array_size(list) > 1)
        argument_warn(reader->warnings,
                      "arguments came as one text, and the program gets its %zu words: write an "
                      "array",
                      json_array_size(list));
    return list;
}

json_t *argument_meant(struct argument_reader *reader, json_t *value, enum argument_type type)
{
    json_t *parsed = NULL;

    if (type == ARGUMENT_VALUE)
        return json_incref(value);
    if (json_is_null(value))
        return NULL;
    if (json_is_string(value) && type != ARGUMENT_TEXT) {
        if (json_string_length(value) == 0)
            return NULL;
        parsed = type == ARGUMENT_NAME ? NULL : parse_text(reader, value, type);
        if (!parsed)
            parsed = list_of_text(reader, value, type);
    }
    return parsed ? parsed : json_incref(value);
}

json_t *argument_given(struct argument_reader *reader, const json_t *object, const char *name,
                       enum argument_type type)
{
    return argument_meant(reader, json_object_get(object, name), type);
}

int argument_hint(struct argument_reader *reader, const json_t *value, enum argument_type type)
{
    if (!json_is_string(value) || type <= ARGUMENT_NAME || type == ARGUMENT_VALUE)
        return -1;
    return error_hint(reader->error, reader->values > JSON_TEXT_VALUES_MAX
                                         ? "text came that has too many values for JSON in JSON"
                                         : "text came, which is not that in JSON");
}

int argument_wrong(struct argument_reader *reader, const char *name, const char *expected)
{
    return error_set(reader->error, ERROR_USAGE, "%s must be %s", name, expected);
}

const char *argument_text(struct argument_reader *reader, const char *name, const json_t *value)
{
    const char *text = json_string_value(value);

    if (text && strlen(text) == json_string_length(value))
        return text;
    argument_wrong(reader, name, text ? "a string without NUL characters" : "a string");
    return NULL;
}

char *argument_bytes(const json_t *string, size_t *length)
{
    char *copy = memory_allocate(json_string_length(string) + 1);

    *length = json_string_length(string);
    memcpy(copy, json_string_value(string), *length + 1);
    return copy;
}

int argument_stdin(struct argument_reader *reader, const char *name, const json_t *value,
                   void *target)
{
    int *file = target;

    if (!json_is_string(value))
        return argument_wrong(reader, name, "a string");
    *file = linux_unnamed_file_of(json_string_value(value), json_string_length(value));
    if (*file < 0)
        return error_set_errno(reader->error, ERROR_SYSTEM, "cannot create an unnamed file");
    return 0;
}

char *argument_path(struct argument_reader *reader, const char *name, const char *path)
{
    CLEANUP_FREE char *shown = NULL;
    char *copy = string_copy(path);

    if (!reader->warnings || !strchr(path, '\\'))
        return copy;
    for (char *at = copy; (at = strchr(at, '\\'));)
        *at = '/';
    shown = text_escape_short(copy, TEXT_SHOWN_MAX);
    argument_warn(reader->warnings, "%s is '%s': directories are separated by /", name, shown);
    return copy;
}

/* Returns the string, or of a model the number or boolean as text, owned; NULL with the error. */
static char *word_of(struct argument_reader *reader, const char *name, const json_t *value,
                     bool or_boolean)
{
    const char *text;

    if (reader->warnings && (json_is_number(value) || (or_boolean && json_is_boolean(value))))
        return json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    text = argument_text(reader, name, value);
    return text ? string_copy(text) : NULL;
}

/* Counts an argument or variable. */
static int count_word(struct argument_reader *reader, const char *name, const char *word)
{
    const size_t length = strlen(word);

    reader->words += length;
    if (length > WORD_MAX)
        return argument_wrong(reader, name,
                              "shorter: a program can be given 128 KiB in one piece at most");
    if (reader->words > WORDS_MAX)
        return error_set(reader->error, ERROR_USAGE,
                         "arguments and environment must be shorter: a program can be given 2 MB "
                         "at most; files and stdin may be larger");
    return 0;
}

int argument_words(struct argument_reader *reader, const char *name, const json_t *value,
                   struct strvec *words)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value))
        return argument_wrong(reader, name, "an array of strings");
    if (json_array_size(value) > ARGUMENTS_MAX)
        return argument_wrong(reader, name, "an array of at most 10000 strings");
    json_array_foreach(value, i, item) {
        CLEANUP_FREE char *item_name = string_format("%s[%zu]", name, i);
        CLEANUP_FREE char *text = word_of(reader, item_name, item, false);

        if (!text || count_word(reader, item_name, text) != 0)
            return -1;
        strvec_push(words, text);
    }
    return 0;
}

int argument_variables(struct argument_reader *reader, const char *name, const json_t *value,
                       struct strvec *variables)
{
    const char *key;
    json_t *item;

    if (!json_is_object(value))
        return argument_wrong(reader, name, "an object with strings by name");
    if (json_object_size(value) > VARIABLES_MAX)
        return argument_wrong(reader, name, "an object of at most 1000 variables");
    json_object_foreach((json_t *)value, key, item) {
        CLEANUP_FREE char *shown = text_escape_short(key, TEXT_SHOWN_MAX);
        CLEANUP_FREE char *item_name = string_format("%s.%s", name, shown);
        CLEANUP_FREE char *assignment = NULL;
        CLEANUP_FREE char *text = word_of(reader, item_name, item, true);

        if (!text)
            return -1;
        if (strchr(key, '='))
            return error_set(reader->error, ERROR_USAGE,
                             "%s: the name of a variable cannot have '=' in it", item_name);
        assignment = string_format("%s=%s", key, text);
        if (count_word(reader, item_name, assignment) != 0)
            return -1;
        strvec_push(variables, assignment); /* JSON has no name twice */
    }
    return 0;
}

int argument_flag(struct argument_reader *reader, const char *name, const json_t *value, bool *flag)
{
    if (!json_is_boolean(value))
        return argument_wrong(reader, name, "true or false");
    *flag = json_is_true(value);
    return 0;
}

int argument_seconds(struct argument_reader *reader, const char *name, const json_t *value,
                     double *seconds)
{
    *seconds = json_number_value(value);
    return json_is_number(value) && *seconds > 0
               ? 0
               : argument_wrong(reader, name, "a number of seconds greater than 0");
}

int argument_unknown(struct argument_reader *reader, const char *object, const char *member,
                     const struct strvec *known)
{
    CLEANUP_FREE char *shown = text_escape_short(member, TEXT_SHOWN_MAX);
    CLEANUP_FREE char *names = strvec_join(known, ", ");

    return error_set(reader->error, ERROR_USAGE, "%s has no member '%s'; known are: %s", object,
                     shown, names);
}
