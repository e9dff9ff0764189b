/*
 * A submission: a run of several programs in one container. They are a build, and then the tests of
 * the request, or the one program that was built. All belong to one request, and each finds the
 * container as if it were the first:
 *
 *     files -> build -> KEEP -> lower limits -> RESTORE, test -> RESTORE, test -> ...
 *
 * KEEP empties each place where a build can leave something, and copies the working directory with
 * what the build has made. RESTORE kills all processes, removes everything that was written, and
 * lays the copy out (supervisor/protocol.h). A build gets the limits of builds, and the container
 * is lowered to those of the program before the first test. The copy is in the container's memory,
 * whose limit is raised by as much. One program that is built needs no copy: it runs in the working
 * directory of its build. With a writable root, which cannot be emptied, or in a session it finds
 * all that its build has left.
 *
 * What is expected of a test never enters the container: stdout is compared here as it arrives.
 */
#ifndef RUN_SUBMISSION_H
#define RUN_SUBMISSION_H

#include <stdbool.h>

#include "run/run_state.h"

/*
 * The limits that the container of a plan without tests needs when it is made. Those of a build are
 * changed after it; if the engine cannot change the limit of processes, the build has that of the
 * program.
 */
struct container_limits submission_plan_limits(const struct plan *plan,
                                               const struct docker *docker);

/* The same for a run, with or without tests. Its files are packed, since their size counts. */
struct container_limits submission_limits(const struct run *run);

/*
 * Whether the engine cannot change the limits of the run's container, as with gVisor. Then the
 * build has all limits of the program.
 */
bool submission_limits_are_fixed(const struct run *run);

/* The command of the plan's build, with the names of its sources; the files are packed. */
struct strvec submission_build_command(const struct run *run);

/*
 * The first part of submission_run(): the build, the copy of the files, and the limits of the
 * program. *built is false if the build has failed; then the result is settled.
 */
int submission_prepare(struct run *run, long long deadline, bool *begun, bool *built,
                       struct error *error);

/*
 * Runs the programs in the run's instance, which waits, and leaves the instance to be removed. The
 * first has to begin before `deadline` (clock_now_ms()). 0: the result says how they ended. -1: no
 * program has begun (*begun is false), or the engine or the container failed; tests that have ended
 * by then keep their results.
 */
int submission_run(struct run *run, long long deadline, bool *begun, struct error *error);

#endif
