/* Dates in the text of log lines.  Called by run_job.c where another record is
 * to be compared with a log by the time, and the log's format reads no time
 * from its lines; it knows no format. */
#include <config.h>

#include "extract/job/line_date.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/units/units.h"
#include "extract/input/byte_source.h"

enum {
	LOOKED_AT = 256,    /* bytes of a line */
	DATE_AND_TIME = 19, /* "2024-05-01 12:34:56" */
	MAX_FRACTION = 9    /* digits of seconds */
};

/* Does text have this form: 'd' is a digit, '-' a '-' or '/', ' ' a blank or
 * 'T'? */
static int
has_form(const char *text, const char *form)
{
	for (; *form != '\0'; text++, form++)
		if (*form == 'd'       ? !isdigit((unsigned char)*text)
			: *form == '-' ? *text != '-' && *text != '/'
			: *form == ' ' ? *text != ' ' && *text != 'T'
				       : *text != *form)
			return 0;
	return 1;
}

/* The length of the date that stands at text, of which max bytes are there. */
static size_t
date_len(const char *text, size_t max)
{
	size_t n = DATE_AND_TIME, k;

	if (n + 1 < max && (text[n] == '.' || text[n] == ',') &&
	    isdigit((unsigned char)text[n + 1])) {
		n++;
		for (k = 0; n < max && k < MAX_FRACTION &&
		     isdigit((unsigned char)text[n]);
		     k++)
			n++;
	}
	if (n < max && text[n] == 'Z')
		return n + 1;
	if (n + 6 <= max &&
	    (has_form(text + n, "+dd:dd") ||
		(text[n] == '-' && has_form(text + n + 1, "dd:dd"))))
		return n + 6;
	return n;
}

double
line_date_in(const char *text, size_t len)
{
	double at;

	if (len > LOOKED_AT)
		len = LOOKED_AT;
	for (size_t i = 0; i + DATE_AND_TIME <= len; i++)
		if ((i == 0 || !isdigit((unsigned char)text[i - 1])) &&
		    has_form(text + i, "dddd-dd-dd dd:dd:dd") &&
		    stamp_parse(text + i, date_len(text + i, len - i), &at) ==
			STAMP_DATE)
			return at;
	return NAN;
}

/* A line that is looked for. */
struct line_search {
	int64_t wanted, line;
	double at;
};

static void
look_at_line(void *context, const char *line, const char *end)
{
	struct line_search *s = context;

	if (++s->line == s->wanted)
		s->at = line_date_in(line, (size_t)(end - line));
}

double
line_date(const char *path, long line)
{
	struct line_search s = { line, 0, NAN };
	struct error e = ERROR_INIT;
	int cut = 0;

	if (byte_source_each_line(path, look_at_line, &s, &cut, &e) != 0)
		return NAN;
	return s.at;
}
