#include "test.h"

#include "base/memory.h"

CASE(memory__of_no_size)
{
    CLEANUP_FREE void *allocated = memory_allocate(0);
    CLEANUP_FREE void *resized = memory_resize(memory_allocate(1), 0);

    assert_non_null(allocated);
    assert_non_null(resized);
}

CASE(memory__keeps_its_content_when_resized)
{
    CLEANUP_FREE char *memory = memory_resize(NULL, 4);

    memcpy(memory, "abc", 4);
    memory = memory_resize(memory, 1 << 20);
    assert_string_equal(memory, "abc");
}
