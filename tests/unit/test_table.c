#include <config.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/table/table.h"
#include "common/text.h"
#include "tests/golden.h"
#include "tests/tap.h"

static char *text;
static size_t text_len;

/* Write the table in a format; the result is valid until the next call. */
static const char *
shown(const struct table *t, const char *format, enum table_colour colour)
{
	const struct table_format *f = table_format_find(format);
	FILE *out;

	CHECK(f != NULL);
	free(text);
	text = NULL;
	out = open_memstream(&text, &text_len);
	CHECK(out != NULL);
	table_write(t, 1, f, colour, out);
	CHECK_INT(fclose(out), 0);
	return text;
}

/* A table that uses every feature. */
static void
fill(struct table *t)
{
	*t = TABLE_INIT;
	table_title(t, "Scaling of %s & friends, 100%%", "resnet50_v1");
	table_column(t, "case", NULL, TABLE_LEFT);
	table_column(t, "GPUs", NULL, TABLE_RIGHT);
	table_column(t, "speed", "samples/s", TABLE_DECIMAL);
	table_column(
	    t, "\xe5\x8a\xa0\xe9\x80\x9f\xe6\xaf\x94", NULL, TABLE_DECIMAL);
	table_column(t, "note", NULL, TABLE_LEFT);
	table_group(t, "fp32 | batch 128");
	table_row(t);
	table_cell(t, "1n1g");
	table_cell(t, "1");
	table_cellf(t, "%.1f", 384.25);
	table_cell(t, "1");
	table_cell(t, "baseline, \"named\"");
	table_last_cell(t)->emphasis = TABLE_FAINT;
	table_row(t);
	table_cell(t, "4n8g");
	table_last_cell(t)->link = "#run-4n8g?a=1&b=\"2\"";
	table_cell(t, "32");
	table_cell(t, "12,057.75");
	table_last_cell(t)->emphasis = TABLE_STRONG;
	table_cell(t, "31.38");
	table_last_cell(t)->emphasis = TABLE_GOOD;
	table_cell(t, "a<b>c*d*[e]{f}$g^h~i\\j~'k'");
	table_group(t, NULL);
	table_row(t);
	table_cell(t, "8n8g");
	table_cell(t, "64");
	table_cell(t, "OOM");
	table_last_cell(t)->emphasis = TABLE_BAD;
	table_cell(t, "-0.5");
	table_row(t);
	table_cell(t, NULL);
	table_group(t, "fp16_amp");
	table_row(t);
	table_cell(t, "\xe8\x8a\x82\xe7\x82\xb9");
	table_cell(t, "8");
	table_cell(t, "~1234.5 \xc2\xb1 2.5");
	table_cell(t, "n/a");
	table_cell(t, "*");
	table_note(t, "Median of %d runs.", 5);
	table_note(t, "_OOM_: out of memory");
}

static void
test_golden(void)
{
	struct table t;
	size_t i;

	fill(&t);
	for (i = 0; table_format_names[i] != NULL; i++) {
		const char *name = table_format_names[i];
		char golden[64];

		snprintf(golden, sizeof golden, "tests/golden/table.%s",
		    table_format_find(name)->suffix);
		golden_check(shown(&t, name, TABLE_COLOUR_OFF), golden);
		/* Only text has colours. */
		if (i > 0)
			golden_check(shown(&t, name, TABLE_COLOUR_ON), golden);
	}
	golden_check(shown(&t, "text", TABLE_COLOUR_ON),
	    "tests/golden/table-colour.txt");
	table_release(&t);
}

/* Colours must not move anything. */
static void
test_colour_width(void)
{
	struct table t;
	char *plain, *p, *q;

	fill(&t);
	shown(&t, "text", TABLE_COLOUR_OFF);
	plain = text;
	text = NULL;
	shown(&t, "text", TABLE_COLOUR_ON);
	CHECK(strstr(text, "\033[31mOOM\033[0m") != NULL);
	for (p = q = text; *p != '\0'; p++) {
		if (*p == '\033')
			p += strcspn(p, "m");
		else
			*q++ = *p;
	}
	*q = '\0';
	CHECK_STR(text, plain);
	free(plain);
	table_release(&t);
}

static void
test_formats(void)
{
	int i;

	for (i = 0; table_format_names[i] != NULL; i++)
		CHECK_STR(table_format_find(table_format_names[i])->name,
		    table_format_names[i]);
	CHECK(table_format_find("pdf") == NULL);
}

/* A table without rows, title and notes still has a head. */
static void
test_empty(void)
{
	struct table t;

	t = TABLE_INIT;
	table_column(&t, "case", NULL, TABLE_LEFT);
	table_column(&t, "time", "s", TABLE_DECIMAL);
	CHECK_STR(shown(&t, "text", TABLE_COLOUR_OFF),
	    "case  time\n"
	    "       (s)\n"
	    "----  ----\n");
	CHECK_STR(shown(&t, "markdown", TABLE_COLOUR_OFF),
	    "| case | time (s) |\n"
	    "|:-----|---------:|\n");
	CHECK_STR(shown(&t, "csv", TABLE_COLOUR_OFF), "case,time (s)\r\n");
	CHECK_STR(shown(&t, "latex", TABLE_COLOUR_OFF),
	    "% needs \\usepackage{booktabs,graphicx}; Chinese: ctex too, and "
	    "xelatex or lualatex\n"
	    "\\begin{table}\n  \\centering\n  \\sbox0{%\n"
	    "  \\begin{tabular}{lr}\n"
	    "    \\toprule\n"
	    "    case & time \\\\\n"
	    "     & (s) \\\\\n"
	    "    \\midrule\n"
	    "    \\bottomrule\n"
	    "  \\end{tabular}}%\n"
	    "  \\ifdim\\wd0>1.25\\linewidth\\scalebox{0.8}{\\usebox0}"
	    "\\else\\ifdim\\wd0>\\linewidth"
	    "\\resizebox{\\linewidth}{!}{\\usebox0}"
	    "\\else\\usebox0\\fi\\fi\n\\end{table}\n");
	CHECK_STR(shown(&t, "html", TABLE_COLOUR_OFF),
	    "<table>\n<thead>\n<tr><th scope=\"col\">case</th>"
	    "<th scope=\"col\" class=\"num\">time "
	    "<span class=\"unit\">(s)</span></th></tr>\n</thead>\n"
	    "<tbody>\n</tbody>\n</table>\n");
	table_release(&t);
}

/* A spreadsheet must not run text of a log as a formula. */
static void
test_csv_formulas(void)
{
	static const char *const cells[][2] = {
		{ "=1+1", "'=1+1" },
		{ "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0" },
		{ "+SUM(A1)", "'+SUM(A1)" },
		{ "-2+3", "'-2+3" },
		{ "@x", "'@x" },
		{ "-inf", "'-inf" },
		{ "-1.5e-05", "-1.5e-05" },
		{ "+3", "+3" },
		{ "-", "-" },
		{ "a=b", "a=b" },
	};
	struct table t;

	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
		char want[80];

		t = TABLE_INIT;
		table_column(&t, "=head", NULL, TABLE_LEFT);
		table_row(&t);
		table_cell(&t, cells[i][0]);
		snprintf(want, sizeof want, "'=head\r\n%s\r\n", cells[i][1]);
		CHECK_STR(shown(&t, "csv", TABLE_COLOUR_OFF), want);
		table_release(&t);
	}
	t = TABLE_INIT;
	table_column(&t, "-2", "s", TABLE_LEFT);
	table_column(&t, "-2", NULL, TABLE_LEFT);
	CHECK_STR(shown(&t, "csv", TABLE_COLOUR_OFF), "'-2 (s),-2\r\n");
	table_release(&t);
}

static void
test_intervals(void)
{
	struct table t;

	t = TABLE_INIT;
	table_column(&t, "interval", "s", TABLE_INTERVAL);
	table_row(&t);
	table_cell(&t, "[345.9, 348.0]");
	table_row(&t);
	table_cell(&t, "[1371, 1421]");
	table_row(&t);
	table_cell(&t, "n/a");
	table_row(&t);
	table_cell(&t, "[-1.25, 10.5]");
	CHECK_STR(shown(&t, "text", TABLE_COLOUR_OFF),
	    "         interval\n"
	    "              (s)\n"
	    "-----------------\n"
	    "[ 345.9 ,  348.0]\n"
	    "[1371   , 1421  ]\n"
	    "              n/a\n"
	    "[  -1.25,   10.5]\n");
	CHECK_STR(shown(&t, "csv", TABLE_COLOUR_OFF),
	    "interval (s)\r\n\"[345.9, 348.0]\"\r\n\"[1371, 1421]\"\r\n"
	    "n/a\r\n\"[-1.25, 10.5]\"\r\n");
	table_release(&t);
}

static void
test_csv_fields(void)
{
	struct table t;

	t = TABLE_INIT;
	table_column(&t, "a \"b\"", "x, y", TABLE_LEFT);
	table_row(&t);
	table_row(&t);
	table_cell(&t, "one\r\ntwo");
	table_row(&t);
	table_cell(&t, " x");
	table_row(&t);
	table_cell(&t, "1,5\"");
	table_row(&t);
	table_cell(&t, "x ");
	CHECK_STR(shown(&t, "csv", TABLE_COLOUR_OFF),
	    "\"a \"\"b\"\" (x, y)\"\r\n\"\"\r\none  two\r\n\" x\"\r\n"
	    "\"1,5\"\"\"\r\n\"x \"\r\n");
	table_release(&t);
}

/* Text from a log must not reach a terminal or a page as commands. */
static void
test_hostile_text(void)
{
	struct table t;

	t = TABLE_INIT;
	table_column(&t, "a", NULL, TABLE_LEFT);
	table_row(&t);
	table_cell(&t, "\033[2J\x7f\xc2\x9b\xff|\tx");
	table_last_cell(&t)->link = "javascript:alert(1)";
	CHECK_STR(shown(&t, "text", TABLE_COLOUR_OFF),
	    "a\n----------\n"
	    "\xef\xbf\xbd[2J\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd| x\n");
	CHECK(strstr(shown(&t, "markdown", TABLE_COLOUR_OFF), "\\| x") != NULL);
	CHECK(strstr(shown(&t, "html", TABLE_COLOUR_OFF), "href") == NULL);
	table_last_cell(&t)->link = "runs/a:b.log";
	CHECK(strstr(shown(&t, "html", TABLE_COLOUR_OFF),
		  "href=\"runs/a:b.log\"") != NULL);
	table_last_cell(&t)->link = "https://example.org/";
	CHECK(strstr(shown(&t, "html", TABLE_COLOUR_OFF), "href=\"https:") !=
	    NULL);
	table_last_cell(&t)->link = NULL;
	CHECK(strstr(shown(&t, "html", TABLE_COLOUR_OFF), "href") == NULL);
	table_release(&t);
}

/* A group before all rows draws no line; units are aligned as their heads. */
static void
test_first_group(void)
{
	struct table t;

	t = TABLE_INIT;
	table_column(&t, "left head", "u", TABLE_LEFT);
	table_column(&t, "right head", "u", TABLE_RIGHT);
	table_group(&t, NULL);
	table_row(&t);
	table_cell(&t, "a");
	table_cell(&t, "b");
	CHECK_STR(shown(&t, "text", TABLE_COLOUR_OFF),
	    "left head  right head\n"
	    "(u)               (u)\n"
	    "---------  ----------\n"
	    "a                   b\n");
	table_release(&t);
}

/* A title or a note makes it a floating table; points are aligned. */
static void
test_latex_float(void)
{
	static const char tabular[] = "  \\sbox0{%\n"
				      "  \\begin{tabular}{r}\n"
				      "    \\toprule\n"
				      "    x \\\\\n"
				      "    \\midrule\n"
				      "    5.\\phantom{00} \\\\\n"
				      "    0.25 \\\\\n"
				      "    \\bottomrule\n"
				      "  \\end{tabular}}%\n"
				      "  \\ifdim\\wd0>1.25\\linewidth"
				      "\\scalebox{0.8}{\\usebox0}"
				      "\\else\\ifdim\\wd0>\\linewidth"
				      "\\resizebox{\\linewidth}{!}{\\usebox0}"
				      "\\else\\usebox0\\fi\\fi\n";
	struct table t;
	char want[700];

	t = TABLE_INIT;
	table_column(&t, "x", NULL, TABLE_DECIMAL);
	table_row(&t);
	table_cell(&t, "5.");
	table_row(&t);
	table_cell(&t, "0.25");
	table_title(&t, "T");
	t.copies = 1;
	snprintf(want, sizeof want,
	    "%% needs \\usepackage{booktabs,graphicx}; Chinese: ctex too, and "
	    "xelatex or lualatex\n\\begin{table}\n"
	    "  \\centering\n  \\caption{T}\n  "
	    "\\label{tab:t-2}\n%s\\end{table}\n",
	    tabular);
	CHECK_STR(shown(&t, "latex", TABLE_COLOUR_OFF), want);
	t.title = NULL;
	table_note(&t, "N --a/b");
	snprintf(want, sizeof want,
	    "%% needs \\usepackage{booktabs,graphicx}; Chinese: ctex too, and "
	    "xelatex or lualatex\n\\begin{table}\n"
	    "  \\centering\n%s  \\par\\begin{minipage}{\\linewidth}"
	    "\\footnotesize\\raggedright\n    N -{}-a/\\allowbreak{}b\n"
	    "  \\end{minipage}\n\\end{table}\n",
	    tabular);
	CHECK_STR(shown(&t, "latex", TABLE_COLOUR_OFF), want);
	table_release(&t);
}

/* A table wider than a page is split; each part repeats the key column. */
static void
test_latex_parts(void)
{
	struct table t;
	const char *all, *second;

	t = TABLE_INIT;
	table_title(&t, "T");
	table_column(&t, "key", NULL, TABLE_LEFT);
	for (int k = 0; k < 4; k++)
		table_column(&t,
		    k < 3 ? "a name of a series that has forty characters"
			  : "last",
		    NULL, TABLE_DECIMAL);
	table_row(&t);
	for (int k = 0; k < 5; k++)
		table_cell(&t, "1");
	all = shown(&t, "latex", TABLE_COLOUR_OFF);
	CHECK(strstr(all, "\\caption{T (1)}\n  \\label{tab:t}\n") != NULL);
	second = strstr(all, "\\caption{T (2)}\n  \\label{tab:t-part-2}\n");
	CHECK(second != NULL);
	CHECK(second != NULL &&
	    strstr(second, "    key & a name of a series") != NULL);
	CHECK(second != NULL && strstr(second, "& last") != NULL);
	CHECK(second != NULL && strstr(all, "& last") > second);
	table_release(&t);
}

static void
test_decimal_points(void)
{
	static const char *const cells[] = { "1234.5", "-0.25", "7", "12.3 k",
		"1,000", "n/a", "", "nan", "<0.01", "1.2.3" };
	struct table t;
	size_t i;

	t = TABLE_INIT;
	table_column(&t, "x", NULL, TABLE_DECIMAL);
	table_column(&t, "y", NULL, TABLE_LEFT);
	for (i = 0; i < sizeof cells / sizeof cells[0]; i++) {
		table_row(&t);
		table_cell(&t, cells[i]);
		table_cell(&t, "|");
	}
	CHECK_STR(shown(&t, "text", TABLE_COLOUR_OFF),
	    "        x  y\n"
	    "---------  -\n"
	    " 1234.5    |\n"
	    "   -0.25   |\n"
	    "    7      |\n"
	    "   12.3 k  |\n"
	    "1,000      |\n"
	    "      n/a  |\n"
	    "           |\n"
	    "      nan  |\n"
	    "   <0.01   |\n"
	    "    1.2.3  |\n");
	table_release(&t);
}

static void
test_markdown_escapes(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = { { "r50_b128", "r50_b128" }, { "_x_", "\\_x\\_" },
		{ "<0.01", "<0.01" }, { "< 1", "< 1" }, { "<b>", "\\<b>" },
		{ "</b>", "\\</b>" }, { "a & b", "a & b" },
		{ "&lt;", "\\&lt;" }, { "&#60;", "\\&#60;" }, { "~", "~" },
		{ "~a~", "\\~a\\~" }, { "a|b\\", "a\\|b\\\\" },
		{ "`[*]`", "\\`\\[\\*\\]\\`" } };
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct table t;
		char want[64];

		t = TABLE_INIT;
		table_column(&t, "a", NULL, TABLE_LEFT);
		table_row(&t);
		table_cell(&t, cases[i].text);
		snprintf(want, sizeof want, "\n| %-3s |\n", cases[i].want);
		shown(&t, "markdown", TABLE_COLOUR_OFF);
		CHECK_STR(text + text_len - strlen(want), want);
		table_release(&t);
	}
}

#define TEN "123456789 "
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

/* Notes of text tables are wrapped at 80 columns, between words. */
static void
test_notes_are_broken(void)
{
	struct table t;

	t = TABLE_INIT;
	table_column(&t, "a", NULL, TABLE_LEFT);
	table_note(&t, SEVENTY "1234567890");
	table_note(&t, SEVENTY "12345678901");
	table_note(&t, SEVENTY "123456789 b c");
	/* An indent of 4 leaves 76 columns for the second line. */
	table_note(&t, SEVENTY "12345678901 " SEVENTY "x");
	/* A path stays whole; a full-width comma may end a line. */
	table_note(&t, TEN "%090d end", 1);
	table_note(&t,
	    SEVENTY "\xe5\x8a\xa0\xe9\x80\x9f\xef\xbc\x8c"
		    "\xe6\xaf\x94\xe6\xaf\x94\xe6\xaf\x94");
	shown(&t, "text", TABLE_COLOUR_OFF);
	CHECK_STR(strstr(text, "\n123"),
	    "\n" SEVENTY "1234567890\n"
	    "123456789 123456789 123456789 123456789 123456789 123456789 "
	    "123456789\n"
	    "    12345678901\n" SEVENTY "123456789\n    b c\n"
	    "123456789 123456789 123456789 123456789 123456789 123456789 "
	    "123456789\n"
	    "    12345678901 123456789 123456789 123456789 123456789 "
	    "123456789 123456789\n"
	    "    123456789 x\n"
	    "123456789\n    00000000000000000000000000000000000000000000000000"
	    "0000000000000000000000000000000000000001\n    end\n" SEVENTY
	    "\xe5\x8a\xa0\xe9\x80\x9f\xef\xbc\x8c\n"
	    "    \xe6\xaf\x94\xe6\xaf\x94\xe6\xaf\x94\n");
	shown(&t, "markdown", TABLE_COLOUR_OFF);
	CHECK(strstr(text, SEVENTY "12345678901") != NULL);
	table_release(&t);
}

static void
test_format_of_file(void)
{
	static const struct {
		const char *path, *want;
	} cases[] = { { "a.md", "markdown" }, { "x/a.MD", "markdown" },
		{ "a.txt", "text" }, { "a.csv", "csv" }, { "a.tex", "latex" },
		{ "a.html", "html" }, { "a.htm", "html" }, { "a.b.csv", "csv" },
		{ "a.json", "json" }, { "a.jsonl", "jsonl" }, { "csv", NULL },
		{ "a.csv/b", NULL }, { "-", NULL }, { "", NULL },
		{ NULL, NULL } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct table_format *f =
		    table_format_of_file(cases[i].path);

		CHECK_STR(f != NULL ? f->name : "none",
		    cases[i].want != NULL ? cases[i].want : "none");
	}
}

/* A file gets no colours, whatever the terminal is. */
static void
test_colour_of_file(void)
{
	CHECK_INT(table_colour_of_file("a.txt"), TABLE_COLOUR_OFF);
	CHECK_INT(table_colour_of_file("-"), table_colour_of_file(NULL));
}

/* Call table_colour_of_file() in a child whose stdout is a terminal. Returns a
 * bit for each coloured path: 1 for NULL, 2 for "-", 4 for "a.txt". */
static int
colours_on_terminal(const char *no_colour)
{
	const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
	int status, slave;
	pid_t child;

	CHECK(terminal >= 0);
	CHECK_INT(grantpt(terminal), 0);
	CHECK_INT(unlockpt(terminal), 0);
	slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	CHECK(slave >= 0);
	fflush(stdout);
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		setenv("TERM", "xterm", 1);
		unsetenv("NO_COLOR");
		if (no_colour != NULL)
			setenv("NO_COLOR", no_colour, 1);
		dup2(slave, STDOUT_FILENO);
		_exit((table_colour_of_file(NULL) == TABLE_COLOUR_ON) +
		    2 * (table_colour_of_file("-") == TABLE_COLOUR_ON) +
		    4 * (table_colour_of_file("a.txt") == TABLE_COLOUR_ON));
	}
	CHECK_INT(waitpid(child, &status, 0), child);
	close(slave);
	close(terminal);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
test_colour_on_terminal(void)
{
	CHECK_INT(colours_on_terminal(NULL), 1 + 2);
	CHECK_INT(colours_on_terminal("1"), 0);
}

static void
test_html_text(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = { { "r50", "r50" }, { "", "" },
		{ "<b a=\"1\" b='2'>&",
		    "&lt;b a=&quot;1&quot; "
		    "b=&#39;2&#39;&gt;&amp;" },
		{ "a\tb\nc", "a b c" }, { "\033[31m", "\xef\xbf\xbd[31m" },
		{ "\xff", "\xef\xbf\xbd" },
		{ "\xe4\xb8\xad", "\xe4\xb8\xad" } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char *got = NULL;
		size_t len = 0;
		FILE *f = open_memstream(&got, &len);

		table_html_text(f, cases[i].text);
		fclose(f);
		CHECK_STR(got, cases[i].want);
		free(got);
	}
}

/* Sentences are wrapped so that a table fits a terminal; numbers, short text
 * and words are never broken. */
static void
test_wide_sentences(void)
{
	static const char long_word[] =
	    "a/path/that/is/one/word/and/longer/than/a/terminal/is/wide/"
	    "whatever/stands/next/to/it";
	static const struct {
		const char *sentence, *unbroken;
		size_t least, most;
	} rows[] = {
		{ "a sentence of some words that goes on and on and on until "
		  "it is far wider than any terminal is, and then some more",
		    "a sentence of some words that goes", 74, 80 },
		{ "no longer than what the terminal leaves room for, all",
		    "no longer than what the terminal leaves room for, all", 74,
		    74 },
		{ "long: a/path/that/is/one/word/and/longer/than/a/terminal/"
		  "is/wide/whatever/stands/next/to/it and more",
		    long_word, sizeof long_word - 1 + 21,
		    sizeof long_word - 1 + 21 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct table t;
		const char *got;
		size_t width;

		t = TABLE_INIT;
		table_column(&t, "name", NULL, TABLE_LEFT);
		table_column(&t, "why", NULL, TABLE_LEFT);
		table_column(&t, "speed", NULL, TABLE_DECIMAL);
		table_row(&t);
		table_cell(&t, "a short n");
		table_cell(&t, rows[i].sentence);
		table_cell(&t, "12345.67");
		got = shown(&t, "text", TABLE_COLOUR_OFF);
		width = utf8_columns(got);
		CHECK(rows[i].least <= width && width <= rows[i].most);
		CHECK(strstr(got, rows[i].unbroken) != NULL);
		CHECK(strstr(got, " 12345.67\n") != NULL);
		table_release(&t);
	}
}

static const struct tap_test tests[] = {
	TEST(test_golden),
	TEST(test_colour_width),
	TEST(test_formats),
	TEST(test_empty),
	TEST(test_csv_fields),
	TEST(test_csv_formulas),
	TEST(test_intervals),
	TEST(test_hostile_text),
	TEST(test_first_group),
	TEST(test_latex_float),
	TEST(test_latex_parts),
	TEST(test_decimal_points),
	TEST(test_markdown_escapes),
	TEST(test_notes_are_broken),
	TEST(test_wide_sentences),
	TEST(test_format_of_file),
	TEST(test_colour_of_file),
	TEST(test_colour_on_terminal),
	TEST(test_html_text),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
