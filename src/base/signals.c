#include "base/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static struct notifier interrupted = NOTIFIER_INIT;
static volatile sig_atomic_t interrupting_signal;
static bool caught;

/* Otherwise a file that is opened later could get the number of a closed standard stream. */
static void fill_standard_streams(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

void signals_set_up(void)
{
    sigset_t none;

    fill_standard_streams();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

static void note_signal(int signal)
{
    if (signal != SIGINT || interrupting_signal == 0)
        interrupting_signal = signal; /* Ctrl-C does not hide that the process has to end */
    notifier_raise(&interrupted);
}

int signals_catch(struct error *error)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    struct sigaction hangup;

    if (notifier_open(&interrupted, error) != 0)
        return -1;
    sigemptyset(&action.sa_mask);
    /* SIGINT even if it is ignored, as in a background job of a shell: it was sent to us. */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, NULL, &hangup);
    if (hangup.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    caught = true;
    return 0;
}

const struct notifier *signals_cancel(void)
{
    return &interrupted;
}

bool signals_are_caught(void)
{
    return caught;
}

int signals_caught(void)
{
    return interrupting_signal;
}

bool signals_forget_interrupt(void)
{
    sigset_t ending, before;
    bool forgotten;

    sigemptyset(&ending); /* neither can arrive between the question and the answer */
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ending, &before);
    forgotten = interrupting_signal == SIGINT;
    if (forgotten) {
        interrupting_signal = 0;
        notifier_clear(&interrupted);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return forgotten;
}

void signals_release(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    caught = false;
}
