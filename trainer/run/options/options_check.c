/* Checks of a run's files and of its GPUs; handles command lines copied from
 * PyTorch's ImageNet example. */
#include <config.h>

#include "trainer/run/options/options_table.h"

#include <ctype.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/program/options.h"
#include "common/text.h"
#include "trainer/base/machine_info.h"
#include "trainer/comm/launcher_env.h"
#include "trainer/device/device.h"

/* --- Files ---------------------------------------------------------------- */

struct file_role {
	const char *name; /* option or stream */
	const char *path; /* NULL or "": not given */
	int fd;           /* of a stream, which is always given, else -1 */
	int is_written;
};

/* The real path of a file that may not exist yet. */
static char *
real_name(const char *path)
{
	char *folder = xstrdup(path), *name = xstrdup(path);
	char *real = realpath(dirname(folder), NULL);
	char *whole = real != NULL ? xasprintf("%s/%s", real, basename(name))
				   : xstrdup(path);

	free(folder);
	free(name);
	free(real);
	return whole;
}

/* True if both are the same file. Terminals and /dev/null may be shared. */
static int
is_same_file(const struct file_role *a, const struct file_role *b)
{
	char *name_a, *name_b;
	struct stat x, y;
	int same;

	if ((a->path != NULL ? stat(a->path, &x) : fstat(a->fd, &x)) == 0 &&
	    (b->path != NULL ? stat(b->path, &y) : fstat(b->fd, &y)) == 0)
		return S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
		    x.st_ino == y.st_ino;
	if (a->path == NULL || b->path == NULL)
		return 0;
	name_a = real_name(a->path);
	name_b = real_name(b->path);
	same = strcmp(name_a, name_b) == 0;
	free(name_a);
	free(name_b);
	return same;
}

/* True if path is a file below DIR/part. */
static int
is_in_folder(const char *path, const char *folder, const char *part)
{
	char *below = xasprintf("%s/%s", folder, part);
	char *real = realpath(below, NULL), *file = realpath(path, NULL);
	const size_t len = real != NULL ? strlen(real) : 0;
	const int is_in = real != NULL && file != NULL &&
	    strncmp(real, file, len) == 0 && file[len] == '/';

	free(below);
	free(real);
	free(file);
	return is_in;
}

static int
check_pair(
    const struct file_role *a, const struct file_role *b, struct error *e)
{
	const struct file_role *w = a->is_written ? a : b;
	const struct file_role *other = w == a ? b : a;

	if ((a->path == NULL && b->path == NULL) || !w->is_written ||
	    !is_same_file(a, b))
		return 0;
	if (w->path == NULL) { /* a stream; the message names the option */
		other = w;
		w = w == a ? b : a;
	}
	return error_set(e, ERROR_USAGE, "%s: cannot %s '%s': %s %s it%s",
	    w->name, w->is_written ? "write" : "read", w->path, other->name,
	    other->is_written ? "writes" : "reads",
	    w->is_written && other->is_written ? ", too" : "");
}

int
file_roles_check(const struct train_options *o, struct error *e)
{
	const struct file_role all[] = {
		{ "--checkpoint", o->checkpoint, -1, 1 },
		{ "--resume", o->resume, -1, 0 },
		{ "--timeline", o->timeline, -1, 1 },
		{ "--autotune-log", o->autotune_log, -1, 1 },
		{ "--engine-cache", o->engine_cache, -1, 1 },
		{ "standard output", NULL, STDOUT_FILENO, 1 },
		{ "standard error", NULL, STDERR_FILENO, 1 },
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		const struct file_role *r = &all[i];

		if (r->fd < 0 && (r->path == NULL || r->path[0] == '\0'))
			continue;
		if (o->folder != NULL && r->path != NULL && r->is_written &&
		    (is_in_folder(r->path, o->folder, "train") ||
			is_in_folder(r->path, o->folder, "val")))
			return error_set(e, ERROR_USAGE,
			    "%s: cannot write '%s': it is one of the images",
			    r->name, r->path);
		/* --checkpoint may be the file of --resume. */
		for (size_t k = i == 1 ? 1 : 0; k < i; k++)
			if ((all[k].fd >= 0 ||
				(all[k].path != NULL &&
				    all[k].path[0] != '\0')) &&
			    check_pair(&all[k], r, e) != 0)
				return -1;
	}
	return 0;
}

/* --- GPUs ----------------------------------------------------------------- */

int
gpu_choice_parse(const char *text, int *list, struct error *e)
{
	int found[GPU_CHOICE_MAX], n = 0;
	const char *at = text;
	char *end;

	do {
		const long number =
		    isdigit((unsigned char)*at) ? strtol(at, &end, 10) : -1;

		if (number < 0 || number >= GPU_CHOICE_MAX || end - at > 7 ||
		    (*end != ',' && *end != '\0'))
			return error_set(e, ERROR_USAGE,
			    "--gpus: '%s' is not a list of GPU numbers such as "
			    "0,1",
			    text);
		if (n == GPU_CHOICE_MAX)
			return error_set(e, ERROR_USAGE,
			    "--gpus: more than %d GPUs", (int)GPU_CHOICE_MAX);
		found[n++] = (int)number;
		at = end + 1;
	} while (*end != '\0');
	memcpy(list, found, (size_t)n * sizeof *found);
	return n;
}

int
gpu_choice_choose(const char *text, int rank, int size, int each_own,
    const char *owner, int *gpu, struct error *e)
{
	int list[GPU_CHOICE_MAX], n;

	if (text == NULL) {
		*gpu = rank;
		return 0;
	}
	n = gpu_choice_parse(text, list, e);
	if (n < 0)
		return -1;
	if (n != size)
		return error_set(e, ERROR_USAGE,
		    "--gpus: '%s' is %d GPU%s, but %d process%s on this "
		    "machine; each computes on one",
		    text, n, n == 1 ? "" : "s", size,
		    size == 1 ? " runs" : "es run");
	for (int i = 0; each_own && i < n; i++)
		for (int j = 0; j < i; j++)
			if (list[i] == list[j])
				return error_set(e, ERROR_USAGE,
				    "--gpus: GPU %d twice, but back end '%s' "
				    "needs one for each process",
				    list[i], owner);
	*gpu = list[rank];
	return 0;
}

/* --- Options of PyTorch's example ----------------------------------------- */

/* Options of main.py that a launcher replaces, and --pretrained, which is not
 * supported. */
static const struct replaced_option {
	const char *name;
	int has_value;
} replaced_options[] = {
	{ "--multiprocessing-distributed", 0 },
	{ "--world-size", 1 },
	{ "--rank", 1 },
	{ "--dist-url", 1 },
	{ "--pretrained", 0 },
};

/* True if word is the long option name, with or without "=value". Underscores
 * match dashes. */
static int
is_option(const char *word, const char *name)
{
	size_t i = 0;

	while (name[i] != '\0' &&
	    (word[i] == name[i] || (i > 1 && word[i] == '_' && name[i] == '-')))
		i++;
	return name[i] == '\0' && (word[i] == '\0' || word[i] == '=');
}

/* Number of words to drop at argv[i], a replaced option with its value; 0 if it
 * is another option. */
static int
count_replaced(char *const *argv, int i)
{
	size_t k = 0;

	while (!is_option(argv[i], replaced_options[k].name))
		if (++k == sizeof replaced_options / sizeof *replaced_options)
			return 0;
	return replaced_options[k].has_value && strchr(argv[i], '=') == NULL &&
		argv[i + 1] != NULL
	    ? 2
	    : 1;
}

/* The value of -b at argv[i], and the number of words it takes; NULL if argv[i]
 * is not -b. */
static const char *
find_batch(char *const *argv, int i, int *words)
{
	const char *equals = strchr(argv[i], '=');

	*words = 1;
	if (is_option(argv[i], "--batch-size") && equals != NULL)
		return equals + 1;
	if (strncmp(argv[i], "-b", 2) == 0 && argv[i][2] != '\0')
		return argv[i] + 2;
	if (!is_option(argv[i], "--batch-size") && strcmp(argv[i], "-b") != 0)
		return NULL;
	*words = 2;
	return argv[i + 1];
}

void
example_options_line(
    char *const *argv, long nodes, long devices, struct strbuf *sb)
{
	int i = 0;

	strbuf_addstr(sb, "mpirun -n ");
	if (devices > 0)
		strbuf_printf(sb, "%ld", nodes * devices);
	else
		strbuf_addstr(sb, "N");
	strbuf_addstr(sb, nodes > 1 ? " --hostfile HOSTS" : "");
	strbuf_addstr(sb, " train_imagenet");
	/* The example uses GPUs if there are any. */
	while (argv[i] != NULL && !is_option(argv[i], "--device"))
		i++;
	if (devices > 0 && argv[i] == NULL)
		strbuf_addstr(sb, " --device=cuda");
	for (i = 1; argv[0] != NULL && argv[i] != NULL; i++) {
		const int words = count_replaced(argv, i);
		const char *batch;
		int taken;
		long n;

		if (words > 0) {
			i += words - 1;
			continue;
		}
		batch = find_batch(argv, i, &taken);
		if (batch != NULL && parse_long(batch, 1, 1 << 20, &n) == 0) {
			strbuf_printf(sb, " --total-batch=%ld", n * nodes);
			i += taken - 1;
			continue;
		}
		strbuf_addch(sb, ' ');
		shell_word_add(sb, argv[i]);
	}
}

/* Number of GPUs that the driver shows; 0 if none can be used. */
static long
count_gpus(void)
{
	size_t n_devices;
	const struct device_ops *const *d = device_list(&n_devices);
	char path[64];
	long n = -1;

	for (size_t i = 0; i < n_devices; i++)
		if (strcmp(d[i]->name, "cuda") == 0 && d[i]->open == NULL)
			return 0;
	do
		snprintf(path, sizeof path, "/dev/nvidia%ld", ++n);
	while (n < 1024 && access(path, F_OK) == 0);
	return n;
}

/* Reject the command line, and show the line to use instead: with a launcher if
 * launches is set, else without --pretrained. Returns -1. */
static int
show_line(const struct train_options *o, char *const *argv, int launches,
    const char *why, struct error *e)
{
	struct strbuf sb = STRBUF_INIT(ERROR_MESSAGE_SIZE - 256);

	if (launches)
		example_options_line(argv,
		    o->world_size > 1 ? o->world_size : 1, count_gpus(), &sb);
	else
		strbuf_addstr(&sb, "train_imagenet");
	for (int i = 1; !launches && argv[0] != NULL && argv[i] != NULL; i++)
		if (!is_option(argv[i], "--pretrained")) {
			strbuf_addch(&sb, ' ');
			shell_word_add(&sb, argv[i]);
		}
	error_set(
	    e, ERROR_USAGE, "%s: %s%s", why, sb.buf, sb.full ? " ..." : "");
	strbuf_release(&sb);
	return -1;
}

/* Set MASTER_ADDR and MASTER_PORT from tcp://HOST:PORT. */
static int
use_url(const char *url, struct error *e)
{
	static const char tcp[] = "tcp://";
	const char *host =
	    strncmp(url, tcp, sizeof tcp - 1) == 0 ? url + sizeof tcp - 1 : "";
	const char *colon = strrchr(host, ':');
	char copy[256];
	size_t len = colon != NULL ? (size_t)(colon - host) : 0;
	long port;

	if (strcmp(url, "env://") == 0)
		return 0;
	/* Remove the brackets that an IPv6 address has in a URL. */
	if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	}
	if (len == 0 || len >= sizeof copy ||
	    parse_long(colon + 1, 1, 65535, &port) != 0)
		return error_set(e, ERROR_USAGE,
		    "--dist-url: '%s' is neither tcp://HOST:PORT nor env://",
		    url);
	memcpy(copy, host, len);
	copy[len] = '\0';
	setenv("MASTER_ADDR", copy, 1);
	setenv("MASTER_PORT", colon + 1, 1);
	return 0;
}

/* Without --multiprocessing-distributed the user starts each process. */
static int
use_ranks(
    const struct train_options *o, const struct launcher *l, struct error *e)
{
	if (o->world_size < 0 && o->rank < 0)
		return 0;
	if (o->world_size < 0)
		return error_set(e, ERROR_USAGE, "--rank without --world-size");
	if (o->rank >= o->world_size)
		return error_set(e, ERROR_USAGE,
		    "--rank: %ld is not below --world-size=%ld", o->rank,
		    o->world_size);
	if (l->size > 1 &&
	    (l->size != o->world_size || (o->rank >= 0 && l->rank != o->rank)))
		return error_set(e, ERROR_USAGE,
		    "--world-size, --rank: the launcher passes rank %ld of %ld",
		    l->rank, l->size);
	if (l->size > 1 || o->world_size == 1)
		return 0;
	if (o->rank < 0)
		return error_set(e, ERROR_USAGE, "--world-size without --rank");
	launcher_env_set(o->rank, o->world_size);
	return 0;
}

int
example_options_settle(
    const struct train_options *o, char *const *argv, struct error *e)
{
	struct launcher l;

	if (o->pretrained)
		return show_line(o, argv, o->multiprocessing,
		    "--pretrained: no pre-trained weights are available; "
		    "training starts anew; --resume FILE continues from a "
		    "checkpoint",
		    e);
	if (o->total_batch > 0 && options_given("batch-size"))
		return error_set(e, ERROR_USAGE,
		    "--total-batch cannot be used with --batch-size");
	if (o->dist_url != NULL && use_url(o->dist_url, e) != 0)
		return -1;
	if (!o->multiprocessing && o->world_size < 0 && o->rank < 0)
		return 0;
	if (launcher_env_read(&l, e) != 0)
		return -1;
	if (!o->multiprocessing)
		return use_ranks(o, &l, e);
	if (l.size == 1)
		return show_line(o, argv, 1,
		    "--multiprocessing-distributed: a launcher starts the "
		    "processes",
		    e);
	if (options_given("batch-size"))
		return show_line(o, argv, 1,
		    "--multiprocessing-distributed: -b is the batch of one "
		    "device here, not of a node",
		    e);
	return 0;
}
