/*
 * Instructions of a Dockerfile, for a file and for docker commit --change, whose parser is the
 * same: https://docs.docker.com/reference/dockerfile. Each function appends one line. podman 4.3
 * has a parser of its own for commit: it takes the same JSON arrays, but no escapes in a text.
 */
#ifndef DOCKER_DOCKERFILE_H
#define DOCKER_DOCKERFILE_H

#include "base/strvec.h"

/*
 * "CMD ["ls", "-l"]": an instruction in its exec form, a JSON array. Bytes that are not UTF-8
 * become U+FFFD.
 */
void dockerfile_add_words(struct strvec *lines, const char *instruction,
                          const struct strvec *words);

/* "ENV NAME="VALUE"" of "NAME=VALUE", with escapes for backslash, quote and dollar. */
void dockerfile_add_environment(struct strvec *lines, const char *assignment);

/*
 * "COPY --chown=UID:GID ["SOURCE", "TARGET"]". The source is one path of the build context. Both
 * paths are escaped, so that special characters such as *, ? and [ stand for themselves.
 */
void dockerfile_add_copy(struct strvec *lines, unsigned uid, unsigned gid, const char *source,
                         const char *target);

#endif
