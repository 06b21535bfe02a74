/* Run gnuplot without a shell: script in, picture out.
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

/* Run a script and append its output to a picture, whatever file the script
 * names. If gnuplot succeeds, its stderr is printed as a warning.
 *
 * format   format that the picture's start and end are checked against
 * missing  set to 1 if gnuplot is not installed
 *
 * Returns 0; -1 with ERROR_SYSTEM if gnuplot is not installed (the message
 * names the package), failed, or wrote no complete picture. */
int gnuplot_run(const struct strbuf *script,
    const struct picture_format *format, struct strbuf *picture, int *missing,
    struct error *e);

/* Check with fontconfig's fc-list that fonts have all characters of the script
 * beyond Latin, Greek and Cyrillic. PNG and PDF would show a black box for a
 * missing one.
 *
 * Returns 0 if fonts have all of them or fc-list fails; -1 with ERROR_SYSTEM
 * that names the first missing character. */
int gnuplot_check_fonts(const struct strbuf *script, struct error *e);

/* Check that a font family is installed; generic names such as serif always
 * are.
 *
 * Returns 0 if it is, or if fc-list fails; -1 with ERROR_SYSTEM. */
int gnuplot_check_family(const char *family, struct error *e);

#endif
