#include "test.h"

#include "base/clock.h"
#include "container/owned_container.h"
#include "docker/engine_memory.h"

/* A docker command that appends its --user to the file "users", and what it needs. */
struct fixture {
    char *directory, *command;
    struct engine_memory memory;
    struct docker docker;
    struct strvec cap_drop, words, warnings;
    struct container_spec spec;
};

static void set_up(struct fixture *fixture, unsigned first)
{
    *fixture = (struct fixture){.directory = temp_create()};
    fixture->command = script_in(fixture->directory, "docker",
                                 "for word; do case $word in --user=*) echo \"$word\" >>users ;; "
                                 "esac; done");
    engine_memory_init(&fixture->memory);
    fixture->docker = (struct docker){.command = fixture->command,
                                      .engine_timeout = 600,
                                      .users = {first, first},
                                      .memory = &fixture->memory};
    strvec_push(&fixture->words, "true");
    fixture->spec = (struct container_spec){.image = "image:1",
                                            .network = "none",
                                            .uid = 7,
                                            .gid = 8,
                                            .cap_drop = &fixture->cap_drop,
                                            .command = &fixture->words};
}

static void tear_down(struct fixture *fixture)
{
    engine_memory_release(&fixture->memory);
    strvec_release(&fixture->words);
    strvec_release(&fixture->warnings);
    free(fixture->command);
    temp_remove(fixture->directory);
}

static int create(struct fixture *fixture, struct owned_container *container, struct error *error)
{
    owned_container_init(container, &fixture->docker, NULL, 1000);
    fixture->spec.name = container->name;
    fixture->spec.labels = &container->labels;
    return owned_container_create(container, &fixture->spec, clock_now_ms() + 60000, 0, NULL,
                                  &fixture->warnings, error);
}

static void check_users(const struct fixture *fixture, const char *expected)
{
    CLEANUP_FREE char *users = read_in(fixture->directory, "users");

    assert_string_equal(users, expected);
}

/* The range has one user, so a second container gets it only after the release of the first. */
CASE_WITH(owned_container__user_is_held_until_the_release, set_up(fixture, 4321))
{
    struct owned_container one, other;
    struct error error = ERROR_INIT;

    fixture->spec.draw_user = true;
    assert_int_equal(create(fixture, &one, &error), 0);
    assert_int_equal(one.user, 4321);
    assert_int_equal(create(fixture, &other, &error), -1);
    assert_error(&error, ERROR_SYSTEM,
                 "cannot create a container: all users from 4321 to 4321 are in use by others; set "
                 "a larger userRange in the configuration");
    owned_container_release(&other);
    owned_container_release(&one);
    assert_int_equal(create(fixture, &other, &error), 0);
    owned_container_release(&other);
    check_users(fixture, "--user=4321:4321\n--user=4321:4321\n");
}

CASE_WITH(owned_container__given_user, set_up(fixture, 4321))
{
    struct owned_container container;
    struct error error = ERROR_INIT;

    assert_int_equal(create(fixture, &container, &error), 0);
    assert_int_equal(container.user, 0);
    assert_int_equal(fixture->memory.held_count, 0);
    owned_container_release(&container);
    check_users(fixture, "--user=7:8\n");
}

/* ---- names */

CASE(owned_container__purpose_of_a_name)
{
    static const struct {
        const char *name;
        enum container_purpose purpose;
    } names[] = {
        {"isolator-0123456789abcdef", PURPOSE_RUN},
        {"isolator-session-0123456789abcdef", PURPOSE_SESSION},
        {"isolator-job-0123456789abcdef", PURPOSE_JOB},
        {"isolator-job-0123456789abcde", PURPOSE_NONE},
        {"isolator-job-0123456789abcdef0", PURPOSE_NONE},
        {"isolator-job-0123456789abcdeg", PURPOSE_NONE},
        {"isolator-job-0123456789ABCDEF", PURPOSE_NONE},
        {"isolator-job-", PURPOSE_NONE},
        {"isolator-job0123456789abcdef", PURPOSE_NONE},
        {"isolator-jobs-0123456789abcdef", PURPOSE_NONE},
        {"x-isolator-job-0123456789abcdef", PURPOSE_NONE},
        {"/isolator-job-0123456789abcdef", PURPOSE_NONE},
        {"isolator-", PURPOSE_NONE},
        {"", PURPOSE_NONE},
    };

    for (size_t i = 0; i < COUNT(names); i++)
        if (owned_container_purpose(names[i].name) != names[i].purpose)
            fail_msg("'%s' has purpose %d", names[i].name,
                     (int)owned_container_purpose(names[i].name));
}

/* Its labels say that it belongs to this process, until it is a job's. */
CASE_WITH(owned_container__of_a_job, set_up(fixture, 4321))
{
    struct owned_container container;
    CLEANUP_FREE char *name = NULL;

    owned_container_init_lasting(&container, &fixture->docker, PURPOSE_JOB, NULL, 1000);
    assert_int_equal(owned_container_purpose(container.name), PURPOSE_JOB);
    assert_int_equal(strlen(container.name), 29);
    assert_int_equal(container.labels.count, 6);
    assert_false(container.created);
    name = owned_container_job_name(container.name + 13);
    assert_string_equal(name, container.name);
    owned_container_release(&container);

    owned_container_init(&container, &fixture->docker, NULL, 1000);
    assert_int_equal(owned_container_purpose(container.name), PURPOSE_RUN);
    owned_container_release(&container);
}
