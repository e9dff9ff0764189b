/*
 * The state of a run, shared by the files that carry it out: run/run.c, run/run_steps.c,
 * run/submission.c and run/save.c.
 */
#ifndef RUN_RUN_STATE_H
#define RUN_RUN_STATE_H

#include "base/archive.h"
#include "base/manifest.h"
#include "base/notifier.h"
#include "config/plan.h"
#include "docker/docker.h"
#include "run/instance.h"
#include "run/output_sink.h"
#include "run/result.h"

struct run {
    const struct docker *docker; /* borrowed, like the next three */
    const struct plan *plan;
    const struct notifier *cancel; /* or NULL */
    struct run_observer observer;
    struct result *result;
    long long start;       /* clock_now_ms(); when an image is saved, that start */
    struct archive files;  /* the files of the working directory, finished */
    struct manifest sent;  /* what is in `files`, for artifacts and for submissions */
    struct manifest built; /* names of what the build has made, for those who ask for no files */
    struct output_sink output;
    struct instance *instance;   /* owned; to be removed by run_clean_up(); NULL: none */
    struct run_session *session; /* that it uses; borrowed; NULL: none */
};

#endif
