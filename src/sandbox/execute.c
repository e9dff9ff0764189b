#include "sandbox/execute.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/linux.h"
#include "sandbox/gate.h"
#include "sandbox/input.h"
#include "sandbox/life.h"
#include "sandbox/owner.h"
#include "sandbox/save.h"

/*
 * Past its timeout, this part of the engine's time (six times it for saving an image) and a minute a run
 * is over: its container is nobody's then.
 */
enum { LIFETIME_PERCENT = 800, LIFETIME_EXTRA_MS = 60000 };

static void name_life(struct life *life)
{
    char digits[17];

    linux_random_digits(digits, sizeof digits);
    snprintf(life->name, sizeof life->name, "isolator-%s", digits);
    owner_labels(&life->labels, limits_timeout_ms(&life->plan->limits) +
                                    docker_share(life->docker, LIFETIME_PERCENT) +
                                    LIFETIME_EXTRA_MS);
}

/* The two archives of a run. Whatever is wrong with the input is found here. */
static int pack(const struct plan *plan, const char *nonce, struct archive *control,
                struct archive *files, struct strvec *warnings, struct error *error)
{
    const unsigned uid = plan->limits.uid;
    const unsigned gid = plan->limits.gid;

    if (archive_open(control, uid, gid, "", error) != 0 ||
        archive_open(files, uid, gid, "", error) != 0 ||
        gate_control(plan, nonce, control, error) != 0)
        return -1;
    return input_archive(plan, archive_size(control), files, warnings, error);
}

static int run(struct life *life, struct error *error)
{
    CLEANUP(error_release) struct error gate_error = ERROR_INIT;
    enum life_gate gate;

    if (life_gated(life, &gate, &gate_error) == 0)
        return 0;
    if (gate == LIFE_GATE_GOOD || gate_error.kind == ERROR_IMAGE)
        return error_set(error, gate_error.kind, "%s", gate_error.message);
    return life_plain(life, gate == LIFE_GATE_SILENT ? &gate_error : NULL, error);
}

static int save(struct life *life, struct error *error)
{
    const struct request *request = life->plan->request;

    if (request->save_dockerfile && save_dockerfile(life->plan, error) != 0)
        return -1;
    if (request->save_image) {
        if (save_image(life, error) != 0)
            return -1;
        life->result->image_tag = string_copy(request->save_image);
    }
    return 0;
}

void execute(const struct docker *docker, const struct plan *plan, const struct cancel *cancel,
             struct result *result)
{
    CLEANUP(archive_release) struct archive control = ARCHIVE_INIT;
    CLEANUP(archive_release) struct archive files = ARCHIVE_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct output output;
    struct life life = {
        .docker = docker,
        .plan = plan,
        .cancel = cancel,
        .control = &control,
        .files = &files,
        .output = &output,
        .result = result,
        .labels = STRVEC_INIT,
        .start = clock_now_ms(),
    };

    result->image = string_copy(plan->image);
    output_init(&output, plan);
    linux_random_digits(life.nonce, sizeof life.nonce);
    name_life(&life);
    if (pack(plan, life.nonce, &control, &files, &result->warnings, &error) != 0 ||
        run(&life, &error) != 0 || (result_success(result) && save(&life, &error) != 0))
        result_fail(result, &error);
    output_finish(&output, result);
    strvec_release(&life.labels);
}
