/* The file of a script: people restyle it by hand, so it records whether
 * anyone did, and is not overwritten then.
 *
 *	script_file_seal(&script);
 *	if (script_file_check("a.gp", 0, &e) != 0)
 *		return -1;
 */
#ifndef PLOTS_SCRIPT_FILE_H
#define PLOTS_SCRIPT_FILE_H

#include "common/error.h"
#include "common/strbuf.h"

/* Add the last line: a comment with a checksum of all before it. */
void script_file_seal(struct strbuf *script);

/* May a script be written to path?  It may where there is no file, no regular
 * file, or one that ends with the checksum of its own text.
 *
 * path   "-" is stdout
 * force  1: whatever is there
 *
 * Returns 0; -1 with ERROR_INPUT, or ERROR_SYSTEM if it cannot be read. */
int script_file_check(const char *path, int force, struct error *e);

#endif
