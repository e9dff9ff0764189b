#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/signals.h"
#include "cli/doctor/doctor.h"
#include "docker/budget.h"
#include "docker/explain.h"

static const char scheme[] = "ssh://";

/* A session over a shared connection takes less, unless the remote shell takes its time. */
enum { SLOW_SESSION_MS = 500 };

/* What ssh(1) would do for the engine's host. */
struct ssh_settings {
    bool shares_connection; /* ControlMaster, with a ControlPath */
    bool checks_server;     /* ServerAliveInterval */
};

/* The arguments with which ssh prints its settings for the host of the endpoint. */
static struct strvec settings_arguments(const char *endpoint)
{
    const char *place = endpoint + strlen(scheme);
    const char *at = strchr(place, '@');
    const char *host = at ? at + 1 : place;
    const size_t length = strcspn(host, ":/");
    struct strvec arguments = STRVEC_INIT;

    strvec_push(&arguments, "-G");
    if (at)
        strvec_pushf(&arguments, "-l%.*s", (int)(at - place), place);
    if (host[length] == ':')
        strvec_pushf(&arguments, "-p%.*s", (int)strcspn(host + length + 1, "/"), host + length + 1);
    strvec_push(&arguments, "--");
    strvec_pushf(&arguments, "%.*s", (int)length, host);
    return arguments;
}

/* The value of a line "NAME VALUE" is none of those that mean "no". */
static bool is_set(const char *settings, const char *name)
{
    CLEANUP_FREE char *start = string_format("\n%s ", name);
    const char *line = strstr(settings, start);
    const char *value = line ? line + strlen(start) : "no\n";

    return strncmp(value, "no\n", 3) != 0 && strncmp(value, "none\n", 5) != 0 &&
           strncmp(value, "false\n", 6) != 0 && strncmp(value, "0\n", 2) != 0;
}

/* False: ssh does not say. It reads files only, and connects to nothing. */
static bool read_settings(const struct doctor *doctor, struct ssh_settings *settings)
{
    const struct docker ssh = {.command = "ssh", .engine_timeout = doctor->docker.engine_timeout};
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(docker_call_release)
    struct docker_call call = {.arguments = settings_arguments(doctor->engine.endpoint),
                               .deadline = budget_deadline(&ssh, BUDGET_ENDPOINT),
                               .cancel = signals_cancel()};
    const char *text;

    if (docker_run(&ssh, &call, &output, &ignored) != 0 || output.status != 0)
        return false;
    text = strbuf_string(&output.out);
    *settings = (struct ssh_settings){
        .shares_connection = is_set(text, "controlmaster") && is_set(text, "controlpath"),
        .checks_server = is_set(text, "serveraliveinterval"),
    };
    return true;
}

/* How long a docker command takes that asks the engine for its version, in ms; -1: it fails. */
static long long time_question(const struct doctor *doctor)
{
    const long long begin = clock_now_ms();

    return docker_engine_answers(&doctor->docker, budget_deadline(&doctor->docker, BUDGET_QUERY),
                                 signals_cancel()) == DOCKER_YES
               ? clock_now_ms() - begin
               : -1;
}

static void report(struct doctor *doctor, const struct ssh_settings *settings, long long ms)
{
    struct strbuf detail = STRBUF_INIT;
    char *advice = NULL;

    strbuf_addf(&detail, "a docker command takes %lld ms", ms);
    if (!settings->shares_connection) {
        strbuf_addstr(&detail, ", since each one is a connection of its own");
        advice = string_copy("set ControlMaster, ControlPath and ControlPersist for this host in "
                             "~/.ssh/config");
    } else if (ms > SLOW_SESSION_MS) {
        strbuf_addstr(&detail, ", although they share a connection: the start-up files of the "
                               "remote shell may be slow");
        advice = string_copy("have them return early unless the shell is interactive");
    } else {
        strbuf_addstr(&detail, "; they share a connection, which has 10 sessions (MaxSessions in "
                               "sshd_config(5)), enough for three containers at a time");
    }
    if (!settings->checks_server) {
        strbuf_addstr(&detail, "; a connection that hangs is not noticed");
        if (!advice)
            advice = string_copy("set ServerAliveInterval for this host in ~/.ssh/config");
    }
    doctor_find(doctor, advice ? FINDING_WARN : FINDING_OK, "ssh", strbuf_steal(&detail), advice);
}

void doctor_check_ssh(struct doctor *doctor)
{
    const char *endpoint = doctor->engine.endpoint;
    struct ssh_settings settings;
    long long ms;

    if (!endpoint || strncmp(endpoint, scheme, strlen(scheme)) != 0)
        return;
    doctor_say(doctor, "measuring the connection");
    ms = time_question(doctor);
    if (ms >= 0 && !notifier_raised(signals_cancel()) && read_settings(doctor, &settings))
        report(doctor, &settings, ms);
}
