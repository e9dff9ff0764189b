/*
 * The state of a run, shared by the files that carry it out, each of which calls only those after
 * it: run/run.c, run/extra_files.c, run/run_terminator.c, run/save.c, run/submission.c,
 * run/cell_run.c, run/run_steps.c and run/run_session.c.
 */
#ifndef RUN_RUN_STATE_H
#define RUN_RUN_STATE_H

#include <stdbool.h>

#include "base/archive.h"
#include "base/manifest.h"
#include "base/notifier.h"
#include "container/instance.h"
#include "docker/docker.h"
#include "network/terminator.h"
#include "request/plan.h"
#include "run/output_sink.h"
#include "run/result.h"
#include "tools/tool_set.h"

struct run {
    const struct docker *docker; /* borrowed, like the next four */
    const struct plan *plan;
    const struct notifier *cancel; /* or NULL */
    struct tool_set *tools;        /* or NULL */
    struct run_observer observer;
    struct tool_consent consent; /* of all its programs */
    struct result *result;
    long long start;      /* clock_now_ms(); when an image is saved, that start */
    struct archive files; /* the files of the working directory, finished */
    struct archive
        with_extra_files;  /* files of isolator's own, then `files`; not open: there are none */
    struct manifest sent;  /* what was sent, for artifacts and for submissions */
    struct manifest built; /* names of what the build has made, for those who ask for no files */
    struct output_sink output;
    struct container_limits limits; /* that its container has when the first program begins */
    struct instance *instance;      /* owned; to be removed by run_clean_up(); NULL: none */
    struct run_session *session;    /* that it uses; borrowed; NULL: none */
    struct terminator *terminator;  /* its own or that of its session; NULL: none is needed */
    bool has_fifos;                 /* its container will share FIFOs with another one */
    const struct instance *joined;  /* which has those that its container shares; borrowed; NULL */
    bool has_template;  /* the programs of its tests may be forks of a ready interpreter */
    long long turns_ms; /* how long the programs of another run take, before or while its own do */
    const struct run_cases *cases; /* what runs in place of the plan's program; NULL: that */
    void *cases_context;
};

/* Several programs that a layer above lets run in the container of a run, after its build. */
struct run_cases {
    void (*made)(void *context); /* its container was made for it, and nothing has run there */
    int (*run)(void *context, struct error *error); /* runs them all; as submission_run() */
    void (*over)(void *context); /* nothing more runs; the result is not complete yet */
};

#endif
