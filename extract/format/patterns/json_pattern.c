/* Patterns for objects: JSON, or a dictionary as Python prints it.  Called
 * by the matcher in place of PCRE2.  Each byte of a line is read a bounded
 * number of times, whatever it holds. */
#include <config.h>

#include "extract/format/patterns/json_pattern.h"

#include "common/strbuf.h"
#include "extract/format/patterns/digit_insensitive.h"
#include "extract/format/patterns/json_bytes.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum {
	JSON_FREE_WORK = 1024, /* bytes that any line may waste */
	JSON_BEGIN_WORK = 64,  /* what it costs to begin, in bytes */
	JSON_KNOWN_BLOCKS = 32 /* whose structure is kept */
};

enum item_kind { ITEM_CAPTURE, ITEM_EQUALS, ITEM_ABSENT };

/* One selector. */
struct json_selector {
	enum item_kind kind;
	int optional;
	uint32_t group;   /* of ITEM_CAPTURE */
	const char *text; /* [text_len] the selector itself */
	size_t text_len;
	const char **values; /* [n_values] of ITEM_EQUALS */
	size_t n_values;
};

/* One path of a selector. */
struct json_path {
	const char *parts[JSON_MAX_PARTS];
	size_t lens[JSON_MAX_PARTS];
	uint32_t hashes[JSON_MAX_PARTS]; /* see required_key_hash; 0 of what may
	                                    be an index */
	size_t n_parts;
	size_t item;
};

struct json_pattern {
	uint64_t number; /* no other has it, now or later */
	struct json_selector items[JSON_MAX_PATHS];
	size_t n_items;
	struct json_path paths[JSON_MAX_PATHS];
	size_t n_paths;
	/* At each depth the paths whose key there has that length (mod 32). */
	uint64_t by_len[JSON_MAX_PARTS][32];
	uint64_t deeper[JSON_MAX_PARTS]; /* those that do not end there */
	uint64_t all;                    /* every path */
	uint64_t needed;                 /* items that must be there */
	uint64_t absent;                 /* items that must not */
	uint64_t wanted;                 /* items that state how far to read */
	const char *after;               /* [after_len] */
	size_t after_len;
	size_t rare;       /* place of the byte of it to look for */
	const char *value; /* [value_len] stands in what fits, or NULL */
	size_t value_len;
	uint32_t n_groups;
	int names_digits; /* 1: a key, a value or what stands before holds free
	                     digits (digit_insensitive.h) */
};

_Static_assert(
    (int)JSON_MEMO_BYTES == (int)JSON_WINDOW, "a key is compared at once");

#define UNSET (~(size_t)0)
#define BIT(i) ((uint64_t)1 << (i))

/* --- Reading an object ---------------------------------------------------- */

struct json_reading {
	const struct json_pattern *p;
	struct json_memo *memo; /* or NULL */
	const char *text, *end;
	size_t *ov;
	uint64_t found;              /* items that are there */
	uint64_t wrong;              /* items whose value is another */
	size_t best[JSON_MAX_PATHS]; /* path that gave the item's value */
	int done;                    /* 1: nothing more is to be learnt */
	const char *open;    /* the next '{', or the end; NULL: not looked for
	                        in this object */
	const char *stopped; /* where an object without an end was given up */
	size_t wasted;       /* bytes that were read to no end */
	/* Bits of the bytes [known_from, known_to) of text: quotes, commas and
	 * brackets, and none after them. */
	size_t known_from, known_to;
	uint64_t known[JSON_KNOWN_BLOCKS + 1];
};

static int
is_null(const char *s, size_t len)
{
	return len == 4 &&
	    (memcmp(s, "null", 4) == 0 || memcmp(s, "None", 4) == 0);
}

static int
is_one_of(const struct json_selector *item, const char *s, size_t len)
{
	if (item->n_values == 0)
		return 1; /* it only has to be there */
	for (size_t i = 0; i < item->n_values; i++) {
		if (strlen(item->values[i]) == len &&
		    memcmp(item->values[i], s, len) == 0)
			return 1;
	}
	return 0;
}

/* The value of a path is the len bytes at s. */
static void
store_value(struct json_reading *r, size_t path, const char *s, size_t len)
{
	const size_t i = r->p->paths[path].item;
	const struct json_selector *item = &r->p->items[i];

	/* Of several paths the one that was named first, of a key that comes
	 * twice the first. */
	if ((r->found & BIT(i)) && r->best[i] <= path)
		return;
	if (is_null(s, len))
		return;
	r->best[i] = path;
	r->found |= BIT(i);
	if (item->kind == ITEM_CAPTURE) {
		r->ov[2 * item->group] = (size_t)(s - r->text);
		r->ov[2 * item->group + 1] = (size_t)(s - r->text) + len;
	} else if (item->kind == ITEM_EQUALS && !is_one_of(item, s, len)) {
		r->wrong |= BIT(i);
	} else {
		r->wrong &= ~BIT(i);
	}
}

/* Paths of the set whose part at this depth is the key. */
static uint64_t
paths_fitting(const struct json_pattern *p, uint64_t set, size_t depth,
    const char *key, size_t len)
{
	uint64_t out = 0;

	set &= p->by_len[depth][len & 31];
	for (; set != 0; set &= set - 1) {
		const size_t i = (size_t)__builtin_ctzll(set);
		const struct json_path *path = &p->paths[i];

		if (path->lens[depth] == len &&
		    memcmp(path->parts[depth], key, len) == 0)
			out |= BIT(i);
	}
	return out;
}

static const char *read_inside(
    struct json_reading *r, const char *s, uint64_t set, size_t depth);

/* The value of the paths of set stands in [s, end), with blanks after it. */
static inline void
take_value(struct json_reading *r, const char *s, const char *end, uint64_t set)
{
	while (end > s && class_of(end - 1) == IS_BLANK)
		end--;
	if (end - s >= 2 && class_of(s) == IS_QUOTE && end[-1] == *s) {
		s++;
		end--;
	}
	for (; set != 0; set &= set - 1)
		store_value(
		    r, (size_t)__builtin_ctzll(set), s, (size_t)(end - s));
}

/* A value at s that the paths of set are about: those that end here take it,
 * the others go inside.  Returns the place after it, or NULL. */
static const char *
read_value(struct json_reading *r, const char *s, uint64_t set, size_t depth)
{
	const uint64_t deeper = set & r->p->deeper[depth];
	const char *end;

	if (s == r->end)
		return NULL;
	if (deeper != 0 && (*s == '{' || *s == '['))
		return read_inside(r, s, deeper, depth + 1);
	end = skip_value(s, r->end);
	if (end == NULL) {
		r->stopped = r->end;
		return NULL;
	}
	take_value(r, s, end, set & ~deeper);
	return end;
}

/* Is everything known that can be? */
static inline int
may_be_enough(const struct json_reading *r)
{
	return r->found == r->p->wanted && r->p->absent == 0;
}

/* The same, with no object inside of the rest that could be taken for one of
 * its own? */
static int
is_enough(struct json_reading *r, const char *s)
{
	if (!may_be_enough(r))
		return 0;
	/* A key may come any number of times: look for it once. */
	if (r->open == NULL || r->open < s) {
		r->open = memchr(s, '{', (size_t)(r->end - s));
		if (r->open == NULL)
			r->open = r->end;
		else
			r->wasted += (size_t)(r->open - s);
	}
	return r->open == r->end;
}

/* The number of an array's element as a key. */
static size_t
write_index(size_t n, char buf[20])
{
	char *end = buf + 20, *s = end;

	do {
		*--s = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	memmove(buf, s, (size_t)(end - s));
	return (size_t)(end - s);
}

/* A key and the ':' after it; NULL if there is none. */
static const char *
read_key(const char *s, const char *end, const char **key, size_t *len,
    const char **stopped)
{
	const char *q;

	*stopped = s;
	if (s == end || class_of(s) != IS_QUOTE)
		return NULL;
	q = string_end(s, end);
	*stopped = q != NULL ? q : end;
	if (q == NULL)
		return NULL;
	*key = s + 1;
	*len = (size_t)(q - s) - 1;
	s = skip_blanks(q + 1, end);
	return s < end && *s == ':' ? skip_blanks(s + 1, end) : NULL;
}

#if defined(__SSE2__)

/* Does the text at s begin with a key that was kept?  s is in a text that ends
 * at end and has at least JSON_WINDOW bytes; the last of these are compared
 * where fewer follow. */
static inline int
memo_key_is_at(const struct json_memo_key *k, const char *s, const char *end)
{
	const char *last = end - JSON_WINDOW;
	const char *from = s < last ? s : last;
	const size_t before = (size_t)(s - from);
	const uint64_t same =
	    equal_bits(from, k->text + JSON_WINDOW - before) >> before;

	return (same & k->mask) == k->mask && k->len > 0;
}

static inline uint64_t
block_bits(const char *s)
{
#if defined(JSON_HAVE_WIDE)
	if (__builtin_cpu_supports("avx2"))
		return structural_block_wide(s);
#endif
	return structural_block(s);
}

/* Find the structure of more blocks: of one, or at first of as many as the
 * object before had, which takes no decision where that ends.  A text of less
 * than a block at its end is taken out of the text's last block.
 *
 * v  the byte that is asked for */
static void
learn_blocks(struct json_reading *r, size_t v)
{
	const size_t len = (size_t)(r->end - r->text);
	size_t i, n = 1;

	if (r->known_to < v)
		n = r->memo->span / JSON_BLOCK + 2;
	if (r->known_to < v ||
	    r->known_to - r->known_from == JSON_KNOWN_BLOCKS * JSON_BLOCK)
		r->known_from = r->known_to = v;
	i = (r->known_to - r->known_from) / JSON_BLOCK;
	if (n > JSON_KNOWN_BLOCKS - i)
		n = JSON_KNOWN_BLOCKS - i;
	for (; n > 0 && len - r->known_to >= JSON_BLOCK; n--) {
		r->known[i++] = block_bits(r->text + r->known_to);
		r->known_to += JSON_BLOCK;
	}
	if (n > 0 && r->known_to < len) {
		r->known[i++] = block_bits(r->text + len - JSON_BLOCK) >>
		    (JSON_BLOCK - (len - r->known_to));
		r->known_to = len;
	}
	r->known[i] = 0;
}

/* The quotes, commas and brackets among the JSON_BLOCK bytes from s on: a bit
 * for each, the lowest for that at s. */
static inline uint64_t
structure_at(struct json_reading *r, const char *s)
{
	const size_t v = (size_t)(s - r->text);
	size_t i, at;

	while (r->known_to < v + JSON_BLOCK &&
	    r->known_to < (size_t)(r->end - r->text))
		learn_blocks(r, v);
	at = v - r->known_from;
	i = at / JSON_BLOCK;
	at %= JSON_BLOCK;
	return r->known[i] >> at | r->known[i + 1] << 1 << (63 - at);
}

#else

static inline int
memo_key_is_at(const struct json_memo_key *k, const char *s, const char *end)
{
	return k->len > 0 && (size_t)(end - s) >= k->len &&
	    memcmp(k->text + JSON_WINDOW, s, k->len) == 0;
}

static inline uint64_t
structure_at(struct json_reading *r, const char *s)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < JSON_BLOCK && s + i < r->end; i++)
		bits |= (uint64_t)(class_of(s + i) > IS_BLANK) << i;
	return bits;
}

#endif

/* paths  of the pattern that begin with the key */
static void
memo_key_keep(struct json_memo_key *k, const struct json_pattern *p,
    const char *s, const char *value, uint64_t paths)
{
	const size_t len = (size_t)(value - s);

	k->len = 0;
	if (len > JSON_WINDOW)
		return;
	memcpy(k->text + JSON_WINDOW, s, len);
	k->len = (uint32_t)len;
	k->mask = UINT32_MAX >> (JSON_WINDOW - len);
	k->paths = paths;
	k->captures = 0;
	if (paths != 0 && (paths & (paths - 1)) == 0 &&
	    (paths & p->deeper[0]) == 0) {
		k->path = (uint32_t)__builtin_ctzll(paths);
		k->item = (uint32_t)p->paths[k->path].item;
		k->captures = p->items[k->item].kind == ITEM_CAPTURE;
	}
}

/* The place after a value at s that is a number, a word or a short text without
 * a quote in it, at the ',' or bracket that ends it; NULL: it is another, or
 * its end is not near. */
static inline const char *
simple_value_end(struct json_reading *r, const char *s)
{
	uint64_t bits = structure_at(r, s);
	const char *end;

	if ((bits & 1) && class_of(s) == IS_QUOTE) {
		const char *closing;

		bits &= bits - 1;
		if (bits == 0)
			return NULL;
		closing = s + __builtin_ctzll(bits);
		if (*closing != *s || closing[-1] == '\\')
			return NULL;
		bits &= bits - 1;
	}
	if (bits == 0)
		return NULL;
	end = s + __builtin_ctzll(bits);
	return *end == ',' || *end == '}' ? end : NULL;
}

/* take_value for what a key that was kept has as its value. */
static inline void
take_expected(struct json_reading *r, const struct json_memo_key *k,
    const char *s, const char *end)
{
	const size_t len = (size_t)(end - s);
	size_t *ov;

	if (!k->captures || len == 0 || class_of(s) == IS_QUOTE ||
	    class_of(end - 1) == IS_BLANK) {
		take_value(r, s, end, k->paths & ~r->p->deeper[0]);
		return;
	}
	if (((r->found & BIT(k->item)) && r->best[k->item] <= k->path) ||
	    is_null(s, len))
		return;
	r->best[k->item] = k->path;
	r->found |= BIT(k->item);
	ov = r->ov + 2 * (size_t)r->p->items[k->item].group;
	ov[0] = (size_t)(s - r->text);
	ov[1] = ov[0] + len;
}

/* Members of an object from s on as long as they have the keys that the object
 * before had there, and simple values: what read_inside does with such, without
 * asking what they may be.
 *
 * n  in/out: number of the member, from 0
 *
 * Returns the place of what ends the object, or after the comma before the next
 * member. */
static const char *
read_expected(struct json_reading *r, const char *s, size_t *n)
{
	const struct json_memo_key *k = r->memo->keys + *n;
	const struct json_memo_key *k_end = r->memo->keys + JSON_MEMO_KEYS;

	for (; k < k_end && memo_key_is_at(k, s, r->end); k++) {
		const char *value = s + k->len;
		const char *end = simple_value_end(r, value);

		if (end == NULL || class_of(value) == IS_BLANK)
			break;
		++*n;
		s = end;
		if (*end == ',')
			s++;
		if (k->paths != 0) {
			take_expected(r, k, value, end);
			if (may_be_enough(r)) {
				s = *end == ',' ? skip_blanks(s, r->end) : s;
				r->done = is_enough(r, s);
				if (r->done)
					return s;
			}
		}
		if (s == end)
			return s;
	}
	return s;
}

/* The key of a member at s and what is before its value.
 *
 * from    where the blanks before it begin
 * number  of the member, from 0
 * paths   out: those of the set that the key is of
 *
 * Returns the place of the value; NULL if there is none. */
static const char *
read_member(struct json_reading *r, const char *from, const char *s,
    uint64_t set, size_t depth, size_t number, uint64_t *paths)
{
	struct json_memo_key *kept =
	    depth == 0 && number < JSON_MEMO_KEYS && r->memo != NULL
	    ? &r->memo->keys[number]
	    : NULL;
	const char *key, *value;
	size_t len;

	if (kept != NULL && memo_key_is_at(kept, from, r->end) &&
	    from + kept->len < r->end &&
	    class_of(from + kept->len) != IS_BLANK) {
		*paths = kept->paths;
		return from + kept->len;
	}
	value = read_key(s, r->end, &key, &len, &r->stopped);
	if (value == NULL)
		return NULL;
	*paths = paths_fitting(r->p, set, depth, key, len);
	if (kept != NULL)
		memo_key_keep(kept, r->p, from, value, *paths);
	return value;
}

/* Members of the object or array at s.  Returns the place after its bracket;
 * NULL if it is none. */
static const char *
read_inside(struct json_reading *r, const char *s, uint64_t set, size_t depth)
{
	const int is_array = *s == '[';
	const int expects = depth == 0 && !is_array && r->memo != NULL;
	char index[20];
	size_t n = 0;

	for (s++;;) {
		const char *from;
		uint64_t matches;

		if (expects)
			s = read_expected(r, s, &n);
		if (r->done)
			return s;
		from = s;
		s = skip_blanks(s, r->end);
		if (s == r->end || class_of(s) == IS_CLOSE)
			break;
		if (is_array)
			matches = paths_fitting(
			    r->p, set, depth, index, write_index(n, index));
		else if ((s = read_member(
			      r, from, s, set, depth, n, &matches)) == NULL)
			return NULL;
		n++;
		if (matches != 0)
			s = read_value(r, s, matches, depth);
		else if ((s = skip_value(s, r->end)) == NULL)
			r->stopped = r->end;
		if (s == NULL || r->done)
			return s;
		s = skip_blanks(s, r->end);
		s += s < r->end && *s == ',';
		if (matches != 0 && depth == 0 && may_be_enough(r)) {
			s = skip_blanks(s, r->end);
			r->done = is_enough(r, s);
			if (r->done)
				return s;
		}
	}
	r->stopped = s;
	return s < r->end ? s + 1 : NULL;
}

/* Where an object may begin, from s on; start gets the place of the text in
 * front of it.  NULL: nowhere. */
static const char *
find_object(const struct json_pattern *p, const char *s, const char *end,
    const char **start)
{
	if (p->after == NULL)
		return *start = memchr(s, '{', (size_t)(end - s));
	while ((size_t)(end - s) >= p->after_len) {
		const char *at = memchr(s + p->rare, p->after[p->rare],
		    (size_t)(end - s) - (p->after_len - 1));

		if (at == NULL)
			return NULL;
		s = at - p->rare;
		if (memcmp(s, p->after, p->after_len) == 0) {
			*start = s;
			s = skip_blanks(s + p->after_len, end);
			if (s < end && *s == '{')
				return s;
		} else {
			s++;
		}
	}
	return NULL;
}

static void
begin_reading(struct json_reading *r, const struct json_pattern *p, size_t *ov)
{
	for (size_t i = 0; i <= p->n_groups; i++)
		ov[2 * i] = ov[2 * i + 1] = UNSET;
	r->found = r->wrong = 0;
	r->stopped = r->text;
	r->open = NULL;
	r->done = 0;
	r->known_from = r->known_to = 0;
}

static int
json_reading_fits(const struct json_reading *r)
{
	return (r->found & r->p->needed) == r->p->needed && r->wrong == 0 &&
	    (r->found & r->p->absent) == 0;
}

/* May all keys of a path be in a line? */
static int
may_hold_path(
    const struct json_path *path, const struct required_literal_set *made)
{
	for (size_t i = 0; i < path->n_parts; i++)
		if (!required_literal_set_holds_key(made, path->hashes[i]))
			return 0;
	return 1;
}

/* May the line hold a path of each item that must be there?  Where it does not,
 * its objects need not be read, of which many patterns each would. */
static int
may_hold_needed(
    const struct json_pattern *p, const struct required_literal_set *made)
{
	uint64_t missing = p->needed;

	for (size_t i = 0; i < p->n_paths && missing != 0; i++)
		if ((missing & BIT(p->paths[i].item)) &&
		    may_hold_path(&p->paths[i], made))
			missing &= ~BIT(p->paths[i].item);
	return missing == 0;
}

size_t
json_pattern_match(const struct json_pattern *p, struct json_memo *memo,
    const struct required_literal_set *made, const char *text, size_t len,
    size_t from, size_t *ov, size_t *wasted, int *gave_up)
{
	struct json_reading r; /* best is large, and set where it is used */
	const char *s = text + from, *start;
	const size_t most = FORMAT_JSON_WORK * len + JSON_FREE_WORK;

	r.p = p;
	r.memo = len >= JSON_BLOCK ? memo : NULL;
	r.text = text;
	r.end = text + len;
	r.ov = ov;
	r.wasted = *wasted;
	*gave_up = 0;
	if (*wasted > most || (made != NULL && !may_hold_needed(p, made)))
		return 0;
	if (memo->number != p->number)
		*memo = (struct json_memo){ .number = p->number };
	if (p->value != NULL &&
	    memmem(s, len - from, p->value, p->value_len) == NULL)
		return 0;
	while ((s = find_object(p, s, r.end, &start)) != NULL) {
		const char *end;

		begin_reading(&r, p, ov);
		end = read_inside(&r, s, p->all, 0);
		if (end == NULL)
			r.wasted += JSON_BEGIN_WORK +
			    (r.stopped > s ? (size_t)(r.stopped - s) : 0);
		*wasted = r.wasted;
		if (end != NULL && json_reading_fits(&r)) {
			ov[0] = (size_t)(start - text);
			ov[1] = (size_t)(end - text);
			memo->span = (size_t)(end - s);
			return p->n_groups + 1;
		}
		s = end != NULL ? end : s + 1;
		if (r.wasted > most) {
			*gave_up = 1;
			return 0;
		}
	}
	return 0;
}

const char *
json_pattern_missing(const struct json_pattern *p, const char *text,
    size_t text_len, size_t *len, size_t *end)
{
	size_t ov[2 * (JSON_MAX_PATHS + 1)];
	struct json_reading r = {
		.p = p, .text = text, .end = text + text_len, .ov = ov
	};
	const char *start;
	const char *s = find_object(p, text, r.end, &start);
	uint64_t bad;
	size_t i;

	if (s == NULL)
		return NULL;
	begin_reading(&r, p, ov);
	(void)read_inside(&r, s, p->all, 0);
	bad = (p->needed & ~r.found) | r.wrong | (p->absent & r.found);
	if (bad == 0)
		return NULL;
	i = (size_t)__builtin_ctzll(bad);
	*len = p->items[i].text_len;
	*end = (size_t)(s - text);
	return p->items[i].text;
}

int
json_pattern_names_digits(const struct json_pattern *p)
{
	return p->names_digits;
}

/* --- Compiling ------------------------------------------------------------ */

struct json_compiler {
	struct pattern *pattern;
	struct json_pattern *p;
	struct arena *a;
	const struct format_source *src;
	struct error *e;
};

static int
pattern_mistake(struct json_compiler *c, const char *at, const char *what)
{
	long line, col;

	pattern_place(c->pattern, (size_t)(at - c->pattern->text), &line, &col);
	return source_error(c->e, c->src, line, col, "%s", what);
}

/* One key with its ~ escapes taken back. */
static const char *
plain_key(struct json_compiler *c, const char *s, size_t len, size_t *out_len)
{
	static const char meant[] = "~/ |=";
	char *out = arena_alloc(c->a, len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '~' && i + 1 < len && s[i + 1] >= '0' &&
		    s[i + 1] <= '4')
			out[n++] = meant[s[++i] - '0'];
		else
			out[n++] = s[i];
	}
	out[n] = '\0';
	*out_len = n;
	c->p->names_digits |= text_has_free_digit(out, n);
	return out;
}

/* What a line must hold for a key.  An index of an array does not stand there.
 */
static uint32_t
part_hash(const char *key, size_t len)
{
	return strspn(key, "0123456789") >= len ? 0
						: required_key_hash(key, len);
}

/* The path in [s, s + len) leads to the last item. */
static int
add_path(struct json_compiler *c, const char *s, size_t len)
{
	struct json_pattern *p = c->p;
	struct json_path *path = &p->paths[p->n_paths];
	const char *end = s + len;

	if (len == 0)
		return pattern_mistake(c, s, "a path is missing here");
	if (p->n_paths == JSON_MAX_PATHS)
		return pattern_mistake(
		    c, s, "more than 64 paths in this pattern");
	path->item = p->n_items - 1;
	for (;;) {
		const char *slash = memchr(s, '/', (size_t)(end - s));
		const char *to = slash != NULL ? slash : end;
		size_t depth = path->n_parts;

		if (depth == JSON_MAX_PARTS)
			return pattern_mistake(
			    c, s, "a path of more than 8 keys");
		path->parts[depth] =
		    plain_key(c, s, (size_t)(to - s), &path->lens[depth]);
		path->hashes[depth] =
		    part_hash(path->parts[depth], path->lens[depth]);
		p->by_len[depth][path->lens[depth] & 31] |= BIT(p->n_paths);
		path->n_parts++;
		if (slash == NULL)
			break;
		s = slash + 1;
	}
	for (size_t depth = 0; depth + 1 < path->n_parts; depth++)
		p->deeper[depth] |= BIT(p->n_paths);
	p->all |= BIT(p->n_paths++);
	return 0;
}

static int
add_paths(struct json_compiler *c, const char *s, size_t len)
{
	const char *end = s + len;

	for (;;) {
		const char *bar = memchr(s, '|', (size_t)(end - s));
		const char *to = bar != NULL ? bar : end;

		if (add_path(c, s, (size_t)(to - s)) != 0)
			return -1;
		if (bar == NULL)
			return 0;
		s = bar + 1;
	}
}

/* The texts of "PATH==TEXT|TEXT". */
static void
add_values(struct json_compiler *c, struct json_selector *item, const char *s,
    size_t len)
{
	const char *end = s + len;

	item->values = arena_calloc(c->a, len + 1, sizeof *item->values);
	for (;;) {
		const char *bar = memchr(s, '|', (size_t)(end - s));
		const char *to = bar != NULL ? bar : end;
		size_t n;

		item->values[item->n_values++] =
		    plain_key(c, s, (size_t)(to - s), &n);
		if (bar == NULL)
			return;
		s = bar + 1;
	}
}

static int
add_capture(struct json_compiler *c, struct json_selector *item, const char *s,
    size_t len)
{
	const char *equals = memchr(s, '=', len);
	size_t n = (size_t)(equals - s);

	item->kind = ITEM_CAPTURE;
	if (n > 0 && s[n - 1] == '?') {
		item->optional = 1;
		n--;
	}
	if (c->pattern->n_captures == FORMAT_MAX_GROUPS)
		return pattern_mistake(
		    c, s, "too many captures; 32 are the most");
	item->group = ++c->p->n_groups;
	if (pattern_add_capture(c->pattern, c->a, c->src,
		arena_strndup(c->a, s, n), (size_t)(s - c->pattern->text),
		item->group, c->e) != 0)
		return -1;
	return add_paths(c, equals + 1, len - (size_t)(equals + 1 - s));
}

/* One selector. */
static int
add_item(struct json_compiler *c, const char *s, size_t len)
{
	static const char after[] = "after=";
	struct json_pattern *p = c->p;
	struct json_selector *item = &p->items[p->n_items];
	const char *equals = memchr(s, '=', len);

	if (len > sizeof after - 1 && memcmp(s, after, sizeof after - 1) == 0) {
		p->after = plain_key(c, s + sizeof after - 1,
		    len - (sizeof after - 1), &p->after_len);
		return 0;
	}
	if (p->n_items == JSON_MAX_PATHS)
		return pattern_mistake(c, s, "more than 64 selectors");
	p->n_items++;
	item->text = s;
	item->text_len = len;
	if (*s == '!') {
		item->kind = ITEM_ABSENT;
		return add_paths(c, s + 1, len - 1);
	}
	if (*s == '+') {
		item->kind = ITEM_EQUALS;
		return add_paths(c, s + 1, len - 1);
	}
	if (equals == NULL)
		return pattern_mistake(c, s,
		    "no selector: FIELD=PATH, FIELD?=PATH, PATH==TEXT, +PATH, "
		    "!PATH or after=TEXT");
	if (equals + 1 < s + len && equals[1] == '=') {
		item->kind = ITEM_EQUALS;
		add_values(c, item, equals + 2, len - (size_t)(equals + 2 - s));
		return add_paths(c, s, (size_t)(equals - s));
	}
	return add_capture(c, item, s, len);
}

/* The byte of a text that logs hold most seldom: a capital, if there is one. */
static size_t
rarest_byte(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] >= 'A' && s[i] <= 'Z')
			return i;
	return 0;
}

/* What a reading must have found. */
static void
sum_up(struct json_pattern *p)
{
	if (p->after != NULL)
		p->rare = rarest_byte(p->after, p->after_len);
	for (size_t i = 0; i < p->n_items; i++) {
		const struct json_selector *item = &p->items[i];

		/* A value that must be there is worth a look beforehand. */
		if (item->kind == ITEM_EQUALS && item->n_values == 1 &&
		    strlen(item->values[0]) > p->value_len) {
			p->value = item->values[0];
			p->value_len = strlen(p->value);
		}
		if (item->kind == ITEM_ABSENT)
			p->absent |= BIT(i);
		else
			p->wanted |= BIT(i);
		if (item->kind != ITEM_ABSENT && !item->optional)
			p->needed |= BIT(i);
	}
}

int
json_pattern_compile(struct pattern *pattern, struct arena *a,
    const struct format_source *src, struct error *e)
{
	struct json_compiler c = { pattern,
		arena_calloc(a, 1, sizeof(struct json_pattern)), a, src, e };
	static atomic_uint_fast64_t n_compiled;
	const char *s = pattern->text;

	c.p->number = atomic_fetch_add(&n_compiled, 1) + 1;
	pattern->captures =
	    arena_calloc(a, FORMAT_MAX_GROUPS, sizeof *pattern->captures);
	for (;;) {
		size_t len;

		s += strspn(s, " \t");
		len = strcspn(s, " \t");
		if (len == 0)
			break;
		if (add_item(&c, s, len) != 0)
			return -1;
		s += len;
	}
	sum_up(c.p);
	if (c.p->needed == 0)
		return pattern_mistake(&c, pattern->text,
		    "nothing is required: every object would match");
	pattern->json = c.p;
	pattern->n_groups = c.p->n_groups;
	pattern->first =
	    c.p->after != NULL ? (unsigned char)c.p->after[0] : '{';
	pattern->min_len = 2 + c.p->after_len;
	return 0;
}
