/* Command-line parser driven by a table of options, and the texts generated
 * from the table: --help, man page, bash completion. */
#include <config.h>

#include "common/program/options.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/terminal.h"
#include "common/text.h"

enum {
	MAX_OPTIONS = 128,
	CODE_LONG = 1000 /* getopt's code of row i is CODE_LONG + i */
};

static const char *language;
static const char *const languages[] = { "en", "zh", NULL };

/* Options of every program. */
static const struct opt standard[] = { { OPT_GROUP, .help = "Information" },
	{ OPT_CHOICE, 0, "lang", "LANGUAGE",
	    .help = "language of tables, charts and messages; default: that of "
		    "the locale ($LANG)",
	    .choices = languages, .to = &language },
	{ OPT_FLAG, 'h', NULL, NULL,
	    .help = "print the most frequent options, on one screen" },
	{ OPT_STR, 0, "help", "TOPIC", .optional = "",
	    .help = "print this help, or what it says about TOPIC: an option, "
		    "or a word of a heading or a description; man and bash "
		    "print the man page and the bash completion" },
	{ OPT_FLAG, 0, "version", NULL, .help = "print the version" },
	{ .kind = OPT_END } };

/* The n_own options of the program, then the standard ones. */
static const struct opt *rows[MAX_OPTIONS];
static size_t n_rows, n_own;
static unsigned char given[MAX_OPTIONS];

/* Append names, separated by commas; the last two are separated by `last`. */
static void
add_names(struct strbuf *sb, const char *const *names, const char *last)
{
	for (size_t i = 0; names[i] != NULL; i++)
		strbuf_printf(sb, "%s%s",
		    i == 0                     ? ""
			: names[i + 1] != NULL ? ", "
					       : last,
		    names[i]);
}

static int
set_number(const struct opt *o, const char *text, struct error *e)
{
	const int whole = o->kind == OPT_INT;
	double real = 0;
	long n = 0;

	if (whole ? parse_long(text, LONG_MIN, LONG_MAX, &n) != 0
		  : parse_double(text, -HUGE_VAL, HUGE_VAL, &real) != 0)
		return error_set(e, ERROR_USAGE, "'%s' is not a %snumber", text,
		    whole ? "whole " : "");
	if (whole)
		real = (double)n;
	if (o->min < o->max && (real < o->min || real > o->max))
		return error_set(e, ERROR_USAGE,
		    "%s is outside of %.15g to %.15g%s%s", text, o->min, o->max,
		    o->unit != NULL ? " " : "", o->unit != NULL ? o->unit : "");
	if (whole)
		*(long *)o->to = n;
	else
		*(double *)o->to = real;
	return 0;
}

/* Store one value; text is NULL for a flag. */
static int
set_value(const struct opt *o, const char *text, struct error *e)
{
	struct strbuf all = STRBUF_INIT(ERROR_MESSAGE_SIZE / 2);
	struct opt_list *list = o->to;
	size_t i = 0;
	int rc = 0;

	switch (o->kind) {
	case OPT_FLAG:
		*(int *)o->to = o->value != 0 ? o->value : 1;
		break;
	case OPT_INT:
	case OPT_REAL:
		rc = set_number(o, text, e);
		break;
	case OPT_CHOICE:
		while (
		    o->choices[i] != NULL && strcmp(text, o->choices[i]) != 0)
			i++;
		if (o->choices[i] != NULL) {
			*(const char **)o->to = o->choices[i];
			break;
		}
		add_names(&all, o->choices, ", ");
		rc = error_set(
		    e, ERROR_USAGE, "'%s' is not one of %s", text, all.buf);
		strbuf_release(&all);
		break;
	case OPT_LIST:
		list->items = vec_grow(
		    list->items, list->n, &list->alloc, sizeof *list->items);
		list->items[list->n++] = text;
		break;
	default:
		*(const char **)o->to = text;
	}
	if (rc != 0 && o->long_name != NULL)
		error_prefix(e, "--%s", o->long_name);
	else if (rc != 0)
		error_prefix(e, "-%c", o->short_name);
	return rc;
}

/* Fill rows, and getopt's two tables from them. */
static void
fill_tables(const struct program *p, struct option *longs, char *shorts)
{
	n_rows = 0;
	for (const struct opt *o = p->opts; o->kind != OPT_END; o++)
		rows[n_rows++] = o;
	n_own = n_rows;
	for (const struct opt *o = standard; o->kind != OPT_END; o++)
		rows[n_rows++] = o;
	assert(n_rows <= MAX_OPTIONS);
	for (size_t i = 0; i < n_rows; i++) {
		const struct opt *o = rows[i];
		const int code = CODE_LONG + (int)i;
		const int arg = o->kind == OPT_FLAG ? no_argument
		    : o->optional != NULL           ? optional_argument
						    : required_argument;

		if (o->long_name != NULL)
			*longs++ =
			    (struct option){ o->long_name, arg, NULL, code };
		if (o->alias != NULL)
			*longs++ = (struct option){ o->alias, arg, NULL, code };
		if (o->short_name != 0)
			*shorts++ = o->short_name;
		if (o->short_name != 0 && arg != no_argument)
			*shorts++ = ':';
	}
	*longs = (struct option){ NULL, 0, NULL, 0 };
	*shorts = '\0';
}

/* Row of a long option; n_rows if there is none. */
static size_t
row_named(const char *long_name)
{
	size_t i = 0;

	while (i < n_rows &&
	    (rows[i]->kind == OPT_GROUP ||
		!text_same(rows[i]->long_name, long_name)))
		i++;
	return i;
}

/* --- help ----------------------------------------------------------------- */

enum { WIDTH = 79, INDENT = 8, BRIEF_COLUMN = 30 };

/* Break text at spaces into lines of WIDTH after an indent. */
static void
fill_lines(FILE *f, const char *text, int indent)
{
	int col = 0;

	while (*text != '\0') {
		const int len = (int)strcspn(text, " \n");

		if (len == 0) {
			if (text[0] == '\n' && text[1] == '\n') {
				fputs("\n\n", f);
				col = 0;
			}
			text++;
			continue;
		}
		if (col > 0 && col + 1 + len > WIDTH) {
			fputc('\n', f);
			col = 0;
		}
		col +=
		    fprintf(f, "%*s%.*s", col > 0 ? 1 : indent, "", len, text);
		text += len;
	}
	fputc('\n', f);
}

/* "-o, --output=FILE" */
static void
option_spelling(const struct opt *o, struct strbuf *sb)
{
	if (o->short_name != 0)
		strbuf_printf(sb, "-%c%s", o->short_name,
		    o->long_name != NULL ? ", " : "");
	if (o->long_name != NULL)
		strbuf_printf(sb, "--%s", o->long_name);
	if (o->kind != OPT_FLAG)
		strbuf_printf(sb,
		    o->long_name == NULL      ? " %s"
			: o->optional != NULL ? "[=%s]"
					      : "=%s",
		    o->arg);
}

/* Write text with roff's special characters escaped. */
static void
roff_text(FILE *f, const char *s)
{
	int start = 1;

	for (; *s != '\0'; s++) {
		if (start && (*s == '.' || *s == '\''))
			fputs("\\&", f);
		start = *s == '\n';
		if (*s == '\\')
			fputs("\\e", f);
		else if (*s == '-')
			fputs("\\-", f);
		else if (*s == '\n' && s[1] == '\n') {
			fputs("\n.PP\n", f);
			s++;
			start = 1;
		} else
			fputc(*s, f);
	}
	fputc('\n', f);
}

/* Write an option or example and its description, for --help or in roff. */
static void
put_item(FILE *f, int man, const char *head, const char *text)
{
	if (!man) {
		fprintf(f, "  %s\n", head);
		fill_lines(f, text, INDENT);
		return;
	}
	fputs(".TP\n.B ", f);
	roff_text(f, head);
	roff_text(f, text);
}

/* Write an option: its spelling, then its description, choices, unit, default
 * and alias. */
static void
put_option(FILE *f, int man, const struct opt *o)
{
	struct strbuf head = STRBUF_INIT(4096), text = STRBUF_INIT(4096);

	if (o->kind == OPT_GROUP) {
		fputs(man ? ".SS " : "\n", f);
		if (man)
			roff_text(f, o->help);
		else
			fprintf(f, "%s:\n", o->help);
		return;
	}
	option_spelling(o, &head);
	strbuf_addstr(&text, o->help);
	if (o->kind == OPT_CHOICE) {
		strbuf_printf(&text, "; %s is ", o->arg);
		add_names(&text, o->choices, " or ");
	}
	if (o->kind == OPT_LIST)
		strbuf_addstr(&text, "; may be given more than once");
	if (o->unit != NULL)
		strbuf_printf(&text, "; in %s", o->unit);
	if (o->kind != OPT_FLAG && o->def != NULL && o->def[0] != '\0')
		strbuf_printf(&text, "; default %s", o->def);
	if (o->alias != NULL)
		strbuf_printf(&text, "; also spelt --%s", o->alias);
	strbuf_addstr(&text, man ? "." : "");
	put_item(f, man, head.buf, text.buf);
	strbuf_release(&head);
	strbuf_release(&text);
}

static void
put_examples(FILE *f, int man, const struct program *p)
{
	if (p->examples != NULL)
		fputs(man ? ".SH EXAMPLES\n" : "\nExamples:\n", f);
	for (size_t i = 0; p->examples != NULL && p->examples[i] != NULL;
	     i += 2)
		put_item(f, man, p->examples[i], p->examples[i + 1]);
}

/* A program with gates has the option --gate. */
static const char *
exit_statuses(void)
{
	return row_named("gate") < n_rows
	    ? "Exit status: 0 done; 1 a gate failed, or a cell of --check does "
	      "not follow; 2 wrong usage; 3 bad input or environment; 4 "
	      "nothing usable found."
	    : "Exit status: 0 done; 2 wrong usage; 3 bad input or environment; "
	      "4 nothing usable found.";
}

static void
put_help(const struct program *p, FILE *f)
{
	fprintf(f, "Usage: %s %s\n", p->name, p->synopsis);
	put_examples(f, 0, p);
	fputc('\n', f);
	fill_lines(f, p->text, 0);
	if (p->opts[0].kind != OPT_GROUP)
		fprintf(f, "\nOptions:\n");
	for (size_t i = 0; i < n_rows; i++)
		put_option(f, 0, rows[i]);
	fputc('\n', f);
	fill_lines(f, exit_statuses(), 0);
}

static void
put_brief(const struct program *p, FILE *f)
{
	fprintf(f, "Usage: %s %s\n%s: %s. Examples:\n", p->name, p->synopsis,
	    p->name, p->summary);
	for (int i = 0; i < 6 && p->examples != NULL && p->examples[i] != NULL;
	     i += 2) {
		fprintf(f, "  %s\n", p->examples[i]);
		fill_lines(f, p->examples[i + 1], INDENT);
	}
	fputc('\n', f);
	for (const struct opt *o = p->opts; o->kind != OPT_END; o++) {
		struct strbuf head = STRBUF_INIT(4096);

		if (o->brief == NULL)
			continue;
		option_spelling(o, &head);
		fprintf(f, "  %-*s %s\n", BRIEF_COLUMN, head.buf, o->brief);
		strbuf_release(&head);
	}
	fprintf(f, "  %-*s %s\n", BRIEF_COLUMN, "--help[=TOPIC]",
	    "all options, or those of a topic");
}

/* Describe the option called `topic`, or else all groups and options whose help
 * contains it. Returns 0; -1 if there are none. */
static int
put_topic(const char *topic, FILE *f)
{
	const size_t named = row_named(topic + strspn(topic, "-"));
	int found = 0, in_group = 0;

	if (named < n_rows) {
		put_option(f, 0, rows[named]);
		return 0;
	}
	for (size_t i = 0; i < n_own; i++) {
		const int names = strcasestr(rows[i]->help, topic) != NULL;

		if (rows[i]->kind == OPT_GROUP)
			in_group = names;
		if (names || in_group)
			put_option(f, 0, rows[i]);
		found |= names;
	}
	return found ? 0 : -1;
}

static void
put_man(const struct program *p, FILE *f)
{
	fprintf(f,
	    ".TH %s 1 \"\" \"%s %s\" \"User commands\"\n.SH NAME\n%s \\- ",
	    p->name, PACKAGE_NAME, PACKAGE_VERSION, p->name);
	roff_text(f, p->summary);
	fprintf(f, ".SH SYNOPSIS\n.B %s\n", p->name);
	roff_text(f, p->synopsis);
	fputs(".SH DESCRIPTION\n", f);
	roff_text(f, p->text);
	fputs(".SH OPTIONS\n", f);
	for (size_t i = 0; i < n_rows; i++)
		put_option(f, 1, rows[i]);
	fputs(".SH EXIT STATUS\n", f);
	roff_text(f, exit_statuses());
	put_examples(f, 1, p);
	if (p->see_also != NULL)
		fprintf(f, ".SH SEE ALSO\n%s\n", p->see_also);
}

/* --- parsing -------------------------------------------------------------- */

/* -h, --help and --version.
 *
 * operand  first operand: the topic of "--help TOPIC", if it is one */
static int
print_standard(const struct program *p, const struct opt *o,
    const char *operand, struct error *e)
{
	const char *topic = optarg != NULL ? optarg
	    : operand != NULL              ? operand
					   : "";

	if (text_same(o->long_name, "version"))
		printf("%s (%s) %s\n", p->name, PACKAGE_NAME, PACKAGE_VERSION);
	else if (o->short_name == 'h')
		put_brief(p, stdout);
	else if (strcmp(topic, "man") == 0)
		put_man(p, stdout);
	else if (strcmp(topic, "bash") == 0) {
		printf("# bash completion for %s\ncomplete -o default -W \"",
		    p->name);
		for (size_t i = 0; i < n_rows; i++)
			if (rows[i]->kind != OPT_GROUP &&
			    rows[i]->long_name != NULL)
				printf(" --%s", rows[i]->long_name);
		printf("\" %s\n", p->name);
	} else if (topic[0] == '\0' || put_topic(topic, stdout) != 0) {
		if (optarg != NULL)
			return error_set(e, ERROR_USAGE,
			    "--help: no option, heading or description "
			    "contains '%s'",
			    topic);
		put_help(p, stdout);
	}
	return stdout_finish(e) != 0 ? OPTIONS_FAILED : OPTIONS_DONE;
}

/* Turn "--log_dir=X" into "--log-dir=X", in a copy that is never freed. */
static void
spell_with_dashes(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const size_t end = strcspn(argv[i], "=");

		if (strncmp(argv[i], "--", 2) != 0 ||
		    memchr(argv[i], '_', end) == NULL)
			continue;
		argv[i] = xstrdup(argv[i]);
		for (size_t n = 0; n < end; n++)
			if (argv[i][n] == '_')
				argv[i][n] = '-';
	}
}

enum options_outcome
options_parse(const struct program *p, int argc, char **argv, int *operands,
    struct error *e)
{
	struct option longs[2 * MAX_OPTIONS + 1];
	char shorts[2 * MAX_OPTIONS + 2], *called = argv[0];
	int code;

	fill_tables(p, longs, shorts);
	for (const struct opt *o = p->opts; o->kind != OPT_END; o++) {
		if (o->kind == OPT_FLAG && o->value == 0)
			*(int *)o->to = 0;
		if (o->kind == OPT_LIST)
			((struct opt_list *)o->to)->n = 0;
		if (o->def != NULL && o->kind != OPT_FLAG &&
		    o->kind != OPT_GROUP && set_value(o, o->def, e) != 0)
			return error_prefix(e, "default");
	}
	memset(given, 0, sizeof given);
	spell_with_dashes(argc, argv);
	optind = 0; /* GNU: reinitialise */
	for (;;) {
		const struct opt *o;
		size_t i = 0;

		/* getopt begins its error messages with argv[0]. */
		argv[0] = (char *)(uintptr_t)p->name;
		code = getopt_long(argc, argv, shorts, longs, NULL);
		argv[0] = called;
		if (code == -1)
			break;
		if (code == '?')
			return error_set(e, ERROR_USAGE, "try --help");
		if (code >= CODE_LONG)
			i = (size_t)(code - CODE_LONG);
		while (code < CODE_LONG && rows[i]->short_name != code)
			i++;
		o = rows[i];
		if (o->to == NULL)
			return print_standard(p, o, argv[optind], e);
		if (set_value(o, optarg != NULL ? optarg : o->optional, e) != 0)
			return OPTIONS_FAILED;
		if (o->to == &language)
			setenv("DLSCALE_LANG", language, 1);
		given[i] = 1;
	}
	*operands = optind;
	return OPTIONS_RUN;
}

int
options_set(const char *long_name, const char *value, struct error *e)
{
	const size_t i = row_named(long_name);

	if (i >= n_own)
		return error_set(
		    e, ERROR_USAGE, "there is no option --%s", long_name);
	if (given[i])
		return error_set(e, ERROR_USAGE,
		    "cannot be used with --%s, which it sets", long_name);
	given[i] = 1;
	return set_value(rows[i], value, e);
}

int
options_given(const char *long_name)
{
	const size_t i = row_named(long_name);

	assert(i < n_rows);
	return given[i];
}

int
options_check_operands(char *const *operands, size_t n, size_t most,
    const char *what, struct error *e)
{
	if (n == 0)
		return error_set(e, ERROR_USAGE,
		    "missing operand: name %s; try --help", what);
	return n <= most
	    ? 0
	    : error_set(e, ERROR_USAGE, "extra operand '%s'; try --help",
		  operands[most]);
}

/* --- programs ------------------------------------------------------------- */

enum { STACK_KIB = 1024 }; /* buffers in automatic storage, threads */

/* Normalise the environment of the process:
 *
 * - A write beyond the file size limit (ulimit -f) fails with EFBIG instead of
 *   SIGXFSZ, so that it is reported like a full disk.
 * - Closed standard streams are opened such that using them fails. Otherwise
 *   the next opened file would become standard output, and a table would be
 *   written into a result.
 * - stdout and stderr are protected (common/terminal.h).
 * - A stack that is too small ends the program with a message. */
static void
startup(void)
{
	struct rlimit stack;

	signal(SIGXFSZ, SIG_IGN);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		/* open() returns the lowest free descriptor, which is fd. */
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null",
			fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return;
	terminal_protect();
	if (getrlimit(RLIMIT_STACK, &stack) == 0 &&
	    stack.rlim_cur < STACK_KIB << 10) {
		fprintf(stderr,
		    "%s: the stack is limited to %lu KiB, but %d KiB are "
		    "needed; use 'ulimit -s %d'\n",
		    program_invocation_short_name,
		    (unsigned long)stack.rlim_cur >> 10, STACK_KIB, STACK_KIB);
		exit(EXIT_STATUS_INPUT);
	}
}

int
program_main(const struct program *p, int argc, char **argv, program_work work)
{
	struct error e = ERROR_INIT;
	enum options_outcome outcome;
	int first, status;

	startup();
	outcome = options_parse(p, argc, argv, &first, &e);
	if (outcome == OPTIONS_FAILED)
		return error_report(p->name, &e);
	if (outcome == OPTIONS_DONE)
		return EXIT_STATUS_OK;
	status = work(argv + first, (size_t)(argc - first), &e);
	if (status >= 0 && stdout_finish(&e) != 0)
		status = -1;
	return status < 0 ? error_report(p->name, &e) : status;
}

void
terminal_size(int *columns, int *lines)
{
	const char *wide = getenv("COLUMNS"), *high = getenv("LINES");
	struct winsize size;
	long n;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		size.ws_col = size.ws_row = 0;
	*columns = size.ws_col > 0 ? size.ws_col : 80;
	*lines = size.ws_row > 0 ? size.ws_row : 24;
	if (wide != NULL && parse_long(wide, 1, 10000, &n) == 0)
		*columns = (int)n;
	if (high != NULL && parse_long(high, 1, 10000, &n) == 0)
		*lines = (int)n;
}

int
terminal_colour(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return (no_color == NULL || no_color[0] == '\0') && term != NULL &&
	    strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}
