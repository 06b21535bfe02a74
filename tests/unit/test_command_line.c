/* Command lines are split into words, and words into options. */
#include <config.h>

#include "extract/log/command_line.h"

#include <stdio.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/tap.h"

/* Words are separated by '|', operators are in brackets. */
static void
test_words(void)
{
	static const struct {
		const char *line, *words;
	} cases[] = {
		{ "", "" },
		{ "  \t ", "" },
		{ "python train.py  --amp", "python|train.py|--amp" },
		{ "a 'b c' \"d \\\" e\" f\\ g", "a|b c|d \" e|f g" },
		{ "don't stop", "don't|stop" },
		{ "a=\"x y\" ''", "a=x y|" },
		{ "cd /x; python a.py 2>&1 | tee b",
		    "cd|/x|[;]|python|a.py|[2>&1]|[|]|tee|b" },
		{ "a && b || c & d > e 2>> f &> g",
		    "a|[&&]|b|[||]|c|[&]|d|[>]|e|[2>>]|f|[&>]|g" },
		{ "[1,0]<stdout>:python a.py", "[1,0]<stdout>:python|a.py" },
		{ "cmd: ['python', '-u', 'a b.py', '--x=[1, 2]'] --y",
		    "cmd:|python|-u|a b.py|--x=[1, 2]|--y" },
		{ "[\"a;b\",\"c\"]", "a;b|c" },
		{ "x=[1,2] y=?a&b", "x=[1,2]|y=?a&b" },
		{ "a\\", "a\\" },
		{ "a 10>b 3<c 11>&12 d", "a|[10>]|b|[3<]|c|[11>&12]|d" },
		{ "a 10 b2>c", "a|10|b2>c" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct arena a = ARENA_INIT;
		struct command_line c;
		struct strbuf sb;

		strbuf_init(&sb, 1000);
		command_line_split(
		    &c, cases[i].line, strlen(cases[i].line), &a);
		for (size_t k = 0; k < c.n; k++)
			strbuf_printf(&sb, "%s%s%s%s", k > 0 ? "|" : "",
			    c.words[k].is_operator ? "[" : "", c.words[k].text,
			    c.words[k].is_operator ? "]" : "");
		CHECK_STR(sb.buf, cases[i].words);
		strbuf_release(&sb);
		arena_release(&a);
	}
}

/* Each option as "key:value", "key" for a flag, "(word)" for no option. */
static void
test_options(void)
{
	static const struct {
		const char *line, *options;
	} cases[] = {
		{ "train.py --lr=0.1 --batch-size 32 --amp",
		    "(train.py) lr:0.1 batch-size:32 amp" },
		{ "srun -N2 -n 16 --mpi=pmix", "N:2 n:16 mpi:pmix" },
		{ "--amp --wd -0.1 -np 4", "amp wd:-0.1 np:4" },
		{ "+trainer.amp=True model/opt=adam ~x=1 A=",
		    "trainer.amp:True model/opt:adam x:1 A:" },
		{ "--amp | tee --append", "amp (|) (tee) append" },
		{ "-- --- - = =x 1=2 http://a/b?c=d",
		    "(--) (---) (-) (=) (=x) (1=2) (http://a/b?c=d)" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct arena a = ARENA_INIT;
		struct command_option o;
		struct command_line c;
		struct strbuf sb;
		const char *line = cases[i].line;

		strbuf_init(&sb, 1000);
		command_line_split(&c, line, strlen(line), &a);
		for (size_t k = strncmp(line, "srun", 4) == 0; k < c.n;
		     k += o.n) {
			strbuf_addstr(&sb, sb.len > 0 ? " " : "");
			if (!command_line_option(&c, k, &a, &o))
				strbuf_printf(&sb, "(%s)", c.words[k].text);
			else
				strbuf_printf(&sb, "%s%s%s", o.key,
				    o.value != NULL ? ":" : "",
				    o.value != NULL ? o.value : "");
		}
		CHECK_STR(sb.buf, cases[i].options);
		strbuf_release(&sb);
		arena_release(&a);
	}
}

static const struct tap_test tests[] = {
	TEST(test_words),
	TEST(test_options),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
