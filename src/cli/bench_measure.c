#include "cli/bench_measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/signals.h"
#include "container/owned_container.h"
#include "docker/budget.h"
#include "request/plan.h"

/* Programs of one measurement of the batch, for each that runs at a time. */
enum { BATCH_ROUNDS = 4, BATCH_PARALLEL = 2 };

/* Tests of the C program, and its CPUs: those of README's figure. */
enum { TESTS = 100, TEST_CPUS = 2 };

static const char PYTHON[] = "python";
static const char HELLO[] = "print(\"Hello, World\")";
static const char DOUBLE[] =
    "#include <stdio.h>\n"
    "int main(void)\n"
    "{\n"
    "    int n;\n"
    "    return scanf(\"%d\", &n) == 1 ? printf(\"%d\\n\", 2 * n) < 0 : 1;\n"
    "}\n";

/* ---- plans */

static int resolve(const struct bench *bench, struct request *request, const char *language,
                   const char *code, struct plan *plan, struct error *error)
{
    request->language = string_copy(language);
    request->input.code = string_copy(code);
    request->input.code_length = strlen(code);
    return plan_resolve(plan, bench->config, request, error);
}

static int plan_hello(const struct bench *bench, struct plan *plan, struct error *error)
{
    CLEANUP(request_release) struct request request;

    request_init(&request);
    return resolve(bench, &request, PYTHON, HELLO, plan, error);
}

static void add_test(struct case_requests *tests, int number)
{
    struct case_request *test = case_requests_add(tests);

    test->name = string_format("%d", number);
    test->stdin_data = string_copy(test->name);
    test->stdin_length = strlen(test->stdin_data);
    test->expected = string_format("%d", 2 * number);
    test->expected_length = strlen(test->expected);
}

/*
 * The CPUs are set in the plan, and not requested, so that the run takes fewer if the engine or the
 * maximums of the configuration have no more.
 */
static int plan_tests(const struct bench *bench, struct plan *plan, struct error *error)
{
    CLEANUP(request_release) struct request request;

    request_init(&request);
    for (int i = 0; i < TESTS; i++)
        add_test(&request.tests, i);
    if (resolve(bench, &request, "c", DOUBLE, plan, error) != 0)
        return -1;
    plan->policy.limits.number[LIMIT_CPUS] = TEST_CPUS;
    sandbox_policy_clamp(&plan->policy, &bench->config->maximums);
    return 0;
}

/* ---- runs */

static enum error_kind kind_of(enum reason reason)
{
    switch (reason) {
    case REASON_IMAGE_MISSING:
        return ERROR_IMAGE;
    case REASON_INPUT:
        return ERROR_INPUT;
    case REASON_CANCELLED:
        return ERROR_CANCELLED;
    default:
        return ERROR_ENGINE;
    }
}

static int check_result(const struct result *result, struct error *error)
{
    if (result_success(result))
        return 0;
    return error_set(error, kind_of(result->reason), "%s",
                     result->error ? result->error : result_reason(result));
}

/* Runs the plan. `result` is filled in also if it does not succeed, which is an error. */
static int run(struct bench *bench, struct plan *plan, struct result *result, struct error *error)
{
    const struct run_observer none = RUN_OBSERVER_INIT;

    service_run(&bench->service, plan, &none, signals_cancel(), result);
    return check_result(result, error);
}

/* ---- the rows */

static int measure_docker(struct bench *bench, double *figure, struct error *error)
{
    const struct docker *docker = &bench->service.docker;
    CLEANUP(owned_container_release) struct owned_container container;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(docker_call_release)
    struct docker_call call = {
        .deadline = budget_deadline(docker, BUDGET_TOTAL),
        .cancel = signals_cancel(),
        .grace_ms = budget_ms(docker, BUDGET_CANCELLED_CREATE),
    };
    long long begin;

    owned_container_init(&container, docker, NULL, budget_ms(docker, BUDGET_TOTAL));
    strvec_push_each(&call.arguments, "run", "--rm", "--network", "none", "--pull", "never",
                     "--name", container.name, NULL);
    for (size_t i = 0; i < container.labels.count; i++)
        strvec_push_each(&call.arguments, "--label", container.labels.items[i], NULL);
    strvec_push_each(&call.arguments, bench->image, "python3", "-c", HELLO, NULL);
    begin = clock_now_us();
    if (docker_succeed(docker, &call, "cannot run the program with docker", NULL, error) != 0) {
        owned_container_remove(&container, NULL, 0, &ignored); /* else the reaper does */
        return -1;
    }
    *figure = (double)(clock_now_us() - begin) / 1000;
    return 0;
}

static int measure_cold(struct bench *bench, double *figure, struct error *error)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;

    if (plan_hello(bench, &plan, error) != 0 || run(bench, &plan, &result, error) != 0)
        return -1;
    *figure = (double)result.total_ms;
    return 0;
}

static int measure_warm(struct bench *bench, double *figure, struct error *error)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;

    if (config_language(bench->config, PYTHON)->warm == 0)
        return error_set(error, ERROR_USAGE,
                         "the configuration keeps no container waiting; set \"warm\": {\"%s\": 1}",
                         PYTHON);
    if (plan_hello(bench, &plan, error) != 0)
        return -1;
    if (service_prewarm(&bench->service, &plan, signals_cancel()) &&
        run(bench, &plan, &result, error) != 0)
        return -1;
    if (!result.warm)
        return error_set(error, ERROR_ENGINE, "no warm container could be created");
    *figure = (double)result.total_ms;
    return 0;
}

/* Runs the program as a cell of the session, which is opened if it has no id. */
static int time_cell(struct bench *bench, struct session_request *session, double *figure,
                     struct error *error)
{
    CLEANUP(request_release) struct request request;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;
    long long begin;

    request_init(&request);
    request.session = *session;
    request.session.open = !session->id[0];
    if (service_find_session(&bench->service, &request, error) != 0 ||
        resolve(bench, &request, PYTHON, HELLO, &plan, error) != 0)
        return -1;
    *session = request.session;
    begin = clock_now_us();
    if (run(bench, &plan, &result, error) != 0)
        return -1;
    *figure = (double)(clock_now_us() - begin) / 1000;
    return 0;
}

/* The first cell makes the container and starts the interpreter; a later one is measured. */
static int measure_cell(struct bench *bench, double *figure, struct error *error)
{
    enum { CELLS = 5 };
    CLEANUP(error_release) struct error ended = ERROR_INIT;
    struct session_request session = {.id = ""};
    int result = 0;

    for (int cell = 0; cell < CELLS && result == 0; cell++)
        result = time_cell(bench, &session, figure, error);
    service_close_session(&bench->service, session.id, &ended); /* it may have ended */
    return result;
}

static int measure_batch(struct bench *bench, double *figure, struct error *error)
{
    const size_t count = (size_t)bench->parallel * BATCH_ROUNDS;
    CLEANUP_FREE struct plan *plans = memory_allocate(count * sizeof *plans);
    CLEANUP_FREE struct result *results = memory_allocate(count * sizeof *results);
    long long begin;
    int result = 0;

    for (size_t i = 0; i < count; i++) {
        plans[i] = (struct plan)PLAN_INIT;
        results[i] = (struct result)RESULT_INIT;
    }
    for (size_t i = 0; i < count && result == 0; i++)
        result = plan_hello(bench, &plans[i], error);
    begin = clock_now_us();
    if (result == 0)
        service_run_together(&bench->service, plans, count, signals_cancel(), results);
    *figure = (double)count * 1e6 / (double)(clock_now_us() - begin);
    for (size_t i = 0; i < count && result == 0; i++)
        result = check_result(&results[i], error);
    for (size_t i = 0; i < count; i++) {
        plan_release(&plans[i]);
        result_release(&results[i]);
    }
    return result;
}

static int measure_tests(struct bench *bench, double *figure, struct error *error)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;

    if (plan_tests(bench, &plan, error) != 0 || run(bench, &plan, &result, error) != 0)
        return -1;
    *figure = TESTS * 1e3 / (double)result.total_ms;
    return 0;
}

/* ---- */

int bench_open(struct bench *bench, const struct config *config, struct error *error)
{
    const int cores = linux_cores(), parallel = cores < BATCH_PARALLEL ? cores : BATCH_PARALLEL;
    const struct service_options options = {
        .pool = POOL_ONE_SHOT,
        .limits = {.max_active = parallel, .max_queued = parallel * BATCH_ROUNDS}};

    *bench = (struct bench){.config = config, .parallel = parallel};
    return service_open(&bench->service, config, &options, error);
}

int bench_try(struct bench *bench, struct error *error)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;

    if (plan_hello(bench, &plan, error) != 0 || run(bench, &plan, &result, error) != 0)
        return -1;
    bench->image = steal_pointer(&result.image);
    return 0;
}

int bench_measure(struct bench *bench, enum bench_row row, double *figure, struct error *error)
{
    static int (*const measures[BENCH_ROWS])(struct bench *, double *, struct error *) = {
        [BENCH_DOCKER] = measure_docker, [BENCH_COLD] = measure_cold,
        [BENCH_WARM] = measure_warm,     [BENCH_CELL] = measure_cell,
        [BENCH_BATCH] = measure_batch,   [BENCH_TESTS] = measure_tests,
    };

    return measures[row](bench, figure, error);
}

void bench_close(struct bench *bench)
{
    service_close(&bench->service, 0);
    free(bench->image);
}
