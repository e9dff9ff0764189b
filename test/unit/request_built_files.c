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

    assert_null(built_files_find(&built));
    built_files_give_up(&built); /* so the next one does not wait */
    assert_null(built_files_find(&built));
    built_files_share(&built, first);
    built_files_share(&built, shared_file_new(linux_unnamed_file()));
    found = built_files_find(&built);
    assert_ptr_equal(found, first);
    built_files_release(&built);
    assert_int_equal(shared_file_write(found, 0, "a", 1), 0);
    shared_file_release(found);
}

static void *find(void *built)
{
    return built_files_find(built);
}

CASE(built_files__others_wait_for_the_first)
{
    struct built_files built = BUILT_FILES_INIT;
    struct shared_file *first = shared_file_new(linux_unnamed_file());
    pthread_t other;
    void *found;

    assert_null(built_files_find(&built));
    assert_int_equal(thread_start(&other, find, &built), 0);
    built_files_share(&built, first);
    assert_int_equal(pthread_join(other, &found), 0);
    assert_ptr_equal(found, first);
    shared_file_release(found);
    built_files_release(&built);
}
