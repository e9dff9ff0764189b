#include "request/built_files.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "base/thread.h"
#include "test.h"

CASE(built_files__the_first_is_shared)
{
    struct built_files built = BUILT_FILES_INIT;
    struct shared_file *first = shared_file_new(linux_unnamed_file());
    struct shared_file *found;
    bool is_first;

    assert_null(built_files_find(&built, NULL, &is_first));
    assert_true(is_first);
    built_files_give_up(&built); /* so the next one does not wait */
    assert_null(built_files_find(&built, NULL, &is_first));
    assert_false(is_first);
    built_files_share(&built, first);
    built_files_share(&built, shared_file_new(linux_unnamed_file()));
    found = built_files_find(&built, NULL, &is_first);
    assert_ptr_equal(found, first);
    built_files_release(&built);
    assert_int_equal(shared_file_write(found, 0, "a", 1), 0);
    shared_file_release(found);
}

struct waiting {
    struct built_files *built;
    struct notifier cancel;
    bool is_first;
};

static void *find(void *context)
{
    struct waiting *waiting = context;

    return built_files_find(waiting->built, &waiting->cancel, &waiting->is_first);
}

CASE(built_files__others_wait_for_the_first)
{
    struct built_files built = BUILT_FILES_INIT;
    struct waiting waiting = {&built, NOTIFIER_INIT, true};
    struct shared_file *first = shared_file_new(linux_unnamed_file());
    pthread_t other;
    bool is_first;
    void *found;

    assert_null(built_files_find(&built, NULL, &is_first));
    assert_int_equal(thread_start(&other, find, &waiting), 0);
    built_files_share(&built, first);
    assert_int_equal(pthread_join(other, &found), 0);
    assert_ptr_equal(found, first);
    shared_file_release(found);
    built_files_release(&built);
}

/* What waits may be cancelled before that, and the first one builds on. */
CASE(built_files__a_cancelled_wait)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct built_files built = BUILT_FILES_INIT;
    struct waiting waiting = {&built, NOTIFIER_INIT, true};
    pthread_t other;
    bool is_first;
    void *found;

    assert_int_equal(notifier_open(&waiting.cancel, &error), 0);
    assert_null(built_files_find(&built, NULL, &is_first));
    assert_int_equal(thread_start(&other, find, &waiting), 0);
    notifier_raise(&waiting.cancel);
    built_files_wake(&built);
    assert_int_equal(pthread_join(other, &found), 0);
    assert_null(found);
    assert_false(waiting.is_first);
    assert_true(built.is_awaited);
    notifier_release(&waiting.cancel);
}
