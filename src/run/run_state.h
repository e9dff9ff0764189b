/*
 * The state of a run, shared by the files that carry it out, each of which calls only those after
 * it: run/run.c, run/judge_start.c, run/extra_files.c, run/run_terminator.c, run/save.c,
 * run/submission.c, run/test_run.c, run/cell_run.c, run/run_steps.c and run/run_session.c.
 */
#ifndef RUN_RUN_STATE_H
#define RUN_RUN_STATE_H

#include <pthread.h>
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
    const struct instance *joined;  /* of an interactor, with which it shares FIFOs; borrowed */
    bool has_template;   /* the programs of its tests may be forks of a ready interpreter */
    bool relays;         /* isolator passes on what program and interactor say */
    struct run *checker; /* the run of the checker of its tests, with its result; NULL: none */
    struct run *grader;  /* the same of the program that grades groups; NULL: none does */
    long long turns_ms;  /* how long the programs of another run take, before or while its own do */
    /* Of the run of a checker or grader: the thread that makes its container, and how that went. */
    pthread_t maker;
    bool has_maker, is_started;
    const char *role; /* what messages call it: "the checker", "the interactor", "the grader" */
    int start_status;
    struct error start_error;
    /* Of the same: the program's run raises one when it needs it no more, ... */
    struct notifier ending;
    struct notifier stop; /* ... and this is raised by it and by that run's cancel */
};

#endif
