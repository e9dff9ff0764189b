#define _GNU_SOURCE
/* Plans with a build and with tests. config_request.c has what all plans have in common. */
#include "json.h"

#include <limits.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "request/program_spec.h"

struct fixture {
    struct config config;
    struct request request;
    struct plan plan;
    struct error error;
};

/* A request for a program in "c", which is built, unless `language` names another. */
static void set_up(struct fixture *fixture, const char *language, const char *more)
{
    static const char c[] =
        "{\"languages\": {\"c\": {\"image\": \"c:1\", \"command\": [\"./{stem}\"],"
        " \"build\": [\"cc\", \"-o\", \"{workdir}/{stem}\", \"{sources}\", \"{entrypoint}\"],"
        " \"buildLimits\": {\"timeoutSeconds\": 20, \"memoryMB\": 900},"
        " \"extensions\": [\".c\", \".h\"], \"defaultFilename\": \"main.c\", \"pidsLimit\": 32,"
        " \"cpuSeconds\": 3}}}";

    *fixture = (struct fixture){.plan = PLAN_INIT};
    set_up_config(&fixture->config, c);
    config_overlay(&fixture->config, more, strlen(more), "more", &fixture->error);
    assert_no_error(&fixture->error);
    request_init(&fixture->request);
    fixture->request.language = string_copy(language);
    fixture->request.input.code = string_copy("text");
    fixture->request.input.code_length = 4;
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    plan_release(&fixture->plan);
    request_release(&fixture->request);
    config_release(&fixture->config);
}

static struct case_request *add_test(struct fixture *fixture, const char *name)
{
    struct case_request *test = case_requests_add(&fixture->request.tests);

    test->name = string_copy(name);
    return test;
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

/* The limits that a build has of its own: timeout, memory, CPUs, processes, CPU time. */
static void check_limits(const struct limits *limits, const char *expected)
{
    const double *number = limits->number;
    CLEANUP_FREE char *text =
        string_format("%.10g %.10g %.10g %.10g %.10g", number[LIMIT_TIMEOUT], number[LIMIT_MEMORY],
                      number[LIMIT_CPUS], number[LIMIT_PIDS], number[LIMIT_CPU_TIME]);

    assert_string_equal(text, expected);
}

/* ---- builds */

CASE(plan__build_command)
{
    struct fixture fixture;

    set_up(&fixture, "c", "{}");
    fixture.request.entrypoint = string_copy("src/-x.c");
    strvec_push(&fixture.request.arguments, "given");
    resolve(&fixture);
    check_joined(&fixture.plan.build, "cc|-o|/workspace/src/-x|{sources}|src/-x.c");
    check_joined(&fixture.plan.command, "./src/-x|given");
    check_joined(&fixture.plan.source_extensions, ".c|.h");
    tear_down(&fixture);

    set_up(&fixture, "py", "{}");
    resolve(&fixture);
    assert_int_equal(fixture.plan.build.count, 0);
    tear_down(&fixture);
}

/* What a request may have secrets in does not come to the build. */
CASE(plan__what_its_programs_get)
{
    struct fixture fixture;
    struct program_spec program, build;

    set_up(&fixture, "c",
           "{\"allowNetlink\": true, \"languages\": {\"c\": {\"stackMB\": 100,"
           " \"env\": {\"A\": \"1\"}}}}");
    strvec_push(&fixture.request.environment, "SECRET=1");
    fixture.request.policy.limits.number[LIMIT_OUTPUT] = 1000;
    fixture.request.input.stdin_file = memfd_create("stdin", MFD_CLOEXEC);
    resolve(&fixture);
    program = program_spec_of(&fixture.plan);
    check_joined(program.command, "./main");
    check_joined(program.environment, "HOME=/tmp|A=1|SECRET=1");
    check_joined(program.proxies, "");
    check_limits(program.limits, "45 256 0.5 32 3");
    assert_true(program.without_proxies && program.traits.netlink && !program.must_succeed);
    assert_int_equal(program.traits.stack_mb, 100);
    assert_int_equal(program.connections + program.tools, 0);
    assert_int_equal(program.output_kept, 1000);
    assert_int_equal(program.input, fixture.plan.input.stdin_file);
    build = program_spec_of_build(&fixture.plan, &fixture.plan.build);
    check_joined(build.command, "cc|-o|/workspace/main|{sources}|main.c");
    check_joined(build.environment, "HOME=/tmp|A=1");
    check_limits(build.limits, "20 900 0.5 32 inf");
    assert_true(build.without_proxies && build.traits.netlink && build.must_succeed);
    assert_int_equal(build.traits.stack_mb, 100);
    assert_int_equal(build.output_kept, 1 << 20);
    assert_int_equal(build.input, -1);
    tear_down(&fixture);
}

/* A problem package may have another than all other programs. */
CASE(plan__standard)
{
    struct fixture fixture;
    static const char more[] = "{\"languages\": {\"c\": {\"build\": [\"cc\", \"-std={standard}\"], "
                               "\"standard\": \"c11\", \"packageStandard\": \"c17\"}}}";

    set_up(&fixture, "c", more);
    resolve(&fixture);
    check_joined(&fixture.plan.build, "cc|-std=c11");
    tear_down(&fixture);

    set_up(&fixture, "c", more);
    fixture.request.of_package = true;
    resolve(&fixture);
    check_joined(&fixture.plan.build, "cc|-std=c17");
    tear_down(&fixture);

    set_up(&fixture, "c",
           "{\"languages\": {\"c\": {\"build\": [\"cc\", \"-std={standard}\"], "
           "\"standard\": \"c11\"}}}");
    fixture.request.of_package = true;
    resolve(&fixture);
    check_joined(&fixture.plan.build, "cc|-std=c11");
    tear_down(&fixture);
}

/* The program's by configuration, over them buildLimits; the request's are for the program. */
CASE(plan__build_limits)
{
    struct fixture fixture;

    set_up(&fixture, "c", "{}");
    fixture.request.policy.limits.number[LIMIT_MEMORY] = 100;
    fixture.request.policy.limits.number[LIMIT_PIDS] = 16;
    fixture.request.policy.limits.number[LIMIT_TIMEOUT] = 2;
    resolve(&fixture);
    check_limits(&fixture.plan.build_limits, "20 900 0.5 32 inf");
    check_limits(&fixture.plan.policy.limits, "2 100 0.5 16 3");
    tear_down(&fixture);
}

CASE(plan__build_limits_have_maximums)
{
    struct fixture fixture;

    set_up(&fixture, "c",
           "{\"maximums\": {\"timeoutSeconds\": 10, \"memoryMB\": 400, \"cpus\": 0.25,"
           " \"pidsLimit\": 20, \"cpuSeconds\": 5}}");
    resolve(&fixture);
    check_limits(&fixture.plan.build_limits, "10 400 0.25 20 5");
    tear_down(&fixture);
}

static void refuse_writable(const char *language, bool with_test, const char *message)
{
    struct fixture fixture;

    set_up(&fixture, language, "{\"defaults\": {\"readOnly\": false}}");
    if (with_test)
        add_test(&fixture, "1");
    refuse(&fixture, ERROR_USAGE, message);
}

CASE(plan__nothing_is_left_in_a_writable_root)
{
    struct fixture fixture;

    refuse_writable("py", true,
                    "readOnly must be true for a request with tests: nothing of one program may be "
                    "left for the next");
    refuse_writable("c", true,
                    "readOnly must be true for a request with tests: nothing of one program may be "
                    "left for the next");
    set_up(&fixture, "py", "{\"defaults\": {\"readOnly\": false}}");
    resolve(&fixture); /* one program alone */
    tear_down(&fixture);
    set_up(&fixture, "c", "{\"defaults\": {\"readOnly\": false}}");
    resolve(&fixture); /* one program and its build */
    tear_down(&fixture);
}

/* ---- tests */

CASE(plan__takes_the_tests_over)
{
    struct fixture fixture;

    set_up(&fixture, "py", "{}");
    add_test(&fixture, "one");
    add_test(&fixture, "two");
    fixture.request.tests.stop_on_failure = true;
    fixture.request.test_output_bytes = 100;
    resolve(&fixture);
    assert_int_equal(fixture.request.tests.count, 0);
    assert_int_equal(fixture.plan.tests.count, 2);
    assert_string_equal(fixture.plan.tests.items[1].name, "two");
    assert_true(fixture.plan.tests.stop_on_failure);
    assert_int_equal(fixture.plan.test_output_bytes, 100);
    tear_down(&fixture);

    set_up(&fixture, "py", "{}");
    resolve(&fixture);
    assert_int_equal(fixture.plan.test_output_bytes, 4096);
    tear_down(&fixture);
}

CASE(plan__limits_of_a_test)
{
    struct fixture fixture;
    struct case_request *test;
    struct limits limits;

    set_up(&fixture, "py", "{\"maximums\": {\"timeoutSeconds\": 50, \"cpuSeconds\": 5}}");
    add_test(&fixture, "the request's");
    test = add_test(&fixture, "its own");
    test->timeout_seconds = 1.5;
    test->cpu_seconds = 0.5;
    test = add_test(&fixture, "more than the maximums");
    test->timeout_seconds = 51;
    test->cpu_seconds = 1e300;
    fixture.request.policy.limits.number[LIMIT_TIMEOUT] = 7;
    resolve(&fixture);
    limits = plan_test_limits(&fixture.plan, &fixture.plan.tests.items[0]);
    check_limits(&limits, "7 256 0.5 64 5");
    assert_true(limits.number[LIMIT_OUTPUT] == 4096);
    limits = plan_test_limits(&fixture.plan, &fixture.plan.tests.items[1]);
    check_limits(&limits, "1.5 256 0.5 64 0.5");
    limits = plan_test_limits(&fixture.plan, &fixture.plan.tests.items[2]);
    check_limits(&limits, "50 256 0.5 64 5");
    tear_down(&fixture);
}

static void refuse_limits(double timeout, double cpu, const char *message)
{
    struct fixture fixture;
    struct case_request *test;

    set_up(&fixture, "py", "{}");
    test = add_test(&fixture, "a");
    test->timeout_seconds = timeout;
    test->cpu_seconds = cpu;
    refuse(&fixture, ERROR_USAGE, message);
}

/* Times of any length would not fit a number of milliseconds. */
CASE(plan__limits_of_a_test_that_are_none)
{
    refuse_limits(1e300, 0, "test 'a': timeoutSeconds must be from 0.001 to 31622400 s");
    refuse_limits(1e-9, 0, "test 'a': timeoutSeconds must be from 0.001 to 31622400 s");
    refuse_limits(0, 1e300, "test 'a': cpuSeconds must be from 0 to 31622400 s");
}

CASE(plan__tests_that_cannot_run)
{
    struct fixture fixture;
    struct case_request *test;

    set_up(&fixture, "py", "{}");
    add_test(&fixture, "a");
    test = add_test(&fixture, "b\n");
    strvec_push(&test->environment, "A B=secret");
    refuse(&fixture, ERROR_USAGE,
           "test 'b\\n': 'A B' is not the name of an environment variable: letters, digits, _");

    set_up(&fixture, "py", "{}");
    test = add_test(&fixture, "a");
    input_files_add(&test->files, "main.py", string_copy(""), 0);
    refuse(&fixture, ERROR_INPUT, "test 'a': two files have the name 'main.py'");
}

CASE(plan__tests_exclude_files_and_images)
{
    struct fixture fixture;

    set_up(&fixture, "py", "{}");
    add_test(&fixture, "a");
    strvec_push(&fixture.request.artifacts, "*.png");
    refuse(&fixture, ERROR_USAGE, "a request with tests cannot return files");

    set_up(&fixture, "py", "{}");
    add_test(&fixture, "a");
    fixture.request.save_image = string_copy("kept");
    refuse(&fixture, ERROR_USAGE, "a request with tests cannot be saved as an image");

    set_up(&fixture, "py", "{}");
    add_test(&fixture, "a");
    fixture.request.save_dockerfile = string_copy("Dockerfile");
    refuse(&fixture, ERROR_USAGE, "a request with tests cannot be saved as an image");
}

/* What is kept of all tests is in memory at the same time. */
CASE(plan__output_of_all_tests)
{
    struct fixture fixture;

    for (int tests = 64; tests <= 65; tests++) {
        set_up(&fixture, "py", "{}");
        for (int i = 0; i < tests; i++)
            add_test(&fixture, "a");
        fixture.request.test_output_bytes = 1 << 20;
        if (tests == 64) {
            resolve(&fixture);
            tear_down(&fixture);
        } else {
            refuse(&fixture, ERROR_USAGE, "outputBytes can be at most 1032444 with 65 tests");
        }
    }
    set_up(&fixture, "py", "{}");
    for (int i = 0; i < 10000; i++)
        add_test(&fixture, "a");
    resolve(&fixture); /* what is kept by default */
    tear_down(&fixture);
}

/* ---- checkers */

/* A request with a test and a checker in this language. */
static void set_up_checker(struct fixture *fixture, const char *language, const char *more)
{
    struct request *checker = memory_allocate(sizeof *checker);

    set_up(fixture, "py", more);
    add_test(fixture, "a");
    request_init(checker);
    checker->language = string_copy(language);
    checker->input.code = string_copy("check");
    checker->input.code_length = 5;
    strvec_push(&checker->arguments, "strict");
    fixture->request.checker = checker;
    fixture->request.checker_convention = CHECKER_TESTLIB;
}

CASE(plan__checker)
{
    struct fixture fixture;
    const struct plan *checker;

    set_up_checker(&fixture, "c", "{}");
    resolve(&fixture);
    checker = fixture.plan.checker;
    assert_non_null(checker);
    assert_int_equal(fixture.plan.checker_convention, CHECKER_TESTLIB);
    assert_string_equal(checker->image, "c:1");
    check_joined(&checker->build, "cc|-o|/workspace/main|{sources}|main.c");
    check_joined(&checker->command, "./main|strict");
    check_joined(&checker->artifacts, "");
    assert_memory_equal(checker->input.code, "check", 5);
    assert_true(checker->is_repeated);
    assert_false(fixture.plan.is_repeated);
    assert_int_equal(checker->tests.count, 0);
    assert_null(checker->checker);
    assert_true(plan_bytes(&fixture.plan) >= 4 + 5);
    tear_down(&fixture);
}

/* As locked-down as a checker, without the room for outputs. */
CASE(plan__grader)
{
    struct fixture fixture;
    const struct plan *grader;

    set_up_checker(&fixture, "py", "{}");
    fixture.request.grader = fixture.request.checker;
    fixture.request.checker = NULL;
    resolve(&fixture);
    grader = fixture.plan.grader;
    assert_null(fixture.plan.checker);
    assert_true(grader->is_repeated);
    assert_string_equal(grader->policy.network, "none");
    assert_int_equal(grader->policy.read_only, 1);
    assert_true(grader->policy.limits.number[LIMIT_TIMEOUT] == CHECKER_TIMEOUT);
    assert_true(plan_bytes(&fixture.plan) >= 4 + 5);
    tear_down(&fixture);
}

CASE(plan__validator)
{
    struct fixture fixture;

    set_up_checker(&fixture, "py", "{}");
    fixture.request.checker_convention = CHECKER_KATTIS;
    resolve(&fixture);
    assert_int_equal(fixture.plan.checker_convention, CHECKER_KATTIS);
    check_joined(&fixture.plan.checker->artifacts,
                 "judge/feedback/judgemessage.txt|judge/feedback/teammessage.txt|"
                 "judge/feedback/score.txt|judge/feedback/score_multiplier.txt");
    assert_true(fixture.plan.checker->artifacts_optional);
    assert_int_equal(plan_kind(fixture.plan.checker), PLAN_SUBMISSION);
    tear_down(&fixture);
}

/* Of its language and of its own request; the limits of the program are not its own. */
CASE(plan__limits_of_a_checker)
{
    struct fixture fixture;
    const double *number;

    set_up_checker(&fixture, "c", "{}");
    fixture.request.policy.limits.number[LIMIT_TIMEOUT] = 2;
    fixture.request.policy.limits.number[LIMIT_MEMORY] = 100;
    resolve(&fixture);
    check_limits(&fixture.plan.policy.limits, "2 100 0.5 64 inf");
    number = fixture.plan.checker->policy.limits.number;
    assert_true(number[LIMIT_TIMEOUT] == 30);
    assert_true(number[LIMIT_MEMORY] >= 256);
    assert_true(number[LIMIT_PIDS] == 32);
    check_limits(&fixture.plan.checker->build_limits, "20 900 0.5 32 inf");
    tear_down(&fixture);

    set_up_checker(&fixture, "py", "{}");
    fixture.request.checker->policy.limits.number[LIMIT_TIMEOUT] = 5;
    fixture.request.checker->policy.limits.number[LIMIT_MEMORY] = 64;
    resolve(&fixture);
    number = fixture.plan.checker->policy.limits.number;
    assert_true(number[LIMIT_TIMEOUT] == 5);
    assert_true(number[LIMIT_MEMORY] >= 64 && number[LIMIT_MEMORY] < 256);
    tear_down(&fixture);
}

/* No caller has asked for the 30 s. */
CASE(plan__timeout_of_a_checker_has_a_maximum)
{
    struct fixture fixture;

    set_up_checker(&fixture, "py", "{\"maximums\": {\"timeoutSeconds\": 10}}");
    resolve(&fixture);
    assert_true(fixture.plan.checker->policy.limits.number[LIMIT_TIMEOUT] == 10);
    tear_down(&fixture);
}

/* Working directory and memory of the checker, for a test with this input and answer. */
static void check_room(const char *more, size_t input, size_t answer, int output, double workdir,
                       double memory)
{
    struct fixture fixture;
    struct case_request *test;
    const double *number;

    set_up_checker(&fixture, "py", more);
    test = &fixture.request.tests.items[0];
    test->stdin_file = memfd_create("input", MFD_CLOEXEC);
    assert_true(test->stdin_file >= 0);
    assert_int_equal(ftruncate(test->stdin_file, (off_t)input), 0);
    test->expected_length = answer;
    test->max_output_bytes = output;
    resolve(&fixture);
    number = fixture.plan.checker->policy.limits.number;
    assert_true(number[LIMIT_WORKDIR] == workdir);
    assert_true(number[LIMIT_MEMORY] == memory);
    tear_down(&fixture);
}

/* Whole MB, and one for what is left: the largest output, the input and the answer. */
CASE(plan__room_of_a_checker)
{
    check_room("{}", 0, 0, 0, 64 + 65, 256 + 65);
    check_room("{}", 0, 0, 1 << 20, 64 + 2, 256 + 2);
    check_room("{}", 3 << 20, 0, 1 << 20, 64 + 5, 256 + 5);
    check_room("{}", 3 << 20, (5 << 20) - 1, 1, 64 + 9, 256 + 9);
}

CASE(plan__room_of_a_checker_is_that_of_the_largest_test)
{
    struct fixture fixture;

    set_up_checker(&fixture, "py", "{}");
    for (int i = 0; i < 3; i++)
        add_test(&fixture, "b");
    for (int i = 0; i < 4; i++)
        fixture.request.tests.items[i].max_output_bytes = i == 1 ? 7 << 20 : 1;
    resolve(&fixture);
    assert_true(fixture.plan.checker->policy.limits.number[LIMIT_WORKDIR] == 64 + 8);
    tear_down(&fixture);
}

CASE(plan__room_of_a_checker_has_maximums)
{
    check_room("{\"maximums\": {\"workdirMB\": 70}}", 0, 0, 0, 70, 256 + 65);
    check_room("{\"maximums\": {\"memoryMB\": 256}}", 0, 0, 0, 64 + 65, 256);
    check_room("{\"maximums\": {\"workdirMB\": 64}}", (64 << 20) - 1, 0, 0, 64, 256 + 128);
}

static void refuse_room(const char *more, size_t answer, const char *message)
{
    struct fixture fixture;

    set_up_checker(&fixture, "py", more);
    fixture.request.tests.items[0].expected_length = answer;
    refuse(&fixture, ERROR_USAGE, message);
}

CASE(plan__files_that_a_checker_has_no_room_for)
{
    refuse_room("{\"maximums\": {\"workdirMB\": 64}}", 64 << 20,
                "the checker: the input and the answer of test 'a' need 65 MB, and it can have "
                "64 MB (maximums.workdirMB)");
    refuse_room("{\"maximums\": {\"memoryMB\": 300}}", 300 << 20,
                "the checker: the input and the answer of test 'a' need 301 MB, and it can have "
                "300 MB (maximums.memoryMB)");
}

/* Its error stays as it is. */
CASE(plan__a_checker_without_a_plan_gets_no_room)
{
    struct fixture fixture;

    set_up_checker(&fixture, "py", "{\"maximums\": {\"workdirMB\": 64}}");
    fixture.request.tests.items[0].expected_length = 64 << 20;
    fixture.request.checker->policy.limits.number[LIMIT_WORKDIR] = 65;
    refuse(&fixture, ERROR_USAGE,
           "the checker: workdirMB 65 MB is more than the configuration allows "
           "(maximums.workdirMB: 64)");
}

/* The plan of a checker that nothing outside its container reaches. */
static void check_alone(const struct plan *checker)
{
    assert_string_equal(checker->policy.network, "none");
    assert_int_equal(checker->policy.network_rules.count, 0);
    assert_false(checker->policy.network_rules.selection.given);
    assert_int_equal(checker->tools.count, 0);
    check_joined(&checker->relay_environment, "");
    assert_int_equal(checker->policy.read_only, 1);
}

CASE(plan__checker_has_no_network)
{
    struct fixture fixture;

    set_up_checker(&fixture, "py", "{\"network\": {\"allow\": [\"a.example\"]}}");
    network_selection_add(&fixture.request.hosts, "a.example", &fixture.error);
    resolve(&fixture);
    assert_int_equal(fixture.plan.policy.network_rules.count, 1);
    check_alone(fixture.plan.checker);
    tear_down(&fixture);

    set_up_checker(&fixture, "py",
                   "{\"defaults\": {\"network\": \"bridge\"},"
                   " \"maximums\": {\"network\": \"bridge\"}}");
    resolve(&fixture);
    assert_string_equal(fixture.plan.policy.network, "bridge");
    check_alone(fixture.plan.checker);
    tear_down(&fixture);
}

/* Not even what its own request asks for. */
CASE(plan__checker_gets_no_network)
{
    struct fixture fixture;
    struct request *checker;

    set_up_checker(&fixture, "py", "{\"tools\": {\"one\": {\"command\": \"true\"}}}");
    checker = fixture.request.checker;
    sandbox_policy_allow_host(&checker->policy, "b.example", &fixture.error);
    network_selection_add(&checker->hosts, "b.example", &fixture.error);
    strvec_push(&checker->tools, "one");
    strvec_push(&fixture.request.tools, "one");
    resolve(&fixture);
    check_joined(&fixture.plan.tools, "one");
    check_alone(fixture.plan.checker);
    tear_down(&fixture);
}

/* Nothing of one test is left for the next, whatever the configuration says. */
CASE(plan__checker_is_read_only)
{
    struct fixture fixture;

    set_up_checker(&fixture, "py", "{\"defaults\": {\"readOnly\": false}}");
    fixture.request.policy.read_only = 1;
    resolve(&fixture);
    check_alone(fixture.plan.checker);
    tear_down(&fixture);
}

CASE(plan__checkers_that_cannot_run)
{
    struct fixture fixture;

    set_up_checker(&fixture, "py", "{}");
    case_requests_release(&fixture.request.tests);
    refuse(&fixture, ERROR_USAGE, "a checker needs tests");

    set_up_checker(&fixture, "cobol", "{}");
    refuse(&fixture, ERROR_USAGE, "the checker: unknown language 'cobol'; known are: py, sh, c");

    set_up_checker(&fixture, "py", "{\"maximums\": {\"memoryMB\": 300}}");
    fixture.request.checker->policy.limits.number[LIMIT_MEMORY] = 301;
    refuse(&fixture, ERROR_USAGE,
           "the checker: memoryMB 301 MB is more than the configuration allows "
           "(maximums.memoryMB: 300)");

    set_up_checker(&fixture, "py", "{}");
    input_files_add(&fixture.request.checker->input.files, "main.py", string_copy(""), 0);
    refuse(&fixture, ERROR_INPUT, "the checker: two files have the name 'main.py'");
}

/* Several programs are tested with one request for a checker, each with a copy of its files. */
CASE(plan__checker_of_several_programs)
{
    struct fixture fixture;
    struct plan first = PLAN_INIT;
    int file;

    set_up_checker(&fixture, "py", "{}");
    file = fixture.request.checker->input.file = memfd_create("checker", MFD_CLOEXEC);
    input_files_add(&fixture.request.checker->input.files, "lib.py", string_copy("lib"), 3);
    resolve(&fixture);
    first = fixture.plan;
    fixture.plan = (struct plan)PLAN_INIT;
    add_test(&fixture, "a");
    resolve(&fixture);
    assert_memory_equal(first.checker->input.code, "check", 5);
    assert_true(first.checker->input.file >= 0 && first.checker->input.file != file);
    plan_release(&first);

    assert_memory_equal(fixture.plan.checker->input.code, "check", 5);
    assert_memory_equal(fixture.plan.checker->input.files.items[0].data, "lib", 3);
    check_joined(&fixture.plan.checker->command, "python3|main.py|strict");
    assert_true(fcntl(fixture.plan.checker->input.file, F_GETFD) >= 0);
    assert_true(fcntl(file, F_GETFD) >= 0);
    tear_down(&fixture);
    assert_int_equal(fcntl(file, F_GETFD), -1);
}

/* ---- figures of a plan */

CASE(plan__time_of_its_programs)
{
    struct fixture fixture;

    set_up(&fixture, "py", "{}");
    resolve(&fixture);
    assert_int_equal(plan_programs_ms(&fixture.plan), 45000);
    tear_down(&fixture);

    set_up(&fixture, "c", "{}");
    resolve(&fixture);
    assert_int_equal(plan_programs_ms(&fixture.plan), 20000 + 45000);
    tear_down(&fixture);

    set_up(&fixture, "c", "{}");
    add_test(&fixture, "a")->timeout_seconds = 0.5;
    add_test(&fixture, "b");
    resolve(&fixture);
    assert_int_equal(plan_programs_ms(&fixture.plan), 20000 + 500 + 45000);
    tear_down(&fixture);
}

CASE(plan__bytes_of_tests)
{
    struct fixture fixture;
    struct case_request *test;
    size_t without;

    set_up(&fixture, "py", "{}");
    test = add_test(&fixture, "a");
    resolve(&fixture);
    without = plan_bytes(&fixture.plan);
    test = &fixture.plan.tests.items[0];
    strvec_push(&test->arguments, "12345");
    strvec_push(&test->environment, "A=12345");
    input_files_add(&test->files, "f", string_copy("123"), 3);
    test->expected = string_copy("12");
    test->expected_length = 2;
    test->stdin_data = string_copy("1234");
    test->stdin_length = 4;
    assert_true(plan_bytes(&fixture.plan) >= without + 5 + 7 + 3 + 2 + 4);
    tear_down(&fixture);
}

/* ---- sessions */

static const char WITH_SESSIONS[] = "{\"languages\": {\"py\": {\"sessionCommand\": [\"python3\", "
                                    "\"-C\", \"{workdir}\", \"{entrypoint}\"]}}}";

CASE(plan__session)
{
    struct fixture fixture;

    set_up(&fixture, "py", WITH_SESSIONS);
    strvec_push(&fixture.request.arguments, "given");
    strcpy(fixture.request.session.id, "0123456789abcdef0123456789abcdef");
    fixture.request.session.close = true;
    resolve(&fixture);
    assert_string_equal(fixture.plan.session.id, "0123456789abcdef0123456789abcdef");
    assert_true(fixture.plan.session.close);
    check_joined(&fixture.plan.session_command, "python3|-C|/workspace|{entrypoint}");
    check_joined(&fixture.plan.arguments, "given");
    check_joined(&fixture.plan.command, "python3|main.py|given");
    tear_down(&fixture);

    set_up(&fixture, "c", WITH_SESSIONS);
    resolve(&fixture);
    assert_string_equal(fixture.plan.session.id, "");
    assert_int_equal(fixture.plan.session_command.count, 0);
    tear_down(&fixture);
}

/* An interpreter takes code. A directory is a program of its own. */
CASE_WITH(plan__session_of_a_directory, set_up(fixture, "py", WITH_SESSIONS))
{
    free(fixture->request.input.code);
    fixture->request.input.code = NULL;
    fixture->request.input.dir = string_copy("/tmp");
    resolve(fixture);
    assert_int_equal(fixture->plan.session_command.count, 0);
}

CASE(plan__not_in_a_session)
{
    static const char tests[] = "a request of a session cannot have tests";
    static const char saved[] = "a request of a session cannot be saved as an image";
    struct fixture fixture;

    set_up(&fixture, "py", "{}");
    strcpy(fixture.request.session.id, "0123456789abcdef0123456789abcdef");
    add_test(&fixture, "a");
    refuse(&fixture, ERROR_USAGE, tests);
    set_up(&fixture, "py", "{}");
    strcpy(fixture.request.session.id, "0123456789abcdef0123456789abcdef");
    fixture.request.save_image = string_copy("a:1");
    refuse(&fixture, ERROR_USAGE, saved);
    set_up(&fixture, "py", "{}");
    strcpy(fixture.request.session.id, "0123456789abcdef0123456789abcdef");
    fixture.request.save_dockerfile = string_copy("Dockerfile");
    refuse(&fixture, ERROR_USAGE, saved);
    set_up(&fixture, "py", "{}");
    fixture.request.session.open = true;
    add_test(&fixture, "a");
    refuse(&fixture, ERROR_USAGE, tests);
}

/* Of a workspace: neither a program nor a build, and a command in place of the language's. */
CASE_WITH(plan__without_a_program, set_up(fixture, "c", "{}"))
{
    free(fixture->request.input.code);
    fixture->request.input.code = NULL;
    fixture->request.no_program = true;
    fixture->request.directory = string_copy("src");
    strvec_push_each(&fixture->request.arguments, "ls", "-l", NULL);
    resolve(fixture);
    check_joined(&fixture->plan.command, "ls|-l");
    assert_string_equal(program_spec_of(&fixture->plan).directory, "src");
    check_joined(&fixture->plan.build, "");
    assert_false(fixture->plan.ready);
    assert_int_equal(plan_kind(&fixture->plan), PLAN_PROGRAM);
}

CASE(plan__directories_that_are_none)
{
    char path[PATH_MAX + 1] = "";
    struct fixture fixture;

    for (int i = 0; i < 2; i++) {
        set_up(&fixture, "py", "{}");
        fixture.request.directory = string_copy(path);
        refuse(&fixture, ERROR_USAGE, ERROR_SUBJECT ": a path has 1 to 4095 bytes");
        memset(path, 'x', PATH_MAX);
    }
}

CASE(plan__kind)
{
    struct fixture fixture;

    set_up(&fixture, "py", "{}");
    resolve(&fixture);
    assert_int_equal(plan_kind(&fixture.plan), PLAN_PROGRAM);
    strvec_push(&fixture.plan.session_command, "python3");
    assert_int_equal(plan_kind(&fixture.plan), PLAN_PROGRAM);
    strvec_push(&fixture.plan.build, "make");
    assert_int_equal(plan_kind(&fixture.plan), PLAN_SUBMISSION);
    strcpy(fixture.plan.session.id, "0123456789abcdef0123456789abcdef");
    assert_int_equal(plan_kind(&fixture.plan), PLAN_CELL);
    strvec_release(&fixture.plan.session_command);
    assert_int_equal(plan_kind(&fixture.plan), PLAN_SUBMISSION);
    tear_down(&fixture);
    set_up(&fixture, "py", "{}");
    add_test(&fixture, "a");
    resolve(&fixture);
    assert_int_equal(plan_kind(&fixture.plan), PLAN_SUBMISSION);
    tear_down(&fixture);
}

/* What the request itself has set is told apart from what the configuration says. */
CASE(plan__requested)
{
    struct fixture fixture;

    set_up(&fixture, "py", "{}");
    fixture.request.policy.limits.number[LIMIT_CPUS] = 0.25;
    fixture.request.image = string_copy("py:3");
    resolve(&fixture);
    assert_true(fixture.plan.requested_cpus == 0.25);
    assert_true(fixture.plan.image_requested);
    tear_down(&fixture);
    set_up(&fixture, "py", "{}");
    resolve(&fixture);
    assert_true(isnan(fixture.plan.requested_cpus));
    assert_false(fixture.plan.image_requested);
    tear_down(&fixture);
}

/* ---- hosts that programs reach */

/* The variables of the proxy come first, so that those of the language and the request win. */
CASE(plan__variables_of_the_proxy)
{
    struct fixture fixture;

    set_up(&fixture, "py", "{\"network\": {\"allow\": [\"a.example\"]}}");
    resolve(&fixture);
    check_joined(&fixture.plan.relay_environment,
                 "http_proxy=http://127.0.0.1:3128|https_proxy=http://127.0.0.1:3128|"
                 "HTTP_PROXY=http://127.0.0.1:3128|HTTPS_PROXY=http://127.0.0.1:3128|"
                 "no_proxy=localhost,127.0.0.1,::1|NO_PROXY=localhost,127.0.0.1,::1|"
                 "NODE_USE_ENV_PROXY=1");
    check_joined(&fixture.plan.environment, "HOME=/tmp");
    check_joined(&fixture.plan.public_environment, "HOME=/tmp");
    tear_down(&fixture);
    set_up(&fixture, "py", "{}");
    resolve(&fixture);
    check_joined(&fixture.plan.relay_environment, "");
    tear_down(&fixture);
}

/* The certificates are in the working directory. */
CASE(plan__variables_of_certificates)
{
    struct fixture fixture;

    set_up(&fixture, "py",
           "{\"containerWorkdir\": \"/code\","
           " \"network\": {\"allow\": [{\"host\": \"a.example\", \"tls\": \"terminate\"}]}}");
    resolve(&fixture);
    check_joined(&fixture.plan.relay_environment,
                 "http_proxy=http://127.0.0.1:3128|https_proxy=http://127.0.0.1:3128|"
                 "HTTP_PROXY=http://127.0.0.1:3128|HTTPS_PROXY=http://127.0.0.1:3128|"
                 "no_proxy=localhost,127.0.0.1,::1|NO_PROXY=localhost,127.0.0.1,::1|"
                 "NODE_USE_ENV_PROXY=1|SSL_CERT_FILE=/code/.isolator-ca.pem|"
                 "REQUESTS_CA_BUNDLE=/code/.isolator-ca.pem|CURL_CA_BUNDLE=/code/.isolator-ca.pem|"
                 "PIP_CERT=/code/.isolator-ca.pem|GIT_SSL_CAINFO=/code/.isolator-ca.pem|"
                 "NODE_EXTRA_CA_CERTS=/code/.isolator-ca.pem");
    tear_down(&fixture);
}

/* The last of the variables of a proxy, for a language whose command begins with this word. */
static void check_last_variable(const char *word, const char *start)
{
    CLEANUP_FREE char *more = string_format(
        "{\"network\": {\"allow\": [\"a.example\"]}, \"languages\": {\"n\": {\"image\": \"n:1\","
        " \"command\": [\"%s\", \"{entrypoint}\"], \"extensions\": [\".n\"],"
        " \"defaultFilename\": \"main.n\"}}}",
        word);
    struct fixture fixture;
    const char *last;

    set_up(&fixture, "n", more);
    resolve(&fixture);
    last = fixture.plan.relay_environment.items[fixture.plan.relay_environment.count - 1];
    assert_memory_equal(last, start, strlen(start));
    /* Node.js splits its options at spaces and knows quotes and backslashes; a URL ends at # and ?
     */
    assert_int_equal(strcspn(last, " \n\t\"\\#?"), strlen(last));
    assert_true(strlen(last) < 6000);
    tear_down(&fixture);
}

CASE(plan__module_of_node)
{
    check_last_variable("node", "NODE_OPTIONS=--import=data:text/javascript,const%20");
    check_last_variable("/opt/node", "NODE_OPTIONS=--import=data:text/javascript,const%20");
    check_last_variable("nodejs", "NODE_USE_ENV_PROXY=1");
    check_last_variable("/node/run", "NODE_USE_ENV_PROXY=1");
}

/* A host of the list is not in the container, whatever its name is. */
CASE(plan__own_names_that_are_hosts)
{
    struct fixture fixture;

    set_up(&fixture, "py", "{\"network\": {\"allow\": [\"127.0.0.1:8080\"]}}");
    resolve(&fixture);
    assert_true(strvec_contains(&fixture.plan.relay_environment, "no_proxy=localhost,::1"));
    tear_down(&fixture);
    set_up(&fixture, "py", "{\"network\": {\"allow\": [\"127.0.0.1\", \"localhost\", \"[::1]\"]}}");
    resolve(&fixture);
    assert_true(strvec_contains(&fixture.plan.relay_environment, "NO_PROXY="));
    tear_down(&fixture);
}

CASE(plan__hosts_of_a_request)
{
    struct fixture fixture;

    set_up(&fixture, "py",
           "{\"network\": {\"allow\": [\"a.example\"], \"maxBytes\": 5},"
           " \"maximums\": {\"network\": {\"allow\": [\"*.example\"], \"maxBytes\": 6}}}");
    sandbox_policy_allow_host(&fixture.request.policy, "b.example", &fixture.error);
    resolve(&fixture);
    assert_int_equal(fixture.plan.policy.network_rules.count, 1);
    assert_string_equal(fixture.plan.policy.network_rules.hosts[0].name, "b.example");
    assert_true(fixture.plan.policy.network_rules.max_bytes == 5);
    assert_int_equal(fixture.plan.policy.network_rules.max_connections, 64);
    tear_down(&fixture);
    set_up(&fixture, "py", "{\"maximums\": {\"network\": {\"allow\": [\"*.example\"]}}}");
    sandbox_policy_allow_host(&fixture.request.policy, "other.test:80", &fixture.error);
    refuse(&fixture, ERROR_USAGE,
           "host 'other.test', port 80, is not allowed by the configuration "
           "(maximums.network)");
}

/* ---- the name of the program */

static const char NAMED[] = "{\"languages\": {\"c\": {\"filenamePattern\": \"^name (.*)\"}}}";

/* The entrypoint, source name, build and command that this code gets. */
static void check_name(const char *code, const char *entrypoint, bool of_file, const char *expected)
{
    struct fixture fixture;
    CLEANUP_FREE char *seen = NULL;
    CLEANUP_FREE char *command = NULL;

    set_up(&fixture, "c", NAMED);
    free(fixture.request.input.code);
    fixture.request.input.code = string_copy(code);
    fixture.request.input.code_length = strlen(code);
    fixture.request.entrypoint = entrypoint ? string_copy(entrypoint) : NULL;
    fixture.request.entrypoint_of_file = of_file;
    strvec_push(&fixture.request.arguments, "given");
    resolve(&fixture);
    command = strvec_join(&fixture.plan.command, " ");
    seen = string_format("%s %s: %s, %s", fixture.plan.entrypoint,
                         fixture.plan.source_name ? fixture.plan.source_name : "-",
                         fixture.plan.build.items[2], command);
    assert_string_equal(seen, expected);
    tear_down(&fixture);
}

CASE(plan__name_of_code)
{
    check_name("x\nname Abc\n", NULL, false, "Abc.c -: /workspace/Abc, ./Abc given");
    check_name("x\n", NULL, false, "main.c -: /workspace/main, ./main given");
    check_name("name Abc\n", "given.c", false, "given.c given.c: /workspace/given, ./given given");
    check_name("name Abc\n", "file.c", true, "Abc.c file.c: /workspace/Abc, ./Abc given");
    check_name("x\n", "file.c", true, "file.c file.c: /workspace/file, ./file given");
}

/* A request for an open file that is called file.c; the plan is resolved. */
static void set_up_file(struct fixture *fixture)
{
    set_up(fixture, "c", NAMED);
    free(steal_pointer(&fixture->request.input.code));
    fixture->request.entrypoint = string_copy("file.c");
    strvec_push(&fixture->request.arguments, "given");
    add_test(fixture, "one");
    input_files_add(&fixture->request.tests.items[0].files, "Abc.c", string_copy("x"), 1);
    resolve(fixture);
    assert_string_equal(fixture->plan.entrypoint, "file.c");
}

/* The plan's result for a file with this text. */
static int set_file(struct fixture *fixture, const char *text)
{
    const int file = memfd_create("program", MFD_CLOEXEC);

    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    return plan_set_file(&fixture->plan, &fixture->config, file, &fixture->error);
}

CASE(plan__name_of_a_file)
{
    struct fixture fixture;

    set_up_file(&fixture);
    assert_int_equal(set_file(&fixture, "x\nname Xyz\n"), 0);
    assert_string_equal(fixture.plan.entrypoint, "Xyz.c");
    assert_string_equal(fixture.plan.source_name, "file.c");
    check_joined(&fixture.plan.build, "cc|-o|/workspace/Xyz|{sources}|Xyz.c");
    check_joined(&fixture.plan.command, "./Xyz|given");
    assert_true(fixture.plan.input.file >= 0);
    tear_down(&fixture);

    set_up_file(&fixture);
    assert_int_equal(set_file(&fixture, "nothing\n"), 0);
    assert_string_equal(fixture.plan.entrypoint, "file.c");
    check_joined(&fixture.plan.command, "./file|given");
    assert_true(fixture.plan.input.file >= 0);
    tear_down(&fixture);
}

/* A file of a test has that name: neither replaces the other. */
CASE_WITH(plan__name_that_is_taken, set_up_file(fixture))
{
    assert_int_equal(set_file(fixture, "name Abc\n"), -1);
    assert_true(fixture->plan.input.file >= 0);
    assert_error(&fixture->error, ERROR_INPUT, "test 'one': two files have the name 'Abc.c'");
}

/* ---- calls */

CASE(plan__calls_a_function)
{
    struct fixture fixture;

    set_up(&fixture, "py", "{}");
    fixture.request.call.function = string_copy("two_sum");
    strvec_push(&fixture.request.arguments, "word");
    add_test(&fixture, "1")->is_call = true;
    resolve(&fixture);
    check_joined(&fixture.plan.command, "python3|isolator_call.py|main.py|two_sum||word");
    assert_string_equal(fixture.plan.call.function, "two_sum");
    tear_down(&fixture);
}

static void refuse_call(const char *language, bool has_call, bool has_test, const char *message)
{
    struct fixture fixture;

    set_up(&fixture, language, "{}");
    if (has_call)
        fixture.request.call.function = string_copy("f");
    if (has_test)
        add_test(&fixture, "1")->is_call = !has_call || strcmp(language, "py") != 0;
    refuse(&fixture, ERROR_USAGE, message);
}

CASE(plan__calls_that_cannot_be)
{
    refuse_call("py", true, false, "a call needs tests");
    refuse_call("py", true, true, "test '1' has no call_arguments for the function of the call");
    refuse_call("py", false, true, "test '1' has call_arguments, but no call names a function");
    refuse_call("c", true, true,
                "no function of a program in c can be called; languages with the extension .py or "
                ".js can do that");
}
