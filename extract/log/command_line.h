/* A command line split into words as a shell splits it, and the options among
 * them.  Time and memory grow with its length only.
 *
 *	struct command_line c;
 *	command_line_split(&c, text, len, &arena);
 *	for (size_t i = 0; i < c.n; i += o.n)
 *		if (command_line_option(&c, i, &arena, &o))
 *			... o.key, o.value ...
 *		else
 *			... c.words[i].text ...
 */
#ifndef EXTRACT_LOG_COMMAND_LINE_H
#define EXTRACT_LOG_COMMAND_LINE_H

#include <stddef.h>

#include "common/arena.h"

struct command_word {
	const char *text; /* without quotes */
	size_t at;        /* of its first byte in the line */
	int is_operator;  /* 1: ", ";", "&&", ">", "2>&1": no word of a
			     command|an operator: "|", ";", "&&", ">", "2>&1"|",
			     ";", "&&", ">", "2>&1": no word of a command */
};

struct command_line {
	struct command_word *words;
	size_t n;
};

/* Split a line: at blanks outside of quotes, and before and after operators.
 * A list as Python and JSON print it (['python', 'train.py']) is as many words
 * as it has items.  A quote that does not end is an ordinary character.
 *
 * text  [len]
 * a     where the words live */
void command_line_split(
    struct command_line *c, const char *text, size_t len, struct arena *a);

struct command_option {
	const char *key; /* without dashes: "batch-size", "n", "trainer.amp" */
	const char *value; /* NULL: none, a flag */
	size_t n;          /* number of its words, 1 or 2, also if it is no
			      option */
	int separate;      /* 1: the value is the next word, which may belong
	                      to no flag */
};

/* The part of a path after its last slash. */
const char *command_base_name(const char *path);

/* True for "python" and "python3.10". */
int command_is_python(const char *name);

/* True for words that mark the rest of a line as an example: "usage:",
 * "e.g.". */
int command_is_example(const char *word);

/* Read the option that begins with word i: "--key=value", "--key value", "-k
 * value", "-k4", "--flag", or "key=value" as Hydra and the shell take it.
 *
 * a  where key and value live, with the words of c
 *
 * Returns 1; 0 where the word is no option: o->key is NULL then. */
int command_line_option(const struct command_line *c, size_t i, struct arena *a,
    struct command_option *o);

#endif
