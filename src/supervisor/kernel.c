#define _GNU_SOURCE
#include "supervisor/kernel.h"

#include <string.h>
#include <sys/utsname.h>

/*
 * Its release was "4.4.0" for years, and is "4.19.0-gvisor" in newer versions, with the same date
 * (uname(2) there).
 */
bool kernel_is_gvisor(void)
{
    struct utsname system;

    return uname(&system) == 0 &&
           (strcmp(system.version, "#1 SMP Sun Jan 10 15:06:54 PST 2016") == 0 ||
            strstr(system.release, "gvisor"));
}
