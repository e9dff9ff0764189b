#include "service/job_output.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/process.h"
#include "container/job_log.h"
#include "container/owned_container.h"
#include "docker/budget.h"
#include "docker/container.h"

struct reader {
    const struct job_output *output;
    struct job_log log;
    struct strbuf message;
    bool builds; /* the program that runs is the build */
};

static void take_frame(struct reader *reader, enum frame_type type, const char *payload,
                       size_t length)
{
    const struct job_output *output = reader->output;
    struct frame_omitted omitted;

    if (type == FRAME_STDOUT || type == FRAME_STDERR) {
        output->take(output->context, type == FRAME_STDERR || reader->builds, payload, length);
    } else if (type == FRAME_OMITTED && length == sizeof omitted) {
        memcpy(&omitted, payload, sizeof omitted);
        output->omitted(output->context, omitted.stream == FRAME_STDERR || reader->builds,
                        omitted.bytes);
    } else if (type == FRAME_END) {
        reader->builds = false;
    }
}

static bool take_log(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct reader *reader = context;
    enum frame_type type;
    const char *payload;
    size_t payload_length;

    if (stream == PROCESS_STDERR) {
        strbuf_add(&reader->message, data, length);
        return true;
    }
    job_log_add(&reader->log, data, length);
    while (job_log_take(&reader->log, &type, &payload, &payload_length))
        take_frame(reader, type, payload, payload_length);
    return !reader->log.reader.broken && reader->output->go_on(reader->output->context);
}

/* How the wait for the docker command has ended. */
static int explain(struct reader *reader, const struct process *client, enum process_event event,
                   struct error *error)
{
    CLEANUP_FREE char *message = docker_message(&reader->message);

    if (event == PROCESS_CANCELLED)
        return error_set(error, ERROR_CANCELLED, "cancelled");
    if (reader->log.reader.broken)
        return error_set(error, ERROR_ENGINE,
                         "the log of the job has a line that is not from its supervisor");
    if (event == PROCESS_DEADLINE)
        return error_set(error, ERROR_ENGINE, "the engine did not give the log of the job in time");
    if (event == PROCESS_EXITED && client->status != 0)
        return error_set(error, ERROR_ENGINE, "cannot read the log of the job: %s", message);
    return 0;
}

int job_output_read(const struct docker *docker, const struct job_note *note, bool follow,
                    const struct job_output *output, const struct notifier *cancel,
                    struct error *error)
{
    CLEANUP_FREE char *container = owned_container_job_name(note->id);
    CLEANUP(process_release) struct process client = PROCESS_INIT;
    struct reader reader = {.output = output,
                            .message = STRBUF_MAX(DOCKER_OUTPUT_MAX),
                            .builds = note->plan.build.count > 0};
    struct process_pump pump = PROCESS_PUMP_INIT;
    int result = -1;

    if (job_note_check_job(note, error) != 0)
        return -1;
    job_log_init(&reader.log, note->key);
    pump.sink = take_log;
    pump.context = &reader;
    pump.cancel = notifier_fd(cancel);
    if (container_logs(docker, container, follow, &client, error) == 0) {
        pump.deadline = follow ? 0 : budget_deadline(docker, BUDGET_IMAGE);
        result = explain(&reader, &client, process_pump(&client, &pump), error);
    }
    job_log_release(&reader.log);
    strbuf_release(&reader.message);
    return result;
}
