/* Quoting for the shell. Whoever shows a command that is to be copied calls it:
 * logs of runs, machine.txt, messages with the line to use instead. */
#include <config.h>

#include "common/shell_word.h"

#include <string.h>

void
shell_word_add(struct strbuf *sb, const char *word)
{
	const size_t plain = strspn(word,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789-_./=:,+@%");

	if (word[0] != '\0' && word[plain] == '\0') {
		strbuf_addstr(sb, word);
		return;
	}
	strbuf_addch(sb, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			strbuf_addstr(sb, "'\\''");
		else
			strbuf_addch(sb, *word);
	}
	strbuf_addch(sb, '\'');
}
