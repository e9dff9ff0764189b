#include "request/argument_members.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "request/argument_files.h"

static int read_name(struct argument_reader *reader, const struct argument_member *member,
                     const char *name, const json_t *value, char **target)
{
    const char *text = argument_text(reader, name, value);
    CLEANUP_FREE char *expected = NULL;

    if (!text)
        return -1;
    if (member->maximum > 0 && strlen(text) > (size_t)member->maximum) {
        expected = string_format("a string of at most %d bytes", member->maximum);
        return argument_wrong(reader, name, expected);
    }
    free(*target);
    *target = string_copy(text);
    return 0;
}

static int read_number(struct argument_reader *reader, const char *name, const json_t *value,
                       double *number)
{
    *number = json_number_value(value);
    return json_is_number(value) && *number >= 0
               ? 0
               : argument_wrong(reader, name, "a number, 0 or greater");
}

static int read_whole(struct argument_reader *reader, const struct argument_member *member,
                      const char *name, const json_t *value, int *number)
{
    const json_int_t given = json_integer_value(value);
    CLEANUP_FREE char *expected =
        string_format("a whole number from %d to %d", member->minimum, member->maximum);

    if (!json_is_integer(value) || given < member->minimum || given > member->maximum)
        return argument_wrong(reader, name, expected);
    *number = (int)given;
    return 0;
}

int argument_member_read(struct argument_reader *reader, const struct argument_member *member,
                         const char *name, const json_t *value, void *object)
{
    void *target = (char *)object + member->offset;

    if (member->read)
        return member->read(reader, name, value, target);
    switch (member->type) {
    case ARGUMENT_NAME:
        return read_name(reader, member, name, value, target);
    case ARGUMENT_WORDS:
        return argument_words(reader, name, value, target);
    case ARGUMENT_FILES:
        return argument_files(reader, name, value, target);
    case ARGUMENT_OBJECT:
        return argument_variables(reader, name, value, target);
    case ARGUMENT_NUMBER:
        return read_number(reader, name, value, target);
    case ARGUMENT_WHOLE:
        return read_whole(reader, member, name, value, target);
    case ARGUMENT_SECONDS:
        return argument_seconds(reader, name, value, target);
    case ARGUMENT_BOOLEAN:
        return argument_flag(reader, name, value, target);
    case ARGUMENT_TEXT:
    case ARGUMENT_ARRAY:
    case ARGUMENT_VALUE: /* have a function */
        break;
    }
    abort();
}

static int refuse(struct argument_reader *reader, const struct argument_member *members,
                  const char *name, const char *key)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (; members->name; members++)
        strvec_push(&names, members->name);
    return argument_unknown(reader, name, key, &names);
}

static int read_member(struct argument_reader *reader, const struct argument_member *members,
                       const char *name, const char *key, json_t *value, void *object)
{
    CLEANUP_FREE char *path = string_format("%s.%s", name, key);
    const struct argument_member *member = members;
    json_auto_t *meant = NULL;

    while (member->name && strcmp(member->name, key) != 0)
        member++;
    if (!member->name)
        return refuse(reader, members, name, key);
    meant = argument_meant(reader, value, member->type);
    return !meant || argument_member_read(reader, member, path, meant, object) == 0
               ? 0
               : argument_hint(reader, meant, member->type);
}

int argument_members_read(struct argument_reader *reader, const struct argument_member *members,
                          const char *name, const json_t *value, void *object)
{
    const char *key;
    json_t *member;

    json_object_foreach((json_t *)value, key, member)
        if (read_member(reader, members, name, key, member, object) != 0)
            return -1;
    return 0;
}
