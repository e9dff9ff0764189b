/*
 * A hook in the start of an interpreter, which loads what programs will import ("Ready programs" in
 * supervisor/protocol.h). The interpreter finds it by a variable, which takes the place of others
 * of the same length, and the hook undoes that (src/drivers/preload.py).
 */
#ifndef SUPERVISOR_READY_HOOK_H
#define SUPERVISOR_READY_HOOK_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "base/strvec.h"

/*
 * Sets `exchanged` to the environment with `variable` ("NAME=PATH") in place of others, and
 * `message` to what the hook is to read from descriptor 3. The caller releases both. False: there
 * is no room for the variable, or it is set already.
 */
bool ready_hook_exchange(const struct strvec *environment, const char *variable,
                         struct strvec *exchanged, struct strbuf *message);

#endif
