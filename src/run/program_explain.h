/*
 * Why a program did not run, or why it is not known how it ended: the errors of run/program_run.h.
 */
#ifndef RUN_PROGRAM_EXPLAIN_H
#define RUN_PROGRAM_EXPLAIN_H

#include "base/error.h"
#include "container/instance.h"
#include "docker/container.h"

/* Sets the error that the supervisor reported as FAILED. Returns -1. */
int program_explain_failure(const struct instance *instance, const char *image,
                            struct error *error);

/*
 * Sets the error that says why the container did not take a request; instance_deliver() has
 * returned `event`. Returns -1.
 */
int program_explain_no_begin(const struct instance *instance, enum process_event event,
                             struct error *error);

/* How the container has ended, of whose program no end was reported. Asks the engine. */
enum container_end program_container_end(const struct instance *instance);

/*
 * Sets the error that says why the container has ended so before its supervisor reported the end of
 * the program. Returns -1.
 */
int program_explain_no_end(const struct instance *instance, enum container_end end,
                           struct error *error);

#endif
