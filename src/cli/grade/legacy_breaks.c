#include "cli/grade/legacy_breaks.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/grade/legacy_scores.h"

/* Whether a test that is not accepted makes the directory one that is not. */
static bool passes_on(const struct case_groups *groups, const char *directory)
{
    CLEANUP(strvec_release) struct strvec flags = STRVEC_INIT;

    legacy_scores_flags(groups, directory, &flags);
    return strcmp(legacy_scores_text(groups, directory, "grading"), "custom") != 0 &&
           !strvec_contains(&flags, "always_accept") &&
           !strvec_contains(&flags, "accept_if_any_accepted") &&
           !legacy_scores_ignore(groups, directory);
}

static bool breaks(const struct case_groups *groups, const char *directory)
{
    return strcmp(legacy_scores_text(groups, directory, "on_reject"), "continue") != 0;
}

/* The place after the last test of the directory, one of whose tests is before `place`. */
static size_t end_of(const struct case_requests *tests, const char *directory, size_t place)
{
    const size_t length = strlen(directory);

    while (place < tests->count &&
           (length == 0 || (strncmp(tests->items[place].name, directory, length) == 0 &&
                            tests->items[place].name[length] == '/')))
        place++;
    return place;
}

/* With a directory that goes on in one that breaks, only the nearest tests are left out. */
static void set(const struct case_groups *groups, struct case_requests *tests, size_t place)
{
    struct case_request *test = &tests->items[place];
    CLEANUP_FREE char *directory = string_copy(test->name);
    bool is_above = true;

    test->skip_from = test->skip_to = place + 1;
    while (is_above && legacy_scores_go_up(directory)) {
        const bool ends = breaks(groups, directory);

        if (!ends && test->skip_from < test->skip_to)
            break;
        test->skip_to = end_of(tests, directory, test->skip_to);
        if (!ends)
            test->skip_from = test->skip_to;
        is_above = passes_on(groups, directory);
    }
}

void legacy_breaks_set(const struct case_groups *groups, struct case_requests *tests)
{
    for (size_t i = 0; i < tests->count; i++)
        set(groups, tests, i);
}
