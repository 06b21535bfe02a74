/* Messages of tables and charts in all languages. A message is a row, a
 * language a column.
 *
 *	enum language lang = language_find("zh");
 *	puts(message(MESSAGE_SPEEDUP, lang));  -> 加速比
 */
#ifndef COMMON_TEXTS_MESSAGES_H
#define COMMON_TEXTS_MESSAGES_H

#include <stdarg.h>

enum language { LANGUAGE_EN, LANGUAGE_ZH, N_LANGUAGES };

/* Code of a message; the rows of message_template.h are in this order. */
enum message {
#define ROW(code, en, zh) code,
#include "common/texts/message_template.h"
#undef ROW
	N_MESSAGES
};

/* Names for OPT_CHOICE: "en", "zh", NULL. */
extern const char *const language_names[];

/* Find a language by name, LANGUAGE_EN if unknown; without a name that of
 * --lang ($DLSCALE_LANG), or of the locale: the first of $LC_ALL, $LC_MESSAGES
 * and $LANG that is set. */
enum language language_find(const char *name);

/* Display name of a label: "back end" for "backend"; else the key itself. */
const char *message_label(const char *key, enum language lang);

struct arena;

/* As text_fill, of a message with one or two arguments; last may be NULL. */
const char *message_with(struct arena *a, enum message w, enum language lang,
    const char *first, const char *last);

/* Print "program: message" to stderr, in the language of the user, with each
 * '@' replaced by the next argument, a text. */
void message_report(const char *program, enum message w, ...);

/* A text in the arena with each '@' replaced by the next argument, a text. */
const char *text_fill(struct arena *a, const char *text, ...);
const char *text_fill_list(struct arena *a, const char *text, va_list list);

/* Text of a message, never NULL, static. */
const char *message(enum message w, enum language lang);

#endif
