/*
 * Opens the files of config_state(). No link is followed from the directory "isolator" on: who runs
 * isolator as root may have kept the HOME of another user, who must not choose what root writes to.
 * The directories above may be links, since they are a choice of who has set the variables.
 */
#ifndef CONFIG_STATE_FILES_H
#define CONFIG_STATE_FILES_H

#include <stdbool.h>

/*
 * Returns a new descriptor of the directory of this file, with O_PATH; the directories are created
 * if `create` is set. -1: errno says why; it is ELOOP if there is a link.
 */
int state_file_directory(const char *path, bool create);

/*
 * Opens the file with these flags of open(2), and O_CLOEXEC; with O_CREAT, the directories are made
 * too. A new file has mode 0600. -1: errno says why; it is ELOOP if there is a link.
 */
int state_file_open(const char *path, int flags);

#endif
