#define _GNU_SOURCE /* pthread_getattr_np() */
#include "test.h"

#include <errno.h>

#include <jansson.h>

#include "base/memory.h"
#include "base/thread.h"

/* The deepest value that jansson reads; it needs most of what a thread has. */
static void *read_and_write(void *argument)
{
    char *text = argument;
    json_t *value = json_loads(text, 0, NULL);
    char *written = value ? json_dumps(value, JSON_COMPACT) : NULL;

    json_decref(value);
    return written;
}

CASE(thread__has_room_for_the_deepest_json)
{
    const size_t depth = JSON_PARSER_MAX_DEPTH;
    CLEANUP_FREE char *text = memory_allocate(2 * depth + 1);
    pthread_t thread;
    void *written;

    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = '\0';
    assert_int_equal(thread_start(&thread, read_and_write, text), 0);
    pthread_join(thread, &written);
    assert_string_equal(written, text);
    free(written);
}

static void *ask_stack(void *argument)
{
    pthread_attr_t attributes;

    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstacksize(&attributes, argument);
    pthread_attr_destroy(&attributes);
    return NULL;
}

CASE(thread__states_its_stack)
{
    pthread_t thread;
    size_t bytes = 0;

    assert_int_equal(thread_start(&thread, ask_stack, &bytes), 0);
    pthread_join(thread, NULL);
    assert_int_equal(bytes, THREAD_STACK_BYTES);
}

CASE(thread__lock_ends_with_the_block)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    {
        THREAD_LOCK(&mutex);
        assert_int_equal(pthread_mutex_trylock(&mutex), EBUSY);
    }
    assert_int_equal(pthread_mutex_trylock(&mutex), 0);
    pthread_mutex_unlock(&mutex);
}
