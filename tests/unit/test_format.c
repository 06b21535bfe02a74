#include <config.h>

#include "common/text.h"
#include "extract/format/format.h"
#include "extract/format/patterns/pattern.h"
#include "extract/scan/scan_file.h"
#include "tests/files.h"
#include "tests/tap.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A valid format; the cases below break it. */
#define HEAD "name t\ndescription d\nkind step-time\n"
#define HOT "step h step (?<iter>\\d+) (?<step_s>[\\d.]+)\n"
#define NAME_64 \
	"a-name-of-64-bytes--------------------------------------------64"
#define SAMPLE "sample step 3 0.5\nexpect h iter=3 step_s=0.50\n"

static struct format *
parse_as(
    struct arena *a, enum format_file file, const char *text, struct error *e)
{
	return format_parse(a, file, "t", "t.format", text, strlen(text), e);
}

static void
test_meaning(void)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct format *f = parse_as(&a, FORMAT_FILE,
	    "# a comment\n\n" HEAD "url u\npriority 70\ngeneric yes\n"
	    "set framework pytorch\n"
	    "metadata m model (?<model>\\w+)\n" HOT SAMPLE
	    "sample model vgg16\nexpect m model=vgg16\n",
	    &e);

	CHECK_STR(e.message, "");
	CHECK(f != NULL);
	CHECK_STR(f->name, "t");
	CHECK_STR(f->description, "d");
	CHECK_INT(f->priority, 70);
	CHECK_INT(f->generic, 1);
	CHECK_INT(f->n_step_patterns, 1);
	CHECK_STR(f->patterns[0].name, "h");
	CHECK_STR(f->patterns[1].name, "m");
	CHECK_INT(f->meaning.kind, VALUE_STEP_TIME);
	CHECK_INT(f->meaning.statistic, STATISTIC_INSTANT);
	CHECK_INT(f->meaning.scope, SCOPE_GLOBAL);
	CHECK_STR(f->meaning.unit, "s");
	CHECK_INT(f->meaning.base, BASE_AUTO);
	CHECK_INT(f->meaning.window, 1);
	CHECK_STR(f->meaning.rule, "window");
	CHECK_INT(f->meaning.iter_global, 0);
	CHECK_STR(f->gives[0].value, "pytorch");
	CHECK_INT(format_self_test(NULL, f, &e), 0);
	format_release_code(f);
	arena_release(&a);
}

static void
test_meaning_said(void)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct format *f = parse_as(&a, FORMAT_FILE,
	    "name t\ndescription d\nkind rate\nstatistic window-mean\n"
	    "scope device\nunit images/s\nbase 1\nwindow 20\nrule all\n"
	    "iterations run-on\n"
	    "step h (?<iter>\\d+)\n\t: (?<samples_per_s>\n\t[\\d.]+)\n"
	    "sample 7: 12\nexpect h iter=7 value=12\n",
	    &e);

	CHECK_STR(e.message, "");
	CHECK(f != NULL);
	CHECK_STR(
	    f->patterns[0].text, "(?<iter>\\d+): (?<samples_per_s>[\\d.]+)");
	CHECK_INT(f->meaning.kind, VALUE_RATE);
	CHECK_INT(f->meaning.statistic, STATISTIC_WINDOW_MEAN);
	CHECK_INT(f->meaning.scope, SCOPE_DEVICE);
	CHECK_STR(f->meaning.unit, "images/s");
	CHECK_INT(f->meaning.base, 1);
	CHECK_INT(f->meaning.window, 20);
	CHECK_STR(f->meaning.rule, "all");
	CHECK_INT(f->meaning.iter_global, 1);
	CHECK_INT(format_self_test(NULL, f, &e), 0);
	format_release_code(f);
	arena_release(&a);
}

static void
test_summary_only(void)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct format *f = parse_as(&a, FORMAT_FILE,
	    "name t\ndescription d\nkind rate\n"
	    "summary s total images/sec: (?<samples_per_s>[\\d.]+)\n"
	    "sample total images/sec: 2075.05\n"
	    "expect s samples_per_s=2075.05\n",
	    &e);

	CHECK_STR(e.message, "");
	CHECK(f != NULL);
	CHECK_STR(f->meaning.rule, "summary");
	CHECK_STR(f->meaning.unit, "samples/s");
	CHECK_INT(format_self_test(NULL, f, &e), 0);
	format_release_code(f);
	arena_release(&a);
}

/* Every mistake is shown with its place and a caret. */
static const struct {
	const char *text;
	const char *message;
} mistakes[] = {
	{ HEAD "colour red\n" HOT SAMPLE,
	    "t.format:4:1: unknown key 'colour'\ncolour red\n^" },
	{ "name u\n",
	    "t.format:1:6: the name in the file is 'u', but the file is called "
	    "'t'\nname u\n     ^" },
	{ "name t t\n",
	    "t.format:1:8: nothing may follow the name\n"
	    "name t t\n       ^" },
	{ "name a/b\n",
	    "t.format:1:7: the name of the file may hold only "
	    "letters, digits and - _ . +\nname a/b\n      ^" },
	{ HEAD "kind rate\n",
	    "t.format:4:1: 'kind' is already on line 3\n"
	    "kind rate\n^" },
	{ "kind rates\n",
	    "t.format:1:6: 'rates' is none of: step-time, rate, "
	    "stamp, elapsed\nkind rates\n     ^" },
	{ "priority 101\n",
	    "t.format:1:10: '101' is not a whole number from 0 "
	    "to 100\npriority 101\n         ^" },
	{ "window 0\n",
	    "t.format:1:8: '0' is not a whole number from 1 to "
	    "1000000\nwindow 0\n       ^" },
	{ "kind\n",
	    "t.format:1:5: the value of 'kind' is missing\nkind\n    ^" },
	{ "name t\ndescription d\n" HOT SAMPLE,
	    "t.format:1:1: missing key 'kind'\nname t\n^" },
	{ "kind rate\ndescription d\n" HOT SAMPLE,
	    "t.format:1:1: missing key 'name'\n"
	    "kind rate\n^" },
	{ HEAD,
	    "t.format:1:1: the file has no step and no summary pattern\n"
	    "name t\n^" },
	{ HEAD "end h a(?<at_s>\\d+)\n",
	    "t.format:4:1: there is no 'begin' above 'h'\n"
	    "end h a(?<at_s>\\d+)\n^" },
	{ HEAD HOT "sample step 3 0.5\nexpect h =3\n",
	    "t.format:6:10: '' "
	    "is not of the form key=value\nexpect h =3\n         ^" },
	{ HEAD HOT "collective c x (?<message_us>\\d+)\n" SAMPLE,
	    "t.format:5:1: pattern 'c' needs a group message_bytes\n"
	    "collective c x (?<message_us>\\d+)\n^" },
	{ HEAD "begin b x (?<iter>\\d+)\n",
	    "t.format:4:1: pattern 'b' captures no time: it needs a group at_s "
	    "or at_ms\nbegin b x (?<iter>\\d+)\n^" },
	{ HEAD "step\n",
	    "t.format:4:5: the value of 'step' is missing\nstep\n    ^" },
	{ HEAD "json step\n",
	    "t.format:4:10: the name of the pattern is missing\njson step\n"
	    "         ^" },
	{ HEAD "step a/b x\n",
	    "t.format:4:7: the name of the pattern may hold only letters, "
	    "digits and - _ . +\nstep a/b x\n      ^" },
	{ HEAD "step " NAME_64 "5 x\n",
	    "t.format:4:6: the name of the pattern is longer than 64 bytes\n"
	    "step a-name-of-64-bytes------------------------------------------"
	    "\n     ^" },
	{ HEAD "step " NAME_64 " x\n",
	    "t.format:4:1: step pattern '" NAME_64 "' has no value: kind "
	    "step-time needs a group step_s or step_ms\n"
	    "step a-name-of-64-bytes-------------------------------------\n^" },
	{ HEAD "\tgoes on\n",
	    "t.format:4:2: only a pattern can continue on a line that begins "
	    "with a blank\n\tgoes on\n\t^" },
	{ HEAD "step h a(?<iter>\\d+\n",
	    "t.format:4:20: pattern 'h': missing "
	    "closing parenthesis\nstep h a(?<iter>\\d+\n"
	    "                   ^" },
	{ HEAD "step h a\n\t(?<step_s>\n\t[\\d.\n",
	    "t.format:6:6: pattern 'h': "
	    "missing terminating ] for character class\n\t[\\d.\n\t    ^" },
	{ HEAD "step h (?<steps>\\d+)\n",
	    "t.format:4:11: group 'steps' is not a known name (see "
	    "doc/formats.md)\nstep h (?<steps>\\d+)\n          ^" },
	{ HEAD "step h (?<model>\\d+)\n",
	    "t.format:4:11: group 'model' is not "
	    "allowed in a step pattern\nstep h (?<model>\\d+)\n          ^" },
	{ HEAD "step h (?<step_s>\\d*)\n",
	    "t.format:4:8: pattern 'h' also "
	    "matches an empty text\nstep h (?<step_s>\\d*)\n       ^" },
	{ HEAD "step h (?<iter>\\d+)\n",
	    "t.format:4:1: step pattern 'h' has no "
	    "value: kind step-time needs a group step_s or step_ms\n"
	    "step h (?<iter>\\d+)\n^" },
	{ HEAD "step h (?<step_s>\\d+) \n",
	    "t.format:4:23: blank at the end of the line; write [ ] if the "
	    "pattern needs it\nstep h (?<step_s>\\d+) \n                      "
	    "^" },
	{ HEAD "step h\n",
	    "t.format:4:7: pattern 'h' is empty\nstep h\n      ^" },
	{ HEAD HOT HOT,
	    "t.format:5:6: pattern 'h' is already on line 4\n" HOT "     ^" },
	{ HEAD HOT, "t.format:4:1: no sample shows pattern 'h'\n" HOT "^" },
	{ HEAD HOT "sample step 3 0.5\n",
	    "t.format:5:8: no 'expect' follows this sample\n"
	    "sample step 3 0.5\n       ^" },
	{ HEAD HOT "sample step 3 0.5\nexpect g\n",
	    "t.format:6:8: there is no pattern 'g' here\nexpect g\n       ^" },
	{ HEAD HOT "expect h\n",
	    "t.format:5:8: 'expect' without a sample before it\nexpect h\n     "
	    "  ^" },
	{ HEAD HOT "sample step 3 0.5\nexpect h iter\n",
	    "t.format:6:10: 'iter' "
	    "is not of the form key=value\nexpect h iter\n         ^" },
	{ HEAD HOT "sample step 3 0.5\nexpect h iter=\"3\n",
	    "t.format:6:15: "
	    "the closing '\"' is missing\nexpect h iter=\"3\n              ^" },
	{ HEAD "set colour red\n",
	    "t.format:4:5: 'colour' is not a known metadata key (see "
	    "doc/formats.md)\nset colour red\n    ^" },
	{ HEAD "gives model x\n",
	    "t.format:4:7: 'gives' without a pattern before it\ngives model "
	    "x\n      ^" },
	{ HEAD HOT "gives model x\n",
	    "t.format:5:7: 'gives' is only for metadata and layout "
	    "patterns\ngives model x\n      ^" },
	{ HEAD "unit samples/s\n" HOT SAMPLE,
	    "t.format:4:1: the unit does not "
	    "fit: group 'step_s' is in s\nunit samples/s\n^" },
	{ HEAD "window 5\n" HOT SAMPLE,
	    "t.format:4:1: a window needs the "
	    "statistic window-mean or cumulative-mean\nwindow 5\n^" },
	{ "name t\ndescription d\nkind rate\nstep h x "
	  "(?<samples_per_s_per_device>\\d+)\n",
	    "t.format:4:1: pattern 'h' "
	    "has a rate per device, but the scope is not 'device'\n"
	    "step h x (?<samples_per_s_per_device>\\d+)\n^" },
	{ HEAD "prefix p (?<rank>\\d+):\n",
	    "t.format:4:1: 'prefix' is not allowed in this kind of "
	    "file\nprefix p (?<rank>\\d+):\n^" },
};

static void
test_mistakes(void)
{
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
		struct arena a = ARENA_INIT;
		struct error e = ERROR_INIT;
		struct format *f =
		    parse_as(&a, FORMAT_FILE, mistakes[i].text, &e);

		CHECK_STR(e.message, mistakes[i].message);
		CHECK(f == NULL);
		arena_release(&a);
	}
}

/* Mistakes that are found only by running the samples. */
static const struct {
	const char *text;
	const char *message;
} wrong_samples[] = {
	{ HEAD HOT "sample step 3 0.5\nexpect h iter=4\n",
	    "t.format:6:10: iter is '3' in the sample on line 5, not '4'\n"
	    "expect h iter=4\n         ^" },
	{ HEAD HOT "sample step 3 0.5\nexpect h loss=4\n",
	    "t.format:6:10: the match of pattern 'h' has no 'loss'\n"
	    "expect h loss=4\n         ^" },
	{ HEAD HOT "sample step 3\nexpect h iter=3\n",
	    "t.format:5:14: the sample does not match: 'h' matches up to here, "
	    "then needs ') (?<step_s>[\\d.]+)'\nsample step 3\n"
	    "             ^" },
	{ HEAD HOT "sample nothing like it\nexpect h iter=3\n",
	    "t.format:6:8: pattern 'h' does not match the sample on line 5\n"
	    "expect h iter=3\n       ^" },
	{ HEAD HOT "sample step 3 0.5\nexpect h\nexpect h\n",
	    "t.format:7:8: pattern 'h' does not match again in the sample on "
	    "line 5\nexpect h\n       ^" },
	{ HEAD HOT "sample a step 3 0.5 step 4 0.5\nexpect h\n",
	    "t.format:5:21: pattern 'h' matches here, but no 'expect' names "
	    "it\nsample a step 3 0.5 step 4 0.5\n                    ^" },
	{ HEAD HOT "detail d loss (?<loss>\\S+)\n" SAMPLE
		   "sample loss 5\nexpect d\n",
	    "t.format:9:8: detail 'd' counts only on the line of a step; use "
	    "'result' for lines of their own\nexpect d\n       ^" },
	{ HEAD HOT "result r loss (?<val_loss>\\S+)\n"
		   "sample step 3 0.5 loss 5\nexpect h\nexpect r\n",
	    "t.format:8:8: result 'r' counts only on lines without a step; use "
	    "'detail' for lines of a step\nexpect r\n       ^" },
	{ HEAD HOT SAMPLE "sample step 3 0.5\nexpect nothing\n",
	    "t.format:7:8: pattern 'h' matches here, but no 'expect' names it\n"
	    "sample step 3 0.5\n       ^" },
	{ HEAD HOT "metadata f (?<device>st)\n" SAMPLE
		   "sample step 3 0.5\nexpect f\n",
	    "t.format:8:8: pattern 'h' matches here, where line 9 expects 'f'\n"
	    "sample step 3 0.5\n       ^" },
	{ HEAD "step h (?<step_s>\\d+)(?:\\w+\\s?)+$\n"
	       "sample 1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-\n"
	       "expect h\n",
	    NULL },
};

static void
test_wrong_samples(void)
{
	for (size_t i = 0; i < sizeof wrong_samples / sizeof wrong_samples[0];
	     i++) {
		struct arena a = ARENA_INIT;
		struct error e = ERROR_INIT;
		struct format *f =
		    parse_as(&a, FORMAT_FILE, wrong_samples[i].text, &e);

		CHECK_STR(e.message, "");
		CHECK(f != NULL);
		CHECK_INT(format_self_test(NULL, f, &e), -1);
		if (wrong_samples[i].message != NULL)
			CHECK_STR(e.message, wrong_samples[i].message);
		format_release_code(f);
		arena_release(&a);
	}
}

/* A sample can expect an ignored match, and a step after it still counts. */
static void
test_ignore(void)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct format *f = parse_as(&a, FORMAT_FILE,
	    HEAD HOT "ignore v val step\n" SAMPLE
		     "sample val step 3 0.5 step 4 0.25\n"
		     "expect v\nexpect h iter=4 step_s=0.25\n",
	    &e);

	CHECK_STR(e.message, "");
	CHECK(f != NULL);
	CHECK_INT(format_self_test(NULL, f, &e), 0);
	format_release_code(f);
	arena_release(&a);
}

/* A detail belongs to the step before it, up to the next one. */
static void
test_details(void)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct format *f = parse_as(&a, FORMAT_FILE,
	    HEAD HOT "detail d loss (?<loss>\\S+)\n" SAMPLE
		     "sample step 1 0.5 loss 1 step 2 0.5 loss 2 step 3 0.5 "
		     "step 4 0.5 loss 4\n"
		     "expect h iter=1\nexpect h iter=2\nexpect h iter=3\n"
		     "expect h iter=4\n"
		     "expect d loss=1\nexpect d loss=2\nexpect d loss=4\n",
	    &e);

	CHECK_STR(e.message, "");
	CHECK_INT(format_self_test(NULL, f, &e), 0);
	CHECK_STR(e.message, "");
	format_release_code(f);
	arena_release(&a);
}

static void
test_limits(void)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	size_t len = FORMAT_MAX_BYTES + 1;
	char *text = calloc(len + 1, 1);
	int used;

	CHECK(text != NULL);
	memset(text, '#', len);
	CHECK(format_parse(&a, FORMAT_FILE, "t", "t.format", text, len, &e) ==
	    NULL);
	CHECK_STR(e.message,
	    "t.format: the file has 1048577 bytes (at most 1048576)");

	used = snprintf(text, len, HEAD);
	for (int i = 0; i <= FORMAT_MAX_PATTERNS; i++)
		used += snprintf(text + used, len - (size_t)used,
		    "step h%d (?<step_s>\\d+)\n", i);
	CHECK(parse_as(&a, FORMAT_FILE, text, &e) == NULL);
	CHECK_STR(e.message,
	    "t.format:68:6: too many patterns (at most 64)\nstep h64 "
	    "(?<step_s>\\d+)\n     ^");

	used = snprintf(text, len, HEAD "metadata m x\n");
	for (int i = 0; i <= FORMAT_MAX_GIVES; i++)
		used += snprintf(
		    text + used, len - (size_t)used, "gives nodes 1\n");
	CHECK(parse_as(&a, FORMAT_FILE, text, &e) == NULL);
	CHECK(strstr(e.message,
		  "t.format:69:7: pattern 'm' gives more than 64 values\n") ==
	    e.message);

	used = snprintf(text, len, HEAD "step h (?<step_s>\\d+)\nsample 1\n");
	for (int i = 0; i <= FORMAT_MAX_EXPECTED; i++)
		used += snprintf(text + used, len - (size_t)used, "expect h\n");
	CHECK(parse_as(&a, FORMAT_FILE, text, &e) == NULL);
	CHECK(strstr(e.message,
		  "t.format:262:8: more than 256 expected values for a "
		  "sample\n") == e.message);

	used = snprintf(text, len, HEAD "step h (?<step_s>");
	memset(text + used, 'x', FORMAT_MAX_REGEX);
	text[used + FORMAT_MAX_REGEX] = '\0';
	CHECK(parse_as(&a, FORMAT_FILE, text, &e) == NULL);
	CHECK(strstr(e.message,
		  "t.format:4:8: pattern 'h' is longer than "
		  "16384 bytes\n") == e.message);

	/* The lines of a json pattern are joined with blanks, which count. */
	used = snprintf(text, len, HEAD "json step h step_s=");
	memset(text + used, 'x', FORMAT_MAX_REGEX - 7);
	text[used + FORMAT_MAX_REGEX - 7] = '\0';
	CHECK(parse_as(&a, FORMAT_FILE, text, &e) == NULL);
	CHECK(strstr(e.message,
		  "t.format:4:13: pattern 'h' is longer than "
		  "16384 bytes\n") == e.message);

	used = snprintf(text, len, HEAD "step h (?<step_s>\\d+)");
	for (int i = 0; i < FORMAT_MAX_ALL_GROUPS; i++)
		used += snprintf(text + used, len - (size_t)used, "(x)");
	CHECK(parse_as(&a, FORMAT_FILE, text, &e) == NULL);
	CHECK(strstr(e.message,
		  "t.format:4:1: pattern 'h' has 256 groups (at most "
		  "255)\n") == e.message);

	CHECK(format_parse(&a, FORMAT_FILE, "t", "t.format", "name t\n\0\n", 9,
		  &e) == NULL);
	CHECK_STR(e.message, "t.format:2:1: NUL byte: not a text file\n\n^");
	free(text);
	arena_release(&a);
}

static void
write_file(const char *folder, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file_put(path, text);
}

/* Load the built-in files from the default search path. */
static void
load_built_in(struct format_set *set)
{
	struct error e = ERROR_INIT;
	struct search_path path;

	search_path_init(&path, NULL, 0);
	CHECK(format_set_load(set, &path, &e) == 0 || e.message[0] == '\0');
	CHECK_STR(e.message, "");
	search_path_release(&path);
}

/* The literal of a pattern occurs in every sample that the pattern matches. */
static void
check_literals(const struct format *f)
{
	for (size_t i = 0; i < f->n_samples; i++) {
		const struct format_sample *s = &f->samples[i];

		for (size_t j = 0; j < s->n_expects; j++) {
			const struct pattern *p = s->expects[j].pattern;

			struct text_set in = { .bits = { 0 } };

			if (p == NULL || p->csv != NULL)
				continue;
			text_set_add_text(&in, s->text, s->len);
			if (!text_set_holds(&in, &p->need))
				CHECK_STR(p->name, "");
			if (p->n_literal == 0)
				continue;
			if (memmem(s->text, s->len, p->literal, p->n_literal) ==
			    NULL)
				CHECK_STR(p->name, "");
		}
	}
	for (size_t i = 0; i < f->n_patterns; i++)
		if (f->patterns[i].role == ROLE_STEP &&
		    f->patterns[i].n_literal < 4)
			printf("# %s %s: looked for in every log\n", f->name,
			    f->patterns[i].name);
}

/* The length of the first unit of a regular expression. */
static void
test_units(void)
{
	static const struct {
		const char *regex;
		size_t len;
	} cases[] = {
		{ "ab", 1 },
		{ "\\", 1 },
		{ "\\d1", 2 },
		{ "\\12a", 3 },
		{ "\\x4g", 3 },
		{ "\\x414", 4 },
		{ "\\x{414}1", 7 },
		{ "\\pLa", 2 },
		{ "\\p{Lu}a", 6 },
		{ "\\k<n>'>", 5 },
		{ "\\k'n'>'", 5 },
		{ "\\g12a", 4 },
		{ "\\g'n'>'", 5 },
		{ "[]a]]", 4 },
		{ "[^]a]]", 5 },
		{ "[a[:alpha:]]]", 12 },
		{ "[\\]a]]", 5 },
		{ "[a", 2 },
		{ "(a", 1 },
		{ "(*MARK:a)b", 9 },
		{ "(?:\\d", 3 },
		{ "(?=\\d", 3 },
		{ "(?!\\d", 3 },
		{ "(?>\\d", 3 },
		{ "(?|\\d", 3 },
		{ "(?<=\\d", 4 },
		{ "(?<!\\d", 4 },
		{ "(?<n>'>", 5 },
		{ "(?'n'>'", 5 },
		{ "(?P<n>a", 6 },
		{ "(?i)a", 4 },
		{ "(?-i:a", 5 },
		{ "(?)a", 2 },
		{ "(?#a)", 2 },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		const char *s = cases[i].regex;

		printf("# %s\n", s);
		CHECK_INT((long)(regex_after_unit(s) - s), (long)cases[i].len);
	}
}

/* The literal and the characters that a line needs for a pattern. */
static void
test_needs(void)
{
	static const struct {
		const char *regex, *literal;
		const char *has;   /* a line that has what is needed */
		const char *lacks; /* one that does not, or NULL */
	} cases[] = {
		{ "abc", "abc", "xabcx", "abd" },
		{ "ab?cd", "cd", "acd", "abd" },
		{ "ab+cd", "ab", "abbcd", "acd" },
		{ "ab*cd", "cd", "acd", "ab" },
		{ "ab{0,2}cd", "cd", "acd", "ab" },
		{ "ab{1,2}cd", "ab", "abbcd", "acd" },
		{ "a(?:bc)d", "abcd", "abcd", "abd" },
		{ "a(?:bc)?d", "a", "ad", "a" },
		{ "x(?:ab|ac)", "x", "xab", "xb" },
		{ "ab\\dcd", "ab", "ab1cd", "abcd" },
		{ "ab[0-9]cd", "ab", "ab1cd", "abcd" },
		{ "ab[0-9]?cd", "ab", "abcd", NULL },
		{ "ab[-0-9]cd", "ab", "ab-cd", "ab" },
		{ "ab[0-9-]cd", "ab", "ab-cd", "ab" },
		{ "ab[0-9.]cd", "ab", "ab.cd", "ab" },
		{ "ab[.]cd", "ab.cd", "ab.cd", "abcd" },
		{ "ab[^.]cd", "ab", "ab-cd", "ab" },
		{ "ab\\.cd", "ab.cd", "ab.cd", "abcd" },
		{ "ab\\tcd", "ab\tcd", "ab\tcd", "abcd" },
		{ "ab.cd", "ab", "ab-cd", "ab" },
		{ "ab(?=x)cd", "abcd", "abcd", "ab" },
		{ "ab(?!x)cd", "abcd", "abcd", "ab" },
		{ "ab(?i:C)d", "ab", "abcd", "cd" },
		{ "\\bab$", "ab", "ab", "ba" },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct arena a = ARENA_INIT;
		struct error e = ERROR_INIT;
		struct text_set has = { { 0 } }, lacks = { { 0 } };
		char text[500];
		struct format *f;
		const struct pattern *p;

		snprintf(text, sizeof text,
		    HEAD HOT "signature s %s\n" SAMPLE "sample x\nexpect s\n",
		    cases[i].regex);
		f = parse_as(&a, FORMAT_FILE, text, &e);
		CHECK_STR(e.message, "");
		p = &f->patterns[1];
		printf("# %s %.*s\n", p->text, (int)p->n_literal, p->literal);
		CHECK_INT((long)p->n_literal, (long)strlen(cases[i].literal));
		CHECK(memcmp(p->literal, cases[i].literal, p->n_literal) == 0);
		text_set_add_text(&has, cases[i].has, strlen(cases[i].has));
		CHECK(text_set_holds(&has, &p->need));
		if (cases[i].lacks != NULL) {
			text_set_add_text(
			    &lacks, cases[i].lacks, strlen(cases[i].lacks));
			CHECK(!text_set_holds(&lacks, &p->need));
		}
		format_release_code(f);
		arena_release(&a);
	}
}

/* A mistake in a regular expression of a built-in format is reported. */
static void
test_broken_built_in(void)
{
	char folder[] = "/tmp/dlscale-test-XXXXXX", name[300];
	struct search_dir dir = { folder, 1, 0 };
	struct search_path path = { &dir, 1, 1 };
	struct format_set set;
	struct error e = ERROR_INIT;

	CHECK(mkdtemp(folder) != NULL);
	write_file(folder, "b.format",
	    "name b\ndescription d\nkind step-time\n"
	    "step h (?<step_s>\n" SAMPLE);
	CHECK_INT(format_set_load(&set, &path, &e), -1);
	CHECK(strstr(e.message, "/b.format:4:") != NULL);
	snprintf(name, sizeof name, "%s/b.format", folder);
	unlink(name);
	rmdir(folder);
}

/* All prefixes are compiled as one; a mistake is reported at its own line. */
static void
test_broken_prefix(void)
{
	char folder[] = "/tmp/dlscale-test-XXXXXX", name[300];
	struct search_dir dir = { folder, 1, 0 };
	struct search_path path = { &dir, 1, 1 };
	struct format_set set;
	struct error e = ERROR_INIT;

	CHECK(mkdtemp(folder) != NULL);
	write_file(folder, "a.format",
	    "name a\ndescription d\nkind step-time\n" HOT SAMPLE);
	write_file(folder, "p.prefix",
	    "name p\ndescription d\n"
	    "prefix one (?<rank>\\d+):\nprefix two <(?<rank\\d+)>\n"
	    "sample 3: x\nexpect one rank=3\n"
	    "sample <3> x\nexpect two rank=3\n");
	CHECK_INT(format_set_load(&set, &path, &e), -1);
	CHECK(strstr(e.message, "/p.prefix:4:") != NULL);
	CHECK(strstr(e.message, ": pattern 'two': ") != NULL);
	for (const char *p = "a.format\0p.prefix\0"; *p != '\0';
	     p += strlen(p) + 1) {
		snprintf(name, sizeof name, "%s/%s", folder, p);
		unlink(name);
	}
	rmdir(folder);
}

static void
test_built_in(void)
{
	struct format_set set;
	struct error e = ERROR_INIT;

	load_built_in(&set);
	CHECK(set.formats.n >= 6);
	CHECK(set.prefixes.n >= 1);
	CHECK(set.metadata.n >= 5);
	CHECK(set.layouts.n >= 6);
	CHECK(format_get(&set, "pytorch-imagenet", NULL) != NULL);
	CHECK(format_get(&set, "mxnet-speedometer", NULL) != NULL);
	/* Its lines can be recognised by shape, although "rank=0" is not a
	 * shape: those of collectives are recognised by a literal. */
	CHECK_INT(
	    format_get(&set, "pytorch-imagenet", NULL)->digit_sensitive_roles,
	    0);
	CHECK(format_get(&set, "pytorch-imagenet", NULL)->n_uncacheable > 0);
	for (size_t i = 0; i < set.formats.n; i++) {
		CHECK(set.formats.items[i]->n_samples > 0);
		format_self_test(&set, set.formats.items[i], &e);
		CHECK_STR(e.message, "");
		check_literals(set.formats.items[i]);
	}
	for (size_t i = 0; i < set.metadata.n; i++)
		check_literals(set.metadata.items[i]);
	for (size_t i = 0; i < set.prefixes.n; i++) {
		format_self_test(&set, set.prefixes.items[i], &e);
		CHECK_STR(e.message, "");
	}
	for (size_t i = 0; i < set.layouts.n; i++) {
		CHECK(set.layouts.items[i]->n_samples > 0);
		check_literals(set.layouts.items[i]);
		format_self_test(NULL, set.layouts.items[i], &e);
		CHECK_STR(e.message, "");
	}
	CHECK(format_get(&set, "pytorch", &e) == NULL);
	CHECK_INT(e.code, ERROR_USAGE);
	CHECK(strstr(e.message, "'pytorch-imagenet'") != NULL);
	CHECK(format_get(&set, "zzz", &e) == NULL);
	CHECK_STR(e.message,
	    "there is no log format 'zzz' (--list-formats "
	    "shows them)");
	format_set_release(&set);
}

/* A user's file replaces the built-in file of the same name;
 * format_self_test_users() checks its samples. */
static void
test_user_folder(void)
{
	char folder[] = "/tmp/dlscale-test-XXXXXX";
	char pid[300];
	const char *extra[1];
	struct format_set set;
	struct search_path path;
	struct error e = ERROR_INIT;

	CHECK(mkdtemp(folder) != NULL);
	extra[0] = folder;
	write_file(folder, "pytorch-imagenet.format",
	    "name pytorch-imagenet\ndescription mine\nkind step-time\n" HOT
		SAMPLE);
	search_path_init(&path, extra, 1);
	CHECK_INT(format_set_load(&set, &path, &e), 0);
	CHECK_STR(
	    format_get(&set, "pytorch-imagenet", NULL)->description, "mine");
	CHECK(format_get(&set, "mxnet-speedometer", NULL) != NULL);
	format_set_release(&set);
	search_path_release(&path);

	write_file(folder, "x.format",
	    "name x\ndescription d\nkind step-time\n" HOT
	    "sample step 3 0.5\nexpect h iter=2\n");
	search_path_init(&path, extra, 1);
	CHECK_INT(format_set_load(&set, &path, &e), 0);
	CHECK_INT(format_self_test_users(&set, &e), -1);
	CHECK(strstr(e.message,
		  "/x.format:6:10: iter is '3' in the sample on "
		  "line 5, not '2'") != NULL);
	format_set_release(&set);
	search_path_release(&path);

	extra[0] = "/nonexistent/formats";
	search_path_init(&path, extra, 1);
	CHECK_INT(format_set_load(&set, &path, &e), -1);
	CHECK_STR(e.message,
	    "cannot open the folder '/nonexistent/formats': "
	    "No such file or directory");
	search_path_release(&path);
	snprintf(pid, sizeof pid, "%s/x.format", folder);
	unlink(pid);
	snprintf(pid, sizeof pid, "%s/pytorch-imagenet.format", folder);
	unlink(pid);
	rmdir(folder);
}

/* The name of a group as written in the pattern. */
static const char *
group_name(const struct pattern *p, size_t k)
{
	static char name[64];
	const struct capture *c = &p->captures[k];

	snprintf(name, sizeof name, "%s%s",
	    c->word == &field_label && p->role == ROLE_LAYOUT ? "label_" : "",
	    c->name);
	return name;
}

/* Anchors and groups found in a pattern's text agree with PCRE2. */
static void
check_code(const struct format *f)
{
	for (size_t i = 0; i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];
		uint32_t options = 0, n_names = 0;

		if (p->code == NULL)
			continue;
		pcre2_pattern_info(
		    p->code->code, PCRE2_INFO_ALLOPTIONS, &options);
		pcre2_pattern_info(
		    p->code->code, PCRE2_INFO_NAMECOUNT, &n_names);
		if (p->anchored != ((options & PCRE2_ANCHORED) != 0))
			CHECK_STR(p->name, f->name);
		CHECK_INT(p->n_captures, n_names);
		for (size_t k = 0; k < p->n_captures; k++) {
			CHECK_INT(p->captures[k].group,
			    pcre2_substring_number_from_name(
				p->code->code, (PCRE2_SPTR)group_name(p, k)));
			CHECK(k == 0 ||
			    p->captures[k].group > p->captures[k - 1].group);
		}
	}
}

static void
test_code(void)
{
	static const char text[] =
	    "name t\ndescription d\n"
	    "metadata a \\b(?:^a|c) (?<nodes>\\d+)\n"
	    "metadata c (?J)(?|a(?<nodes>\\d)|b(?<nodes>\\d))(?<nodes>x)\n"
	    "sample x\nexpect a\nsample x\nexpect c\n";
	struct format_set set;
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct format *f;

	load_built_in(&set);
	for (size_t i = 0; i < set.formats.n; i++)
		check_code(set.formats.items[i]);
	for (size_t i = 0; i < set.metadata.n; i++)
		check_code(set.metadata.items[i]);
	for (size_t i = 0; i < set.layouts.n; i++)
		check_code(set.layouts.items[i]);
	format_set_release(&set);
	f = format_parse(&a, FORMAT_FILE_METADATA, "t", "t.metadata", text,
	    sizeof text - 1, &e);
	CHECK_STR(e.message, "");
	CHECK(f != NULL && !f->rest_anchored);
	/* Groups with the same number are read once. */
	CHECK_INT((long)f->patterns[1].n_captures, 2);
	CHECK_INT(f->patterns[1].captures[0].group, 1);
	CHECK_INT(f->patterns[1].captures[1].group, 2);
	CHECK_INT((long)f->n_samples, 2);
	format_release_code(f);
	arena_release(&a);
}

/* Divisors that convert printed values to the stored unit. */
static void
test_units_of_words(void)
{
	static const struct {
		const char *name;
		double divisor;
	} cases[] = {
		{ "step_us", 1e6 },
		{ "also_step_ms", 1e3 },
		{ "elapsed_ms", 1e3 },
		{ "at_us", 1e6 },
		{ "at_ms", 1e3 },
		{ "gbit_per_s", 8 },
		{ "mb_per_s", 1e3 },
		{ "message_mib", 1 / 1048576. },
		{ "message_us", 1e6 },
		{ "message_ms", 1e3 },
		{ "algorithm_mb_per_s", 1e3 },
		{ "algorithm_mib_per_s", 1e9 / 1048576 },
		{ "algorithm_gbit_per_s", 8 },
		{ "bus_mibit_per_s", 8e9 / 1048576 },
		{ "ready_us", 1e6 },
		{ "start_us", 1e6 },
		{ "top1_share", 0.01 },
		{ "val_top5_share", 0.01 },
		{ "data_ms", 1e3 },
		{ "mfu_share", 0.01 },
		{ "memory_mib", 1024 },
		{ "memory_gb", 1.073741824 },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		const char *name = cases[i].name;

		printf("# %s\n", name);
		CHECK_NEAR(field_name_find(name, strlen(name))->divisor,
		    cases[i].divisor, 0);
	}
}

/* Each field name is found by its exact name only. */
static void
test_vocabulary(void)
{
	size_t n = 0;

	for (const struct field_name *w; (w = field_name_at(n)) != NULL; n++) {
		CHECK(field_name_find(w->name, strlen(w->name)) == w);
		CHECK(w->roles != 0);
		/* Complete by itself: a search shows single lines. */
		CHECK(w->help != NULL && strncmp(w->help, "the same", 8) != 0);
		CHECK(w->divisor > 0);
		/* A key is the name of a field in the same unit, undivided. */
		if (w->key != NULL) {
			const struct field_name *own =
			    field_name_find(w->key, strlen(w->key));

			CHECK(own != NULL && own->key == w->key);
			CHECK(own->divisor <= 1 && own->divisor >= 1);
			CHECK(own->unit == w->unit ||
			    strcmp(own->unit, w->unit) == 0);
		}
	}
	CHECK(n > 40);
	CHECK(field_name_find("epoc", 4) == NULL);
	CHECK(field_name_find("epochsx", 7) == NULL);
	CHECK_STR(role_name(ROLE_SUMMARY), "summary");
}

/* Files written for an earlier release spell four roles and a key differently,
 * with the same meaning. */
static void
test_old_spellings(void)
{
	static const char text[] =
	    "name t\ndescription d\nkind step-time\nstep sample\n"
	    "hot h it (?<iter>\\d+) (?<step_s>[\\d.]+)\n"
	    "sign s ^of a kind$\n"
	    "fact f ^on (?<device>\\S+)$\n"
	    "sample it 3 0.5\nexpect h iter=3\n"
	    "sample on N7\nexpect f device=N7\n"
	    "sample of a kind\nexpect s\n";
	static const char lap[] =
	    "name t\ndescription d\nkind step-time\n"
	    "json begin b key==start at_s=t\n"
	    "json lap l key==stop at_s=t\n"
	    "sample {\"key\": \"start\", \"t\": 3}\nexpect b\n"
	    "sample {\"key\": \"stop\", \"t\": 5}\nexpect l\n";
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct format *f = format_parse(
	    &a, FORMAT_FILE, "t", "t.format", text, strlen(text), &e);

	CHECK(f != NULL);
	CHECK_INT(f->n_step_patterns, 1);
	CHECK_INT(f->patterns[1].role, ROLE_SIGNATURE);
	CHECK_INT(f->meaning.of_samples, 1);
	CHECK_INT(format_self_test(NULL, f, &e), 0);
	format_release_code(f);
	f = format_parse(
	    &a, FORMAT_FILE, "t", "t.format", lap, strlen(lap), &e);
	CHECK(f != NULL);
	CHECK_INT(f->patterns[1].role, ROLE_INTERVAL);
	CHECK(f->has_intervals);
	format_release_code(f);
	arena_release(&a);
}

static const struct tap_test tests[] = {
	TEST(test_old_spellings),
	TEST(test_meaning),
	TEST(test_meaning_said),
	TEST(test_summary_only),
	TEST(test_mistakes),
	TEST(test_wrong_samples),
	TEST(test_ignore),
	TEST(test_limits),
	TEST(test_built_in),
	TEST(test_user_folder),
	TEST(test_code),
	TEST(test_units),
	TEST(test_needs),
	TEST(test_details),
	TEST(test_broken_built_in),
	TEST(test_broken_prefix),
	TEST(test_units_of_words),
	TEST(test_vocabulary),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
