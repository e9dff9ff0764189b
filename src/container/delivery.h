/*
 * How the supervisor (src/supervisor), a static program that is embedded in this one, gets into a
 * container and becomes its process 1.
 *
 * - By the image's shell: a few words of script read it from the attached stdin into a tmpfs of its
 *   own and execute it. So a run takes one docker command.
 * - By an anonymous volume, for images without a shell, and for programs that talk to another one:
 *   `docker cp` fills it before the start.
 * - By the volume of such a container, which this one shares. The FIFOs that join them are there.
 */
#ifndef CONTAINER_DELIVERY_H
#define CONTAINER_DELIVERY_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "docker/container.h"

/* The shell that the script is for. It names itself so in its messages. */
#define DELIVERY_SHELL_PATH "/bin/sh"

/* Where the supervisor is in a container whose volume was filled with it. */
#define DELIVERY_VOLUME_PATH "/.isolator/supervisor"

enum delivery { DELIVERY_SHELL, DELIVERY_VOLUME, DELIVERY_SHARED };

/*
 * Sets the command, and the tmpfs or the volume, of a spec. `command` is an empty vector that the
 * spec borrows; the caller releases it.
 */
void delivery_set_spec(enum delivery delivery, const char *workdir, struct strvec *command,
                       struct container_spec *spec);

/*
 * Whether the engine removes the ended container and its volume itself; otherwise the instance
 * removes them.
 */
bool delivery_auto_remove(enum delivery delivery, const struct docker *docker);

/*
 * A process_source: adds the next bytes of what the shell reads from the stdin of the container.
 * *at, a size_t that is 0 at first, is how many there were before. Nothing may follow before HELLO.
 */
void delivery_send(void *at, struct strbuf *queue);

/* What a volume gets in addition to the supervisor. */
struct volume_files {
    int script; /* of a job, for JOB_DIRECTORY; -1: none */
    const char *script_name;
    bool fifos; /* those of an interaction */
};

/*
 * Puts the supervisor and these files into the volume of a container that has not started.
 * `architecture` is that of the image in the engine's words ("amd64"); "" if it is not known.
 */
int delivery_fill_volume(const struct docker *docker, const char *name, const char *architecture,
                         const struct volume_files *files, long long deadline,
                         const struct notifier *cancel, struct error *error);

/*
 * Puts the supervisor, as a file with this name, into an existing directory of a container that has
 * not started; for the relay that it also is (base/mux.h). `architecture` is that of `image`.
 * ERROR_COMMAND if there is no supervisor for it.
 */
int delivery_copy_supervisor(const struct docker *docker, const char *name, const char *directory,
                             const char *file_name, const char *image, const char *architecture,
                             const struct notifier *cancel, struct error *error);

/*
 * Asks the engine for the architecture of the image ("" if it does not say), and checks that a
 * supervisor can run there.
 */
int delivery_inspect_image(const struct docker *docker, const char *image, char architecture[20],
                           const struct notifier *cancel, struct error *error);

/*
 * The supervisor for images of this architecture as a file in memory that can be executed, owned;
 * for the program that it also is (supervisor/probe.h). The architecture must have one.
 * ERROR_SYSTEM.
 */
int delivery_supervisor_file(const char *architecture, struct error *error);

/* Whether there are supervisors for several architectures. */
bool delivery_has_choice(void);

/*
 * Checks that there is a supervisor for images of this architecture ("amd64"; "": not known, which
 * is taken for this machine's). ERROR_COMMAND.
 */
int delivery_check_architecture(const char *image, const char *architecture, struct error *error);

#endif
