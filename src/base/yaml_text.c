#include "base/yaml_text.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/text.h"

/* Keys that are there twice and are named. */
enum { REPEATED_MAX = 5 };

/* A sequence or mapping whose end has not come. */
struct level {
    json_t *value; /* borrowed from the one it is in */
    char *key; /* owned; the value of this key comes next; NULL in a sequence, or before a key */
};

struct reading {
    yaml_parser_t parser;
    struct level levels[YAML_TEXT_LEVELS_MAX];
    int depth;
    int values;
    json_t *document;        /* owned; NULL: nothing has come */
    struct strvec *repeated; /* keys that are there twice; NULL: they are an error */
    struct error *error;
};

static int refuse(struct reading *reading, const yaml_event_t *event, const char *why)
{
    return error_set(reading->error, ERROR_INPUT, "line %zu: %s", event->start_mark.line + 1, why);
}

/* Takes ownership of the value, which is put where it belongs. */
static int add_value(struct reading *reading, const yaml_event_t *event, json_t *value)
{
    struct level *level = reading->depth > 0 ? &reading->levels[reading->depth - 1] : NULL;

    if (++reading->values > YAML_TEXT_VALUES_MAX) {
        json_decref(value);
        return refuse(reading, event, "there are too many values");
    }
    if (!level) {
        reading->document = value;
    } else if (json_is_array(level->value)) {
        json_array_append_new(level->value, value);
    } else {
        json_object_set_new(level->value, level->key, value);
        free(steal_pointer(&level->key));
    }
    return 0;
}

/* Whether the next value is a key. */
static bool awaits_key(const struct reading *reading)
{
    const struct level *level = reading->depth > 0 ? &reading->levels[reading->depth - 1] : NULL;

    return level && json_is_object(level->value) && !level->key;
}

static int begin(struct reading *reading, const yaml_event_t *event, json_t *value)
{
    if (awaits_key(reading) || reading->depth == YAML_TEXT_LEVELS_MAX) {
        const char *why = awaits_key(reading) ? "a key is not a text" : "there are too many levels";

        json_decref(value);
        return refuse(reading, event, why);
    }
    if (add_value(reading, event, value) != 0)
        return -1;
    reading->levels[reading->depth++] = (struct level){.value = value};
    return 0;
}

static bool is_null(const yaml_event_t *event, const char *text)
{
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (*text == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

static int add_scalar(struct reading *reading, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    json_t *string = json_stringn(text, length);

    if (!string || strlen(text) != length) {
        json_decref(string);
        return refuse(reading, event, "a text has a character that cannot be in one");
    }
    if (!awaits_key(reading)) {
        if (is_null(event, text)) {
            json_decref(string);
            string = json_null();
        }
        return add_value(reading, event, string);
    }
    json_decref(string);
    if (json_object_get(reading->levels[reading->depth - 1].value, text)) {
        CLEANUP_FREE char *shown = text_escape_short(text, TEXT_SHOWN_MAX);
        CLEANUP_FREE char *problem =
            string_format("line %zu: '%s' is there twice", event->start_mark.line + 1, shown);

        if (!reading->repeated)
            return error_set(reading->error, ERROR_INPUT, "%s", problem);
        if (reading->repeated->count < REPEATED_MAX)
            strvec_push(reading->repeated, problem);
    }
    reading->levels[reading->depth - 1].key = string_copy(text);
    return 0;
}

static bool has_properties(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor || event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    default:
        return event->type == YAML_ALIAS_EVENT;
    }
}

static int take_event(struct reading *reading, const yaml_event_t *event)
{
    if (has_properties(event))
        return refuse(reading, event, "aliases, anchors and tags are not taken");
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return reading->document ? refuse(reading, event, "a second document is not taken") : 0;
    case YAML_SCALAR_EVENT:
        return add_scalar(reading, event);
    case YAML_SEQUENCE_START_EVENT:
        return begin(reading, event, json_array());
    case YAML_MAPPING_START_EVENT:
        return begin(reading, event, json_object());
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        reading->depth--;
        return 0;
    default:
        return 0;
    }
}

static int explain(const struct reading *reading)
{
    const char *problem = reading->parser.problem ? reading->parser.problem : "it is not YAML";
    CLEANUP_FREE char *shown = text_escape(problem);

    return error_set(reading->error, ERROR_INPUT, "line %zu: %s",
                     reading->parser.problem_mark.line + 1, shown);
}

static int read_events(struct reading *reading)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        int result;

        if (!yaml_parser_parse(&reading->parser, &event))
            return explain(reading);
        more = event.type != YAML_STREAM_END_EVENT;
        result = take_event(reading, &event);
        yaml_event_delete(&event);
        if (result != 0)
            return -1;
    }
    return 0;
}

json_t *yaml_text_parse(const char *text, size_t length, struct error *error)
{
    return yaml_text_parse_last(text, length, NULL, error);
}

json_t *yaml_text_parse_last(const char *text, size_t length, struct strvec *repeated,
                             struct error *error)
{
    struct reading reading = {.repeated = repeated, .error = error};
    int result;

    if (length > YAML_TEXT_MAX) {
        error_set(error, ERROR_INPUT, "it has more than %d bytes", YAML_TEXT_MAX);
        return NULL;
    }
    if (!yaml_parser_initialize(&reading.parser))
        abort(); /* there is no memory */
    yaml_parser_set_encoding(&reading.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reading.parser, (const unsigned char *)text, length);
    result = read_events(&reading);
    yaml_parser_delete(&reading.parser);
    for (int i = 0; i < reading.depth; i++)
        free(reading.levels[i].key);
    if (result == 0)
        return reading.document ? reading.document : json_null();
    json_decref(reading.document);
    return NULL;
}

bool yaml_text_number(const json_t *value, double least, double most, double *number)
{
    const char *text = json_string_value(value);

    return text && decimal_read(text, strlen(text), number) && *number >= least && *number <= most;
}
