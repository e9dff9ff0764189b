#include "request/group_arguments.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

typedef int member_reader(struct argument_reader *reader, const char *name, const json_t *value,
                          struct score_group *group);

int group_arguments_points(struct argument_reader *reader, const char *name, const json_t *value,
                           double *points)
{
    const double number = json_number_value(value);

    if (!json_is_number(value) || number < 0 || number > SCORE_MAX)
        return argument_wrong(reader, name, "a number from 0 to 1e9");
    *points = number;
    return 0;
}

static int read_max_score(struct argument_reader *reader, const char *name, const json_t *value,
                          struct score_group *group)
{
    return group_arguments_points(reader, name, value, &group->max_score);
}

static int read_aggregation(struct argument_reader *reader, const char *name, const json_t *value,
                            struct score_group *group)
{
    const char *text = argument_text(reader, name, value);

    if (!text)
        return -1;
    return score_aggregation_parse(text, &group->aggregation) &&
                   group->aggregation <= SCORE_PASS_FAIL
               ? 0
               : argument_wrong(reader, name, "\"sum\", \"min\" or \"pass-fail\"");
}

static int read_require_pass(struct argument_reader *reader, const char *name, const json_t *value,
                             struct score_group *group)
{
    if (json_array_size(value) > SCORE_LEVELS_MAX)
        return argument_wrong(reader, name, "an array of at most 100 names");
    return argument_words(reader, name, value, &group->require_pass);
}

static const struct member {
    const char *name;
    enum argument_type type;
    member_reader *read; /* NULL: it is read before the others */
} members[] = {
    {"name", ARGUMENT_NAME, NULL},
    {"max_score", ARGUMENT_NUMBER, read_max_score},
    {"aggregation", ARGUMENT_NAME, read_aggregation},
    {"require_pass", ARGUMENT_ARRAY, read_require_pass},
};
enum { MEMBERS = sizeof members / sizeof *members };

static int refuse_member(struct argument_reader *reader, const char *group, const char *key)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (int i = 0; i < MEMBERS; i++)
        strvec_push(&names, members[i].name);
    return argument_unknown(reader, group, key, &names);
}

static int read_member(struct argument_reader *reader, const char *group_name, const char *key,
                       json_t *value, struct score_group *group)
{
    CLEANUP_FREE char *path = string_format("%s.%s", group_name, key);
    const struct member *member = members;
    json_t *meant;
    int result;

    while (member < members + MEMBERS && strcmp(member->name, key) != 0)
        member++;
    if (member == members + MEMBERS)
        return refuse_member(reader, group_name, key);
    if (!member->read)
        return 0;
    meant = argument_meant(reader, value, member->type);
    result = meant ? member->read(reader, path, meant, group) : 0;
    if (result != 0)
        argument_hint(reader, meant, member->type);
    json_decref(meant);
    return result;
}

/* Its name comes first, since it makes the group. */
static int read_group(struct argument_reader *reader, const char *name, const json_t *value,
                      struct score_groups *groups)
{
    CLEANUP_FREE char *path = string_format("%s.name", name);
    const json_t *given = json_object_get(value, "name");
    const char *text = given ? argument_text(reader, path, given) : "";
    struct score_group *group;
    const char *key;
    json_t *member;

    if (!json_is_object(value))
        return argument_wrong(reader, name, "an object");
    if (!text)
        return -1;
    if (*text == '\0' || strlen(text) > TEST_NAME_MAX)
        return argument_wrong(reader, path, "a string of 1 to 255 bytes");
    group = score_groups_add(groups, text);
    json_object_foreach((json_t *)value, key, member)
    {
        if (read_member(reader, name, key, member, group) != 0)
            return -1;
    }
    return 0;
}

int group_arguments_read(struct argument_reader *reader, const char *name, const json_t *value,
                         struct test_requests *tests)
{
    const size_t words = reader->words;
    size_t i;
    json_t *item;

    if (!json_is_array(value) || json_array_size(value) == 0 ||
        json_array_size(value) >= SCORE_GROUPS_MAX)
        return argument_wrong(reader, name, "an array of 1 to 999 groups");
    json_array_foreach(value, i, item)
    {
        CLEANUP_FREE char *item_name = string_format("%s[%zu]", name, i);
        json_t *meant = argument_meant(reader, item, ARGUMENT_OBJECT);
        const int result = read_group(reader, item_name, meant, test_requests_groups(tests));

        reader->words = words; /* they are no arguments of a program */
        json_decref(meant);
        if (result != 0)
            return -1;
    }
    return 0;
}
