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
#include "common/text.h"
#include "extract/log/log.h"
#include "extract/log/words.h"
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
	struct run_path path; /* file is NULL if the run is stated */
	const char *value;    /* of the key being processed; NULL: none */
	long tie;             /* order among equal values, before the path */
	int strong;           /* 1: groups ignore the batch size */
	int needs;            /* 1: its set needs the label */
};

/* Items are sorted by set, then by value, except in make_sets. */
struct labelling {
	struct labelled *items;
	size_t n;
	struct arena *arena;
	struct case_notes *notes;
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

/* --- Sets and groups -------------------------------------------------------*/

static int
compare_places(const struct case_run *x, const struct case_run *y)
{
	const int d = natural_compare(x->where, y->where);

	return d != 0 ? d : (x > y) - (x < y);
}

static int
by_case(const void *a, const void *b)
{
	const struct labelled *x = a, *y = b;
	int d = case_compare_groups(x->run, y->run, x->strong);

	if (d == 0)
		d = case_compare_shapes(x->run, y->run);
	return d != 0 ? d : compare_places(x->run, y->run);
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
	return d != 0 ? d : compare_places(x->run, y->run);
}

/* Sort only if needed: the items are often in order already. */
static void
sort_by_value(struct labelling *g)
{
	for (size_t i = 1; i < g->n; i++)
		if (by_value(&g->items[i - 1], &g->items[i]) > 0) {
			qsort(g->items, g->n, sizeof *g->items, by_value);
			return;
		}
}

/* What the items of a part have in common. */
enum part { GROUP, SET, VALUE };

/* Index after the last item of the part that contains item i. */
static size_t
part_end(const struct labelling *g, size_t i, enum part part)
{
	const struct labelled *x = &g->items[i], *y = x + 1;

	while (y < g->items + g->n && y->group == x->group &&
	    (part == GROUP || y->set == x->set) &&
	    (part != VALUE || text_same(y->value, x->value)))
		y++;
	return (size_t)(y - g->items);
}

static void
make_sets(struct labelling *g)
{
	size_t group = 0, set = 0;

	qsort(g->items, g->n, sizeof *g->items, by_case);
	for (size_t i = 0; i < g->n; i++) {
		struct labelled *x = &g->items[i];
		const int other = i > 0 &&
		    case_compare_groups(x[-1].run, x->run, x->strong) != 0;

		group += (size_t)other;
		set += other ||
		    (i > 0 && case_compare_shapes(x[-1].run, x->run) != 0);
		x->group = group;
		x->set = set;
	}
}

/* --- Copies and duplicates -------------------------------------------------*/

static void
drop_refused(struct labelling *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].run->refused.why.code == REMARK_NONE)
			g->items[n++] = g->items[i];
	g->n = n;
}

/* Exclude copies: if runs of a set have identical bytes, keep the first of the
 * input. Exclude a shortened log if another log with the same configuration,
 * folder and file name has the whole window. */
static void
refuse_copies(struct labelling *g)
{
	for (size_t i = 0; i < g->n; i++) {
		g->items[i].value = g->items[i].run->hash;
		g->items[i].tie = (long)g->items[i].run->order;
	}
	sort_by_value(g);
	for (size_t i = 0, end; i < g->n; i = end) {
		end = part_end(g, i, VALUE);
		for (size_t k = i + 1; k < end && g->items[i].value != NULL;
		     k++)
			g->items[k].run->refused.why = REMARK(REMARK_SAME_BYTES,
			    remark_name(g->items[i].run->measured.run.path));
	}
	drop_refused(g);
	for (size_t i = 0; i < g->n; i++) {
		const struct run_path *p = &g->items[i].path;

		g->items[i].tie = 0;
		g->items[i].value = arena_printf(g->arena, "%s/%s", p->folder,
		    p->file != NULL ? p->file : "");
	}
	sort_by_value(g);
	for (size_t i = 0, end; i < g->n; i = end) {
		struct exclusion x;
		size_t full = 0;

		end = part_end(g, i, VALUE);
		for (size_t k = i; k < end; k++)
			if (measure_was_shortened(
				&g->items[k].run->measured.run, g->arena, &x))
				g->items[k].run->refused = x;
			else
				full++;
		for (size_t k = i; k < end && full == 0; k++)
			g->items[k].run->refused =
			    (struct exclusion)EXCLUSION_INIT;
	}
	drop_refused(g);
}

static void
sort_by_name(struct labelling *g)
{
	for (size_t i = 0; i < g->n; i++)
		g->items[i].value = g->items[i].run->measured.run.run;
	sort_by_value(g);
}

/* True if y is a copy of x, even recompressed or with other line ends. */
static int
same_figures(const struct case_run *x, const struct case_run *y)
{
	const struct result_run *a = &x->measured.run, *b = &y->measured.run;

	return a->value == b->value && a->iterations == b->iterations &&
	    a->first_line == b->first_line && a->last_line == b->last_line &&
	    a->first_iteration == b->first_iteration;
}

/* If runs of one case have the same name, keep the first if all others are
 * copies of it.  If not, exclude all: it is unknown which one is right. */
static void
refuse_doubles(struct labelling *g)
{
	sort_by_name(g);
	for (size_t i = 0, end; i < g->n; i = end) {
		struct labelled *x = &g->items[i];
		int copies = 1;

		end = part_end(g, i, VALUE);
		for (size_t k = 1; k < end - i; k++)
			copies &= same_figures(x[k].run, x->run);
		for (size_t k = copies; k < end - i && end - i > 1; k++) {
			const size_t other = copies ? 0 : k > 0 ? k - 1 : 1;

			x[k].run->refused.why = REMARK(
			    copies ? REMARK_SAME_FIGURES : REMARK_SAME_RUN,
			    remark_name(x[other].run->measured.run.path));
		}
	}
	drop_refused(g);
}

/* --- Labels ----------------------------------------------------------------*/

/* True if the values in the set [from, end) differ. */
static int
values_differ(const struct labelling *g, size_t from, size_t end)
{
	for (size_t i = from + 1; i < end; i++)
		if (!text_same(g->items[i].value, g->items[from].value))
			return 1;
	return 0;
}

/* Label the groups in [from, end) that have a set which needs the label, and
 * split their sets.
 *
 * needed  tests the set [from, end)
 * alone   1: on one GPU, label only sets that need it themselves, since there
 *         is no communication to vary
 *
 * Returns the number of groups labelled. */
static size_t
label_groups(struct labelling *g, size_t from, size_t end, const char *key,
    int (*needed)(const struct labelling *g, size_t from, size_t end),
    int alone)
{
	size_t n = 0, next;

	for (; from < end; from = next) {
		int any = 0;

		next = part_end(g, from, GROUP);
		for (size_t i = from, last; i < next; i = last) {
			const int needs =
			    needed(g, i, last = part_end(g, i, SET));

			for (size_t k = i; k < last; k++)
				g->items[k].needs = needs;
			any |= needs;
		}
		n += (size_t)any;
		for (struct labelled *x = g->items + from; x < g->items + next;
		     x++) {
			struct metadata *f = &x->run->metadata;
			struct result_pair *all;

			if (!any ||
			    result_pair_value(f->labels, f->n_labels, key) !=
				NULL ||
			    (alone && f->gpus == 1 && !x->needs))
				x->value = NULL;
			if (x->value == NULL)
				continue;
			all = arena_longer(
			    g->arena, f->labels, f->n_labels, sizeof *all);
			all[f->n_labels++] =
			    (struct result_pair){ key, x->value };
			/* A pair begins with its key. */
			qsort(all, f->n_labels, sizeof *all, text_order_at);
			f->labels = all;
		}
	}
	if (n == 0)
		return 0;
	/* Split sets by the current values. */
	sort_by_value(g);
	for (size_t i = 0, set = 0, old = 0; i < g->n; i++) {
		struct labelled *x = &g->items[i];

		set += i > 0 &&
		    (x->set != old || !text_same(x->value, x[-1].value));
		old = x->set;
		x->set = set;
	}
	return n;
}

/* Label by settings that the logs state as varied, in their order.  The name of
 * a sweep is least informative and comes last. */
static void
label_varied(struct labelling *g)
{
	const char *keys[MAX_VARIED];
	size_t n = 0, sweep = MAX_VARIED;

	for (size_t i = 0; i < g->n; i++) {
		const struct metadata *f = &g->items[i].run->metadata;

		for (size_t j = 0; j < f->n_varied && n < MAX_VARIED; j++) {
			size_t k = 0;

			while (k < n && strcmp(keys[k], f->varied[j].key) != 0)
				k++;
			if (k == n)
				keys[n++] = f->varied[j].key;
			if (strcmp(keys[k], "sweep") == 0)
				sweep = k;
		}
	}
	if (sweep < n) {
		const char *last = keys[n - 1];

		keys[n - 1] = keys[sweep];
		keys[sweep] = last;
	}
	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < g->n; i++) {
			const struct metadata *f = &g->items[i].run->metadata;

			g->items[i].value =
			    result_pair_value(f->varied, f->n_varied, keys[k]);
		}
		label_groups(g, 0, g->n, keys[k], values_differ, 1);
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

/* Label by any settings that the logs state. */
static void
label_settings(struct labelling *g)
{
	for (size_t i = 0, end; i < g->n; i = end) {
		const char *key = "";

		end = part_end(g, i, GROUP);
		for (int n = 0; n < MAX_SETTINGS && key != NULL && end - i > 2;
		     n++) {
			struct settings_row *rows = settings_rows(g, i, end);

			key = case_settings_split(rows, end - i, g->arena);
			for (size_t k = i; k < end; k++)
				g->items[k].value = rows[k - i].value;
			free(rows);
			if (key != NULL &&
			    label_groups(g, i, end, key, values_differ, 0) == 0)
				break;
		}
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

/* --- Folders and files -----------------------------------------------------*/

/* Set the values to the folders without the leading ones that all runs
 * share. */
static void
shorten_folders(struct labelling *g)
{
	size_t common = 0;

	for (size_t k = 0; g->n > 0; k++) {
		const char c = g->items[0].path.folder[k];
		size_t i = 1;

		while (i < g->n && g->items[i].path.folder[k] == c)
			i++;
		if (i < g->n || c == '\0')
			break;
		if (c == '/')
			common = k + 1;
	}
	for (size_t i = 0; i < g->n; i++) {
		const char *folder = g->items[i].path.folder + common;

		g->items[i].value = *folder != '\0' ? folder : ".";
	}
}

/* Set the values to the file names.  Files of a set that differ only in their
 * last number are repetitions if the numbers form a series; if not, the number
 * belongs to the name. */
static void
name_files(struct labelling *g)
{
	long *numbers = xcalloc(g->n + 1, sizeof *numbers);

	for (size_t i = 0; i < g->n; i++) {
		g->items[i].value = g->items[i].path.file;
		g->items[i].tie = g->items[i].path.number;
	}
	sort_by_value(g);
	for (size_t i = 0, end; i < g->n; i = end) {
		size_t n = 0;
		int runs = 1; /* "r1", "r2", "r4" */

		end = part_end(g, i, VALUE);
		for (size_t k = i; k < end; k++) {
			const struct run_path *p = &g->items[k].path;

			g->items[k].tie = 0;
			runs &= p->lettered && p->number < 10;
			if (n == 0 || numbers[n - 1] != p->number)
				numbers[n++] = p->number;
		}
		runs = runs || run_path_is_series(numbers, n);
		for (size_t k = i; k < end && !runs; k++)
			if (g->items[k].value != NULL)
				g->items[k].value = g->items[k].path.named;
	}
	free(numbers);
}

/* True if all runs state enough settings to include the varied ones, and have
 * different names that may be random ids. */
static int
are_stated_ids(const struct labelling *g, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		const struct labelled *x = &g->items[i];
		const char *line = x->run->settings, *name = x->value;
		int mixed = 0; /* 1: a part is as in "x7k2p9" */

		for (int n = 0; n <= MIN_STATED && line != NULL; n++)
			line = *line != '\0' ? strchr(line, '\n') + 1 : NULL;
		for (size_t n; name != NULL && *name != '\0';
		     name += n > 0 ? n : 1) {
			for (n = 0; isalnum((unsigned char)name[n]); n++)
				;
			mixed |= n >= MIXED_LETTERS &&
			    words_changes(name, n) >= MIXED_CHANGES;
		}
		if (line == NULL || x->value == NULL || !mixed ||
		    (i > from && text_same(x->value, x[-1].value)))
			return 0;
	}
	return 1;
}

/* The value as in a path: "" for ".", which means no folder. */
static const char *
path_value(const struct labelled *x)
{
	return text_same(x->value, ".") ? "" : x->value;
}

/* Length of the trailing folders that the values of a set share, with the '/'
 * before them.  A value that consists of them counts as if it had that '/': 6
 * for "x7k2p9qa/files" and "files". */
static size_t
common_tail(const struct labelling *g, size_t from, size_t end)
{
	size_t tail = 0;

	for (size_t n = 0;; n++) {
		char first = '\0';

		for (size_t i = from; i < end; i++) {
			const char *value = path_value(&g->items[i]);
			const size_t len = strlen(value);
			const char c = n < len ? value[len - n - 1] : '/';

			if (n > len || (i > from && c != first))
				return tail;
			first = c;
		}
		if (first == '/')
			tail = n + 1;
	}
}

/* True if the runs of a set, sorted by value, differ in one name of the path
 * only, and the names have one length, many changes between letters and digits
 * and no common start: "x7k2p9qa" and "b81kq0zz", but not "b64fp16" and
 * "b64fp32".  The name of a run may have been removed as an id already. */
static int
are_random(const struct labelling *g, size_t from, size_t end)
{
	size_t tail, len = 0, n = 0, changes = 0;
	const char *last = NULL;

	for (size_t i = from; i < end; i++)
		if (g->items[i].value == NULL)
			return 0;
	tail = common_tail(g, from, end);
	for (size_t i = from; i < end; i++) {
		const char *run = g->items[i].run->measured.run.run;
		const char *name = path_value(&g->items[i]);
		const size_t own = strlen(name) + 1 - tail;
		const int more = words_changes(name, own > 0 ? own - 1 : 0);

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
 * with  1: add them to the name; 0: the name already has them */
static void
forget_ids(struct labelling *g, int with)
{
	sort_by_value(g);
	for (size_t i = 0, end; i < g->n; i = end) {
		end = part_end(g, i, SET);
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

/* Label by folder, then by file name.
 *
 * upper  key in capitals */
static void
label_names(
    struct labelling *g, const char *key, const char *upper, const char *names)
{
	const size_t n = label_groups(g, 0, g->n, key, values_differ, 0);

	if (n > 0)
		case_note(g->notes, g->arena,
		    "runs of one configuration, but of several %s, are kept "
		    "apart by the label '%s' (%zu configuration%s); x=%s1 "
		    "x=%s2 would pool them",
		    names, key, n, n == 1 ? "" : "s", upper, upper);
}

/* True if runs of a set, sorted by name, have the same name, come from
 * different operands and are not copies. */
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

/* Name a run of one GPU "1g" if others of its configuration are "8g" because
 * their nodes are unknown. */
static void
name_alike(struct case_run **runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct metadata *unknown = &runs[i]->metadata;

		for (size_t k = 0; k < n && unknown->gpus > 1 &&
		     unknown->nodes == RESULT_UNKNOWN;
		     k++) {
			struct metadata *f = &runs[k]->metadata;

			if (f->gpus == 1 &&
			    case_compare_groups(runs[i], runs[k], 1) == 0)
				f->nodes = f->gpus_per_node = RESULT_UNKNOWN;
		}
	}
}

/* True if a contradiction of nodes or GPUs was reported when they were
 * chosen. */
static int
size_was_doubted(const struct metadata *f)
{
	for (size_t i = 0; i < f->n_conflicts; i++)
		if (!f->conflicts[i].quiet &&
		    words_fit("nodes|gpus_per_node|gpus", WORDS_ALL,
			f->conflicts[i].key))
			return 1;
	return 0;
}

void
case_label_runs(struct case_run **runs, size_t n, int strong, struct arena *a,
    struct case_notes *notes)
{
	struct labelling g = { xcalloc(n + 1, sizeof *g.items), n, a, notes };
	struct run_path_kinds kept = { .n = 0 };
	char token[RUN_PATH_KIND];

	name_alike(runs, n);
	/* Report names in the path that contradict the known nodes and GPUs,
	 * such as "N1" in a run with options for 8 GPUs on 8 nodes.  They are
	 * kept in all names of their kind; one is reported. */
	for (size_t i = 0; i < n; i++) {
		const struct metadata *f = &runs[i]->metadata;

		if (run_path_find_contrary(&kept, runs[i]->where, f, token) >
			0 &&
		    !size_was_doubted(f))
			case_note(notes, a,
			    "%s: '%s' in its path contradicts the %ld GPUs%s "
			    "that are used",
			    runs[i]->measured.run.path, token, f->gpus,
			    f->nodes > 0
				? arena_printf(a, " on %ld node%s", f->nodes,
				      f->nodes == 1 ? "" : "s")
				: "");
	}
	/* Numbers of folders go to the run's name, unless it has them from an
	 * earlier result. */
	for (size_t i = 0; i < n; i++) {
		struct run_path *p = &g.items[i].path;
		const char **name = &runs[i]->measured.run.run;
		size_t len;

		g.items[i].run = runs[i];
		g.items[i].strong = strong;
		run_path_read(p, runs[i]->where, &runs[i]->metadata, &kept, a);
		/* A layout that states the run has parsed the name. */
		if (runs[i]->metadata.run != NULL)
			p->file = NULL;
		len = p->run != NULL ? strlen(p->run) : 0;
		if (len > 0 &&
		    (strncmp(*name, p->run, len) != 0 || (*name)[len] != '/'))
			*name = arena_printf(a, "%s/%s", p->run, *name);
	}
	make_sets(&g);
	refuse_copies(&g);
	label_varied(&g);
	for (size_t i = 0; i < g.n; i++) {
		const char *name = g.items[i].run->metadata.device;

		g.items[i].value = name == NULL
		    ? "unknown"
		    : arena_strndup(a, without_maker(name),
			  device_kind_len(without_maker(name)));
	}
	label_groups(&g, 0, g.n, "device", devices_differ, 0);
	shorten_folders(&g);
	forget_ids(&g, 1);
	label_names(&g, "folder", "DIR", "folders");
	name_files(&g);
	forget_ids(&g, 0);
	label_names(&g, "file", "FILE", "file names");
	label_settings(&g);
	/* Runs of earlier results and of logs that have the same names. */
	sort_by_name(&g);
	for (size_t i = 0; i < g.n; i++)
		g.items[i].value = g.items[i].run->source;
	label_groups(&g, 0, g.n, "folder", sources_collide, 0);
	refuse_doubles(&g);
	/* Flag settings that are not labels because each run would be alone. */
	for (size_t i = 0, end; i < g.n; i = end) {
		struct settings_row *rows;
		struct remark flag;
		const char *text;

		end = part_end(&g, i, SET);
		if (end - i < 2)
			continue;
		rows = settings_rows(&g, i, end);
		text = case_settings_differences(rows, end - i, a);
		free(rows);
		flag = REMARK(REMARK_SETTINGS_DIFFER, remark_name(text));
		for (size_t k = i; k < end && text != NULL; k++)
			result_run_flag(
			    &g.items[k].run->measured.run, &flag, a);
	}
	free(g.items);
}
