/*
 * What the options of `isolator run`, `isolator test` and `isolator session` do with their values,
 * if that is more than to keep them: functions for the rows of cli/run_option_table.c.
 */
#ifndef CLI_RUN_OPTION_VALUES_H
#define CLI_RUN_OPTION_VALUES_H

#include "config/options.h"

/* Their place is a struct sandbox_policy. */
option_apply run_option_take_network, run_option_take_allow_host, run_option_take_oci_runtime,
    run_option_take_cap_drop, run_option_take_user;

/* An int. No value is "true". */
option_apply run_option_take_read_only;

/*
 * A struct strvec of "NAME=VALUE". Overwrites a VALUE in our own arguments; without one, the
 * variable is taken from the environment.
 */
option_apply run_option_take_variable;

/* A char *, which is owned. */
option_apply run_option_take_workdir;

/* A struct request. */
option_apply run_option_take_artifact, run_option_take_path;

/* A struct input. */
option_apply run_option_take_code;

/* The paths of a request, a struct strvec. */
option_apply run_option_take_directory;

/* An enum comparison_mode. */
option_apply run_option_take_compare;

/* A struct run_options. */
option_apply run_option_take_tolerance;

/* Seconds greater than 0, for a double. */
option_apply run_option_take_time_limit;

/* Whole seconds of a duration, at least one, for a long long. */
option_apply run_option_take_seconds;

#endif
