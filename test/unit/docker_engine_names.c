#include "test.h"

#include "base/clock.h"
#include "docker/engine_names.h"

/* The names that a docker command with this body has, joined by blanks; NULL with the error. */
static char *names_of(const char *body, enum engine_names kind, long long milliseconds,
                      struct error *error)
{
    char *directory = temp_create();
    CLEANUP_FREE char *command = script_in(directory, "docker", body);
    const struct docker docker = {.command = command, .engine_timeout = 60};
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    const int result =
        engine_names_list(&docker, kind, clock_now_ms() + milliseconds, NULL, &names, error);

    temp_remove(directory);
    return result == 0 ? strvec_join(&names, "|") : NULL;
}

static void assert_names(const char *body, enum engine_names kind, const char *expected)
{
    struct error error = ERROR_INIT;
    CLEANUP_FREE char *names = names_of(body, kind, 60000, &error);

    assert_no_error(&error);
    assert_string_equal(names, expected);
}

/* A name without its end was cut off. */
CASE(engine_names__images)
{
    assert_names("echo WARNING >&2\n"
                 "echo \"$*\"\n"
                 "printf '%s\\n' a:1 '<none>:<none>' 'b:<none>' host:5000/c:latest\n"
                 "printf d:",
                 ENGINE_IMAGES,
                 "image ls --format {{.Repository}}:{{.Tag}}|a:1|host:5000/c:latest");
    assert_names("", ENGINE_IMAGES, "");
}

CASE(engine_names__networks)
{
    assert_names("printf '%s\\n' \"$*\" bridge mine", ENGINE_NETWORKS,
                 "network ls --format {{.Name}}|bridge|mine");
}

CASE(engine_names__fail)
{
    struct error error = ERROR_INIT;

    assert_null(names_of("echo 'no engine' >&2; exit 1", ENGINE_IMAGES, 60000, &error));
    assert_error(&error, ERROR_ENGINE, "cannot list the images: no engine");
    assert_null(names_of("echo 'no engine' >&2; exit 1", ENGINE_NETWORKS, 60000, &error));
    assert_error(&error, ERROR_ENGINE, "cannot list the networks: no engine");
}

CASE(engine_names__deadline)
{
    struct error error = ERROR_INIT;

    assert_null(names_of("exec sleep 30", ENGINE_IMAGES, 100, &error));
    assert_int_equal(error.kind, ERROR_ENGINE);
    error_release(&error);
}
