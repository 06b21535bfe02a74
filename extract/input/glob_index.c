/* The letters are three or six in a row that all stand for themselves.  Of
 * those in a glob it is known by the ones that the fewest globs hold: of
 * "exp017*.log" by "xp017", say, and not by ".log".  A '/' before a glob and
 * the NUL after it count as letters of it, and of the paths. */
#include <config.h>

#include "extract/input/glob_index.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "extract/input/file_list.h"

enum { SHORT_LETTERS = 3, LONG_LETTERS = 6, N_LENGTHS = 2 };

static const int lengths[N_LENGTHS] = { SHORT_LETTERS, LONG_LETTERS };

struct glob_key {
	uint64_t letters; /* 0: the glob has none, and may fit any path */
	size_t place;
	const char *glob;
};

/* The latest letters of a text, and how many they are in a row. */
struct glob_letters {
	uint64_t latest;
	int n;
};

static void
letters_add(struct glob_letters *l, char c)
{
	l->latest = l->latest << 8 | (unsigned char)c;
	l->n++;
}

/* The latest so many; 0 if there are fewer. */
static uint64_t
letters_take(const struct glob_letters *l, int length)
{
	return l->n < length ? 0
			     : l->latest & ((UINT64_C(1) << 8 * length) - 1);
}

/* What follows a set of letters like "[!a-c]".  Of one with '[', '\\' or '/' in
 * it, which may end at one ']' or another, it is the end of the glob. */
static const char *
after_set(const char *s)
{
	s += s[1] == '!' || s[1] == '^' ? 2 : 1;
	if (*s == ']')
		s++;
	s += strcspn(s, "][\\/");
	return *s == ']' ? s + 1 : s + strlen(s) + 1;
}

/* What follows a piece of a glob that may stand for other letters. */
static const char *
after_wildcard(const char *s)
{
	switch (*s) {
	case '[':
		return after_set(s);
	case '\\':
		return s + (s[1] != '\0' ? 2 : 1);
	default:
		return s + 1;
	}
}

/* Call what for all letters of a glob. */
static void
each_letters(
    const char *glob, void (*what)(uint64_t letters, void *of), void *of)
{
	const char *const end = glob + strlen(glob) + 1;
	struct glob_letters l = { 0, 0 };

	letters_add(&l, '/');
	while (glob < end) {
		if (*glob != '\0' && strchr("*?[\\", *glob) != NULL) {
			glob = after_wildcard(glob);
			l.n = 0;
			continue;
		}
		letters_add(&l, *glob++);
		for (size_t i = 0; i < N_LENGTHS; i++) {
			const uint64_t letters = letters_take(&l, lengths[i]);

			if (letters != 0)
				what(letters, of);
		}
	}
}

void
glob_index_add(struct glob_index *x, const char *glob, size_t place)
{
	x->keys = vec_grow(x->keys, x->n, &x->alloc, sizeof *x->keys);
	x->keys[x->n++] = (struct glob_key){ 0, place, glob };
}

/* How often letters occur in the globs; letters that share a count only make
 * each other look more frequent than they are. */
struct glob_counts {
	unsigned *counts;
	uint64_t mask; /* their number is a power of two, this one less */
	/* Of the glob that is looked at: */
	uint64_t rarest;
	unsigned least;
};

static unsigned *
count_of(const struct glob_counts *c, uint64_t letters)
{
	return &c->counts[hash_bytes(0, &letters, sizeof letters) & c->mask];
}

static void
count_letters(uint64_t letters, void *of)
{
	++*count_of(of, letters);
}

/* Of those as rare the more, which are the greater number. */
static void
choose_letters(uint64_t letters, void *of)
{
	struct glob_counts *c = of;
	const unsigned n = *count_of(c, letters);

	if (c->rarest == 0 || n < c->least ||
	    (n == c->least && letters > c->rarest)) {
		c->rarest = letters;
		c->least = n;
	}
}

static int
by_letters(const void *a, const void *b)
{
	const struct glob_key *x = a, *y = b;

	return x->letters != y->letters
	    ? (x->letters > y->letters) - (x->letters < y->letters)
	    : (x->place > y->place) - (x->place < y->place);
}

void
glob_index_sort(struct glob_index *x)
{
	struct glob_counts c = { .mask = 1023 };

	if (x->n == 0)
		return;
	while (c.mask < 64 * (uint64_t)x->n && c.mask < UINT64_C(1) << 22)
		c.mask = 2 * c.mask + 1;
	c.counts = xcalloc((size_t)c.mask + 1, sizeof *c.counts);
	for (size_t i = 0; i < x->n; i++)
		each_letters(x->keys[i].glob, count_letters, &c);
	for (size_t i = 0; i < x->n; i++) {
		c.rarest = 0;
		each_letters(x->keys[i].glob, choose_letters, &c);
		x->keys[i].letters = c.rarest;
	}
	free(c.counts);
	qsort(x->keys, x->n, sizeof *x->keys, by_letters);
}

/* The first key of these letters from a place on, or where it would be. */
static size_t
key_from(const struct glob_index *x, uint64_t letters, size_t place)
{
	const struct glob_key key = { letters, place, NULL };
	size_t low = 0, high = x->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (by_letters(&x->keys[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The lowest place from one on, below another, of a glob of these letters that
 * fits; or that other. */
static size_t
next_of_letters(const struct glob_index *x, uint64_t letters, const char *path,
    size_t from, size_t below)
{
	for (size_t i = key_from(x, letters, from); i < x->n &&
	     x->keys[i].letters == letters && x->keys[i].place < below;
	     i++)
		if (file_list_fits(path, x->keys[i].glob))
			return x->keys[i].place;
	return below;
}

size_t
glob_index_next(const struct glob_index *x, const char *path, size_t from)
{
	size_t next = next_of_letters(x, 0, path, from, GLOB_INDEX_NONE);
	struct glob_letters l = { 0, 0 };

	if (x->n == 0)
		return GLOB_INDEX_NONE;
	letters_add(&l, '/');
	for (const char *s = path;; s++) {
		letters_add(&l, *s);
		for (size_t i = 0; i < N_LENGTHS; i++) {
			const uint64_t letters = letters_take(&l, lengths[i]);

			if (letters != 0)
				next = next_of_letters(
				    x, letters, path, from, next);
		}
		if (*s == '\0')
			return next;
	}
}

void
glob_index_release(struct glob_index *x)
{
	free(x->keys);
	*x = (struct glob_index)GLOB_INDEX_INIT;
}
