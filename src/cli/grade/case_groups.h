/*
 * What files test_group.yaml and testdata.yaml say of the tests in their directories and below:
 * each test has the settings of all directories on the way to it, the nearest one last.
 */
#ifndef CLI_CASE_GROUPS_H
#define CLI_CASE_GROUPS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"
#include "cli/grade/case_file.h"
#include "cli/grade/case_settings.h"

struct test_group {
    char *directory; /* owned; "" or "secret/" */
    enum case_settings_kind kind;
    json_t *document; /* owned */
};

struct case_groups {
    const struct test_root *root; /* borrowed */
    bool has_validator;           /* output_validator_args are for a validator */
    const char *validator_flags;  /* of all tests; borrowed; NULL: not given */
    bool is_scoring, is_legacy;   /* tests give scores; in the legacy format */
    bool gives_no_score;          /* the validator does not */
    const char *no_grader; /* why groups cannot have one of their own; borrowed; NULL: they can */
    const struct strvec *constants; /* in the files; borrowed; NULL: none */
    struct strvec *warnings;        /* borrowed */
    struct test_group *items;       /* owned; ordered by their directories */
    size_t count;
    char *directory;               /* owned; the one that the last test was in; NULL: none yet */
    struct case_settings settings; /* of that directory */
};

#define CASE_GROUPS_INIT                                                                           \
    {                                                                                              \
        .root = NULL, .settings = CASE_SETTINGS_INIT                                               \
    }

/* Reads the files, paths below the root. ERROR_INPUT that names the file. */
int case_groups_read(struct case_groups *groups, const struct test_root *root,
                     const struct strvec *paths, struct error *error);

/*
 * Writes the settings of a test, "secret/1"; with `has_own`, what its own file says is over those
 * of its groups. The caller releases them in any case. ERROR_INPUT that names the file.
 */
int case_groups_settings(struct case_groups *groups, const char *test, bool has_own,
                         struct case_settings *settings, struct error *error);

/* The file of a directory, "" or "secret/"; NULL: it has none. */
const struct test_group *case_groups_find(const struct case_groups *groups, const char *directory);

/* The path of the file, for messages; owned by the caller. */
char *case_groups_shown(const struct case_groups *groups, const struct test_group *group);

void case_groups_release(struct case_groups *groups);

#endif
