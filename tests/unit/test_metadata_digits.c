/* Metadata does not depend on particular digits: in every sample line of every
 * format and metadata file, each count is replaced by several numbers, which
 * must be read in its place. */
#include <config.h>

#include "common/alloc.h"
#include "extract/format/matcher.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PLACES = 64 };

/* A count that a line states. */
struct place {
	const struct pattern *pattern;
	size_t group;
	size_t from, to; /* in the line */
	char text[32];   /* the count as written */
};

struct places {
	const char *line;
	struct place items[MAX_PLACES];
	size_t n;
};

static void
note_counts(void *arg, const struct match *match)
{
	struct places *all = arg;

	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *c = &match->pattern->captures[i];
		struct place *p = &all->items[all->n];
		size_t len;
		const char *text = match_text(match, c, &len);

		if (match->pattern->role != ROLE_METADATA || text == NULL ||
		    c->word->type != FIELD_NAME_COUNT ||
		    len >= sizeof p->text || all->n == MAX_PLACES)
			continue;
		p->pattern = match->pattern;
		p->group = c->group;
		p->from = match->base + (size_t)(text - match->text);
		p->to = p->from + len;
		memcpy(p->text, text, len);
		p->text[len] = '\0';
		all->n++;
	}
}

/* True if the line states this number at this place. */
static int
states(const struct places *all, const struct place *p, const char *number)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].pattern == p->pattern &&
		    all->items[i].group == p->group &&
		    strcmp(all->items[i].text, number) == 0)
			return 1;
	return 0;
}

/* True if the pattern requires the same number elsewhere in the line. */
static int
refers_back(const struct pattern *p)
{
	return strstr(p->text, "\\1") != NULL ||
	    strstr(p->text, "\\k<") != NULL;
}

static int
is_digit_at(const struct format_sample *s, size_t i)
{
	return i < s->len && s->text[i] >= '0' && s->text[i] <= '9';
}

/* Append the sample with another number in the place, and wherever the same
 * number occurs if the pattern requires them to be equal. */
static void
put_number(struct strbuf *sb, const struct format_sample *s,
    const struct place *p, const char *number)
{
	const size_t len = p->to - p->from;

	for (size_t i = 0; i < s->len;) {
		const int same = i + len <= s->len &&
		    memcmp(s->text + i, p->text, len) == 0 &&
		    !is_digit_at(s, i + len) &&
		    (i == 0 || !is_digit_at(s, i - 1));

		if (i == p->from || (same && refers_back(p->pattern))) {
			strbuf_addstr(sb, number);
			i += len;
		} else {
			strbuf_addch(sb, s->text[i++]);
		}
	}
}

static size_t n_tried, n_wrong;

static void
try_place(struct matcher *m, const struct format *f,
    const struct format_sample *s, const struct place *p)
{
	static const char *const numbers[] = { "2", "3", "7", "16", "24", "96",
		"128", "1024", "1536" };

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		struct strbuf sb;
		struct places again = { .n = 0 };

		strbuf_init(&sb, 1 << 20);
		put_number(&sb, s, p, numbers[i]);
		again.line = sb.buf;
		matcher_new_log(m);
		matcher_line(m, f, FIELD_NAME_IN(ROLE_METADATA), sb.buf, sb.len,
		    note_counts, &again);
		n_tried++;
		if (!states(&again, p, numbers[i])) {
			n_wrong++;
			printf("# %s: %s does not read %s in: %.150s\n",
			    f->name, p->pattern->name, numbers[i], sb.buf);
		}
		strbuf_release(&sb);
	}
}

static void
try_format(const struct format_set *set, const struct format *f)
{
	struct matcher *m = matcher_new(set);

	for (size_t i = 0; i < f->n_samples; i++) {
		const struct format_sample *s = &f->samples[i];
		struct places found = { .line = s->text };

		matcher_new_log(m);
		matcher_line(m, f, FIELD_NAME_IN(ROLE_METADATA), s->text,
		    s->len, note_counts, &found);
		for (size_t k = 0; k < found.n; k++)
			try_place(m, f, s, &found.items[k]);
	}
	matcher_free(m);
}

static void
test_digits(void)
{
	struct format_set set;
	struct search_path path;
	struct error e = ERROR_INIT;

	search_path_init(&path, NULL, 0);
	CHECK_INT(format_set_load(&set, &path, &e), 0);
	for (size_t i = 0; i < set.formats.n; i++)
		try_format(&set, set.formats.items[i]);
	for (size_t i = 0; i < set.metadata.n; i++)
		try_format(&set, set.metadata.items[i]);
	printf("# %zu numbers\n", n_tried);
	CHECK(n_tried > 2000);
	CHECK_INT(n_wrong, 0);
	format_set_release(&set);
	search_path_release(&path);
}

static const struct tap_test tests[] = {
	TEST(test_digits),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
