#define _GNU_SOURCE /* fopencookie() */
#include "cli/session_prompt.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/signals.h"
#include "cli/print.h"

enum { HISTORY_CELLS = 1000 };

struct session_prompt {
    EditLine *editor;
    History *history;
    FILE *output;
    const char *shown; /* borrowed */
    bool interrupted;
};

/* libedit writes through this, so that it does not block in write(2). */
static ssize_t write_output(void *cookie, const char *data, size_t length)
{
    (void)cookie;
    print_bytes(data, length);
    return (ssize_t)length;
}

/* Reads a byte. Returns 1, 0 at the end, and -1 if a signal has arrived. */
static int read_byte(char *byte)
{
    struct pollfd polled[] = {
        {STDIN_FILENO, POLLIN, 0},
        {notifier_fd(signals_cancel()), POLLIN, 0},
    };
    ssize_t length;

    do {
        if (io_poll(polled, 2, -1) < 0 || polled[1].revents != 0)
            return -1;
        length = read(STDIN_FILENO, byte, 1);
    } while (length < 0 && (errno == EINTR || errno == EAGAIN));
    return length == 1 ? 1 : 0;
}

/* The function that libedit calls for each character: 1, 0 at the end, -1 to end the line. */
static int read_character(EditLine *editor, wchar_t *character)
{
    struct session_prompt *prompt;
    mbstate_t state = {0};
    char byte;

    el_get(editor, EL_CLIENTDATA, &prompt);
    for (;;) {
        const int got = read_byte(&byte);

        if (got < 0)
            prompt->interrupted = true;
        if (got != 1)
            return got;
        switch (mbrtowc(character, &byte, 1, &state)) {
        case (size_t)-2:
            continue;
        case (size_t)-1:
            *character = L'?';
            return 1;
        default:
            return 1;
        }
    }
}

static char *prompt_text(EditLine *editor)
{
    struct session_prompt *prompt;

    el_get(editor, EL_CLIENTDATA, &prompt);
    return (char *)prompt->shown; /* libedit does not write to it */
}

static bool open_editor(struct session_prompt *prompt)
{
    const cookie_io_functions_t functions = {.write = write_output};
    HistEvent event;

    setlocale(LC_CTYPE, "C.UTF-8");
    prompt->output = fopencookie(prompt, "w", functions);
    prompt->history = history_init();
    if (!prompt->output || !prompt->history)
        return false;
    history(prompt->history, &event, H_SETSIZE, HISTORY_CELLS);
    history(prompt->history, &event, H_SETUNIQUE, 1);
    prompt->editor = el_init_fd("isolator", stdin, prompt->output, prompt->output, STDIN_FILENO,
                                STDOUT_FILENO, STDERR_FILENO);
    if (!prompt->editor)
        return false;
    el_set(prompt->editor, EL_CLIENTDATA, prompt);
    el_set(prompt->editor, EL_EDITOR, "emacs");
    el_set(prompt->editor, EL_PROMPT, prompt_text);
    el_set(prompt->editor, EL_HIST, history, prompt->history);
    el_set(prompt->editor, EL_GETCFN, read_character);
    el_source(prompt->editor, NULL); /* ~/.editrc */
    return true;
}

struct session_prompt *session_prompt_open(struct error *error)
{
    struct session_prompt *prompt = memory_allocate(sizeof *prompt);

    *prompt = (struct session_prompt){.editor = NULL};
    if (open_editor(prompt))
        return prompt;
    error_set_errno(error, ERROR_SYSTEM, "cannot set up the terminal");
    session_prompt_free(prompt);
    return NULL;
}

void session_prompt_free(struct session_prompt *prompt)
{
    if (!prompt)
        return;
    if (prompt->editor)
        el_end(prompt->editor);
    if (prompt->history)
        history_end(prompt->history);
    if (prompt->output)
        fclose(prompt->output);
    free(prompt);
}

enum prompt_event session_prompt_read(struct session_prompt *prompt, const char *shown,
                                      struct strbuf *text)
{
    const char *line;
    int count = 0;

    prompt->shown = shown;
    prompt->interrupted = false;
    line = el_gets(prompt->editor, &count);
    if (prompt->interrupted && signals_forget_interrupt()) {
        print_text("^C\n");
        return PROMPT_INTERRUPTED;
    }
    if (!line || count <= 0) {
        print_text("\n");
        return PROMPT_END;
    }
    strbuf_add(text, line, (size_t)count);
    if (text->data[text->length - 1] != '\n')
        strbuf_addch(text, '\n');
    return PROMPT_LINE;
}

void session_prompt_remember(struct session_prompt *prompt, const char *cell)
{
    HistEvent event;

    history(prompt->history, &event, H_ENTER, cell);
}
