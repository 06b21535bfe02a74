/* Labels of runs.  Runs of one configuration (same metadata and labels) are a
 * set; sets that differ in GPUs only are a group, whose members are compared.
 * A key with different values in a set splits the set.  The whole group then
 * gets the label, so that cases of all sizes find their baselines. */
#include <config.h>

#include "extract/measure/cases/case.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "extract/log/exclusion.h"
#include "extract/log/natural.h"
#include "extract/measure/cases/case_settings.h"
#include "extract/measure/run_path.h"

enum {
	MAX_VARIED = 64,
	MAX_SETTINGS = 16, /* labels per group */
	MIN_STATED = 2,    /* more settings than this must be stated */
	/* Limits for a name that may be random. */
	MIXED_LETTERS = 6,
	MIXED_CHANGES = 2
};

/* State of a run during labelling. */
struct labelled {
	struct case_run *run;
	size_t group, set;
	const char *folder; /* see struct run_path */
	const char *file;   /* see struct run_path; NULL: the run is stated */
	const char *named;
	long number;
	int lettered;      /* 1: one digit after an 'r' */
	const char *value; /* of the key being processed; NULL: none */
	long tie;          /* order among equal values, before the path */
	int strong;        /* 1: groups ignore the batch size */
};

struct labelling {
	struct labelled *items;
	size_t n;
	struct arena *arena;
	struct case_notes *notes;
	struct run_path_kinds kept; /* see run_path_read */
};

/* --- Devices ---------------------------------------------------------------*/

/* Length of the part of a device's name that gives its kind: for a TPU the name
 * without its number of chips. */
static size_t
device_kind_len(const char *name)
{
	const size_t len = strlen(name);
	size_t end = len;

	if (strncasecmp(name, "tpu", 3) != 0)
		return len;
	while (end > 0 && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end == len || end < 5 || name[end - 1] != '-')
		return len;
	return end - 1;
}

static const char *
without_maker(const char *name)
{
	return strncasecmp(name, "NVIDIA ", 7) == 0 ? name + 7 : name;
}

int
case_same_device(const char *x, const char *y)
{
	size_t n, m;

	if (x == NULL || y == NULL)
		return 1;
	x = without_maker(x);
	y = without_maker(y);
	n = device_kind_len(x);
	m = device_kind_len(y);
	/* The longer name may only add words. */
	return strncasecmp(x, y, n < m ? n : m) == 0 &&
	    (n == m || !isalnum((unsigned char)(n < m ? y[n] : x[m])));
}

/* --- Paths -----------------------------------------------------------------*/

/* Report names in the path that contradict the known nodes and GPUs, such as
 * "N1" in a run with options for 8 GPUs on 8 nodes.  They are kept in all names
 * of their kind; one is reported. */
static void
find_contrary(struct labelling *g, const struct case_run *run)
{
	const struct metadata *f = &run->metadata;
	char token[RUN_PATH_KIND];

	if (run_path_find_contrary(&g->kept, run->where, f, token) > 0)
		case_note(g->notes, g->arena,
		    "%s: '%s' in its path is not of the %ld GPUs%s that are "
		    "taken",
		    run->measured.run.path, token, f->gpus,
		    f->nodes > 0 ? arena_printf(g->arena, " on %ld node%s",
				       f->nodes, f->nodes == 1 ? "" : "s")
				 : "");
}

/* Parse the rest of the path.  Numbers of folders go to the run's name. */
static void
read_path(struct labelling *g, struct labelled *x)
{
	const struct metadata *f = &x->run->metadata;
	const char **name = &x->run->measured.run.run;
	struct run_path p;
	size_t n;

	run_path_read(&p, x->run->where, f, &g->kept, g->arena);
	x->folder = p.folder;
	x->number = p.number;
	x->lettered = p.lettered && p.number < 10;
	/* A layout that states the run has parsed the name. */
	x->file = f->run == NULL ? p.file : NULL;
	x->named = p.named;
	if (p.run == NULL)
		return;
	n = strlen(p.run);
	/* A name from an earlier result already includes it. */
	if (strncmp(*name, p.run, n) != 0 || (*name)[n] != '/')
		*name = arena_printf(g->arena, "%s/%s", p.run, *name);
}

/* --- Sets and groups -------------------------------------------------------*/

static int
by_case(const void *a, const void *b)
{
	const struct labelled *x = a, *y = b;
	int d = case_compare_groups(x->run, y->run, x->strong);

	if (d == 0)
		d = case_compare_shapes(x->run, y->run);
	if (d == 0)
		d = natural_compare(x->run->where, y->run->where);
	return d != 0 ? d : (x->run > y->run) - (x->run < y->run);
}

static int
by_value(const void *a, const void *b)
{
	const struct labelled *x = a, *y = b;
	int d = (x->set > y->set) - (x->set < y->set);

	if (d == 0)
		d = natural_compare(x->value, y->value);
	if (d == 0)
		d = (x->tie > y->tie) - (x->tie < y->tie);
	if (d == 0)
		d = natural_compare(x->run->where, y->run->where);
	return d != 0 ? d : (x->run > y->run) - (x->run < y->run);
}

/* End of the set that contains the i-th item. */
static size_t
set_end(const struct labelling *g, size_t i)
{
	size_t end = i + 1;

	while (end < g->n && g->items[end].set == g->items[i].set)
		end++;
	return end;
}

/* End of the items of that set from the i-th on with the same value. */
static size_t
value_end(const struct labelling *g, size_t i)
{
	size_t end = i + 1;

	while (end < g->n && g->items[end].set == g->items[i].set &&
	    text_same(g->items[end].value, g->items[i].value))
		end++;
	return end;
}

static void
make_sets(struct labelling *g)
{
	size_t group = 0, set = 0;

	qsort(g->items, g->n, sizeof *g->items, by_case);
	for (size_t i = 0; i < g->n; i++) {
		if (i > 0) {
			const struct labelled *x = &g->items[i];
			const int other = case_compare_groups(x[-1].run, x->run,
					      x->strong) != 0;

			group += (size_t)other;
			set += other ||
			    case_compare_shapes(x[-1].run, x->run) != 0;
		}
		g->items[i].group = group;
		g->items[i].set = set;
	}
}

/* Split sets by the current values. */
static void
split_sets(struct labelling *g)
{
	size_t set = 0;

	qsort(g->items, g->n, sizeof *g->items, by_value);
	for (size_t i = 0, old = 0; i < g->n; i++) {
		struct labelled *x = &g->items[i];

		if (i > 0 &&
		    (x->set != old || !text_same(x->value, x[-1].value)))
			set++;
		old = x->set;
		x->set = set;
	}
}

/* --- Copies and duplicates -------------------------------------------------*/

static void
refuse_run(
    struct case_run *r, enum remark_code why, const struct case_run *other)
{
	r->refused.why = REMARK(why, remark_name(other->measured.run.path));
}

static void
drop_refused(struct labelling *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].run->refused.why.code == REMARK_NONE)
			g->items[n++] = g->items[i];
	g->n = n;
}

/* Exclude copies: of runs in a set with identical bytes keep the first of the
 * input. */
static void
refuse_copies(struct labelling *g)
{
	for (size_t i = 0; i < g->n; i++) {
		g->items[i].value = g->items[i].run->hash;
		g->items[i].tie = (long)g->items[i].run->order;
	}
	qsort(g->items, g->n, sizeof *g->items, by_value);
	for (size_t i = 0, end; i < g->n; i = end) {
		end = value_end(g, i);
		for (size_t k = i + 1; k < end && g->items[i].value != NULL;
		     k++)
			refuse_run(g->items[k].run, REMARK_SAME_BYTES,
			    g->items[i].run);
	}
	for (size_t i = 0; i < g->n; i++)
		g->items[i].tie = 0;
	drop_refused(g);
}

/* Exclude a shortened log if another with the same configuration, folder and
 * file name has the whole window. */
static void
refuse_short(struct labelling *g)
{
	struct exclusion x;

	for (size_t i = 0; i < g->n; i++) {
		struct labelled *y = &g->items[i];

		y->value = arena_printf(g->arena, "%s/%s", y->folder,
		    y->file != NULL ? y->file : "");
	}
	qsort(g->items, g->n, sizeof *g->items, by_value);
	for (size_t i = 0, end; i < g->n; i = end) {
		int full = 0;

		end = value_end(g, i);
		for (size_t k = i; k < end; k++)
			full |= !measure_was_shortened(
			    &g->items[k].run->measured.run, g->arena, &x);
		for (size_t k = i; k < end && full; k++)
			if (measure_was_shortened(
				&g->items[k].run->measured.run, g->arena, &x))
				g->items[k].run->refused = x;
	}
	drop_refused(g);
}

static void
sort_by_name(struct labelling *g)
{
	for (size_t i = 0; i < g->n; i++)
		g->items[i].value = g->items[i].run->measured.run.run;
	qsort(g->items, g->n, sizeof *g->items, by_value);
}

/* True for a copy with other bytes: recompressed, or with other line ends. */
static int
same_figures(const struct case_run *x, const struct case_run *y)
{
	const struct result_run *a = &x->measured.run, *b = &y->measured.run;

	return a->value == b->value && a->iterations == b->iterations &&
	    a->first_line == b->first_line && a->last_line == b->last_line &&
	    a->first_iteration == b->first_iteration;
}

/* Of runs [from, end) with the same name in one case, keep the first if all
 * others are copies of it.  If not, exclude all: none is known to be right. */
static void
refuse_same_name(struct labelling *g, size_t from, size_t end)
{
	const struct case_run *first = g->items[from].run;
	size_t n_copies = 0;

	for (size_t i = from + 1; i < end; i++)
		n_copies += (size_t)same_figures(g->items[i].run, first);
	if (n_copies + 1 == end - from) {
		for (size_t i = from + 1; i < end; i++)
			refuse_run(g->items[i].run, REMARK_SAME_FIGURES, first);
		return;
	}
	for (size_t i = from; i < end; i++)
		refuse_run(g->items[i].run, REMARK_SAME_RUN,
		    i > from ? g->items[i - 1].run : g->items[from + 1].run);
}

static void
refuse_doubles(struct labelling *g)
{
	sort_by_name(g);
	for (size_t i = 0, end; i < g->n; i = end) {
		end = value_end(g, i);
		if (end - i > 1)
			refuse_same_name(g, i, end);
	}
	drop_refused(g);
}

/* --- Labels ----------------------------------------------------------------*/

static int
by_label_key(const void *a, const void *b)
{
	const struct result_pair *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static int
has_label(const struct metadata *f, const char *key)
{
	for (size_t i = 0; i < f->n_labels; i++)
		if (strcmp(f->labels[i].key, key) == 0)
			return 1;
	return 0;
}

static void
add_label(struct labelling *g, struct labelled *x, const char *key)
{
	struct metadata *f = &x->run->metadata;
	struct result_pair *all;

	if (x->value == NULL)
		return;
	all = arena_calloc(g->arena, f->n_labels + 1, sizeof *all);
	if (f->n_labels > 0)
		memcpy(all, f->labels, f->n_labels * sizeof *all);
	all[f->n_labels++] = (struct result_pair){ key, x->value };
	qsort(all, f->n_labels, sizeof *all, by_label_key);
	f->labels = all;
}

/* True if the values in the set [from, end) differ. */
static int
values_differ(const struct labelling *g, size_t from, size_t end)
{
	for (size_t i = from + 1; i < end; i++)
		if (!text_same(g->items[i].value, g->items[from].value))
			return 1;
	return 0;
}

/* Label each group that has a set which needs it.
 *
 * needed  tests the set [from, end)
 * alone   1: on one GPU, label only sets that need it themselves, since there
 *         is no communication to vary
 *
 * Returns the number of groups labelled. */
static size_t
label_groups(struct labelling *g, const char *key,
    int (*needed)(const struct labelling *g, size_t from, size_t end),
    int alone)
{
	size_t n_groups = 0, n = 0, end;
	unsigned char *groups, *sets;

	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].group >= n_groups)
			n_groups = g->items[i].group + 1;
	groups = xcalloc(n_groups + 1, 1);
	sets = xcalloc(g->n + 1, 1);
	for (size_t i = 0; i < g->n; i = end) {
		end = set_end(g, i);
		if (!needed(g, i, end))
			continue;
		n += !groups[g->items[i].group];
		groups[g->items[i].group] = 1;
		sets[g->items[i].set] = 1;
	}
	for (size_t i = 0; i < g->n; i++) {
		struct labelled *x = &g->items[i];

		if (groups[x->group] && !has_label(&x->run->metadata, key) &&
		    !(alone && x->run->metadata.gpus == 1 && !sets[x->set]))
			add_label(g, x, key);
		else
			x->value = NULL;
	}
	if (n > 0)
		split_sets(g);
	free(groups);
	free(sets);
	return n;
}

static const char *
varied_value(const struct metadata *f, const char *key)
{
	for (size_t i = 0; i < f->n_varied; i++)
		if (strcmp(f->varied[i].key, key) == 0)
			return f->varied[i].value;
	return NULL;
}

/* Label by settings that the logs state as varied, in their order.  The name of
 * a sweep is least informative and comes last. */
static void
label_varied(struct labelling *g)
{
	const char *keys[MAX_VARIED];
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct metadata *f = &g->items[i].run->metadata;

		for (size_t j = 0; j < f->n_varied && n < MAX_VARIED; j++) {
			size_t k = 0;

			while (k < n && strcmp(keys[k], f->varied[j].key) != 0)
				k++;
			if (k == n)
				keys[n++] = f->varied[j].key;
		}
	}
	for (size_t k = 0; k + 1 < n; k++)
		if (strcmp(keys[k], "sweep") == 0) {
			const char *last = keys[n - 1];

			keys[n - 1] = keys[k];
			keys[k] = last;
		}
	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < g->n; i++)
			g->items[i].value =
			    varied_value(&g->items[i].run->metadata, keys[k]);
		label_groups(g, keys[k], values_differ, 1);
	}
}

static struct settings_row *
settings_rows(const struct labelling *g, size_t from, size_t end)
{
	struct settings_row *rows = xcalloc(end - from, sizeof *rows);

	for (size_t i = from; i < end; i++)
		rows[i - from] =
		    (struct settings_row){ g->items[i].run->settings,
			    g->items[i].set, NULL };
	return rows;
}

/* Label the group [from, end) by one setting.  Returns 0 if none splits a set
 * of it. */
static int
label_setting(struct labelling *g, size_t from, size_t end)
{
	struct settings_row *rows = settings_rows(g, from, end);
	const char *key = case_settings_split(rows, end - from, g->arena);

	for (size_t i = 0; key != NULL && i < g->n; i++)
		g->items[i].value =
		    i >= from && i < end ? rows[i - from].value : NULL;
	free(rows);
	return key != NULL && label_groups(g, key, values_differ, 0) > 0;
}

/* Label by any settings that the logs state. */
static void
label_settings(struct labelling *g)
{
	for (size_t i = 0, end; i < g->n; i = end) {
		for (end = i + 1; end < g->n; end++)
			if (g->items[end].group != g->items[i].group)
				break;
		for (int n = 0; n < MAX_SETTINGS && end - i > 2; n++)
			if (!label_setting(g, i, end))
				break;
	}
}

/* Flag settings that are not labels because each run would be alone. */
static void
flag_settings(struct labelling *g)
{
	for (size_t i = 0, end; i < g->n; i = end) {
		struct settings_row *rows;
		struct remark flag;
		const char *text;

		end = set_end(g, i);
		if (end - i < 2)
			continue;
		rows = settings_rows(g, i, end);
		text = case_settings_differences(rows, end - i, g->arena);
		free(rows);
		if (text == NULL)
			continue;
		flag = REMARK(REMARK_SETTINGS_DIFFER, remark_name(text));
		for (size_t k = i; k < end; k++)
			result_run_flag(
			    &g->items[k].run->measured.run, &flag, g->arena);
	}
}

static int
devices_differ(const struct labelling *g, size_t from, size_t end)
{
	const char *known = NULL;

	for (size_t i = from; i < end; i++) {
		const char *own = g->items[i].run->metadata.device;

		if (!case_same_device(known, own))
			return 1;
		if (known == NULL)
			known = own;
	}
	return 0;
}

static void
label_devices(struct labelling *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const char *name = g->items[i].run->metadata.device;

		g->items[i].value = name == NULL
		    ? "unknown"
		    : arena_strndup(g->arena, without_maker(name),
			  device_kind_len(without_maker(name)));
	}
	label_groups(g, "device", devices_differ, 0);
}

/* Remove the leading folders that all runs share. */
static void
shorten_folders(struct labelling *g)
{
	size_t common = 0, len;
	const char *first;

	if (g->n == 0)
		return;
	first = g->items[0].folder;
	len = strlen(first);
	for (size_t i = 1; i < g->n; i++) {
		size_t k = 0;

		while (k < len && first[k] == g->items[i].folder[k])
			k++;
		len = k;
	}
	for (size_t k = 0; k < len; k++)
		if (first[k] == '/')
			common = k + 1;
	for (size_t i = 0; i < g->n; i++) {
		g->items[i].value = g->items[i].folder + common;
		if (g->items[i].value[0] == '\0')
			g->items[i].value = ".";
	}
}

/* Files of a set that differ only in their last number are repetitions if the
 * numbers form a series; if not, the number belongs to the name. */
static void
name_files(struct labelling *g)
{
	long *numbers = xcalloc(g->n + 1, sizeof *numbers);

	for (size_t i = 0; i < g->n; i++) {
		g->items[i].value = g->items[i].file;
		g->items[i].tie = g->items[i].number;
	}
	qsort(g->items, g->n, sizeof *g->items, by_value);
	for (size_t i = 0, end; i < g->n; i = end) {
		size_t n = 0;
		int runs = 1; /* "r1", "r2", "r4" */

		end = value_end(g, i);
		for (size_t k = i; k < end; k++) {
			g->items[k].tie = 0;
			runs &= g->items[k].lettered;
			if (n == 0 || numbers[n - 1] != g->items[k].number)
				numbers[n++] = g->items[k].number;
		}
		for (size_t k = i; k < end; k++)
			g->items[k].value = g->items[k].file == NULL ? NULL
			    : runs || run_path_is_series(numbers, n)
			    ? g->items[k].file
			    : g->items[k].named;
	}
	free(numbers);
}

/* Number of changes between letters and digits in a name of len bytes; -1 if it
 * has other characters. */
static int
count_changes(const char *name, size_t len)
{
	int n = 0;

	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)name[i]))
			return -1;
		n += i > 0 &&
		    (isdigit((unsigned char)name[i]) != 0) !=
			(isdigit((unsigned char)name[i - 1]) != 0);
	}
	return n;
}

/* True if a part of the name mixes letters and digits, as in "x7k2p9". */
static int
has_mixed_part(const char *name)
{
	while (*name != '\0') {
		size_t n = 0;

		while (isalnum((unsigned char)name[n]))
			n++;
		if (n >= MIXED_LETTERS &&
		    count_changes(name, n) >= MIXED_CHANGES)
			return 1;
		name += n > 0 ? n : 1;
	}
	return 0;
}

/* True if a log states enough settings to include the varied ones. */
static int
states_settings(const char *settings)
{
	int n = 0;

	for (; settings != NULL && n < MIN_STATED; n++) {
		settings = strchr(settings, '\n');
		settings += settings != NULL;
	}
	return settings != NULL && settings[0] != '\0';
}

/* True if all runs state their settings and have different names that may be
 * random ids. */
static int
are_stated_ids(const struct labelling *g, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		const struct labelled *x = &g->items[i];

		if (!states_settings(x->run->settings) || x->value == NULL ||
		    !has_mixed_part(x->value) ||
		    (i > from && text_same(x->value, x[-1].value)))
			return 0;
	}
	return 1;
}

/* Length of the common trailing folders of "/x" and "/y": 6 for
 * "x7k2p9qa/files" and "files". */
static size_t
common_tail(const char *x, const char *y)
{
	const size_t nx = strlen(x), ny = strlen(y);
	size_t tail = 0;

	for (size_t n = 0; n <= nx && n <= ny; n++) {
		const char cx = n < nx ? x[nx - n - 1] : '/';

		if (cx != (n < ny ? y[ny - n - 1] : '/'))
			break;
		if (cx == '/')
			tail = n + 1;
	}
	return tail;
}

/* The value as it is in a path, where "." is no folder. */
static const char *
path_value(const struct labelled *x)
{
	return text_same(x->value, ".") ? "" : x->value;
}

/* True if the runs of a set, sorted by value, differ in one name of the path
 * only, and the names have one length, many changes between letters and digits
 * and no common start: "x7k2p9qa" and "b81kq0zz", but not "b64fp16" and
 * "b64fp32".  The name of a run may have been removed as an id already. */
static int
are_random(const struct labelling *g, size_t from, size_t end)
{
	size_t tail = SIZE_MAX, len = 0, n = 0, changes = 0;
	const char *last = NULL;

	for (size_t i = from; i < end; i++) {
		size_t k;

		if (g->items[i].value == NULL)
			return 0;
		k = common_tail(
		    path_value(&g->items[i]), path_value(&g->items[from]));
		tail = k < tail ? k : tail;
	}
	for (size_t i = from; i < end; i++) {
		const char *run = g->items[i].run->measured.run.run;
		const char *name = path_value(&g->items[i]);
		const size_t own = strlen(name) + 1 - tail;
		const int more = count_changes(name, own > 0 ? own - 1 : 0);

		if (own <= 1 && run != NULL && strchr(run, '/') != NULL)
			continue;
		if (own <= MIXED_LETTERS || more < 0 ||
		    (n > 0 && (own != len || strncmp(name, last, 3) == 0)))
			return 0;
		len = own;
		last = name;
		changes += (size_t)more;
		n++;
	}
	return n > 0 && 2 * changes >= 3 * n;
}

/* Move ids, which are folders or files, to the run's name.
 *
 * with  1: add them to the name; 0: it has them */
static void
forget_ids(struct labelling *g, int with)
{
	qsort(g->items, g->n, sizeof *g->items, by_value);
	for (size_t i = 0, end; i < g->n; i = end) {
		end = set_end(g, i);
		if (end - i < 2 ||
		    !(are_stated_ids(g, i, end) || are_random(g, i, end)))
			continue;
		for (size_t k = i; k < end; k++) {
			struct labelled *x = &g->items[k];
			const char **name = &x->run->measured.run.run;

			if (with)
				*name = arena_printf(
				    g->arena, "%s/%s", x->value, *name);
			x->value = ".";
		}
	}
}

static void
label_paths(struct labelling *g)
{
	size_t n;

	shorten_folders(g);
	forget_ids(g, 1);
	n = label_groups(g, "folder", values_differ, 0);
	if (n > 0)
		case_note(g->notes, g->arena,
		    "runs of one configuration, but of several folders, are "
		    "kept apart by the label 'folder' (%zu configuration%s); "
		    "x=DIR1 x=DIR2 would pool them",
		    n, n == 1 ? "" : "s");
	name_files(g);
	forget_ids(g, 0);
	n = label_groups(g, "file", values_differ, 0);
	if (n > 0)
		case_note(g->notes, g->arena,
		    "runs of one configuration, but of several file names, are "
		    "kept apart by the label 'file' (%zu configuration%s); "
		    "x=FILE1 x=FILE2 would pool them",
		    n, n == 1 ? "" : "s");
}

/* True if the set, sorted by names, has runs with one name from several
 * operands. */
static int
sources_collide(const struct labelling *g, size_t from, size_t end)
{
	for (size_t i = from + 1; i < end; i++) {
		const struct labelled *x = &g->items[i - 1], *y = &g->items[i];

		if (text_same(
			x->run->measured.run.run, y->run->measured.run.run) &&
		    !text_same(x->value, y->value) &&
		    !same_figures(x->run, y->run))
			return 1;
	}
	return 0;
}

/* Label runs of earlier results and of logs that have the same names, as runs
 * of different folders. */
static void
label_sources(struct labelling *g)
{
	sort_by_name(g);
	for (size_t i = 0; i < g->n; i++)
		g->items[i].value = g->items[i].run->source;
	label_groups(g, "folder", sources_collide, 0);
}

void
case_label_runs(struct case_run **runs, size_t n, int strong, struct arena *a,
    struct case_notes *notes)
{
	struct labelling g = { xcalloc(n + 1, sizeof *g.items), n, a, notes,
		{ .n = 0 } };

	for (size_t i = 0; i < n; i++)
		find_contrary(&g, runs[i]);
	for (size_t i = 0; i < n; i++) {
		struct labelled *x = &g.items[i];

		x->run = runs[i];
		x->strong = strong;
		read_path(&g, x);
	}
	make_sets(&g);
	refuse_copies(&g);
	refuse_short(&g);
	label_varied(&g);
	label_devices(&g);
	label_paths(&g);
	label_settings(&g);
	label_sources(&g);
	refuse_doubles(&g);
	flag_settings(&g);
	free(g.items);
}
