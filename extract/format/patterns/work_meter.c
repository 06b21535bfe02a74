/* Counts the work of regular expressions. */
#include <config.h>

#include "extract/format/patterns/work_meter.h"

#include "common/alloc.h"
#include "common/strbuf.h"
#include "extract/format/patterns/regex_text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdlib.h>
#include <string.h>

/* Repetitions {n,m} with m >= this count as unlimited. */
enum { MANY_TIMES = 32 };

/* True if the quantifier in [q, end) is unlimited. */
static int
is_open(const char *q, const char *end)
{
	const char *comma;

	if (*q == '*' || *q == '+')
		return 1;
	if (*q != '{')
		return 0;
	comma = memchr(q, ',', (size_t)(end - q));
	return comma != NULL &&
	    (comma[1] == '}' || strtoul(comma + 1, NULL, 10) >= MANY_TIMES);
}

/* Skip an indivisible unit: an escape, a class, a verb, or the opening of a
 * group.  Returns its end. */
static const char *
skip_whole(const char *s)
{
	const char *end;

	if (strncmp(s, "(*", 2) == 0) {
		end = strchr(s, ')');
		return end != NULL ? end + 1 : s + strlen(s);
	}
	if (*s == '(')
		return s[1] == '?' ? s + 2 : s + 1;
	return *s == '\\' || *s == '[' ? regex_skip_piece(s) : s + 1;
}

/* Insert callouts into the expression.  Returns their number; 0 if it is not
 * understood. */
static size_t
add_callouts(const char *s, struct strbuf *sb)
{
	size_t n = 0;

	if (strstr(s, "\\Q") != NULL || strstr(s, "(?#") != NULL ||
	    strstr(s, "(?x") != NULL)
		return 0;
	while (*s != '\0') {
		const char *item = s, *end = skip_whole(s), *after;
		int least;

		/* The opening of a group has no quantifier. */
		after = *s == '(' && s[1] != '*'
		    ? end
		    : regex_skip_quantifier(end, &least);
		strbuf_add(sb, item, (size_t)(after - item));
		if (after > end && is_open(end, after)) {
			strbuf_addstr(sb, "(?C1)");
			n++;
		}
		s = after;
	}
	return n;
}

struct metered_pattern *
metered_pattern_new(const char *regex)
{
	struct metered_pattern *p = xcalloc(1, sizeof *p);
	struct strbuf sb;
	int code;
	PCRE2_SIZE at;

	strbuf_init(&sb, 8 * strlen(regex) + 4096);
	if (add_callouts(regex, &sb) > 0)
		p->code =
		    pcre2_compile((PCRE2_SPTR)sb.buf, PCRE2_ZERO_TERMINATED,
			PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
	strbuf_release(&sb);
	if (p->code == NULL) {
		free(p);
		return NULL;
	}
	p->fast = pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE) == 0;
	return p;
}

void
metered_pattern_free(struct metered_pattern *p)
{
	if (p == NULL)
		return;
	pcre2_code_free(p->code);
	free(p);
}

int
work_meter_count(void *block, void *arg)
{
	const pcre2_callout_block *b = block;
	struct work_meter *w = arg;

	/* A callout of the pattern itself. */
	if (!w->counts)
		return 0;
	if (b->start_match != w->start)
		w->start = w->last = b->start_match;
	/* Moving back is free. */
	if (b->current_position > w->last)
		w->left -= (int64_t)(b->current_position - w->last);
	w->last = b->current_position;
	w->left -= METER_CALL;
	return w->left < 0 ? PCRE2_ERROR_CALLOUT : 0;
}
