/* When a line of a log was printed, by a date and time in its text.  Internal
 * to extract/.
 */
#ifndef EXTRACT_JOB_LINE_DATE_H
#define EXTRACT_JOB_LINE_DATE_H

#include <stddef.h>

/* The first date with a time in a line's first 256 bytes, such as 2024-05-01
 * 12:34:56,789 or 2024/05/01T12:34:56+02:00, in seconds since 1970; a time
 * without zone is taken as UTC.  NAN if there is none. */
double line_date_in(const char *text, size_t len);

/* The same for a line of a file, from 1; NAN too if it cannot be read. */
double line_date(const char *path, long line);

#endif
