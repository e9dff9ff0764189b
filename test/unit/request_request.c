#include "test.h"

#include <math.h>

#include "base/linux.h"
#include "config/config_read.h"
#include "request/plan.h"

static const char CONFIG[] =
    "{\"containerCommand\": \"docker\", \"containerWorkdir\": \"/workspace\","
    " \"defaults\": {\"timeoutSeconds\": 60, \"memoryMB\": 256, \"cpus\": 0.5, \"pidsLimit\": 64,"
    "  \"workdirMB\": 64, \"tmpMB\": 64, \"outputBytes\": 1048576, \"network\": \"none\","
    "  \"readOnly\": true, \"capDrop\": [\"ALL\"]}, \"userRange\": \"1000-2000\","
    " \"maximums\": {\"memoryMB\": 1024},"
    " \"languages\": {"
    "  \"py\": {\"image\": \"py:3\", \"command\": [\"python3\", \"{entrypoint}\"],"
    "   \"extensions\": [\".py\"], \"defaultFilename\": \"main.py\","
    "   \"env\": {\"P\": \"1\", \"HOME\": \"/root\", \"Q\": \"2\"}, \"memoryMB\": 512},"
    "  \"c\": {\"image\": \"gcc:12\", \"command\": [\"sh\", \"-c\", \"cc '{entrypoint}' && "
    "./a.out\","
    "   \"{entrypoint}\"], \"extensions\": [\".c\"], \"defaultFilename\": \"main.c\"}}}";

/* A configuration, an empty request, and the plan that it resolves to. */
struct fixture {
    struct config config;
    struct request request;
    struct plan plan;
    struct error error;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.plan = PLAN_INIT};
    config_init(&fixture->config);
    request_init(&fixture->request);
    assert_int_equal(
        config_overlay(&fixture->config, CONFIG, sizeof CONFIG - 1, "test", &fixture->error), 0);
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    plan_release(&fixture->plan);
    request_release(&fixture->request);
    config_release(&fixture->config);
}

/* A request of this language, directory and entrypoint, each of which may be NULL. */
static void set_up_request(struct fixture *fixture, const char *language, const char *dir,
                           const char *entrypoint)
{
    set_up(fixture);
    fixture->request.language = language ? string_copy(language) : NULL;
    fixture->request.input.dir = dir ? string_copy(dir) : NULL;
    fixture->request.entrypoint = entrypoint ? string_copy(entrypoint) : NULL;
}

static void resolve(struct fixture *fixture)
{
    const int result =
        plan_resolve(&fixture->plan, &fixture->config, &fixture->request, &fixture->error);

    assert_no_error(&fixture->error);
    assert_int_equal(result, 0);
}

/* Resolves the request, which must fail, and tears the fixture down. */
static void refuse(struct fixture *fixture, enum error_kind kind, const char *message)
{
    assert_int_equal(
        plan_resolve(&fixture->plan, &fixture->config, &fixture->request, &fixture->error), -1);
    assert_error(&fixture->error, kind, message);
    tear_down(fixture);
}

static void check_joined(const struct strvec *strings, const char *expected)
{
    CLEANUP_FREE char *joined = strvec_join(strings, "|");

    assert_string_equal(joined, expected);
}

CASE(request__init_is_nothing)
{
    struct request request;

    request_init(&request);
    assert_int_equal(request.input.file, -1);
    assert_int_equal(request.input.stdin_file, -1);
    assert_true(isnan(request.policy.limits.number[LIMIT_MEMORY]));
    request_release(&request);
}

CASE(request__release_closes_its_files)
{
    struct request request;
    int files[2];

    request_init(&request);
    assert_int_equal(pipe(files), 0);
    request.input.file = files[0];
    request.input.stdin_file = files[1];
    request_release(&request);
    assert_int_equal(fcntl(files[0], F_GETFD), -1);
    assert_int_equal(fcntl(files[1], F_GETFD), -1);
}

/* Input that comes while the program runs is not held, and may be a large file. */
CASE(request__bytes_of_its_input)
{
    struct input input = INPUT_INIT;

    input.stdin_file = linux_unnamed_file_of("1234567", 7);
    assert_int_equal(input_bytes(&input), 7);
    input.stdin_is_live = true;
    assert_int_equal(input_bytes(&input), 0);
    input_release(&input);
    assert_false(input.stdin_is_live);
}

/* The copy owns all that it has. */
CASE(request__copy_of_input)
{
    struct input input = INPUT_INIT, copy = INPUT_INIT;
    struct file_range range = {NULL, 2, 3};
    struct error error = ERROR_INIT;
    char text[3];

    input.dir = string_copy("/dir");
    input.code = string_copy("code");
    input.code_length = 4;
    input.file = linux_unnamed_file_of("file", 4);
    input.stdin_file = linux_unnamed_file_of("stdin", 5);
    range.file = shared_file_new(linux_unnamed_file_of("0123456", 7));
    input_files_add(&input.files, "a", string_copy("data"), 4);
    input_files_add_range(&input.files, "b/c", range);
    assert_int_equal(input_copy(&copy, &input, &error), 0);
    assert_true(copy.file >= 0 && copy.file != input.file);
    assert_true(copy.stdin_file >= 0 && copy.stdin_file != input.stdin_file);
    input_release(&input);

    assert_string_equal(copy.dir, "/dir");
    assert_int_equal(copy.code_length, 4);
    assert_memory_equal(copy.code, "code", 4);
    assert_int_equal(pread(copy.file, text, 3, 1), 3);
    assert_memory_equal(text, "ile", 3);
    assert_true(fcntl(copy.file, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(copy.files.count, 2);
    assert_string_equal(copy.files.items[0].path, "a");
    assert_int_equal(copy.files.items[0].length, 4);
    assert_memory_equal(copy.files.items[0].data, "data", 4);
    assert_string_equal(copy.files.items[1].path, "b/c");
    assert_true(copy.files.items[1].range.offset == 2 && copy.files.items[1].range.length == 3);
    assert_int_equal(input_bytes(&copy), 4 + 4 + 5);
    input_release(&copy);
}

CASE(request__copy_of_nothing)
{
    struct input input = INPUT_INIT, copy = INPUT_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(input_copy(&copy, &input, &error), 0);
    assert_null(copy.dir);
    assert_null(copy.code);
    assert_int_equal(copy.file, -1);
    assert_int_equal(copy.stdin_file, -1);
    assert_int_equal(copy.files.count, 0);
    input_release(&copy);
    input.code = string_copy("");
    assert_int_equal(input_copy(&copy, &input, &error), 0);
    assert_non_null(copy.code); /* a program that is empty */
    assert_int_equal(copy.code_length, 0);
    input_release(&copy);
    input_release(&input);
}

/* A descriptor that is not open stands for a host that has none left. */
CASE(request__copy_that_fails)
{
    struct input input = INPUT_INIT, copy = INPUT_INIT;
    struct error error = ERROR_INIT;

    input.code = string_copy("code");
    input.code_length = 4;
    input.file = 1 << 20;
    assert_int_equal(input_copy(&copy, &input, &error), -1);
    assert_error(&error, ERROR_SYSTEM,
                 "cannot duplicate a file of the request: Bad file descriptor");
    input_release(&copy);
    input.file = -1;
    input_release(&input);
}

static void check_path(const char *path, const char *message)
{
    struct error error = ERROR_INIT;

    assert_int_equal(input_files_check_path(path, &error), message ? -1 : 0);
    if (message)
        assert_error(&error, ERROR_INPUT, message);
}

CASE(request__paths)
{
    static const char *const good[] = {"a",   "a/b/c", ".a",   "..a",   "...",      "a..",
                                       "a.b", "-a",    "a b",  "\xff",  "a/..b/.c", "a\nb",
                                       "~",   "*",     "a\\b", "a/...", "main.py"};
    static const char *const bad[] = {"",     ".",     "..",     "a/",   "a//b", "./a",
                                      "../a", "a/./b", "a/../b", "a/..", "a/.",  "a/b/"};

    for (size_t i = 0; i < COUNT(good); i++)
        check_path(good[i], NULL);
    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *message =
            string_format("'%s' must not have '..', '.' or empty parts", bad[i]);

        check_path(bad[i], message);
    }
    check_path("/", "'/' must be relative to the directory");
    check_path("/etc/passwd", "'/etc/passwd' must be relative to the directory");
    check_path("a\n/..", "'a\\n/..' must not have '..', '.' or empty parts");
}

CASE(request__long_paths)
{
    char path[4100];
    char start[81];
    CLEANUP_FREE char *too_long = NULL;
    CLEANUP_FREE char *long_part = NULL;

    memset(path, 'p', sizeof path);
    for (size_t i = 200; i < sizeof path; i += 201)
        path[i] = '/';
    memset(start, 'p', sizeof start);
    start[80] = '\0';
    path[4000] = '\0';
    check_path(path, NULL);
    path[4000] = 'p';
    path[4001] = '\0';
    too_long = string_format("path longer than 4000 bytes: '%s...'", start);
    check_path(path, too_long);
    memset(path, 'p', sizeof path);
    path[255] = '\0';
    check_path(path, NULL);
    path[255] = 'p';
    path[256] = '\0';
    long_part = string_format("a part of '%s...' is longer than 255 bytes", start);
    check_path(path, long_part);
    path[255] = '/';
    path[256] = 'p';
    path[300] = '\0';
    check_path(path, NULL);
}

CASE_WITH(plan__single_file_by_its_extension, set_up_request(fixture, NULL, NULL, "hello.py"))
{
    resolve(fixture);
    assert_string_equal(fixture->plan.image, "py:3");
    assert_string_equal(fixture->plan.workdir, "/workspace");
    assert_string_equal(fixture->plan.entrypoint, "hello.py");
    check_joined(&fixture->plan.command, "python3|hello.py");
}

CASE_WITH(plan__what_the_request_gives_comes_first,
          set_up_request(fixture, "c", "/dir", "src/a.py"))
{
    fixture->request.image = string_copy("host:5000/other@sha256:0123");
    fixture->request.workdir = string_copy("//elsewhere/");
    strvec_push_each(&fixture->request.arguments, "-x", "{entrypoint}", "", NULL);
    resolve(fixture);
    assert_string_equal(fixture->plan.image, "host:5000/other@sha256:0123");
    assert_string_equal(fixture->plan.workdir, "/elsewhere");
    assert_string_equal(fixture->plan.entrypoint, "src/a.py");
    check_joined(&fixture->plan.command,
                 "sh|-c|cc 'src/a.py' && ./a.out|src/a.py|-x|{entrypoint}|");
}

static void check_entrypoint(const char *language, const char *dir, const char *entrypoint,
                             const char *expected, const char *command)
{
    struct fixture fixture;

    set_up_request(&fixture, language, dir, entrypoint);
    resolve(&fixture);
    assert_string_equal(fixture.plan.entrypoint, expected);
    check_joined(&fixture.plan.command, command);
    tear_down(&fixture);
}

/* A file without an extension of its language gets the default file name of the language. */
CASE(plan__names_of_single_files)
{
    check_entrypoint("py", NULL, NULL, "main.py", "python3|main.py");
    check_entrypoint("py", NULL, "tool.py", "tool.py", "python3|tool.py");
    check_entrypoint("py", NULL, "tool", "main.py", "python3|main.py");
    check_entrypoint("py", NULL, "tool.txt", "main.py", "python3|main.py");
    check_entrypoint("py", NULL, "tool.c", "main.py", "python3|main.py");
    check_entrypoint("py", NULL, "tool.PY", "main.py", "python3|main.py");
    check_entrypoint(NULL, NULL, "a b'c.py", "a b'c.py", "python3|a b'c.py");
}

CASE(plan__names_in_directories)
{
    check_entrypoint("py", "/dir", NULL, "main.py", "python3|main.py");
    check_entrypoint("py", "/dir", "tool", "tool", "python3|tool");
    check_entrypoint("py", "/dir", "bin/tool.c", "bin/tool.c", "python3|bin/tool.c");
    check_entrypoint(NULL, "/dir", "src/x.py", "src/x.py", "python3|src/x.py");
}

/* A name like "-c" would be an option of the interpreter. */
CASE(plan__names_with_a_leading_dash)
{
    check_entrypoint(NULL, NULL, "-c.py", "-c.py", "python3|./-c.py");
    check_entrypoint("py", "/dir", "-", "-", "python3|./-");
    check_entrypoint("py", "/dir", "--version", "--version", "python3|./--version");
    check_entrypoint("py", "/dir", "a/-b.py", "a/-b.py", "python3|a/-b.py");
    check_entrypoint(NULL, NULL, "-x.c", "-x.c", "sh|-c|cc '-x.c' && ./a.out|./-x.c");
}

static void check_command(const char *template, const char *entrypoint, const char *expected)
{
    CLEANUP_FREE char *json =
        string_format("{\"languages\": {\"py\": {\"command\": [\"%s\"]}}}", template);
    struct fixture fixture;

    set_up_request(&fixture, "py", "/dir", entrypoint);
    assert_int_equal(config_overlay(&fixture.config, json, strlen(json), "test", &fixture.error),
                     0);
    resolve(&fixture);
    check_joined(&fixture.plan.command, expected);
    tear_down(&fixture);
}

CASE(plan__fills_in_the_entrypoint)
{
    check_command("{entrypoint}", "a.py", "a.py");
    check_command("./{entrypoint}", "a.py", "./a.py");
    check_command("./{entrypoint}", "-a.py", "./-a.py");
    check_command("--file={entrypoint}", "-a.py", "--file=-a.py");
    check_command("{entrypoint}.o", "-a", "./-a.o");
    check_command("x{entrypoint}y{entrypoint}z", "a", "xayaz");
    check_command("{entrypoint} {entry} {", "a", "a {entry} {");
    check_command("{entrypoint}", "{entrypoint}", "{entrypoint}");
    check_command("{{entrypoint}}", "a", "{a}");
}

CASE(plan__languages_that_cannot_be_determined)
{
    struct fixture fixture;

    set_up_request(&fixture, NULL, NULL, "noextension");
    refuse(&fixture, ERROR_USAGE,
           "cannot tell the language of 'noextension'; give language (py, c)");
    set_up_request(&fixture, NULL, NULL, "a.rb\x1b");
    refuse(&fixture, ERROR_USAGE, "cannot tell the language of 'a.rb\\x1b'; give language (py, c)");
    set_up_request(&fixture, NULL, NULL, NULL);
    refuse(&fixture, ERROR_USAGE, "cannot tell the language of '-'; give language (py, c)");
    set_up_request(&fixture, "ruby\n", NULL, "a.py");
    refuse(&fixture, ERROR_USAGE, "unknown language 'ruby\\n'; known are: py, c");
    set_up_request(&fixture, "", NULL, "a.py");
    refuse(&fixture, ERROR_USAGE, "unknown language ''; known are: py, c");
}

CASE(plan__entrypoints_that_are_no_paths)
{
    struct fixture fixture;

    set_up_request(&fixture, NULL, "/dir", "../a.py");
    refuse(&fixture, ERROR_INPUT, "entrypoint: '../a.py' must not have '..', '.' or empty parts");
    set_up_request(&fixture, NULL, "/dir", "/a.py");
    refuse(&fixture, ERROR_INPUT, "entrypoint: '/a.py' must be relative to the directory");
    set_up_request(&fixture, "py", "/dir", "");
    refuse(&fixture, ERROR_INPUT, "entrypoint: '' must not have '..', '.' or empty parts");
}

static void check_environment_refused(const char *assignment, const char *shown)
{
    struct fixture fixture;
    CLEANUP_FREE char *message =
        string_format("'%s' is not the name of an environment variable: letters, digits, _", shown);

    set_up_request(&fixture, "py", NULL, NULL);
    strvec_push(&fixture.request.environment, "GOOD=1");
    strvec_push(&fixture.request.environment, assignment);
    refuse(&fixture, ERROR_USAGE, message);
}

/* The value may be a secret, so no message contains it. */
CASE(plan__environment_that_has_no_names)
{
    check_environment_refused("A-B=secret", "A-B");
    check_environment_refused("=secret", "");
    check_environment_refused("1A=secret", "1A");
    check_environment_refused("A B=secret", "A B");
    check_environment_refused("A\x1b=secret", "A\\x1b");
    check_environment_refused("\xc3\xa9=secret", "\xc3\xa9");
}

CASE_WITH(plan__environment_order, set_up_request(fixture, "py", NULL, NULL))
{
    strvec_push_each(&fixture->request.environment, "Z=last", "P=mine", "A=a=b\nc", "E=", NULL);
    resolve(fixture);
    check_joined(&fixture->plan.public_environment, "HOME=/root|P=1|Q=2");
    check_joined(&fixture->plan.environment, "HOME=/root|P=mine|Q=2|Z=last|A=a=b\nc|E=");
}

CASE(plan__home_is_tmp_by_default)
{
    struct fixture fixture;

    set_up_request(&fixture, "c", NULL, NULL);
    resolve(&fixture);
    check_joined(&fixture.plan.environment, "HOME=/tmp");
    check_joined(&fixture.plan.public_environment, "HOME=/tmp");
    tear_down(&fixture);

    set_up_request(&fixture, "c", NULL, NULL);
    strvec_push(&fixture.request.environment, "HOME=/mine");
    resolve(&fixture);
    check_joined(&fixture.plan.environment, "HOME=/mine");
    check_joined(&fixture.plan.public_environment, "HOME=/tmp");
    tear_down(&fixture);
}

CASE(plan__limits_lie_over_each_other)
{
    struct fixture fixture;
    const double *number = fixture.plan.policy.limits.number;

    set_up_request(&fixture, "c", NULL, NULL);
    resolve(&fixture);
    assert_true(number[LIMIT_MEMORY] == 256);
    tear_down(&fixture);

    set_up_request(&fixture, "py", NULL, NULL);
    fixture.request.policy.limits.number[LIMIT_TMP] = 7;
    resolve(&fixture);
    assert_true(number[LIMIT_MEMORY] == 512);
    assert_true(number[LIMIT_TMP] == 7);
    assert_true(number[LIMIT_TIMEOUT] == 60);
    assert_string_equal(fixture.plan.policy.network, "none");
    assert_int_equal(fixture.plan.policy.read_only, 1);
    assert_false(fixture.plan.policy.has_user);
    assert_int_equal(fixture.plan.policy.uid, 65534); /* of images that are saved */
    check_joined(&fixture.plan.policy.cap_drop, "ALL");
    tear_down(&fixture);

    set_up_request(&fixture, "py", NULL, NULL);
    fixture.request.policy.limits.number[LIMIT_MEMORY] = 1024;
    resolve(&fixture);
    assert_true(number[LIMIT_MEMORY] == 1024);
    tear_down(&fixture);

    set_up_request(&fixture, "py", NULL, NULL);
    fixture.request.policy.limits.number[LIMIT_MEMORY] = 1025;
    refuse(&fixture, ERROR_USAGE,
           "memoryMB 1025 MB is more than the configuration allows (maximums.memoryMB: 1024)");
}

/* Defaults were not requested, so they are lowered to the maximums and not refused. */
CASE_WITH(plan__defaults_are_clamped, set_up_request(fixture, "py", NULL, NULL))
{
    static const char maximums[] = "{\"maximums\": {\"memoryMB\": 300, \"timeoutSeconds\": 10}}";

    assert_int_equal(
        config_overlay(&fixture->config, maximums, sizeof maximums - 1, "test", &fixture->error),
        0);
    resolve(fixture);
    assert_true(fixture->plan.policy.limits.number[LIMIT_MEMORY] == 300);
    assert_true(fixture->plan.policy.limits.number[LIMIT_TIMEOUT] == 10);
}

static void check_image(const char *image, const char *message)
{
    struct fixture fixture;

    set_up_request(&fixture, "py", NULL, NULL);
    fixture.request.image = string_copy(image);
    if (message) {
        refuse(&fixture, ERROR_USAGE, message);
        return;
    }
    resolve(&fixture);
    assert_string_equal(fixture.plan.image, image);
    tear_down(&fixture);
}

CASE(plan__images)
{
    check_image("host:5000/name@sha256:00ff", NULL);
    check_image("--privileged", "'--privileged' is not an image; write it like name:tag");
    check_image("", "'' is not an image; write it like name:tag");
}

CASE(plan__tags_to_save_under)
{
    struct fixture fixture;

    set_up_request(&fixture, "py", NULL, NULL);
    fixture.request.save_image = string_copy("host:5000/name:Tag");
    resolve(&fixture);
    tear_down(&fixture);
    set_up_request(&fixture, "py", NULL, NULL);
    fixture.request.save_image = string_copy("Name:1");
    refuse(&fixture, ERROR_USAGE,
           "'Name:1' is not a tag for an image; write it like name:tag, the name in lower case");
}

CASE(plan__workdir_of_the_request_is_checked)
{
    struct fixture fixture;

    set_up_request(&fixture, "py", NULL, NULL);
    fixture.request.workdir = string_copy("/proc/1");
    refuse(&fixture, ERROR_USAGE,
           "'/proc/1' cannot be the working directory: it is in the system's /proc");
    set_up_request(&fixture, "py", NULL, NULL);
    fixture.request.workdir = string_copy("w");
    refuse(&fixture, ERROR_USAGE,
           "'w' is not a working directory; write an absolute path like /workspace");
}

/* ---- code in memory */

/* A request with code in memory, which is run by this name; NULL: the language's. */
static void set_up_code(struct fixture *fixture, const char *entrypoint)
{
    set_up_request(fixture, "py", NULL, entrypoint);
    fixture->request.input.code = string_copy("print(1)");
    fixture->request.input.code_length = 8;
}

static void add_file(struct fixture *fixture, const char *path)
{
    input_files_add(&fixture->request.input.files, path, string_copy("data"), 4);
}

static void check_code(const char *entrypoint, const char *expected)
{
    struct fixture fixture;

    set_up_code(&fixture, entrypoint);
    resolve(&fixture);
    assert_string_equal(fixture.plan.entrypoint, expected);
    tear_down(&fixture);
}

/* Unlike the name of a host file, its name was chosen by the caller of execute_code. */
CASE(plan__code_keeps_the_name_it_is_given)
{
    check_code(NULL, "main.py");
    check_code("tool.py", "tool.py");
    check_code("tool", "tool");
    check_code("src/tool.txt", "src/tool.txt");
}

CASE(plan__code_under_a_name_that_is_no_path)
{
    struct fixture fixture;

    set_up_code(&fixture, "/main.py");
    refuse(&fixture, ERROR_INPUT, "entrypoint: '/main.py' must be relative to the directory");
    set_up_code(&fixture, "");
    refuse(&fixture, ERROR_INPUT, "entrypoint: '' must not have '..', '.' or empty parts");
}

CASE_WITH(plan__files_beside_the_code, set_up_code(fixture, NULL))
{
    add_file(fixture, "data.csv");
    add_file(fixture, "pkg/util.py");
    resolve(fixture);
    assert_int_equal(fixture->plan.input.files.count, 2);
}

CASE(plan__files_that_cannot_stand_beside_the_code)
{
    struct fixture fixture;

    set_up_code(&fixture, NULL);
    add_file(&fixture, "main.py");
    refuse(&fixture, ERROR_INPUT, "two files have the name 'main.py'");
    set_up_code(&fixture, "src/main.py");
    add_file(&fixture, "src");
    refuse(&fixture, ERROR_INPUT, "'src' is the name of a file and of a directory of other files");
    set_up_code(&fixture, NULL);
    add_file(&fixture, "a/../b");
    refuse(&fixture, ERROR_INPUT, "'a/../b' must not have '..', '.' or empty parts");
}

CASE(plan__files_beside_an_open_one)
{
    struct fixture fixture;

    set_up_request(&fixture, NULL, NULL, "hello.py");
    add_file(&fixture, "hello.txt");
    resolve(&fixture);
    tear_down(&fixture);
    set_up_request(&fixture, "py", NULL, "tool"); /* sent as main.py */
    add_file(&fixture, "main.py");
    refuse(&fixture, ERROR_INPUT, "two files have the name 'main.py'");
}

CASE(plan__release_is_legal_at_once)
{
    struct plan plan = PLAN_INIT;

    plan_release(&plan);
}
