#include <config.h>

#include "tests/unit/scanning.h"

#include <stdlib.h>
#include <unistd.h>

char scratch_folder[] = "/tmp/dlscale-scan-XXXXXX";
char scratch_path[512];
struct format_set built_in;

void
put_file(const char *name, const void *data, size_t len)
{
	FILE *f;

	snprintf(
	    scratch_path, sizeof scratch_path, "%s/%s", scratch_folder, name);
	f = fopen(scratch_path, "wb");
	CHECK(f != NULL);
	CHECK(fwrite(data, 1, len, f) == len);
	CHECK_INT(fclose(f), 0);
}

void
scan_with(const struct format_set *set, const struct scan_options *options,
    struct log *log)
{
	struct scanner *s = scanner_new(set, options);

	scanner_scan(s, scratch_path, "shown", log);
	scanner_free(s);
}

void
scan_bytes(const char *data, size_t len, struct log *log)
{
	struct scan_options options = { NULL, 0, 0, 0 };

	put_file("log", data, len);
	scan_with(&built_in, &options, log);
}

void
scan_string(const char *text, struct log *log)
{
	scan_bytes(text, strlen(text), log);
}

void
own_init(struct own *own, const char *const *texts, size_t n)
{
	struct error e = ERROR_INIT;

	memset(own, 0, sizeof *own);
	own->set = built_in;
	memset(&own->set.arena, 0, sizeof own->set.arena);
	for (size_t i = 0; i < n; i++) {
		char name[2] = { (char)('a' + (int)i), '\0' };

		own->formats[i] = format_parse(&own->set.arena, FORMAT_FILE,
		    name, name, texts[i], strlen(texts[i]), &e);
		CHECK_STR(e.message, "");
	}
	own->set.formats.items = own->formats;
	own->set.formats.n = n;
}

void
own_release(struct own *own)
{
	for (size_t i = 0; i < own->set.formats.n; i++)
		format_release_code(own->formats[i]);
	arena_release(&own->set.arena);
}

static int
same_double(double x, double y)
{
	return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
}

int
samples_equal(const struct sample *x, const struct sample *y)
{
	return same_double(x->value, y->value) &&
	    same_double(x->stamp, y->stamp) && x->line == y->line &&
	    x->epoch == y->epoch && x->iter == y->iter &&
	    x->iter_from == y->iter_from && x->iters == y->iters &&
	    x->rank == y->rank;
}

static int
same_counts(const struct log *a, const struct log *b)
{
	const int64_t x[] = { (int64_t)a->samples.n, (int64_t)a->n_metadata,
		(int64_t)a->n_summaries, a->lines, a->bytes, a->n_long_lines,
		(int64_t)a->works[0].n, (int64_t)a->n_collectives, a->truncated,
		a->n_match_limit, a->match_limit_line };
	const int64_t y[] = { (int64_t)b->samples.n, (int64_t)b->n_metadata,
		(int64_t)b->n_summaries, b->lines, b->bytes, b->n_long_lines,
		(int64_t)b->works[0].n, (int64_t)b->n_collectives, b->truncated,
		b->n_match_limit, b->match_limit_line };

	return memcmp(x, y, sizeof x) == 0;
}

size_t
log_differences(const struct log *a, const struct log *b)
{
	size_t n = !same_counts(a, b) || a->format != b->format ||
	    strcmp(a->hash, b->hash) != 0;

	for (size_t i = 0; n == 0 && i < a->samples.n; i++) {
		const struct sample x = a->samples.items[i];
		const struct sample y = b->samples.items[i];

		n += !samples_equal(&x, &y);
	}
	for (size_t i = 0; n == 0 && i < a->n_metadata; i++)
		n += strcmp(a->metadata[i].value, b->metadata[i].value) != 0 ||
		    a->metadata[i].line != b->metadata[i].line;
	for (size_t i = 0; n == 0 && i < a->n_summaries; i++)
		n += !same_double(
			 a->summaries[i].value, b->summaries[i].value) ||
		    a->summaries[i].line != b->summaries[i].line;
	return n;
}

struct detail_store_reader
detail_store_read(const struct detail_store *all)
{
	return (struct detail_store_reader){ all, 0 };
}

int
next_detail(struct detail_store_reader *r, struct log_detail *x)
{
	if (r->at == r->all->n)
		return 0;
	*x = r->all->items[r->at++];
	return 1;
}

const char *
detail_key(const struct log_detail *x)
{
	const struct field_name *word = field_name_at(x->word);

	return word->key != NULL ? word->key : word->name;
}

size_t
tail_differences(const struct log *a, const struct log *b)
{
	size_t n = a->n_tail != b->n_tail;

	for (size_t i = 0; n == 0 && i < a->n_tail; i++) {
		const struct log_tail_value *x = &a->tail[i];
		const struct log_tail_value *y = &b->tail[i];

		n += strcmp(x->key, y->key) != 0 || x->n != y->n ||
		    !same_double(x->last, y->last) ||
		    !same_double(x->max, y->max) ||
		    !same_double(x->sum, y->sum) ||
		    x->first_line != y->first_line ||
		    x->last_line != y->last_line;
	}
	return n;
}

static void
remove_scratch(void)
{
	static const char *const names[] = { "log", "own", "empty", "shrinks",
		"damaged", "good" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(scratch_path, sizeof scratch_path, "%s/%s",
		    scratch_folder, names[i]);
		unlink(scratch_path);
	}
	rmdir(scratch_folder);
}

int
scanning_main(const char *name, const struct tap_test *tests, int n)
{
	struct search_path dirs;
	struct error e = ERROR_INIT;

	if (mkdtemp(scratch_folder) == NULL) {
		perror(scratch_folder);
		return 1;
	}
	search_path_init(&dirs, NULL, 0);
	if (format_set_load(&built_in, &dirs, &e) != 0)
		return error_report(name, &e);
	tap_main(tests, n);
	format_set_release(&built_in);
	search_path_release(&dirs);
	remove_scratch();
	return 0;
}
