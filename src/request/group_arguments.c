#include "request/group_arguments.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "request/argument_members.h"

int group_arguments_points(struct argument_reader *reader, const char *name, const json_t *value,
                           void *points)
{
    const double number = json_number_value(value);

    if (!json_is_number(value) || number < 0 || number > SCORE_MAX)
        return argument_wrong(reader, name, "a number from 0 to 1e9");
    *(double *)points = number;
    return 0;
}

static int read_aggregation(struct argument_reader *reader, const char *name, const json_t *value,
                            void *target)
{
    enum score_aggregation *aggregation = target;
    const char *text = argument_text(reader, name, value);

    if (!text)
        return -1;
    return score_aggregation_parse(text, aggregation) && *aggregation <= SCORE_PASS_FAIL
               ? 0
               : argument_wrong(reader, name, "\"sum\", \"min\" or \"pass-fail\"");
}

static int read_require_pass(struct argument_reader *reader, const char *name, const json_t *value,
                             void *names)
{
    if (json_array_size(value) > SCORE_LEVELS_MAX)
        return argument_wrong(reader, name, "an array of at most 100 names");
    return argument_words(reader, name, value, names);
}

#define GROUP(member) .offset = offsetof(struct score_group, member)
static const struct argument_member members[] = {
    {"name", ARGUMENT_NAME, GROUP(name)},
    {"max_score", ARGUMENT_NUMBER, GROUP(max_score), .read = group_arguments_points},
    {"aggregation", ARGUMENT_NAME, GROUP(aggregation), .read = read_aggregation},
    {"require_pass", ARGUMENT_ARRAY, GROUP(require_pass), .read = read_require_pass},
    ARGUMENT_MEMBERS_END,
};

static int read_group(struct argument_reader *reader, const char *name, const json_t *value,
                      struct score_groups *groups)
{
    CLEANUP_FREE char *path = string_format("%s.name", name);
    struct score_group *group;

    if (!json_is_object(value))
        return argument_wrong(reader, name, "an object");
    group = score_groups_add(groups, "");
    if (argument_members_read(reader, members, name, value, group) != 0)
        return -1;
    return *group->name != '\0' && strlen(group->name) <= TEST_NAME_MAX
               ? 0
               : argument_wrong(reader, path, "a string of 1 to 255 bytes");
}

int group_arguments_read(struct argument_reader *reader, const char *name, const json_t *value,
                         void *tests)
{
    const size_t words = reader->words;
    size_t i;
    json_t *item;

    if (!json_is_array(value) || json_array_size(value) == 0 ||
        json_array_size(value) >= SCORE_GROUPS_MAX)
        return argument_wrong(reader, name, "an array of 1 to 999 groups");
    json_array_foreach(value, i, item) {
        CLEANUP_FREE char *item_name = string_format("%s[%zu]", name, i);
        json_t *meant = argument_meant(reader, item, ARGUMENT_OBJECT);
        const int result = read_group(reader, item_name, meant, case_requests_groups(tests));

        reader->words = words; /* they are no arguments of a program */
        json_decref(meant);
        if (result != 0)
            return -1;
    }
    return 0;
}
