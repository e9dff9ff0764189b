/*
 * The checks of `isolator doctor`. Each adds findings and goes on as far as it can: none ends for the fault that
 * it is there to find, and none takes longer than its part of the time that the engine may take.
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <stdbool.h>

#include "cli/findings.h"
#include "config/config.h"
#include "docker/docker.h"
#include "docker/engine_info.h"
#include "service/service.h"

struct doctor {
    const struct config *config; /* borrowed */
    struct docker docker;
    struct service *service; /* for the programs; borrowed */
    struct findings findings;
    int hellos;          /* languages that ran their program */
    int failures;        /* those that could not */
    const char *untried; /* extension of one with an image and no program; may be NULL; borrowed */
};

/* Adds a finding. Takes detail and advice (which may be NULL) over. */
void doctor_find(struct doctor *doctor, enum finding status, const char *check, char *detail,
                 char *advice);

/*
 * The docker command, the socket, the engine and what it isolates with, what is left behind. False where no engine
 * answers: then nothing else can be checked.
 */
bool doctor_check_engine(struct doctor *doctor);

/*
 * For each language its image, and then a program that says hello, in a container that is made for it and in a
 * warm one. A signal ends it.
 */
void doctor_check_languages(struct doctor *doctor);

#endif
