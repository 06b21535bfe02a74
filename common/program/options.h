/* What all programs have in common: command line, start, terminal.
 *
 * One table of options drives parsing, -h (one screen), --help,
 * --help=TOPIC, the man page (--help=man) and the bash completion
 * (--help=bash), so that they agree.
 *
 * Long options are spelt --with-dashes; --with_underscores (DLPerf's spelling)
 * is accepted too. Options and operands may be mixed; "--" ends the options.
 * --lang, --help and --version are added to every table; --lang sets
 * $DLSCALE_LANG, also for the programs that this one starts.
 *
 *	static const char *output;
 *	static long skip;
 *	static const struct opt opts[] = {
 *		{ OPT_GROUP, .help = "Output" },
 *		{ OPT_STR, 'o', "output", "FILE", .help = "write to FILE",
 *		    .to = &output },
 *		{ OPT_INT, 0, "skip-iterations", "N", .unit = "iterations",
 *		    .help = "exclude the first N of each rank", .def = "5",
 *		    .min = 0, .max = 1e9, .to = &skip },
 *		{ .kind = OPT_END }
 *	};
 *
 *	int
 *	main(int argc, char **argv)
 *	{
 *		return program_main(&program, argc, argv, make_tables);
 *	}
 */
#ifndef COMMON_PROGRAM_OPTIONS_H
#define COMMON_PROGRAM_OPTIONS_H

#include <stddef.h>

#include "common/error.h"

enum opt_kind {
	OPT_END = 0, /* ends the table */
	OPT_GROUP,   /* heading; only help is used */
	OPT_FLAG,    /* to: int, set to value (1 if value is 0) */
	OPT_INT,     /* to: long */
	OPT_REAL,    /* to: double */
	OPT_STR,     /* to: const char * */
	OPT_CHOICE,  /* to: const char *, one of choices */
	OPT_LIST     /* to: struct opt_list; may be repeated */
};

/* Values of an OPT_LIST option: borrowed pointers into argv. Never freed. */
struct opt_list {
	const char **items;
	size_t n, alloc;
};

struct opt {
	enum opt_kind kind;
	char short_name;            /* 'o', or 0 for none */
	const char *long_name;      /* "output"; all have one, except -h */
	const char *arg;            /* "FILE"; NULL for a flag */
	const char *unit;           /* "images", "s"; NULL for none */
	const char *help;           /* one sentence, no full stop */
	const char *brief;          /* a few words, for -h; NULL: only in
				       --help */
	const char *def;            /* default as typed by a user, or NULL */
	double min, max;            /* INT, REAL: inclusive limits; both 0:
				       none */
	const char *const *choices; /* CHOICE: NULL-terminated */
	void *to;                   /* see enum opt_kind */
	const char *alias;          /* second long name: "backend" */
	int value;                  /* FLAG: value to store, 0 means 1 */
	const char *optional;       /* value of --name without "=X"; NULL:
				       argument required */
	unsigned modes; /* mask of the program's modes in which the option has
			   an effect; 0: all. Checked by the program */
};

/* A program: its options and the other texts of --help and the man page. */
struct program {
	const char *name;     /* "extract_logs" */
	const char *synopsis; /* "[OPTION]... DIR..." */
	const char *summary;  /* one line for the man page's NAME */
	const char *text;     /* paragraphs, separated by blank lines */
	const struct opt *opts;
	const char *const *examples; /* pairs: command, sentence; NULL ends;
					-h shows the first three */
	const char *see_also;        /* "plot_results(1), report_results(1)" */
};

enum options_outcome {
	OPTIONS_FAILED = -1, /* e is filled: print it, exit with its status */
	OPTIONS_RUN = 0,     /* go on */
	OPTIONS_DONE = 1     /* --help or --version was printed: exit 0 */
};

/* Set all defaults, then parse the command line.
 *
 * argv      reordered: operands follow the options
 * operands  set to the index of the first operand in argv
 *
 * Messages on values name the option: "--skip-iterations: 'x' is not a whole
 * number". getopt prints what it rejects to stderr. The code is ERROR_USAGE. */
enum options_outcome options_parse(const struct program *p, int argc,
    char **argv, int *operands, struct error *e);

/* Set an option of the last options_parse as if it were on the command line.
 *
 * value  lives as long as the option's variable
 *
 * Returns 0; -1 with ERROR_USAGE for an unknown option, for one that is already
 * set, or for a bad value. */
int options_set(const char *long_name, const char *value, struct error *e);

/* Check that there are 1 to most operands.
 *
 * what  name of a missing operand: "the sweep file"
 *
 * Returns 0, or -1 with ERROR_USAGE. */
int options_check_operands(char *const *operands, size_t n, size_t most,
    const char *what, struct error *e);

/* True if the option was on the command line of the last options_parse.
 *
 * long_name  as in the table */
int options_given(const char *long_name);

/* Callback that does the work after the options are parsed.
 *
 * operands  [n] operands of the command line
 *
 * Returns the exit status (EXIT_STATUS_OK or EXIT_STATUS_GATE); -1 with e
 * filled. */
typedef int (*program_work)(char **operands, size_t n, struct error *e);

/* Prepare the standard streams, parse the command line, call work and report
 * its error. Call it first in main(). Returns the exit status of the program.
 */
int program_main(
    const struct program *p, int argc, char **argv, program_work work);

/* Columns and lines of standard output: $COLUMNS and $LINES, else the
 * terminal's, else 80 and 24. */
void terminal_size(int *columns, int *lines);

/* True if stdout is a terminal with colours and NO_COLOR is not set. */
int terminal_colour(void);

#endif
