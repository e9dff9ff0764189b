#include "test.h"

#include "docker/engine_memory.h"

static void engine_memory__remembers_images(void **state)
{
    struct engine_memory memory;

    (void)state;
    engine_memory_init(&memory);
    assert_false(engine_memory_is_without_shell(&memory, "a:1"));
    engine_memory_set_without_shell(&memory, "a:1");
    engine_memory_set_without_shell(&memory, "a:1");
    assert_true(engine_memory_is_without_shell(&memory, "a:1"));
    assert_false(engine_memory_is_without_shell(&memory, "a"));
    assert_false(engine_memory_is_without_shell(&memory, "a:1 "));
    assert_int_equal(memory.without_shell.count, 1);
    engine_memory_release(&memory);
}

static void engine_memory__of_nobody(void **state)
{
    (void)state;
    engine_memory_set_without_shell(NULL, "a:1");
    assert_false(engine_memory_is_without_shell(NULL, "a:1"));
}

/* What is asked for last is remembered, whatever was forgotten for it. */
static void engine_memory__is_bounded(void **state)
{
    struct engine_memory memory;

    (void)state;
    engine_memory_init(&memory);
    for (int i = 0; i < 2500; i++) {
        CLEANUP_FREE char *image = string_format("image:%d", i);

        engine_memory_set_without_shell(&memory, image);
        assert_true(engine_memory_is_without_shell(&memory, image));
        assert_true(memory.without_shell.count <= 1000);
    }
    engine_memory_release(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_memory__remembers_images),
        cmocka_unit_test(engine_memory__of_nobody),
        cmocka_unit_test(engine_memory__is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
