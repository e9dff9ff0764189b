#include "request/case_request.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/memory.h"

struct case_request *case_requests_add(struct case_requests *tests)
{
    const size_t count = tests->count;

    if ((count & (count - 1)) == 0) /* the capacity, which is a power of two, is used up */
        tests->items =
            memory_resize(tests->items, (count > 0 ? 2 * count : 1) * sizeof *tests->items);
    tests->items[count] = (struct case_request)CASE_REQUEST_INIT;
    tests->count++;
    return &tests->items[count];
}

static void case_request_release(struct case_request *test)
{
    free(test->name);
    free(test->stdin_data);
    cleanup_fd(&test->stdin_file);
    strvec_release(&test->arguments);
    strvec_release(&test->checker_arguments);
    strvec_release(&test->environment);
    input_files_release(&test->files);
    free(test->expected);
    free(test->group);
    *test = (struct case_request)CASE_REQUEST_INIT;
}

struct score_groups *case_requests_groups(struct case_requests *tests)
{
    if (!tests->groups)
        tests->groups = score_groups_new();
    return tests->groups;
}

struct case_requests case_requests_share(struct case_requests *tests)
{
    if (!tests->owners) {
        tests->owners = memory_allocate(sizeof *tests->owners);
        atomic_init(tests->owners, 1);
    }
    atomic_fetch_add(tests->owners, 1);
    return *tests;
}

/* Gives up this ownership. False if others own the tests still. */
static bool was_last_owner(struct case_requests *tests)
{
    if (!tests->owners)
        return true;
    if (atomic_fetch_sub(tests->owners, 1) > 1)
        return false;
    free(tests->owners);
    return true;
}

void case_requests_release(struct case_requests *tests)
{
    if (was_last_owner(tests)) {
        for (size_t i = 0; i < tests->count; i++)
            case_request_release(&tests->items[i]);
        free(tests->items);
        score_groups_free(tests->groups);
    }
    *tests = (struct case_requests)CASE_REQUESTS_INIT;
}
