/* Running gnuplot: a script in, a picture out, nothing by way of a shell.
 *
 * The program is $GNUPLOT, else gnuplot in $PATH.
 *
 *	if (gnuplot_run(&script, format, &picture, &missing, &e) != 0) ...
 */
#ifndef PLOTS_GNUPLOT_H
#define PLOTS_GNUPLOT_H

#include "common/error.h"
#include "common/strbuf.h"
#include "plots/style/picture_style.h"

/* Run a script and add what it draws to a picture, whatever file the script
 * names.  What gnuplot prints on stderr though it succeeds is printed as a
 * warning.
 *
 * format   the picture must start and end like one
 * missing  set to 1 if gnuplot is not there
 *
 * Returns 0; -1 with ERROR_SYSTEM if gnuplot is not there (the message names
 * the package), failed, or left no whole picture. */
int gnuplot_run(const struct strbuf *script,
    const struct picture_format *format, struct strbuf *picture, int *missing,
    struct error *e);

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
