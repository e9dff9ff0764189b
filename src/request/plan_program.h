/*
 * How the program of a plan is named in the container, and the commands that have its name in them.
 * A part of request/plan.h, for plan.c alone.
 */
#ifndef REQUEST_PLAN_PROGRAM_H
#define REQUEST_PLAN_PROGRAM_H

#include "request/plan.h"

/*
 * Returns the path of the program, owned. A directory, and code with a name of its own, have what
 * the request says. Code without one is named by its source, if the language has a pattern for that
 * and it matches. A file, whose content is not known yet, keeps its name on the host only if the
 * language has its extension, by which compilers go. Otherwise it is the language's default name.
 */
char *plan_program_path(const struct request *request, const struct language *language);

/* Fills in the commands of build and program, for the entrypoint and the arguments of the plan. */
void plan_program_fill(struct plan *plan, const struct language *language);

#endif
