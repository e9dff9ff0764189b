#include "docker/image_details.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/strbuf.h"

/* Values in the object: far more than any engine says of an image. */
enum { VALUES_MAX = 20000 };

enum { ID_DIGITS = 64 };

/* NULL if it is not a string, or one with a NUL in it. */
static const char *text_of(const json_t *value)
{
    const char *text = json_string_value(value);

    return text && strlen(text) == json_string_length(value) ? text : NULL;
}

/* With "sha256:", which podman leaves out; owned. NULL if it is not an id. */
static char *read_id(const char *text)
{
    static const char algorithm[] = "sha256:";

    if (text && strncmp(text, algorithm, strlen(algorithm)) == 0)
        text += strlen(algorithm);
    if (!text || strlen(text) != ID_DIGITS || strspn(text, "0123456789abcdef") != ID_DIGITS)
        return NULL;
    return string_format("%s%s", algorithm, text);
}

/* False if one of the words is no string. null is no words. */
static bool read_words(struct strvec *words, const json_t *array)
{
    size_t i;
    json_t *word;

    json_array_foreach(array, i, word) {
        if (!text_of(word))
            return false;
        strvec_push(words, text_of(word));
    }
    return true;
}

static void read_labels(struct strvec *labels, json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
        if (text_of(value))
            strvec_pushf(labels, "%s=%s", key, text_of(value));
}

/* Without fractions of a second, if it looks like a time. */
static void read_time(char created[20], const char *text)
{
    if (text && strlen(text) >= 19 && strspn(text, "0123456789-T:.Z+") == strlen(text))
        snprintf(created, 20, "%.19s", text);
}

/* A word of letters and digits. */
static void read_architecture(char architecture[20], const char *text)
{
    if (text && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text))
        snprintf(architecture, 20, "%.19s", text);
}

static bool read_object(struct image_details *details, const json_t *object)
{
    const json_t *config = json_object_get(object, "Config");
    const char *user = text_of(json_object_get(config, "User"));
    const json_t *size = json_object_get(object, "Size");

    details->id = read_id(text_of(json_object_get(object, "Id")));
    if (json_is_integer(size) && json_integer_value(size) >= 0)
        details->bytes = (long long)json_integer_value(size);
    read_architecture(details->architecture, text_of(json_object_get(object, "Architecture")));
    read_time(details->created, text_of(json_object_get(object, "Created")));
    if (user && *user)
        details->user = string_copy(user);
    details->has_volumes = json_object_size(json_object_get(config, "Volumes")) > 0;
    read_labels(&details->labels, json_object_get(config, "Labels"));
    return read_words(&details->tags, json_object_get(object, "RepoTags")) &&
           read_words(&details->entrypoint, json_object_get(config, "Entrypoint")) &&
           read_words(&details->command, json_object_get(config, "Cmd"));
}

bool image_details_read(struct image_details *details, const char *text, size_t length)
{
    json_auto_t *object =
        json_text_count(text, length) > VALUES_MAX ? NULL : json_text_parse(text, length, NULL);

    return json_is_object(object) && read_object(details, object);
}

const char *image_details_label(const struct image_details *details, const char *key)
{
    const size_t length = strlen(key);

    for (size_t i = 0; i < details->labels.count; i++)
        if (strncmp(details->labels.items[i], key, length) == 0 &&
            details->labels.items[i][length] == '=')
            return details->labels.items[i] + length + 1;
    return NULL;
}

void image_details_release(struct image_details *details)
{
    free(details->id);
    free(details->user);
    strvec_release(&details->entrypoint);
    strvec_release(&details->command);
    strvec_release(&details->tags);
    strvec_release(&details->labels);
    *details = (struct image_details)IMAGE_DETAILS_INIT;
}
