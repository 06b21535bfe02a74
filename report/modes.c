#include <config.h>

#include "report/modes.h"

#include <string.h>

#include "common/strbuf.h"

static const char *const names[N_REPORT_MODES] = {
	[MODE_TABLES] = "tables",
	[MODE_COMPARE] = "--compare",
	[MODE_PAGE] = "--html",
	[MODE_CHECK] = "--check",
	[MODE_ENVIRONMENT] = "--environment",
	[MODE_ADD] = "add",
	[MODE_REMOVE] = "remove",
	[MODE_SHOW] = "show",
	[MODE_PLOT] = "plot",
	[MODE_WHEN] = "when",
};

enum report_mode
report_mode_of_history(const char *verb)
{
	int mode = MODE_ADD;

	while (mode < N_REPORT_MODES && strcmp(names[mode], verb) != 0)
		mode++;
	return (enum report_mode)mode;
}

/* Does the option by itself choose the mode? */
static int
is_mode(const char *option)
{
	return strcmp(option, "compare") == 0 || strcmp(option, "html") == 0 ||
	    strcmp(option, "check") == 0 ||
	    strcmp(option, "environment") == 0 ||
	    strcmp(option, "history") == 0;
}

/* "--check", "tables, --compare", "--history=FILE show, plot". */
static void
add_modes(struct strbuf *sb, unsigned modes)
{
	size_t n = 0;

	for (int mode = 0; mode < N_REPORT_MODES; mode++) {
		if ((modes & IN(mode)) == 0)
			continue;
		strbuf_printf(sb, "%s%s%s", n++ > 0 ? ", " : "",
		    mode >= MODE_ADD &&
			    (modes & IN_HISTORY & (IN(mode) - 1)) == 0
			? "--history=FILE "
			: "",
		    names[mode]);
	}
}

int
report_mode_check(
    enum report_mode mode, const struct opt *opts, struct error *e)
{
	for (const struct opt *o = opts; o->kind != OPT_END; o++) {
		struct strbuf own, other;

		if (o->modes == 0 || (o->modes & IN(mode)) != 0 ||
		    !options_given(o->long_name))
			continue;
		strbuf_init(&own, 200);
		strbuf_init(&other, 200);
		add_modes(&own, o->modes);
		add_modes(&other, IN(mode));
		if (is_mode(o->long_name))
			error_set(e, ERROR_USAGE,
			    "--%s and %s exclude each other", o->long_name,
			    other.buf);
		else
			error_set(e, ERROR_USAGE, "--%s is of %s, not of %s",
			    o->long_name, own.buf, other.buf);
		strbuf_release(&own);
		strbuf_release(&other);
		return -1;
	}
	return 0;
}
