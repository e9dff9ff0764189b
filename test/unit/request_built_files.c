#include "request/built_files.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "test.h"

CASE(built_files__the_first_is_shared)
{
    struct built_files built = BUILT_FILES_INIT;
    struct shared_file *first = shared_file_new(linux_unnamed_file());
    struct shared_file *found;

    assert_null(built_files_find(&built));
    built_files_share(&built, first);
    built_files_share(&built, shared_file_new(linux_unnamed_file()));
    found = built_files_find(&built);
    assert_ptr_equal(found, first);
    built_files_release(&built);
    assert_int_equal(shared_file_write(found, 0, "a", 1), 0);
    shared_file_release(found);
}
