/* A word of a command line that is shown, as a shell would read it back.
 */
#ifndef COMMON_SHELL_WORD_H
#define COMMON_SHELL_WORD_H

#include "common/strbuf.h"

/* Add word to sb, in single quotes if a shell would not take it as it is. */
void shell_word_add(struct strbuf *sb, const char *word);

#endif
