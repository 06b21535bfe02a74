/* Parts of a path are split at '-', '_', '.', '+', '=' and ' '. Ids are removed
 * with the preceding mark; the rest is compared. */
#include <config.h>

#include "extract/measure/run_path.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/log/words.h"

enum {
	WANDB_ID = 8,
	HASH_DIGITS = 7, /* of a hash, including letters */
	ID_DIGITS = 5,   /* least digits of a job id or a time */
	MAX_SUFFIX = 10,
	MAX_NUMBER = 9 /* most digits of a number */
};

static int
is_mark(char c)
{
	return c == '\0' || strchr("-_.+= :", c) != NULL;
}

static size_t
count_digits(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && isdigit((unsigned char)s[n]))
		n++;
	return n;
}

/* True if a token ends after n bytes. */
static int
ends_at(const char *s, size_t len, size_t n)
{
	return n >= len || is_mark(s[n]);
}

/* Length of the text at s that matches a pattern such as "H-M-S": letters for
 * pairs of digits within a range, '-' for an optional mark. 0: no match. */
static size_t
fit(const char *s, size_t len, const char *pattern)
{
	static const struct {
		char letter;
		int low, high;
	} pairs[] = { { 'C', 19, 20 }, { 'Y', 0, 99 }, { 'm', 1, 12 },
		{ 'd', 1, 31 }, { 'H', 0, 23 }, { 'M', 0, 59 },
		{ 'S', 0, 60 } };
	size_t at = 0;

	for (; *pattern != '\0'; pattern++) {
		size_t i = 0;
		int v;

		if (*pattern == '-') {
			at += at < len && is_mark(s[at]);
			continue;
		}
		if (count_digits(s + at, len - at) < 2)
			return 0;
		while (pairs[i].letter != *pattern)
			i++;
		v = (s[at] - '0') * 10 + s[at + 1] - '0';
		if (v < pairs[i].low || v > pairs[i].high)
			return 0;
		at += 2;
	}
	return at;
}

/* "2023-04-05", "20230405", optionally with a time: "T123000Z", "_12-30-00". */
static size_t
stamp_length(const char *s, size_t len)
{
	size_t at = fit(s, len, "CY-m-d"), n = 0, zone;

	if (at > 0 && at < len && (is_mark(s[at]) || s[at] == 'T')) {
		n = fit(s + at + 1, len - at - 1, "H-M-S");
		if (n == 0)
			n = fit(s + at + 1, len - at - 1, "H-M");
	}
	if (n > 0) {
		n += at + 1;
		zone = n < len && s[n] == 'Z';
		if (zone || ends_at(s, len, n))
			at = n + zone;
	}
	return ends_at(s, len, at) ? at : 0;
}

static int
is_power_of_two(long n)
{
	return n > 0 && (n & (n - 1)) == 0;
}

/* A token that looks like a topology. */
struct shape_token {
	size_t len;
	int known;                /* 1: its numbers match the known topology */
	char kind[RUN_PATH_KIND]; /* lower case, each number as '#' */
};

/* Meaning of the number next to a word. */
enum shape_word { SHAPE_NODES, SHAPE_GPUS, SHAPE_EITHER, SHAPE_NONE };

static enum shape_word
find_shape_word(const char *s, size_t len)
{
	static const char *const words[] = { "n|node|nodes",
		"g|c|d|np|gpu|gpus|card|cards|dev|device|devices", "x" };
	int i = 0;

	while (i < SHAPE_NONE &&
	    !words_match(words[i], WORDS_ALL | WORDS_FOLD, s, len))
		i++;
	return (enum shape_word)i;
}

/* True if n is the known number of nodes or GPUs. If the number of nodes is
 * unknown, a number of nodes may also be one of GPUs. */
static int
is_of_shape(long n, enum shape_word counts, const struct metadata *f)
{
	if (counts == SHAPE_NODES && f->nodes > 0)
		return n == f->nodes;
	return n > 0 &&
	    ((counts != SHAPE_GPUS && n == f->nodes) || n == f->gpus_per_node ||
		n == f->gpus);
}

/* Length of the word of letters or digits at s + at. */
static size_t
word_length(const char *s, size_t len, size_t at)
{
	size_t n = count_digits(s + at, len - at);

	if (n > 0)
		return n;
	while (at + n < len && isalpha((unsigned char)s[at + n]))
		n++;
	return n;
}

/* "4n8g", "gpus8", "N1C8": words and numbers of a topology only. Returns 0 for
 * other tokens. */
static int
read_shape(
    const char *s, size_t len, const struct metadata *f, struct shape_token *t)
{
	const int before = len > 0 && isdigit((unsigned char)s[0]);
	enum shape_word counts = SHAPE_EITHER;
	int digits = 0, letters = 0;
	size_t n_kind = 0, n;

	*t = (struct shape_token){ .len = 0, .known = 1 };
	for (; t->len < len && !is_mark(s[t->len]); t->len += n) {
		const char *at = s + t->len;

		n = word_length(s, len, t->len);
		if (n > 0 && isdigit((unsigned char)*at)) {
			const size_t next = word_length(s, len, t->len + n);

			if (before)
				counts = next == 0
				    ? SHAPE_EITHER
				    : find_shape_word(at + n, next);
			t->known &= n <= MAX_NUMBER &&
			    is_of_shape(strtol(at, NULL, 10), counts, f);
			digits = 1;
			if (n_kind + 1 < sizeof t->kind)
				t->kind[n_kind++] = '#';
			continue;
		}
		counts = find_shape_word(at, n);
		if (n == 0 || counts == SHAPE_NONE)
			return 0;
		letters = 1;
		for (size_t i = 0; i < n && n_kind + 1 < sizeof t->kind; i++)
			t->kind[n_kind++] = (char)tolower((unsigned char)at[i]);
	}
	return digits && letters;
}

/* True if the token at s is the fraction of a number: "5G" of "2.5G". The text
 * begins at start. */
static int
is_fraction(const char *start, const char *s)
{
	return s - start >= 2 && s[-1] == '.' &&
	    isdigit((unsigned char)s[-2]) && isdigit((unsigned char)s[0]);
}

static int
has_kind(const struct run_path_kinds *kinds, const char *kind)
{
	for (size_t i = 0; kinds != NULL && i < kinds->n; i++)
		if (strcmp(kinds->items[i], kind) == 0)
			return 1;
	return 0;
}

static int
has_value(const struct result_pair *labels, size_t n, const char *s, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(labels[i].value) == len &&
		    memcmp(labels[i].value, s, len) == 0)
			return 1;
	return 0;
}

size_t
run_path_find_contrary(struct run_path_kinds *kinds, const char *path,
    const struct metadata *f, char token[RUN_PATH_KIND])
{
	const char *const start = path;
	size_t added = 0, n;

	if (f->gpus < 1)
		return 0;
	for (; *path != '\0'; path += n + (path[n] != '\0')) {
		struct shape_token t;

		for (n = 0; !is_mark(path[n]) && path[n] != '/'; n++)
			;
		/* "node3" and "gpu0" may be indices, "d12" and "x4" anything.
		 */
		if (is_fraction(start, path) || !read_shape(path, n, f, &t) ||
		    t.known ||
		    words_fit("c#|d#|x#|node#|gpu#|card#|dev#|device#",
			WORDS_ALL, t.kind) ||
		    has_value(f->labels, f->n_labels, path, n) ||
		    has_value(f->varied, f->n_varied, path, n) ||
		    has_kind(kinds, t.kind) || kinds->n == RUN_PATH_MAX_KINDS)
			continue;
		memcpy(kinds->items[kinds->n++], t.kind, sizeof t.kind);
		if (added++ == 0)
			snprintf(token, RUN_PATH_KIND, "%.*s", (int)n, path);
	}
	return added;
}

/* --- Ids -------------------------------------------------------------------*/

/* A token and the text after it in its part of the path. */
struct token {
	const char *s; /* [len] */
	size_t len;
	const char *part;  /* its folder or file name */
	const char *start; /* of the path */
	int is_file;       /* 1: the part is a file name */
	int is_wandb;      /* 1: path of a W&B log */
};

/* The readers return the length of an id at the token, or 0. */

static size_t
stamp_id(const struct token *t)
{
	return stamp_length(t->s, t->len);
}

/* "run1", "seed_42", "job-4711"; "r3", but not "r50", and not at the end of a
 * file name, where it is its number like "r12". In the name of a W&B folder,
 * "run-20260102_101112-ID", only "run". */
static size_t
numbered_id(const struct token *t)
{
	const char *s = t->s;
	size_t letters = 0, at, n;
	int found;

	if (t->len > 4 && memcmp(s, "run-", 4) == 0 &&
	    stamp_length(s + 4, t->len - 4) > 0)
		return 3;
	while (letters < t->len && isalpha((unsigned char)s[letters]))
		letters++;
	found = words_match("run|rep|repeat|repetition|trial|try|seed|attempt|"
			    "job|jobid|slurm",
	    WORDS_ALL | WORDS_FOLD, s, letters);
	at = letters + (found && letters < t->len && is_mark(s[letters]));
	n = count_digits(s + at, t->len - at);
	if (letters == 1 && tolower((unsigned char)s[0]) == 'r')
		found = n == 1 && !(t->is_file && s > t->part && t->len == 2);
	return found && n > 0 && ends_at(s, t->len, at + n) ? at + n : 0;
}

/* A W&B run id in a folder, "run-20260102_101112-abcdefgh", or in its log,
 * "run-abcdefgh.wandb". In a log it must have a letter after a digit or end a
 * folder's name, since "resnet50" and "baseline" may be chosen names. */
static size_t
wandb_id(const struct token *t)
{
	const char *from = t->part, *before;
	size_t n = 0;
	int chosen = 1, other = 0;

	from += strncmp(from, "offline-", 8) == 0 ? 8 : 0;
	if (strncmp(from, "run-", 4) != 0)
		return 0;
	from += 4;
	for (; n < t->len && isalnum((unsigned char)t->s[n]); n++) {
		other |= isupper((unsigned char)t->s[n]);
		chosen &= n == 0 || !isdigit((unsigned char)t->s[n - 1]) ||
		    !islower((unsigned char)t->s[n]);
	}
	if (n != WANDB_ID || !ends_at(t->s, t->len, n) || t->s < from)
		return 0;
	if (t->s > from)
		return t->s ==
			from + 1 +
			    stamp_length(from, (size_t)(t->s - from) + t->len)
		    ? n
		    : 0;
	if (!t->is_wandb)
		return 0;
	before = memmem(t->start, (size_t)(t->part - t->start), t->s, n);
	return (!chosen && !other) || (before != NULL && before[n] == '/') ? n
									   : 0;
}

/* "1d3bd93b-a69e-4118-aeb8-8184239d7566" */
static size_t
uuid_id(const struct token *t)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t n = 0;

	while (n < t->len &&
	    (form[n] == 'x' ? isxdigit((unsigned char)t->s[n]) != 0
			    : form[n] != '\0' && t->s[n] == form[n]))
		n++;
	return form[n] == '\0' && ends_at(t->s, t->len, n) ? n : 0;
}

/* "9f8e7d6", "0288455a92a4fd08": part of a hash, with alternating letters and
 * digits. "1e6" and "b256" are shorter. */
static size_t
hash_id(const struct token *t)
{
	size_t n = 0;
	int changes;

	while (n < t->len && isxdigit((unsigned char)t->s[n]))
		n++;
	changes = words_changes(t->s, n);
	return n >= HASH_DIGITS && changes > 0 &&
		(size_t)changes + n > HASH_DIGITS + 1 &&
		ends_at(t->s, t->len, n)
	    ? n
	    : 0;
}

/* "14-30-00": a folder named by time, below one named by date. */
static size_t
clock_id(const struct token *t)
{
	return t->len >= 8 && ends_at(t->s, t->len, 8) &&
		fit(t->s, t->len, "H-M-S") == 8
	    ? 8
	    : 0;
}

/* True if the folder whose name ends before s is a folder of runs.
 *
 * start  of the path */
static int
is_folder_of_runs(const char *start, const char *s)
{
	const char *end = s > start ? s - 1 : s, *name = end;

	while (name > start && name[-1] != '/')
		name--;
	return words_match("run|runs|job|jobs|seed|seeds|trial|trials|rep|reps|"
			   "mlruns|repeat|repeats|attempts",
	    WORDS_ALL | WORDS_FOLD, name, (size_t)(end - name));
}

/* A long number that is not round, as chosen values are; or a folder name that
 * is an unusual number, "1152", or any number below a folder of runs. */
static size_t
number_id(const struct token *t)
{
	const size_t n = count_digits(t->s, t->len);
	const long v = n > 0 && n <= MAX_NUMBER ? strtol(t->s, NULL, 10) : 1;

	if (n == t->len && n > 0 && n <= MAX_NUMBER && t->s == t->part &&
	    !t->is_file &&
	    (is_folder_of_runs(t->start, t->s) ||
		(n >= 4 && v % 500 != 0 && !is_power_of_two(v))))
		return n;
	if (n < ID_DIGITS || !ends_at(t->s, t->len, n) ||
	    is_fraction(t->part, t->s))
		return 0;
	return n > MAX_NUMBER || (!is_power_of_two(v) && v % 1000 != 0) ? n : 0;
}

static size_t (*const id_readers[])(const struct token *t) = { stamp_id,
	numbered_id, wandb_id, uuid_id, hash_id, clock_id, number_id };

/* --- Parts -----------------------------------------------------------------*/

/* Copy a part [len] without ids and topology.
 *
 * t    its path
 * ids  the removed ids are appended, joined by '-'; NULL: the part is a file
 *      name */
static void
clean_part(struct token t, const char *part, size_t len,
    const struct metadata *f, const struct run_path_kinds *kept,
    struct strbuf *out, struct strbuf *ids)
{
	const size_t from = out->len;
	size_t n;

	t.part = part;
	t.is_file = ids == NULL;
	for (size_t at = 0; at < len; at += n + (at + n < len)) {
		const size_t n_readers = sizeof id_readers / sizeof *id_readers;
		struct shape_token shape;

		t.s = part + at;
		t.len = len - at;
		n = 0;
		for (size_t i = 0; n == 0 && i < n_readers; i++)
			n = id_readers[i](&t);
		if (n > 0 && ids != NULL)
			strbuf_printf(ids, "%s%.*s",
			    ids->len > 0 && ids->buf[ids->len - 1] != '/' ? "-"
									  : "",
			    (int)n, t.s);
		if (n == 0 && !is_fraction(part, t.s) &&
		    read_shape(t.s, t.len, f, &shape) && shape.known &&
		    !has_kind(kept, shape.kind))
			n = shape.len;
		if (n > 0)
			continue;
		while (n < t.len && !is_mark(t.s[n]))
			n++;
		strbuf_printf(out, "%s%.*s",
		    at > 0 && out->len > from ? (char[]){ t.s[-1], '\0' } : "",
		    (int)n, t.s);
	}
}

/* Length of a file name without ".log", ".out.gz", ".o4711"; "lr0.1" is
 * kept. */
static size_t
stem_length(const char *name)
{
	size_t len = strlen(name);

	for (;;) {
		size_t dot = len;

		while (dot > 0 && isalnum((unsigned char)name[dot - 1]))
			dot--;
		if (dot < 2 || name[dot - 1] != '.' || dot == len ||
		    len - dot > MAX_SUFFIX ||
		    !isalpha((unsigned char)name[dot]))
			return len;
		len = dot - 1;
	}
}

void
run_path_read(struct run_path *p, const char *path, const struct metadata *f,
    const struct run_path_kinds *kept, struct arena *a)
{
	const struct token of_path = { .start = path,
		.is_wandb = words_fit(".wandb", WORDS_END, path) };
	struct strbuf sb = STRBUF_INIT(65536), ids = STRBUF_INIT(65536);
	const char *slash;
	size_t end, digits;

	for (; (slash = strchr(path, '/')) != NULL; path = slash + 1) {
		struct strbuf part = STRBUF_INIT(65536);

		if (ids.len > 0 && ids.buf[ids.len - 1] != '/')
			strbuf_addstr(&ids, "/");
		clean_part(of_path, path, (size_t)(slash - path), f, kept,
		    &part, &ids);
		if (part.len > 0)
			strbuf_printf(
			    &sb, "%s%s", sb.len > 0 ? "/" : "", part.buf);
		strbuf_release(&part);
	}
	while (ids.len > 0 && ids.buf[ids.len - 1] == '/')
		ids.buf[--ids.len] = '\0';
	p->folder = arena_strndup(a, sb.buf, sb.len);
	p->run = ids.len > 0 ? arena_strndup(a, ids.buf, ids.len) : NULL;
	strbuf_reset(&sb);
	clean_part(of_path, path, stem_length(path), f, kept, &sb, NULL);
	p->named = arena_strndup(a, sb.buf, sb.len);
	digits = sb.len;
	while (digits > 0 && isdigit((unsigned char)sb.buf[digits - 1]))
		digits--;
	p->number = -1;
	/* "x-r12" may be run 12, if others are "x-r11" and "x-r3". */
	p->lettered = digits < sb.len && digits > 1 &&
	    tolower((unsigned char)sb.buf[digits - 1]) == 'r' &&
	    strchr("-_", sb.buf[digits - 2]) != NULL;
	end = digits - (size_t)p->lettered;
	/* "0.1" is not a run number. */
	if (digits < sb.len && sb.len - digits <= MAX_NUMBER &&
	    (end == 0 || (strchr("-_", sb.buf[end - 1]) != NULL))) {
		p->number = strtol(sb.buf + digits, NULL, 10);
		sb.len = end > 0 ? end - 1 : 0;
	}
	p->file = arena_strndup(a, sb.buf, sb.len);
	strbuf_release(&ids);
	strbuf_release(&sb);
}

int
run_path_is_series(const long *numbers, size_t n)
{
	size_t ids = 0;
	int powers = 1;

	if (n < 2)
		return 1;
	for (size_t i = 0; i < n; i++) {
		powers &= is_power_of_two(numbers[i]);
		ids += numbers[i] >= 1000 && numbers[i] % 100 != 0 &&
		    numbers[i] % 64 != 0;
	}
	/* Numbers of four digits that are not round are job ids. */
	if (2 * ids > n && numbers[0] >= 1000)
		return 1;
	if (powers && numbers[n - 1] > 2)
		return 0;
	return numbers[n - 1] - numbers[0] < 2 * (long)n;
}

const char *
run_path_stem(const char *path, struct arena *a)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	if (dot == NULL || dot == name)
		return name;
	return arena_strndup(a, name, (size_t)(dot - name));
}
