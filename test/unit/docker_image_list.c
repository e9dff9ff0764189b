#include "test.h"

#include "docker/image_list.h"

#define DIGITS(digit) digit "123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID(digit)     "sha256:" DIGITS(digit)

/* A docker command that is a script. */
struct fake {
    char *directory, *command;
    struct docker docker;
};

static struct fake fake_docker(const char *body)
{
    struct fake fake = {.directory = temp_create()};

    fake.command = script_in(fake.directory, "docker", body);
    fake.docker = (struct docker){.command = fake.command, .engine_timeout = 60};
    return fake;
}

static void fake_release(struct fake *fake)
{
    free(fake->command);
    temp_remove(fake->directory);
}

/* Each image is listed once, however many tags it has; messages and a line that was cut are not. */
CASE(image_list__ids)
{
    struct fake fake = fake_docker(
        "printf '%s\\n' \"$*\" >&2\n"
        "printf '%s\\n' WARNING " ID("a") " " ID("b") " " ID("a") "\n"
                                                                  "printf '%.70s' " ID("c"));
    CLEANUP(strvec_release) struct strvec ids = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;
    struct error error = ERROR_INIT;

    assert_int_equal(image_list(&fake.docker, "mine", NULL, &ids, &error), 0);
    joined = strvec_join(&ids, " ");
    assert_string_equal(joined, ID("a") " " ID("b"));
    fake_release(&fake);
}

CASE(image_list__fails)
{
    struct fake fake = fake_docker("echo 'no engine' >&2; exit 1");
    CLEANUP(strvec_release) struct strvec ids = STRVEC_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(image_list(&fake.docker, "mine", NULL, &ids, &error), -1);
    assert_error(&error, ERROR_ENGINE, "cannot list the images: no engine");
    assert_int_equal(image_list_in_use(&fake.docker, ID("a"), NULL, &error), -1);
    assert_error(&error, ERROR_ENGINE, "cannot list the containers: no engine");
    fake_release(&fake);
}

CASE(image_list__in_use)
{
    struct fake fake = fake_docker("[ \"$5\" != ancestor=" ID("a") " ] || echo 0123456789ab");
    struct error error = ERROR_INIT;

    assert_int_equal(image_list_in_use(&fake.docker, ID("a"), NULL, &error), 1);
    assert_int_equal(image_list_in_use(&fake.docker, ID("b"), NULL, &error), 0);
    assert_no_error(&error);
    fake_release(&fake);
}

/* podman 4.3 finds no id with "sha256:". */
CASE(image_list__in_use_with_podman)
{
    struct fake fake = fake_docker("[ \"$5\" != ancestor=" DIGITS("a") " ] || echo 0123456789ab");
    struct error error = ERROR_INIT;

    fake.docker.kind = ENGINE_PODMAN;
    assert_int_equal(image_list_in_use(&fake.docker, ID("a"), NULL, &error), 1);
    assert_int_equal(image_list_in_use(&fake.docker, ID("b"), NULL, &error), 0);
    assert_no_error(&error);
    fake_release(&fake);
}
