#define _GNU_SOURCE /* fopencookie() */
#include "cli/session/session_prompt.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/print.h"

enum { HISTORY_CELLS = 1000, LISTED_MAX = 100, PASTE_MARK_MAX = 8 };

/* Bracketed paste, as of xterm: the terminal puts these marks around text that is pasted. */
#define PASTE_ON    "\033[?2004h"
#define PASTE_OFF   "\033[?2004l"
#define PASTE_BEGIN "\033[200~"
#define PASTE_END   "\033[201~"

struct session_prompt {
    EditLine *editor;
    History *history;
    FILE *output;
    const char *shown; /* borrowed */
    const struct strvec *names, *files;
    bool interrupted;
    bool pastes;                  /* the terminal says what is pasted */
    bool pasting;                 /* between PASTE_BEGIN and PASTE_END */
    bool after_return;            /* the last byte that was pasted is a carriage return */
    char pending[PASTE_MARK_MAX]; /* bytes that were read to see whether they are a mark */
    size_t pending_count, pending_at;
};

/* libedit writes through this, so that it does not block in write(2). */
static ssize_t write_output(void *cookie, const char *data, size_t length)
{
    (void)cookie;
    print_bytes(data, length);
    return (ssize_t)length;
}

/* Reads a byte of the terminal. Returns 1, 0 at the end, and -1 if a signal has arrived. */
static int read_terminal(char *byte)
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

/*
 * Reads a mark, whose first byte, an escape, has arrived. Whatever else follows the escape is kept
 * for read_byte().
 */
static int read_mark(struct session_prompt *prompt)
{
    const char *mark = prompt->pasting ? PASTE_END : PASTE_BEGIN;
    size_t count = 1;
    int got = 1;

    prompt->pending[0] = mark[0];
    while (mark[count] && (got = read_terminal(&prompt->pending[count])) == 1 &&
           prompt->pending[count] == mark[count])
        count++;
    if (got != 1)
        return got;
    prompt->pending_at = 0;
    prompt->pending_count = mark[count] ? count + 1 : 0;
    if (!mark[count])
        prompt->pasting = !prompt->pasting;
    return 1;
}

/* A byte of text that is pasted; '\0': none. Control characters would be commands for libedit. */
static char pasted_byte(struct session_prompt *prompt, char byte)
{
    const bool repeated = prompt->after_return && byte == '\n';

    prompt->after_return = byte == '\r';
    if (byte == '\r')
        return '\n';
    if (repeated)
        return '\0';
    if ((unsigned char)byte < ' ' && byte != '\n' && byte != '\t')
        return '\0';
    return byte;
}

/* Reads a byte for libedit. Returns as read_terminal() does. */
static int read_byte(struct session_prompt *prompt, char *byte)
{
    for (;;) {
        if (prompt->pending_at < prompt->pending_count) {
            *byte = prompt->pending[prompt->pending_at++];
        } else {
            const int got = read_terminal(byte);

            if (got != 1)
                return got;
            if (*byte == PASTE_BEGIN[0] && prompt->pastes) {
                const int marked = read_mark(prompt);

                if (marked != 1)
                    return marked;
                continue;
            }
        }
        if (!prompt->pasting || (*byte = pasted_byte(prompt, *byte)) != '\0')
            return 1;
    }
}

/* The function that libedit calls for each character: 1, 0 at the end, -1 to end the line. */
static int read_character(EditLine *editor, wchar_t *character)
{
    struct session_prompt *prompt;
    mbstate_t state = {0};
    char byte;

    el_get(editor, EL_CLIENTDATA, &prompt);
    for (;;) {
        const int got = read_byte(prompt, &byte);

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

/* ---- completion */

static bool is_of_name(char byte)
{
    return (unsigned char)byte >= 0x80 || (byte >= '0' && byte <= '9') ||
           ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || strchr("_$.-", byte) != NULL;
}

/* What is before the cursor, and the names that begin so. */
struct completion {
    const char *word; /* borrowed from the line */
    size_t length;
    struct strvec found; /* owned */
};

static void find_names(struct completion *completion, const struct strvec *names)
{
    for (size_t i = 0; names && i < names->count; i++)
        if (strncmp(names->items[i], completion->word, completion->length) == 0)
            strvec_push_once(&completion->found, names->items[i]);
}

static struct completion complete_line(const struct session_prompt *prompt, const LineInfo *line)
{
    struct completion completion = {.word = line->cursor};
    bool quoted = false;

    while (completion.word > line->buffer && is_of_name(completion.word[-1]))
        completion.word--;
    completion.length = (size_t)(line->cursor - completion.word);
    quoted = completion.word > line->buffer && strchr("'\"`", completion.word[-1]) != NULL;
    if (quoted || line->buffer[0] == ':')
        find_names(&completion, prompt->files);
    else if (completion.length > 0)
        find_names(&completion, prompt->names);
    return completion;
}

/* How many bytes all of them begin with. */
static size_t common_length(const struct strvec *names)
{
    size_t length = strlen(names->items[0]);

    for (size_t i = 1; i < names->count; i++) {
        size_t same = 0;

        while (same < length && names->items[i][same] == names->items[0][same])
            same++;
        length = same;
    }
    return length - utf8_cut_tail(names->items[0], length);
}

static void list_names(const struct strvec *names)
{
    print_text("\n");
    for (size_t i = 0; i < names->count && i < LISTED_MAX; i++)
        print_format("%s%s", i > 0 ? "  " : "", names->items[i]);
    print_text(names->count > LISTED_MAX ? "  ...\n" : "\n");
}

/* The function that libedit calls for Tab. */
static unsigned char complete(EditLine *editor, int key)
{
    struct session_prompt *prompt;
    struct completion completion;
    unsigned char action = CC_REFRESH;

    (void)key;
    el_get(editor, EL_CLIENTDATA, &prompt);
    if (prompt->pasting)
        return el_insertstr(editor, "\t") == 0 ? CC_REFRESH : CC_ERROR;
    completion = complete_line(prompt, el_line(editor));
    if (completion.length == 0 && completion.found.count == 0) {
        el_insertstr(editor, "    "); /* an indentation */
    } else if (completion.found.count == 0) {
        action = CC_REFRESH_BEEP;
    } else {
        const size_t length = common_length(&completion.found);
        CLEANUP_FREE char *more = string_format("%.*s", (int)(length - completion.length),
                                                completion.found.items[0] + completion.length);

        if (*more)
            el_insertstr(editor, more);
        else if (completion.found.count > 1) {
            list_names(&completion.found);
            action = CC_REDISPLAY;
        }
    }
    strvec_release(&completion.found);
    return action;
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
    const char *terminal = getenv("TERM");
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
    el_set(prompt->editor, EL_ADDFN, "isolator-complete", "complete a name", complete);
    el_set(prompt->editor, EL_BIND, "^I", "isolator-complete", NULL);
    el_source(prompt->editor, NULL); /* ~/.editrc */
    prompt->pastes = terminal && *terminal && strcmp(terminal, "dumb") != 0;
    if (prompt->pastes)
        print_text(PASTE_ON);
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
    if (prompt->pastes)
        print_text(PASTE_OFF);
    if (prompt->editor)
        el_end(prompt->editor);
    if (prompt->history)
        history_end(prompt->history);
    if (prompt->output)
        fclose(prompt->output);
    free(prompt);
}

void session_prompt_offer(struct session_prompt *prompt, const struct strvec *names,
                          const struct strvec *files)
{
    prompt->names = names;
    prompt->files = files;
}

bool session_prompt_is_pasting(const struct session_prompt *prompt)
{
    return prompt->pasting;
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
