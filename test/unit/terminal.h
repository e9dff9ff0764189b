/*
 * A pseudo-terminal that a test reads and can stop, as a person does with Ctrl-S.
 */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <termios.h>

#include "test.h"

struct terminal {
    int master; /* what is read here was written to the terminal */
    int slave;
};

static inline struct terminal terminal_open(void)
{
    struct terminal terminal = {.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};

    assert_true(terminal.master >= 0);
    assert_int_equal(grantpt(terminal.master), 0);
    assert_int_equal(unlockpt(terminal.master), 0);
    terminal.slave = open(ptsname(terminal.master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(terminal.slave >= 0);
    return terminal;
}

static inline void terminal_stop(const struct terminal *terminal)
{
    assert_int_equal(tcflow(terminal->slave, TCOOFF), 0);
}

static inline void terminal_continue(const struct terminal *terminal)
{
    assert_int_equal(tcflow(terminal->slave, TCOON), 0);
}

static inline void terminal_close(const struct terminal *terminal)
{
    close(terminal->master);
    close(terminal->slave);
}

#endif
