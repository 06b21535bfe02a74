/* Output of an option table: --help, man page, bash completion. */
#include <config.h>

#include "common/program/options.h"

#include <string.h>

#include "common/strbuf.h"

enum { WIDTH = 79, INDENT = 8, BRIEF_COLUMN = 30 };

static const struct opt standard[] = { { OPT_GROUP, .help = "Information" },
	{ OPT_FLAG, 'h', NULL, NULL,
	    .help = "print the most frequent options, on one screen" },
	{ OPT_STR, 0, "help", "TOPIC", .optional = "",
	    .help = "print this help, or what it says about TOPIC: an option, "
		    "or a word of a heading or a description; man and bash "
		    "print the man page and the bash completion" },
	{ OPT_FLAG, 0, "version", NULL, .help = "print the version" },
	{ .kind = OPT_END } };

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

/* Write the spelling; the sentence, then range, unit, choices, default and
 * alias. */
static void
put_option(FILE *f, int man, const struct opt *o)
{
	struct strbuf head, text;

	if (o->kind == OPT_GROUP) {
		fputs(man ? ".SS " : "\n", f);
		if (man)
			roff_text(f, o->help);
		else
			fprintf(f, "%s:\n", o->help);
		return;
	}
	strbuf_init(&head, 4096);
	strbuf_init(&text, 4096);
	option_spelling(o, &head);
	strbuf_addstr(&text, o->help);
	if (o->kind == OPT_CHOICE)
		strbuf_printf(&text, "; %s is ", o->arg);
	for (size_t i = 0; o->kind == OPT_CHOICE && o->choices[i] != NULL; i++)
		strbuf_printf(&text, "%s%s",
		    i == 0                          ? ""
			: o->choices[i + 1] == NULL ? " or "
						    : ", ",
		    o->choices[i]);
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
put_options(FILE *f, int man, const struct opt *opts)
{
	for (const struct opt *o = opts; o->kind != OPT_END; o++)
		put_option(f, man, o);
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

void
options_help(const struct program *p, FILE *f)
{
	fprintf(f, "Usage: %s %s\n", p->name, p->synopsis);
	put_examples(f, 0, p);
	fputc('\n', f);
	fill_lines(f, p->text, 0);
	if (p->opts[0].kind != OPT_GROUP)
		fprintf(f, "\nOptions:\n");
	put_options(f, 0, p->opts);
	put_options(f, 0, standard);
	fputc('\n', f);
	fill_lines(f,
	    option_named(p->opts, "gate") != NULL
		? "Exit status: 0 done; 1 a gate failed, or a cell of --check "
		  "does not follow; 2 wrong usage; 3 bad input or environment; "
		  "4 nothing usable found."
		: "Exit status: 0 done; 2 wrong usage; 3 bad input or "
		  "environment; 4 nothing usable found.",
	    0);
}

void
options_brief(const struct program *p, FILE *f)
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
		struct strbuf head;

		if (o->brief == NULL)
			continue;
		strbuf_init(&head, 4096);
		option_spelling(o, &head);
		fprintf(f, "  %-*s %s\n", BRIEF_COLUMN, head.buf, o->brief);
		strbuf_release(&head);
	}
	fprintf(f, "  %-*s %s\n", BRIEF_COLUMN, "--help[=TOPIC]",
	    "all options, or those of a topic");
}

int
options_topic(const struct program *p, const char *topic, FILE *f)
{
	const struct opt *named =
	    option_named(p->opts, topic + strspn(topic, "-"));
	int found = 0, in_group = 0;

	if (named != NULL) {
		put_option(f, 0, named);
		return 0;
	}
	for (const struct opt *o = p->opts; o->kind != OPT_END; o++) {
		if (o->kind == OPT_GROUP)
			in_group = strcasestr(o->help, topic) != NULL;
		if (in_group) {
			put_option(f, 0, o);
			found = 1;
		}
	}
	if (found)
		return 0;
	for (const struct opt *o = p->opts; o->kind != OPT_END; o++)
		if (o->kind != OPT_GROUP &&
		    strcasestr(o->help, topic) != NULL) {
			put_option(f, 0, o);
			found = 1;
		}
	return found ? 0 : -1;
}

void
options_man(const struct program *p, FILE *f)
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
	put_options(f, 1, p->opts);
	put_options(f, 1, standard);
	fprintf(f, ".SH EXIT STATUS\n.TP\n.B 0\nDone.\n%s",
	    option_named(p->opts, "gate") != NULL
		? ".TP\n.B 1\nA gate failed, or a cell of "
		  "\\-\\-check does not follow.\n"
		: "");
	fputs(".TP\n.B 2\nWrong usage.\n.TP\n.B 3\nBad input or "
	      "environment.\n.TP\n.B 4\nNothing usable found.\n",
	    f);
	put_examples(f, 1, p);
	if (p->see_also != NULL)
		fprintf(f, ".SH SEE ALSO\n%s\n", p->see_also);
}

static void
bash_words(const struct opt *opts, FILE *f)
{
	for (const struct opt *o = opts; o->kind != OPT_END; o++)
		if (o->kind != OPT_GROUP && o->long_name != NULL)
			fprintf(f, " --%s%s", o->long_name,
			    o->kind == OPT_FLAG || o->optional != NULL ? ""
								       : "=");
}

void
options_bash(const struct program *p, FILE *f)
{
	fprintf(f,
	    "# bash completion for %s, made by %s --help=bash\n_%s()\n{\n"
	    "\tlocal word=${COMP_WORDS[COMP_CWORD]} "
	    "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	    "\tif [ \"$word\" = \"=\" ]; then\n\t\tword=\n"
	    "\telif [ \"$prev\" = \"=\" ]; then\n\t\t"
	    "prev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	    "\tcase $prev in\n",
	    p->name, p->name, p->name);
	/* the words that may follow an option */
	for (const struct opt *o = p->opts; o->kind != OPT_END; o++) {
		if (o->kind != OPT_CHOICE || o->long_name == NULL)
			continue;
		fprintf(
		    f, "\t--%s)\n\t\tCOMPREPLY=($(compgen -W \"", o->long_name);
		for (size_t i = 0; o->choices[i] != NULL; i++)
			fprintf(f, "%s%s", i > 0 ? " " : "", o->choices[i]);
		fprintf(f, "\" -- \"$word\"))\n\t\treturn ;;\n");
	}
	fprintf(f, "\tesac\n\tCOMPREPLY=($(compgen -W \"");
	bash_words(p->opts, f);
	bash_words(standard, f);
	fprintf(f,
	    "\" -- \"$word\"))\n"
	    "\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
	    "\t[[ $word == -* ]] || COMPREPLY=($(compgen -f -- "
	    "\"$word\"))\n}\ncomplete -o filenames -F _%s %s\n",
	    p->name, p->name);
}
