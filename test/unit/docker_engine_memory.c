#include "test.h"

#include "base/clock.h"
#include "docker/container.h"
#include "docker/engine_memory.h"

static const struct user_range all = {1900000, 1965535};

static unsigned draw(struct engine_memory *memory, struct user_range range)
{
    struct error error = ERROR_INIT;
    unsigned user = 0;

    assert_int_equal(engine_memory_draw_user(memory, range, &user, &error), 0);
    assert_no_error(&error);
    assert_in_range(user, range.first, range.last);
    return user;
}

CASE(engine_memory__images_without_a_shell)
{
    struct engine_memory memory;

    engine_memory_init(&memory);
    assert_false(engine_memory_is_without_shell(&memory, "a"));
    engine_memory_set_without_shell(&memory, "a");
    engine_memory_set_without_shell(&memory, "a");
    assert_true(engine_memory_is_without_shell(&memory, "a"));
    assert_false(engine_memory_is_without_shell(&memory, "b"));
    engine_memory_release(&memory);
    engine_memory_set_without_shell(NULL, "a");
    assert_false(engine_memory_is_without_shell(NULL, "a"));
}

CASE(engine_memory__oci_runtimes_that_enforce_limits)
{
    struct engine_memory memory;

    engine_memory_init(&memory);
    assert_false(engine_memory_is_enforcing(&memory, NULL));
    engine_memory_set_enforcing(&memory, "runsc");
    assert_true(engine_memory_is_enforcing(&memory, "runsc"));
    assert_false(engine_memory_is_enforcing(&memory, NULL));
    engine_memory_set_enforcing(&memory, NULL);
    assert_true(engine_memory_is_enforcing(&memory, NULL));
    assert_false(engine_memory_is_without_shell(&memory, "runsc"));
    engine_memory_release(&memory);
    engine_memory_set_enforcing(NULL, "runsc");
    assert_false(engine_memory_is_enforcing(NULL, "runsc"));
}

CASE(engine_memory__api_version)
{
    static const char *const without[] = {"",       "1",      "1.",   ".41",   "a1.41", " 1.41",
                                          "1.4141", "1414.1", "1,41", "1.41 ", "4.3.1", "1.41\nx"};
    char variable[API_VARIABLE_SIZE];
    struct engine_memory memory;

    engine_memory_init(&memory);
    assert_false(engine_memory_api(&memory, variable));
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        engine_memory_set_api(&memory, without[i]);
        assert_false(engine_memory_api(&memory, variable));
    }
    engine_memory_set_api(&memory, "1.41\n");
    assert_true(engine_memory_api(&memory, variable));
    assert_string_equal(variable, "DOCKER_API_VERSION=1.41");
    setenv("DOCKER_API_VERSION", "1.40", 1);
    assert_false(engine_memory_api(&memory, variable));
    unsetenv("DOCKER_API_VERSION");
    engine_memory_set_api(&memory, "999.999");
    assert_true(engine_memory_api(&memory, variable));
    assert_string_equal(variable, "DOCKER_API_VERSION=999.999");
    engine_memory_set_api(&memory, NULL);
    assert_false(engine_memory_api(&memory, variable));
    engine_memory_release(&memory);
    engine_memory_set_api(NULL, "1.41");
    assert_false(engine_memory_api(NULL, variable));
}

/* Each user of the range is drawn once. Then none is left, until one is released. */
CASE(engine_memory__users_of_living_containers_are_not_drawn)
{
    static const struct user_range few = {1000, 1255};
    struct error error = ERROR_INIT;
    struct engine_memory memory;
    bool drawn[256] = {false};
    unsigned user = 1;

    engine_memory_init(&memory);
    for (int i = 0; i < 256; i++) {
        bool *mine = &drawn[draw(&memory, few) - few.first];

        assert_false(*mine);
        *mine = true;
    }
    assert_int_equal(engine_memory_draw_user(&memory, few, &user, &error), -1);
    assert_error(&error, ERROR_SYSTEM,
                 "cannot create a container: all users from 1000 to 1255 are in use by others; set "
                 "a larger userRange in the configuration");
    assert_int_equal(user, 0);
    engine_memory_release_user(&memory, 0);
    engine_memory_release_user(&memory, 1256);
    assert_int_equal(engine_memory_draw_user(&memory, few, &user, &error), -1);
    error_release(&error);
    engine_memory_release_user(&memory, 1100);
    assert_int_equal(draw(&memory, few), 1100);
    engine_memory_release(&memory);
}

CASE(engine_memory__users_are_drawn_at_random)
{
    struct engine_memory memory;
    int low = 0;

    engine_memory_init(&memory);
    for (int i = 0; i < 200; i++)
        low += draw(&memory, all) < all.first + 32768;
    assert_in_range(low, 40, 160);
    engine_memory_release(&memory);
}

CASE(engine_memory__users_without_a_memory)
{
    draw(NULL, all);
    engine_memory_release_user(NULL, 1900000);
}

/* No range, as in a struct docker that was not made from a configuration, never means root. */
CASE(engine_memory__no_range)
{
    struct error error = ERROR_INIT;
    unsigned user = 1;

    assert_int_equal(engine_memory_draw_user(NULL, (struct user_range){0, 0}, &user, &error), -1);
    assert_int_equal(error.kind, ERROR_SYSTEM);
    error_release(&error);
}

CASE(engine_memory__engine_that_maps_users)
{
    static const struct user_range low = {1000, 1999}, high = {65000, 66000};
    struct error error = ERROR_INIT;
    struct engine_memory memory;
    unsigned user;

    engine_memory_init(&memory);
    assert_int_equal(engine_memory_users(&memory), ENGINE_USERS_UNKNOWN);
    engine_memory_set_engine(&memory, ENGINE_USERS_ALL, 0);
    draw(&memory, all);
    engine_memory_set_engine(&memory, ENGINE_USERS_MAPPED, 4);
    assert_int_equal(engine_memory_users(&memory), ENGINE_USERS_MAPPED);
    assert_int_equal(engine_memory_cpus(&memory), 4);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(engine_memory_draw_user(&memory, i < 50 ? all : high, &user, &error), 0);
        assert_in_range(user, 10000, 59999);
    }
    draw(&memory, low); /* the engine has all of these */
    engine_memory_release(&memory);
    engine_memory_set_engine(NULL, ENGINE_USERS_MAPPED, 4);
    assert_int_equal(engine_memory_users(NULL), ENGINE_USERS_UNKNOWN);
    assert_int_equal(engine_memory_cpus(NULL), 0);
}

static struct spec_fingerprint fingerprint(bool draw_user, unsigned uid, unsigned gid)
{
    const struct strvec none = STRVEC_INIT;
    const struct container_spec spec = {.image = "image:1",
                                        .network = "none",
                                        .uid = uid,
                                        .gid = gid,
                                        .draw_user = draw_user,
                                        .cap_drop = &none,
                                        .command = &none};

    return container_fingerprint(&spec);
}

CASE(engine_memory__drawn_user_is_no_part_of_the_fingerprint)
{
    const struct spec_fingerprint drawn = fingerprint(true, 1900001, 1900001);
    const struct spec_fingerprint other = fingerprint(true, 1900002, 1900002);
    const struct spec_fingerprint given = fingerprint(false, 1900001, 1900001);
    const struct spec_fingerprint group = fingerprint(false, 1900001, 1900002);
    const struct spec_fingerprint root = fingerprint(false, 0, 0);

    assert_true(spec_fingerprint_equal(&drawn, &other));
    assert_false(spec_fingerprint_equal(&drawn, &given));
    assert_false(spec_fingerprint_equal(&drawn, &root));
    assert_false(spec_fingerprint_equal(&given, &group));
}

/* Questions that were open at the same time are one. */
CASE(engine_memory__silences_in_a_row)
{
    struct engine_memory memory;
    long long first;

    assert_int_equal(engine_memory_silences(NULL), 1);
    engine_memory_init(&memory);
    first = clock_now_ms() - 1000;
    assert_int_equal(engine_memory_silences(&memory), 0);
    engine_memory_note_silence(&memory, first);
    engine_memory_note_silence(&memory, first);
    assert_int_equal(engine_memory_silences(&memory), 1);
    engine_memory_note_silence(&memory, clock_now_ms());
    assert_int_equal(engine_memory_silences(&memory), 2);
    engine_memory_note_answer(&memory);
    assert_int_equal(engine_memory_silences(&memory), 0);
    engine_memory_note_silence(&memory, clock_now_ms());
    assert_int_equal(engine_memory_silences(&memory), 1);
    engine_memory_release(&memory);
}

CASE(engine_memory__counts_interrupted_creations)
{
    struct engine_memory memory;

    assert_int_equal(engine_memory_note_interrupted(NULL), 1);
    engine_memory_init(&memory);
    assert_int_equal(engine_memory_note_interrupted(&memory), 1);
    assert_int_equal(engine_memory_note_interrupted(&memory), 2);
    engine_memory_release(&memory);
}
