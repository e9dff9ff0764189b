#include "cli/grade/case_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/constants.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/yaml_text.h"

/*
 * Parses a text. In a testdata.yaml, the last of two equal keys counts (problemtools 1.20260620
 * reads it so, with PyYAML).
 */
static json_t *parse(const char *name, const struct strbuf *text, struct strvec *repeated,
                     struct error *error)
{
    return strcmp(name, "testdata.yaml") == 0
               ? yaml_text_parse_last(strbuf_string(text), text->length, repeated, error)
               : yaml_text_parse(strbuf_string(text), text->length, error);
}

/* Reads and parses a file. A new reference; NULL with the error. */
static json_t *read_document(const struct case_groups *groups, const char *path,
                             const struct strvec *constants, struct error *error)
{
    const struct test_root *root = groups->root;
    CLEANUP(strvec_release) struct strvec repeated = STRVEC_INIT;
    static const struct strvec none = STRVEC_INIT;
    CLEANUP(strbuf_release) struct strbuf replaced = STRBUF_INIT;
    CLEANUP_FREE char *shown = case_file_shown(root, path);
    CLEANUP(strbuf_release) struct strbuf content = STRBUF_INIT;
    json_t *document;

    if (case_file_read(root, path, YAML_TEXT_MAX, &content, error) != 0)
        return NULL;
    constants_replace(constants ? constants : &none, strbuf_string(&content), content.length,
                      &replaced);
    document = parse(text_file_name(path), &replaced, &repeated, error);
    for (size_t i = 0; i < repeated.count; i++)
        strvec_pushf(groups->warnings, "'%s': %s, so the last one counts", shown,
                     repeated.items[i]);
    if (!document)
        error_prefix(error, "'%s'", shown);
    return document;
}

static int compare_groups(const void *one, const void *other)
{
    return strcmp(((const struct test_group *)one)->directory,
                  ((const struct test_group *)other)->directory);
}

/* The format has graders of a package for scoring problems alone (legacy.md, "Graders"). */
static const char *why_no_grader(const struct case_groups *groups, const char *grading)
{
    if (strcmp(grading, "custom") != 0)
        return "grading: must be default or custom";
    if (groups->no_grader)
        return groups->no_grader;
    return groups->is_scoring ? NULL : "grading: custom is for problems of the type scoring";
}

/* Refuses what makes other verdicts and scores, also if no test is below. */
static int check_document(const struct case_groups *groups, const char *path,
                          const json_t *document, struct error *error)
{
    CLEANUP_FREE char *shown = case_file_shown(groups->root, path);
    const char *grading = json_string_value(json_object_get(document, "grading"));
    const char *why = NULL;

    if (json_object_get(document, "static_validation_score"))
        return error_set(error, ERROR_INPUT,
                         "'%s': static_validation_score: isolator has no static validation, so "
                         "verdicts and scores would be wrong; remove the key",
                         shown);
    if (grading && *grading && strcmp(grading, "default") != 0)
        why = why_no_grader(groups, grading);
    return why ? error_set(error, ERROR_INPUT, "'%s': %s", shown, why) : 0;
}

static int read_group(struct case_groups *groups, const char *path, struct error *error)
{
    const char *name = text_file_name(path);
    json_t *document = read_document(groups, path, groups->constants, error);

    if (!document)
        return -1;
    groups->items[groups->count++] = (struct test_group){
        .directory = string_format("%.*s", (int)(name - path), path),
        .kind =
            strcmp(name, "testdata.yaml") == 0 ? TEST_SETTINGS_LEGACY_GROUP : TEST_SETTINGS_GROUP,
        .document = document,
    };
    return check_document(groups, path, document, error);
}

char *case_groups_shown(const struct case_groups *groups, const struct test_group *group)
{
    CLEANUP_FREE char *path =
        string_format("%s%s", group->directory,
                      group->kind == TEST_SETTINGS_GROUP ? "test_group.yaml" : "testdata.yaml");

    return case_file_shown(groups->root, path);
}

const struct test_group *case_groups_find(const struct case_groups *groups, const char *directory)
{
    const struct test_group key = {.directory = (char *)directory};

    return groups->count == 0
               ? NULL
               : bsearch(&key, groups->items, groups->count, sizeof *groups->items, compare_groups);
}

int case_groups_read(struct case_groups *groups, const struct test_root *root,
                     const struct strvec *paths, struct error *error)
{
    groups->root = root;
    groups->items = memory_allocate(paths->count * sizeof *groups->items);
    for (size_t i = 0; i < paths->count; i++)
        if (read_group(groups, paths->items[i], error) != 0)
            return -1;
    qsort(groups->items, groups->count, sizeof *groups->items, compare_groups);
    for (size_t i = 1; i < groups->count; i++)
        if (compare_groups(&groups->items[i - 1], &groups->items[i]) == 0) {
            CLEANUP_FREE char *shown = case_file_shown(root, groups->items[i].directory);

            return error_set(error, ERROR_INPUT, "'%s' has both test_group.yaml and testdata.yaml",
                             shown);
        }
    return 0;
}

/* Puts what the group of a directory says over the settings, if there is one. */
static int apply_group(const struct case_groups *groups, const char *directory,
                       struct case_settings *settings, struct error *error)
{
    const struct test_group *group = case_groups_find(groups, directory);
    CLEANUP_FREE char *shown = NULL;

    if (!group || case_settings_read(settings, group->kind, group->document, error) == 0)
        return 0;
    shown = case_groups_shown(groups, group);
    return error_prefix(error, "'%s'", shown);
}

/* Makes the settings those of a directory, "" or "secret/group/". Takes ownership of its name. */
static int enter(struct case_groups *groups, char *directory, struct error *error)
{
    case_settings_release(&groups->settings);
    groups->settings = (struct case_settings)CASE_SETTINGS_INIT;
    groups->settings.has_validator = groups->has_validator;
    free(groups->directory);
    groups->directory = directory;
    if (groups->validator_flags &&
        case_settings_set_flags(&groups->settings, groups->validator_flags, error) != 0)
        return error_prefix(error, "'%s': validator_flags", groups->root->shown);
    if (apply_group(groups, "", &groups->settings, error) != 0)
        return -1;
    for (const char *slash = directory; (slash = strchr(slash, '/')); slash++) {
        CLEANUP_FREE char *above = string_format("%.*s", (int)(slash + 1 - directory), directory);

        if (apply_group(groups, above, &groups->settings, error) != 0)
            return -1;
    }
    return 0;
}

static int apply_own(const struct case_groups *groups, const char *test,
                     struct case_settings *settings, struct error *error)
{
    CLEANUP_FREE char *path = string_format("%s.yaml", test);
    CLEANUP_FREE char *shown = case_file_shown(groups->root, path);
    json_t *document = read_document(groups, path, NULL, error);
    int result;

    if (!document)
        return -1;
    result = case_settings_read(settings, TEST_SETTINGS_TEST, document, error);
    json_decref(document);
    return result == 0 ? 0 : error_prefix(error, "'%s'", shown);
}

int case_groups_settings(struct case_groups *groups, const char *test, bool has_own,
                         struct case_settings *settings, struct error *error)
{
    const char *name = text_file_name(test);
    char *directory = string_format("%.*s", (int)(name - test), test);

    *settings = (struct case_settings)CASE_SETTINGS_INIT;
    if (groups->directory && strcmp(groups->directory, directory) == 0)
        free(directory);
    else if (enter(groups, directory, error) != 0)
        return -1;
    case_settings_copy(settings, &groups->settings);
    settings->has_own_arguments = false;
    return has_own ? apply_own(groups, test, settings, error) : 0;
}

void case_groups_release(struct case_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        free(groups->items[i].directory);
        json_decref(groups->items[i].document);
    }
    free(groups->items);
    free(groups->directory);
    case_settings_release(&groups->settings);
}
