/* A row an option: in which modes it means something.  An option that is given
 * in another is refused, for who gave it would wait for its effect.  Called by
 * main.c once the command line is read; it knows no values of options. */
#include <config.h>

#include "report/modes.h"

#include <assert.h>
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

#define BIT(mode) (1u << (mode))
#define TABLES (BIT(MODE_TABLES) | BIT(MODE_COMPARE))
#define RESULTS (TABLES | BIT(MODE_PAGE))
#define TRENDS (BIT(MODE_SHOW) | BIT(MODE_PLOT) | BIT(MODE_WHEN))
#define HISTORY (BIT(MODE_ADD) | BIT(MODE_REMOVE) | TRENDS)
#define CASES (RESULTS | BIT(MODE_CHECK) | TRENDS)
#define WRITTEN (CASES | BIT(MODE_ENVIRONMENT))

static const struct {
	const char *option;
	unsigned modes;
} meanings[] = {
	{ "table", TABLES },
	{ "list-tables", ~0u },
	{ "select", CASES },
	{ "rows", TABLES },
	{ "columns", TABLES },
	{ "values", TABLES },
	{ "list-statistics", ~0u },
	{ "metric", BIT(MODE_TABLES) },
	{ "sort", BIT(MODE_TABLES) },
	{ "law-efficiency", TABLES },
	{ "allow-mixed", RESULTS },
	{ "compare", BIT(MODE_COMPARE) },
	{ "delta", BIT(MODE_COMPARE) },
	{ "paired", BIT(MODE_COMPARE) },
	{ "detect", BIT(MODE_COMPARE) },
	{ "confidence", TABLES | TRENDS },
	{ "gate", TABLES }, /* the page has no table of them */
	{ "gate-unproven", TABLES },
	{ "check", BIT(MODE_CHECK) },
	{ "samples", BIT(MODE_CHECK) },
	{ "every-cell", BIT(MODE_CHECK) },
	{ "environment", BIT(MODE_ENVIRONMENT) },
	{ "history", HISTORY },
	{ "date", BIT(MODE_ADD) },
	{ "commit", BIT(MODE_ADD) },
	{ "host", BIT(MODE_ADD) | TRENDS },
	{ "machine", BIT(MODE_ADD) | BIT(MODE_PAGE) },
	{ "force", BIT(MODE_PLOT) },
	{ "format", TABLES | BIT(MODE_CHECK) | BIT(MODE_ENVIRONMENT) | TRENDS },
	{ "lang", WRITTEN },
	{ "digits", RESULTS | BIT(MODE_SHOW) },
	{ "speedup-digits", RESULTS },
	{ "speedup-decimals", RESULTS },
	{ "html", BIT(MODE_PAGE) },
	{ "output", WRITTEN },
};

enum report_mode
report_mode_of_history(const char *verb)
{
	int mode = MODE_ADD;

	while (mode < N_REPORT_MODES && strcmp(names[mode], verb) != 0)
		mode++;
	return (enum report_mode)mode;
}

static unsigned
modes_of(const char *option)
{
	size_t i = 0;

	while (i < sizeof meanings / sizeof meanings[0] &&
	    strcmp(meanings[i].option, option) != 0)
		i++;
	assert(i < sizeof meanings / sizeof meanings[0]);
	return meanings[i].modes;
}

/* Does the option by itself state what is asked for? */
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
		if ((modes & BIT(mode)) == 0)
			continue;
		strbuf_printf(sb, "%s%s%s", n++ > 0 ? ", " : "",
		    mode >= MODE_ADD && (modes & HISTORY & (BIT(mode) - 1)) == 0
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
		unsigned modes;

		if (o->long_name == NULL)
			continue;
		modes = modes_of(o->long_name);
		if ((modes & BIT(mode)) != 0 || !options_given(o->long_name))
			continue;
		strbuf_init(&own, 200);
		strbuf_init(&other, 200);
		add_modes(&own, modes);
		add_modes(&other, BIT(mode));
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
