/*
 * What is needed of a plan to compute a result later, when its container has ended: as JSON, for a
 * file of the user. Its input is not in it, and neither are the variables of its environment.
 */
#ifndef REQUEST_PLAN_NOTE_H
#define REQUEST_PLAN_NOTE_H

#include <jansson.h>

#include "base/error.h"
#include "request/plan.h"

/* A new reference. The plan has no session. */
json_t *plan_note_make(const struct plan *plan);

/* Fills in an empty plan (PLAN_INIT), which plan_release() frees in any case. ERROR_INPUT. */
int plan_note_read(const json_t *note, struct plan *plan, struct error *error);

#endif
