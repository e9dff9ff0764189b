#include "test.h"

#include "base/memory.h"

static void memory__of_no_size(void **state)
{
    CLEANUP_FREE void *allocated = memory_allocate(0);
    CLEANUP_FREE void *resized = memory_resize(memory_allocate(1), 0);

    (void)state;
    assert_non_null(allocated);
    assert_non_null(resized);
}

static void memory__keeps_its_content_when_resized(void **state)
{
    CLEANUP_FREE char *memory = memory_resize(NULL, 4);

    (void)state;
    memcpy(memory, "abc", 4);
    memory = memory_resize(memory, 1 << 20);
    assert_string_equal(memory, "abc");
}
