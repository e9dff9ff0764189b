#include "test.h"

#include "docker/image_store.h"

enum { ENGINE_TIMEOUT = 600 };

/* A docker command that is a script; each call is a line of the file "calls". */
struct fixture {
    char *directory;
    char *command;
    struct docker docker;
    struct error error;
};

static void set_up(struct fixture *fixture, const char *script)
{
    CLEANUP_FREE char *body = string_format("echo \"$*\" >>calls\n%s", script);

    *fixture = (struct fixture){.directory = temp_create()};
    fixture->command = script_in(fixture->directory, "docker", body);
    fixture->docker =
        (struct docker){.command = fixture->command, .engine_timeout = ENGINE_TIMEOUT};
}

static void tear_down(struct fixture *fixture, const char *expected)
{
    CLEANUP_FREE char *calls = read_in(fixture->directory, "calls");

    assert_string_equal(calls, expected);
    error_release(&fixture->error);
    free(fixture->command);
    temp_remove(fixture->directory);
}

#define HAS      "image inspect --format {{.ID}} -- py:3\n"
#define DETAILS  "image inspect --format {{- json .}} -- py:3\n"
#define ENDPOINT "context inspect --format {{.Endpoints.docker.Host}}\n"
#define LIST                                                                                       \
    "image ls --all --no-trunc --digests --format {{.ID}} {{.Repository}}:{{.Tag}} "               \
    "{{.Repository}}@{{.Digest}}\n"
#define VERSION "version --format {{.Server.Version}}\n"

static int has(struct fixture *fixture)
{
    return image_store_has(&fixture->docker, "py:3", NULL, &fixture->error);
}

static int details(struct fixture *fixture, struct image_details *seen)
{
    return image_store_details(&fixture->docker, "py:3", NULL, seen, &fixture->error);
}

CASE(image_store__has_an_image)
{
    struct fixture fixture;

    set_up(&fixture, "echo sha256:0");
    assert_int_equal(has(&fixture), 1);
    tear_down(&fixture, HAS);
}

CASE(image_store__has_no_such_image)
{
    struct image_details seen = IMAGE_DETAILS_INIT;
    struct fixture fixture;

    set_up(&fixture, "case \"$1 $2\" in version* | 'image ls') exit 0;; esac; exit 1");
    assert_int_equal(has(&fixture), 0);
    assert_no_error(&fixture.error);
    assert_int_equal(details(&fixture, &seen), 0);
    assert_no_error(&fixture.error);
    assert_null(seen.id);
    tear_down(&fixture, HAS VERSION HAS LIST DETAILS VERSION HAS LIST);
}

CASE(image_store__with_an_engine_that_fails)
{
    struct image_details seen = IMAGE_DETAILS_INIT;
    struct fixture fixture;

    set_up(&fixture,
           "case $1 in context) echo tcp://box:1; exit 0;; esac; echo broken >&2; exit 1");
    assert_int_equal(has(&fixture), -1);
    assert_error(
        &fixture.error, ERROR_ENGINE,
        "cannot inspect an image: the container engine does not answer at tcp://box:1; see "
        "docker context ls and choose another context than tcp://box:1: broken");
    assert_int_equal(details(&fixture, &seen), -1);
    assert_int_equal(fixture.error.kind, ERROR_ENGINE);
    tear_down(&fixture, HAS VERSION ENDPOINT DETAILS VERSION ENDPOINT);
}

CASE(image_store__details)
{
    CLEANUP(image_details_release) struct image_details seen = IMAGE_DETAILS_INIT;
    struct fixture fixture;

    set_up(&fixture, "echo '{\"Size\": 123}'");
    assert_int_equal(details(&fixture, &seen), 1);
    assert_no_error(&fixture.error);
    assert_int_equal(seen.bytes, 123);
    tear_down(&fixture, DETAILS);
}

/* podman calls an image localhost/NAME that has no registry. */
CASE(image_store__tags_as_docker_writes_them)
{
    static const struct {
        enum engine_kind kind;
        const char *tags;
    } expected[] = {{ENGINE_PODMAN, "py:3 docker.io/py:3 localhost:5000/py:3"},
                    {ENGINE_DOCKER, "localhost/py:3 docker.io/py:3 localhost:5000/py:3"}};

    for (size_t i = 0; i < 2; i++) {
        CLEANUP(image_details_release) struct image_details seen = IMAGE_DETAILS_INIT;
        CLEANUP_FREE char *tags = NULL;
        struct fixture fixture;

        set_up(&fixture, "echo '{\"RepoTags\": [\"localhost/py:3\", \"docker.io/py:3\", "
                         "\"localhost:5000/py:3\"]}'");
        fixture.docker.kind = expected[i].kind;
        assert_int_equal(details(&fixture, &seen), 1);
        tags = strvec_join(&seen.tags, " ");
        assert_string_equal(tags, expected[i].tags);
        tear_down(&fixture, DETAILS);
    }
}

CASE(image_store__garbage_for_details)
{
    struct image_details seen = IMAGE_DETAILS_INIT;
    CLEANUP_FREE char *message = NULL;
    struct fixture fixture;

    set_up(&fixture, "echo '{\"Size\": 123, \"Config\": {\"Cmd\": [7]}}'");
    assert_int_equal(details(&fixture, &seen), -1);
    message =
        string_format("cannot inspect the image 'py:3': '%s image inspect' did not answer in JSON",
                      fixture.command);
    assert_error(&fixture.error, ERROR_ENGINE, message);
    assert_int_equal(seen.bytes, -1); /* released */
    tear_down(&fixture, DETAILS);
}

/* An image without variables: to the command of Docker 29, whose engine leaves the list out, and to
 * podman. */
CASE(image_store__environment)
{
    static const struct {
        const char *printed, *expected;
    } cases[] = {{"[\"A=1\",\"B=\"]", "A=1|B="}, {"null", ""}, {"[]", ""}, {"[7]", ""}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        CLEANUP(strvec_release) struct strvec seen = STRVEC_INIT;
        CLEANUP_FREE char *script = string_format("echo '%s'", cases[i].printed);
        CLEANUP_FREE char *joined = NULL;
        struct fixture fixture;

        set_up(&fixture, script);
        assert_int_equal(
            image_store_environment(&fixture.docker, "py:3", NULL, &seen, &fixture.error), 0);
        joined = strvec_join(&seen, "|");
        assert_string_equal(joined, cases[i].expected);
        tear_down(&fixture, "image inspect --format {{json .Config.Env}} -- py:3\n");
    }
}

CASE(image_store__tags_and_removes)
{
    struct fixture fixture;

    set_up(&fixture, "case $2 in rm) echo it is used >&2; exit 1;; esac");
    assert_int_equal(image_store_tag(&fixture.docker, "a", "b:c", NULL, &fixture.error), 0);
    assert_int_equal(image_store_remove(&fixture.docker, "a", NULL, &fixture.error), -1);
    assert_error(&fixture.error, ERROR_ENGINE, "cannot remove the image: it is used");
    tear_down(&fixture, "image tag -- a b:c\nimage rm -- a\n");
}

/* The progress of docker is on our stderr, and its last words are in the error. */
CASE(image_store__pulls)
{
    CLEANUP_FREE char *shown = NULL;
    CLEANUP_FREE char *path = NULL;
    CLEANUP_FREE char *message = NULL;
    CLEANUP_FD int saved = dup(STDERR_FILENO);
    CLEANUP_FD int file = -1;
    struct fixture fixture;
    int result;

    set_up(&fixture, "case $1 in version) exit 0;; esac; echo out; echo err >&2; exit 4");
    path = path_in(fixture.directory, "shown");
    file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(saved >= 0 && file >= 0);
    dup2(file, STDERR_FILENO);
    result = image_store_pull(&fixture.docker, "a:b", NULL, &fixture.error);
    dup2(saved, STDERR_FILENO);
    assert_int_equal(result, -1);
    message =
        string_format("cannot pull the image 'a:b': err; without its registry, bring the image "
                      "with '%s save' and '%s load', or set \"image\" of the language to one "
                      "that the engine has",
                      fixture.command, fixture.command);
    assert_error(&fixture.error, ERROR_IMAGE, message);
    shown = read_in(fixture.directory, "shown");
    assert_string_equal(shown, "out\n");
    tear_down(&fixture, "pull -- a:b\n" VERSION);
}

/* It has no deadline, but ends at once. */
CASE(image_store__pull_is_cancelled)
{
    struct notifier cancel = NOTIFIER_INIT;
    struct fixture fixture;

    set_up(&fixture, "exec sleep 600");
    assert_int_equal(notifier_open(&cancel, &fixture.error), 0);
    notifier_raise(&cancel);
    assert_int_equal(image_store_pull(&fixture.docker, "a:b", &cancel, &fixture.error), -1);
    assert_error(&fixture.error, ERROR_CANCELLED, "cancelled");
    notifier_release(&cancel);
    free(fixture.command);
    temp_remove(fixture.directory);
}
