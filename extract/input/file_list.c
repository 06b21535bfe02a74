#include <config.h>

#include "extract/input/file_list.h"

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/hash_index.h"
#include "common/text.h"
#include "extract/input/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Suffixes of other files: images, sources, results, data, archives. */
static const char *const other_suffixes[] = { ".bin", ".bmp", ".c", ".cc",
	".cfg", ".checkpoint", ".ckpt", ".cpp", ".css", ".csv", ".cu", ".db",
	".gif", ".gp", ".h", ".h5", ".htm", ".html", ".idx", ".ini", ".ipynb",
	".jpeg", ".jpg", ".js", ".json", ".md", ".npy", ".npz", ".o", ".onnx",
	".pb", ".pdf", ".pickle", ".pkl", ".png", ".pt", ".pth", ".py", ".pyc",
	".rec", ".rst", ".safetensors", ".sh", ".so", ".sqlite", ".svg", ".tar",
	".tex", ".tgz", ".toml", ".tsv", ".xls", ".xlsx", ".xml", ".yaml",
	".yml", ".zip", "~" };
static const char *const other_names[] = { "AUTHORS", "CHANGELOG",
	"CMakeLists.txt", "CONTRIBUTING", "COPYING", "Dockerfile", "LICENSE",
	"Makefile", "NEWS", "NOTICE", "README", "hostfile", "machine",
	"requirements.txt" };
static const char *const packed_suffixes[] = { ".gz", ".zst", ".xz" };

static const char *const power_names[] = { "power.csv", "gpu_power.csv",
	"nvidia-smi.csv", "nvidia_smi.csv", "dcgm.txt", "dcgmi.txt", "dcgm.log",
	"dcgmi.log", "dcgm.prom", "dmon.txt", "dmon.log", "emissions.csv" };

enum { N_POWER_NAMES = sizeof power_names / sizeof power_names[0] };

int
power_name_is(const char *name)
{
	const size_t len = strlen(name);

	for (int i = 0; i < N_POWER_NAMES; i++) {
		const size_t n = strlen(power_names[i]);

		if (len >= n &&
		    strcasecmp(name + len - n, power_names[i]) == 0 &&
		    (len == n || strchr(".-_", name[len - n - 1]) != NULL))
			return 1;
	}
	return 0;
}

const char *
power_name_at(int i)
{
	return i < N_POWER_NAMES ? power_names[i] : NULL;
}

/* Nominal size of a folder with many small files. */
enum { RUN_FOLDER_BYTES = 64 << 10 };

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* State of the search below one operand. */
struct file_walk {
	struct file_list *list;
	const char *real;  /* its resolved path */
	const char *front; /* its components for layouts; "" or ends with '/' */
	const char *label;
	/* Folders reached by links. */
	struct folder_id {
		dev_t dev;
		ino_t ino;
	} * followed;
	size_t n_followed, alloc_followed;
	struct error *e; /* set on system errors */
	int failed;
	enum file_power power; /* of the files being added */
};

void
file_list_init(struct file_list *list)
{
	memset(list, 0, sizeof *list);
}

void
file_list_release(struct file_list *list)
{
	free(list->files);
	free(list->problems);
	free(list->globs);
	arena_release(&list->arena);
	file_list_init(list);
}

static void
add_problem(struct file_list *list, const char *path, const char *message)
{
	list->problems = vec_grow(list->problems, list->n_problems,
	    &list->alloc_problems, sizeof *list->problems);
	list->problems[list->n_problems++] =
	    (struct file_list_problem){ arena_strdup(&list->arena, path),
		    arena_strdup(&list->arena, message) };
}

static int
add_file(
    struct file_walk *w, const char *path, const char *shown, int64_t bytes)
{
	struct file_list *list = w->list;
	struct log_file f = { 0 };

	if (list->n_files == FILE_LIST_MAX_FILES) {
		if (!list->full)
			add_problem(list, path,
			    "too many files; this one and "
			    "all after it are excluded");
		list->full = 1;
		return 0;
	}
	f.path = arena_strdup(&list->arena, path);
	f.shown = arena_strdup(&list->arena, shown);
	f.where = arena_printf(&list->arena, "%s%s", w->front, shown);
	f.front = strlen(w->front);
	f.below = w->label != NULL ? f.shown : f.where;
	f.label = w->label;
	f.operand = list->n_operands;
	f.bytes = bytes;
	f.power = w->power;
	list->files = vec_grow(list->files, list->n_files, &list->alloc_files,
	    sizeof *list->files);
	list->files[list->n_files++] = f;
	return 1;
}

static int
ends_with(const char *s, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && strncasecmp(s + len - n, suffix, n) == 0;
}

void
file_list_admit(struct file_list *list, const char *glob)
{
	list->globs = vec_grow(list->globs, list->n_globs, &list->alloc_globs,
	    sizeof *list->globs);
	list->globs[list->n_globs++] = glob;
}

/* The last n components of a path, or the whole path if it has fewer. */
static const char *
last_parts(const char *path, int n)
{
	const char *p = path + strlen(path);

	while (p > path) {
		if (p[-1] == '/' && n-- == 1)
			break;
		p--;
	}
	return p;
}

int
file_list_fits(const char *path, const char *glob)
{
	const char *tail;
	int n = 1; /* components of glob */

	for (const char *p = glob; *p != '\0'; p++)
		n += *p == '/';
	tail = last_parts(path, n);
	return strcmp(tail, glob) == 0 ||
	    fnmatch(glob, tail, FNM_PATHNAME | FNM_PERIOD) == 0;
}

/* Length of a name without its compression suffix. */
static size_t
plain_len(const char *name)
{
	const size_t len = strlen(name);

	for (size_t i = 0; i < COUNT(packed_suffixes); i++)
		if (ends_with(name, len, packed_suffixes[i]))
			return len - strlen(packed_suffixes[i]);
	return len;
}

/* True if the name shows that the file is not a log. */
static int
is_other(const char *name)
{
	const size_t len = plain_len(name);

	if (power_name_is(name))
		return 1;
	for (size_t i = 0; i < COUNT(other_names); i++) {
		size_t n = strlen(other_names[i]);

		if (strncmp(name, other_names[i], n) == 0 &&
		    (name[n] == '\0' || name[n] == '.'))
			return 1;
	}
	for (size_t i = 0; i < COUNT(other_suffixes); i++)
		if (ends_with(name, len, other_suffixes[i]))
			return 1;
	return 0;
}

/* Name of a file type that is neither file nor folder, else NULL. */
static const char *
odd_kind(mode_t mode)
{
	if (S_ISREG(mode) || S_ISDIR(mode))
		return NULL;
	return S_ISFIFO(mode) ? "a FIFO, not a file"
	    : S_ISSOCK(mode)  ? "a socket, not a file"
			      : "a device, not a file";
}

/* True if path is the folder `above` or below it. Both are resolved. */
static int
is_below(const char *path, const char *above)
{
	size_t n = strlen(above);

	return strncmp(path, above, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/' ||
		(n > 0 && above[n - 1] == '/'));
}

/* Mark a folder as reached by a link. True if it was marked before. */
static int
was_followed(struct file_walk *w, const struct stat *st)
{
	for (size_t i = 0; i < w->n_followed; i++) {
		if (w->followed[i].dev == st->st_dev &&
		    w->followed[i].ino == st->st_ino)
			return 1;
	}
	w->followed = vec_grow(w->followed, w->n_followed, &w->alloc_followed,
	    sizeof *w->followed);
	w->followed[w->n_followed++] =
	    (struct folder_id){ st->st_dev, st->st_ino };
	return 0;
}

/* True if a link to st, a file or folder, must be followed. */
static int
takes_link(struct file_walk *w, const char *path, const struct stat *st)
{
	char target[PATH_MAX], parent[PATH_MAX];
	char *slash, *folder = xstrdup(path);
	int takes = 1;

	slash = strrchr(folder, '/');
	if (slash != NULL)
		*slash = '\0';
	if (realpath(path, target) == NULL ||
	    realpath(folder, parent) == NULL) {
		add_problem(w->list, path, strerror(errno));
		takes = 0;
	} else if (S_ISDIR(st->st_mode) && is_below(parent, target)) {
		add_problem(
		    w->list, path, "a link to a folder above it, not followed");
		takes = 0;
	} else if (is_below(target, w->real) ||
	    (S_ISDIR(st->st_mode) && was_followed(w, st))) {
		w->list->n_skipped++;
		takes = 0;
	}
	free(folder);
	return takes;
}

static void file_list_folder(
    struct file_walk *w, const char *path, const char *shown, int depth);

static void
file_list_entry(struct file_walk *w, const char *path, const char *shown,
    const char *name, int depth)
{
	struct file_list *list = w->list;
	struct stat st;

	if (lstat(path, &st) != 0) {
		add_problem(w->list, path, strerror(errno));
		return;
	}
	if (!S_ISDIR(st.st_mode) && is_other(name)) {
		char *plain = xstrndup(path, plain_len(path));
		size_t i = 0;

		/* A format may claim files of this name. */
		while (
		    i < list->n_globs && !file_list_fits(plain, list->globs[i]))
			i++;
		free(plain);
		if (i == list->n_globs) {
			list->n_skipped++;
			return;
		}
	}
	if (S_ISLNK(st.st_mode)) {
		if (stat(path, &st) != 0) {
			add_problem(w->list, path,
			    errno == ELOOP ? "a link that leads to itself"
				: errno == ENOENT ? "a dangling link"
						  : strerror(errno));
			return;
		}
		if (!takes_link(w, path, &st))
			return;
	}
	if (odd_kind(st.st_mode) != NULL)
		add_problem(w->list, path, odd_kind(st.st_mode));
	else if (S_ISDIR(st.st_mode))
		file_list_folder(w, path, shown, depth + 1);
	else
		add_file(w, path, shown, st.st_size);
}

/* True for an entry that duplicates another one of the folder: a run must not
 * count twice. */
static int
is_repeated(const char *path, const struct folder *f, const char *name)
{
	/* Duplicates, and the file that is read instead. */
	static const struct {
		const char *name, *instead;
	} pairs[] = { /* Ray */
		{ "progress.csv", "result.json" },
		/* Power of MLPerf's runs, which is read with them */
		{ "power", "result_0.txt" }, { "power", "result_1.txt" },
		/* Hugging Face Trainer */
		{ "all_results.json", "trainer_state.json" },
		{ "train_results.json", "trainer_state.json" },
		/* LLaMA-Factory, whose log has the time of each step */
		{ "trainer_state.json", "trainer_log.jsonl" },
		{ "train_results.json", "trainer_log.jsonl" },
		{ "all_results.json", "trainer_log.jsonl" },
		{ "all_results.json", "train_results.json" }
	};
	/* Console output, configuration, W&B's messages: the run's log has all
	 * of them. */
	static const char *const of_wandb[] = { "files", "logs", "tmp" };

	for (size_t i = 0; i < COUNT(pairs); i++)
		if (strcmp(name, pairs[i].name) == 0 &&
		    folder_has(f, pairs[i].instead))
			return 1;
	for (size_t i = 0; i < COUNT(of_wandb); i++)
		for (size_t k = 0; strcmp(name, of_wandb[i]) == 0 && k < f->n;
		     k++)
			if (ends_with(
				f->names[k], strlen(f->names[k]), ".wandb"))
				return 1;
	/* A checkpoint holds the trainer's state. */
	return strcmp(name, "trainer_state.json") == 0 &&
	    strncmp(basename(path), "checkpoint-", 11) == 0;
}

/* Join a folder's path ("" for the operand's) with the name of an entry. */
static char *
join_path(const char *folder, const char *name)
{
	const size_t len = strlen(folder);

	return xasprintf("%s%s%s", folder,
	    len == 0 || folder[len - 1] == '/' ? "" : "/", name);
}

static void
file_list_folder(
    struct file_walk *w, const char *path, const char *shown, int depth)
{
	const enum file_power outside = w->power;
	struct folder f;
	int joined; /* 1: its event files are one run */

	if (depth > FILE_LIST_MAX_DEPTH) {
		add_problem(w->list, path, "too deep, not entered");
		return;
	}
	if (w->failed)
		return;
	if (folder_read(&f, path) != 0) {
		/* Without descriptors or memory the system is at fault, not
		 * the folder. */
		w->failed =
		    errno == EMFILE || errno == ENFILE || errno == ENOMEM;
		if (w->failed)
			error_errno(
			    w->e, errno, "cannot open the folder '%s'", path);
		else
			add_problem(w->list, path, strerror(errno));
		return;
	}
	w->list->n_skipped += f.n_hidden;
	if (run_folder_is(path, &f)) {
		add_file(w, path, shown, RUN_FOLDER_BYTES);
	} else {
		w->power = FILE_POWER_NONE;
		for (size_t i = 0; i < f.n; i++)
			if (power_name_is(f.names[i]) ||
			    strcmp(f.names[i], "power") == 0)
				w->power = FILE_POWER_FOLDER;
		joined = event_run_is(path, &f);
		if (joined) {
			char *below = join_path(path, EVENT_RUN_NAME);
			char *rel = join_path(shown, EVENT_RUN_NAME);

			add_file(w, below, rel, RUN_FOLDER_BYTES);
			free(below);
			free(rel);
		}
		for (size_t i = 0; i < f.n; i++) {
			const char *name = f.names[i];
			char *below = join_path(path, name);
			char *rel = join_path(shown, name);

			if (joined && event_run_has(name))
				; /* listed as part of its run */
			else if (is_repeated(path, &f, name))
				w->list->n_skipped++;
			else
				file_list_entry(w, below, rel, name, depth);
			free(below);
			free(rel);
		}
		w->power = outside;
	}
	folder_release(&f);
}

/* Components of an operand's path for layouts, in the list's arena: as typed;
 * if fewer than two or one begins with '.', the last two of the real path. */
static char *
front_parts(struct file_list *list, const char *operand, const char *real)
{
	int n = 0, dots = 0;
	size_t len;

	for (const char *p = operand; *p != '\0'; p++)
		if (*p != '/' && (p == operand || p[-1] == '/')) {
			n++;
			dots |= *p == '.';
		}
	if (n < 2 || dots)
		operand = last_parts(real, 2);
	for (len = strlen(operand); len > 0 && operand[len - 1] == '/'; len--)
		;
	return arena_strndup(&list->arena, operand, len);
}

static void
add_single(
    struct file_walk *w, const char *path, const char *real, int64_t bytes)
{
	char *front = front_parts(w->list, path, real);

	front[strlen(front) - strlen(last_parts(front, 1))] = '\0';
	w->front = front;
	w->power = FILE_POWER_UNKNOWN;
	if (add_file(w, path, last_parts(path, 1), bytes) && w->label != NULL)
		w->list->files[w->list->n_files - 1].below = "";
}

int
file_list_add(struct file_list *list, const char *operand, struct error *e)
{
	struct file_walk w = { .list = list, .front = "" };
	size_t label_len;
	const char *path = operand_path(operand, &label_len);
	char real[PATH_MAX];
	struct stat st;
	int is_folder;

	if (label_len > 0)
		w.label = arena_strndup(&list->arena, operand, label_len);
	if (strcmp(path, "-") == 0) {
		add_file(&w, "-", "-", -1);
	} else if (stat(path, &st) != 0 && event_run_is_at(path)) {
		add_single(&w, path, path, RUN_FOLDER_BYTES);
	} else {
		if (stat(path, &st) != 0 || realpath(path, real) == NULL)
			return error_errno(e, errno, "cannot open '%s'", path);
		if (odd_kind(st.st_mode) != NULL)
			return error_set(e, ERROR_INPUT, "'%s' is %s", path,
			    odd_kind(st.st_mode));
		is_folder = S_ISDIR(st.st_mode);
		if (!is_folder && access(path, R_OK) != 0)
			return error_errno(e, errno, "cannot open '%s'", path);
		if (is_folder && !run_folder_is_at(path)) {
			const char *front = front_parts(list, path, real);

			if (access(path, R_OK) != 0)
				return error_errno(e, errno,
				    "cannot open the folder '%s'", path);
			w.real = real;
			w.front = arena_printf(&list->arena, "%s%s", front,
			    front[0] == '\0' ? "" : "/");
			w.e = e;
			file_list_folder(&w, path, "", 0);
			free(w.followed);
			if (w.failed)
				return -1;
		} else {
			char *name = arena_strdup(&list->arena, path);
			size_t len = strlen(name);

			while (is_folder && len > 0 && name[len - 1] == '/')
				name[--len] = '\0';
			add_single(&w, name, real,
			    is_folder ? RUN_FOLDER_BYTES : st.st_size);
		}
	}
	list->n_operands++;
	return 0;
}

/* --- Files that were named twice -------------------------------------------*/

/* True if two files of the list are shown alike. */
static int
has_twins(const struct file_list *list)
{
	struct hash_index known = HASH_INDEX_INIT;
	const char **shown = xcalloc(list->n_files + 1, sizeof *shown);
	int twins = 0;

	for (size_t i = 0; i < list->n_files && !twins; i++) {
		shown[i] = list->files[i].shown;
		twins = hash_index_first(&known, shown, i) != i;
	}
	free(shown);
	hash_index_release(&known);
	return twins;
}

void
file_list_once(struct file_list *list)
{
	struct hash_index known = HASH_INDEX_INIT;
	struct arena a = ARENA_INIT;
	const char **all; /* real path, independent of links, and label */
	size_t n = 0, kept = 0;

	if (list->n_operands < 2)
		return;
	all = xcalloc(list->n_files + 1, sizeof *all);
	for (size_t i = 0; i < list->n_files; i++) {
		const struct log_file f = list->files[i];
		char *real = realpath(f.path, NULL);

		if (real != NULL)
			all[n++] = arena_printf(
			    &a, "%s\n%s", real, f.label != NULL ? f.label : "");
		if (real != NULL &&
		    hash_index_first(&known, all, n - 1) < n - 1)
			add_problem(list, f.path, "named twice; counted once");
		else
			list->files[kept++] = f;
		free(real);
	}
	list->n_files = kept;
	free(all);
	arena_release(&a);
	hash_index_release(&known);
	/* If files of several operands have equal shown paths, show one more
	 * component of each path; if that is not enough, show the whole path as
	 * typed. */
	for (int whole = 0; whole < 2 && has_twins(list); whole++)
		for (size_t i = 0; i < list->n_files; i++) {
			struct log_file *f = &list->files[i];
			const size_t len = strlen(f->path),
				     shown = strlen(f->shown);

			if (whole || len <= shown + 1) {
				f->shown = f->path;
				continue;
			}
			f->shown = f->path + (len - shown) - 1;
			while (f->shown > f->path && f->shown[-1] != '/')
				f->shown--;
		}
}

const char *
log_file_operand(const struct log_file *file, struct arena *a)
{
	const char *operand, *slash;

	if (file->front == 0)
		return NULL;
	operand = arena_strndup(a, file->where, file->front - 1);
	slash = strrchr(operand, '/');
	return slash != NULL ? slash + 1 : operand;
}
