/*
 * The checks of `isolator doctor`. A check adds findings and continues as far as it can: it does
 * not fail because of the problem that it looks for, and takes no longer than its part of the
 * budget (docker/budget.h).
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <stdbool.h>

#include "cli/doctor/findings.h"
#include "config/config.h"
#include "docker/docker.h"
#include "docker/engine_info.h"
#include "request/plan.h"
#include "service/service.h"

struct doctor {
    const struct config *config; /* borrowed */
    struct docker docker;
    struct service *service; /* runs the test programs; borrowed */
    struct findings findings;
    char *command_file;        /* that the docker command is; owned; NULL: there is none */
    struct engine_info engine; /* what it said at the start */
    struct error no_answer;    /* why it did not answer; ERROR_NONE: it did */
    /* Languages that are tried, and the number of the current one; 0: those are not known yet. */
    int language, languages;
    int successes; /* languages that ran their test program */
    int failures;  /* languages that could not */
    /* Extension of a language without a test program; borrowed; NULL: all languages have one. */
    const char *untested;
    struct strvec tried; /* OCI runtimes whose limits were tried; "": the engine's own choice */
};

/* Says on a terminal what is being checked: "looking for orphaned containers". */
void doctor_say(struct doctor *doctor, const char *what);

/* Adds a finding. Takes ownership of `detail` and `advice`, which may be NULL. */
void doctor_find(struct doctor *doctor, enum finding status, const char *check, char *detail,
                 char *advice);

/*
 * Asks the engine which one it is, before anything is printed. False, with a finding, if it is
 * podman: then nothing else says whether runs work. What it says otherwise is for
 * doctor_check_engine().
 */
bool doctor_ask_engine(struct doctor *doctor);

/*
 * Checks the docker command, the socket, the engine, its isolation features and orphaned
 * containers. False if no engine answers or a signal arrived: then nothing else can be checked.
 */
bool doctor_check_engine(struct doctor *doctor);

/*
 * The values of the findings `engine`, `limits` and `tried limits`: versions and drivers; which
 * limits the engine says that it enforces; and which held, with this OCI runtime (NULL: the
 * engine's own). Each is owned by the caller.
 */
json_t *doctor_engine_values(const struct engine_info *engine);
json_t *doctor_limit_values(const struct strvec *enforced, const struct strvec *missing);
json_t *doctor_tried_values(const char *oci_runtime);

/*
 * If the engine is reached by ssh: measures how long a docker command takes, and checks what ssh(1)
 * is set to do for that host.
 */
void doctor_check_ssh(struct doctor *doctor);

/*
 * Tries, once for each OCI runtime, whether the engine enforces limits for a program of the plan,
 * whose image is there. What is found is remembered: without it, some engines are refused
 * (container/runtime_check.h).
 */
void doctor_try_limits(struct doctor *doctor, const struct plan *plan);

/*
 * Checks the image of each language, and then runs a test program in a new container and in a warm
 * one. A signal ends it.
 */
void doctor_check_languages(struct doctor *doctor);

#endif
