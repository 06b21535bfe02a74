/* Running gnuplot: a script in, a picture out, nothing by way of a shell.
 *
 * The program is $GNUPLOT, else gnuplot in $PATH.
 *
 *	FILE *picture = tmpfile();
 *	if (gnuplot_run(script, len, "svg", picture, &warnings, &e) != 0) ...
 */
#ifndef PLOTS_GNUPLOT_H
#define PLOTS_GNUPLOT_H

#include <stddef.h>
#include <stdio.h>

#include "common/error.h"
#include "plots/script.h"

/* Run a script; what it draws goes to out, whatever file the script names.
 *
 * format    checked: the picture must start and end like one; NULL: text
 * warnings  what gnuplot printed on stderr though it succeeded, or NULL; free
 *           with free()
 *
 * Returns 0 with out rewound; -1 with ERROR_SYSTEM if gnuplot is not there
 * (the message names the package; *missing is 1), failed, or left no whole
 * picture. */
int gnuplot_run(const struct strbuf *script,
    const struct picture_format *format, FILE *out, char **warnings,
    int *missing, struct error *e);

/* PNG and PDF draw a black box over the picture for a character that no font
 * has.  Asks fontconfig's fc-list about the characters of the script beyond
 * Latin, Greek and Cyrillic.
 *
 * Returns 0 if all are there or fc-list is not; -1 with ERROR_SYSTEM and the
 * first character that is missing. */
int gnuplot_check_fonts(const struct strbuf *script, struct error *e);

/* Check that there is such a font; generic names, as serif, always are.
 *
 * Returns 0 if it is there or fc-list is not; -1 with ERROR_SYSTEM. */
int gnuplot_check_family(const char *family, struct error *e);

#endif
