/* Description of this machine from /proc, /sys, libraries and programs. Unknown
 * properties are omitted. */
#include <config.h>

#include "common/machine_info.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/text.h"

enum { MAX_NICS = 64 };

/* --- programs ------------------------------------------------------------- */

int
machine_info_capture(const char *const *argv, struct strbuf *out)
{
	struct strbuf command;
	char piece[4096];
	size_t got;
	FILE *f;

	strbuf_init(&command, MACHINE_INFO_SIZE);
	strbuf_addstr(&command, "exec timeout -s KILL 5");
	for (; *argv != NULL; argv++) {
		strbuf_addch(&command, ' ');
		shell_word_add(&command, *argv);
	}
	strbuf_addstr(&command, " </dev/null 2>/dev/null");
	f = popen(command.buf, "re");
	strbuf_release(&command);
	if (f == NULL)
		return -1;
	while ((got = fread(piece, 1, sizeof piece, f)) > 0)
		strbuf_add(out, piece, got);
	return pclose(f) == 0 ? 0 : -1;
}

/* Add the first line that a command prints, if it can be run. */
static void
describe_output(const char *key, const char *const *argv,
    machine_info_capturer *capture, struct strbuf *sb)
{
	struct strbuf out;

	strbuf_init(&out, MACHINE_INFO_SIZE);
	if (capture(argv, &out) == 0 && out.len > 0 && out.buf[0] != '\n')
		strbuf_printf(sb, "%s: %.*s\n", key,
		    (int)strcspn(out.buf, "\r\n"), out.buf);
	strbuf_release(&out);
}

/* --- files ---------------------------------------------------------------- */

/* Value of the first line of a file that begins with key, without surrounding
 * spaces, colons, equals signs and quotes. */
static int
find_value(const char *path, const char *key, char *out, size_t size)
{
	FILE *f = fopen(path, "r");
	char line[8192];
	int found = 0;

	while (f != NULL && !found && fgets(line, sizeof line, f) != NULL) {
		const char *v = line + strlen(key);

		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		v += strspn(v, " \t:=\"");
		snprintf(out, size, "%.*s", (int)strcspn(v, "\"\n"), v);
		found = 1;
	}
	if (f != NULL)
		fclose(f);
	return found ? 0 : -1;
}

/* Vector instructions that affect training speed. */
static void
describe_vectors(struct strbuf *sb)
{
	static const char *const known[] = { "avx2", "fma", "avx512f",
		"avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8", "asimd",
		"sve" };
	char flags[8192], word[32];

	if (find_value("/proc/cpuinfo", "flags", flags, sizeof flags) != 0 &&
	    find_value("/proc/cpuinfo", "Features", flags, sizeof flags) != 0)
		return;
	strbuf_addstr(sb, "vectors:");
	snprintf(flags + strlen(flags), sizeof flags - strlen(flags), " ");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		snprintf(word, sizeof word, " %s ", known[i]);
		if (strstr(flags, word) != NULL)
			strbuf_printf(sb, " %s", known[i]);
	}
	strbuf_addch(sb, '\n');
}

static void
describe_processors(struct strbuf *sb)
{
	char model[256];
	cpu_set_t set;

	if (find_value("/proc/cpuinfo", "model name", model, sizeof model) == 0)
		strbuf_printf(sb, "processor: %s\n", model);
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof set, &set) == 0)
		strbuf_printf(sb, "processors: %ld, %d usable\n",
		    sysconf(_SC_NPROCESSORS_ONLN), CPU_COUNT(&set));
	describe_vectors(sb);
}

static void
describe_system(struct strbuf *sb)
{
	const double pages = (double)sysconf(_SC_PHYS_PAGES);
	const double page = (double)sysconf(_SC_PAGESIZE);
	struct utsname u;
	char name[256];

	strbuf_printf(sb, "memory: %.1f GiB\n", pages * page / (1 << 30));
	if (uname(&u) == 0)
		strbuf_printf(
		    sb, "kernel: %s %s %s\n", u.sysname, u.release, u.machine);
	if (find_value("/etc/os-release", "PRETTY_NAME", name, sizeof name) ==
	    0)
		strbuf_printf(sb, "system: %s\n", name);
}

/* --- the network ---------------------------------------------------------- */

/* List the names in a folder, sorted. The caller frees them. */
static size_t
folder_names(const char *folder, char **names, size_t most)
{
	DIR *d = opendir(folder);
	const struct dirent *x;
	size_t n = 0;

	while (d != NULL && n < most && (x = readdir(d)) != NULL)
		if (x->d_name[0] != '.')
			names[n++] = xstrdup(x->d_name);
	if (d != NULL)
		closedir(d);
	if (n > 1)
		qsort(names, n, sizeof *names, text_order_at);
	return n;
}

/* Add an Ethernet card: "nic: eth0, mlx5_core, 100 Gbit/s". Skips interfaces
 * without a driver, which are virtual (loopback, bridges, tunnels), except one
 * with a link: a container sees only that. */
static void
describe_ethernet(const char *folder, const char *name, struct strbuf *sb)
{
	char path[PATH_MAX], driver[1024], speed[64] = "", state[64] = "";
	ssize_t len;
	double mbit;

	snprintf(path, sizeof path, "%s/%s/device/driver", folder, name);
	len = readlink(path, driver, sizeof driver - 1);
	driver[len > 0 ? len : 0] = '\0';
	snprintf(path, sizeof path, "%s/%s/operstate", folder, name);
	find_value(path, "", state, sizeof state);
	snprintf(path, sizeof path, "%s/%s/speed", folder, name);
	find_value(path, "", speed, sizeof speed);
	mbit = strtod(speed, NULL);
	if (strcmp(name, "lo") == 0 || (len <= 0 && strcmp(state, "up") != 0))
		return;
	strbuf_printf(sb, "nic: %s", name);
	if (len > 0)
		strbuf_printf(sb, ", %s", basename(driver));
	if (mbit > 0)
		strbuf_printf(sb, ", %g Gbit/s", mbit / 1000);
	else if (strcmp(state, "down") == 0)
		strbuf_addstr(sb, ", down");
	strbuf_addch(sb, '\n');
}

/* Add the ports of an InfiniBand or RoCE card: "nic: mlx5_0:1, 100 Gbit/s (4X
 * EDR)". */
static void
describe_infiniband(const char *folder, const char *card, struct strbuf *sb)
{
	char ports[PATH_MAX], path[2 * PATH_MAX], rate[64];
	char *names[MAX_NICS];
	size_t n;

	snprintf(ports, sizeof ports, "%s/%s/ports", folder, card);
	n = folder_names(ports, names, MAX_NICS);
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/%s/rate", ports, names[i]);
		if (find_value(path, "", rate, sizeof rate) == 0) {
			const char *rest = strchr(rate, '(');

			strbuf_printf(sb, "nic: %s:%s, %g Gbit/s%s%s\n", card,
			    names[i], strtod(rate, NULL),
			    rest != NULL ? " " : "", rest != NULL ? rest : "");
		}
		free(names[i]);
	}
}

void
machine_info_nics(const char *root, struct strbuf *sb)
{
	static const char *const folders[] = { "class/net",
		"class/infiniband" };

	for (int k = 0; k < 2; k++) {
		char folder[PATH_MAX], *names[MAX_NICS];
		size_t n;

		snprintf(folder, sizeof folder, "%s/%s", root, folders[k]);
		n = folder_names(folder, names, MAX_NICS);
		for (size_t i = 0; i < n; i++) {
			if (k == 0)
				describe_ethernet(folder, names[i], sb);
			else
				describe_infiniband(folder, names[i], sb);
			free(names[i]);
		}
	}
}

/* --- GPUs ----------------------------------------------------------------- */

/* The text after the third comma is the driver, the same for all. */
static void
describe_driver(const char *line, size_t len, struct strbuf *sb)
{
	const char *at = line;

	for (int i = 0; i < 3; i++) {
		at = memchr(at, ',', len - (size_t)(at - line));
		if (at == NULL)
			return;
		at++;
	}
	at += strspn(at, " ");
	strbuf_printf(sb, "driver: %.*s\n", (int)(line + len - at), at);
}

/* Add a line per GPU, if nvidia-smi is installed. */
static void
describe_gpus(machine_info_capturer *capture, struct strbuf *sb)
{
	static const char *const list[] = { "nvidia-smi",
		"--query-gpu=index,name,memory.total,driver_version",
		"--format=csv,noheader", NULL };
	static const char *const topology[] = { "nvidia-smi", "topo", "-m",
		NULL };
	struct strbuf out;
	size_t n = 0, last = 0;

	strbuf_init(&out, MACHINE_INFO_SIZE);
	if (capture(list, &out) == 0)
		for (const char *p = out.buf; *p != '\0'; n++) {
			const size_t len = strcspn(p, "\n");

			strbuf_printf(sb, "gpu: %.*s\n", (int)len, p);
			last = (size_t)(p - out.buf);
			p += len + (p[len] == '\n');
		}
	if (n > 0)
		describe_driver(
		    out.buf + last, strcspn(out.buf + last, "\n"), sb);
	strbuf_release(&out);
	strbuf_init(&out, MACHINE_INFO_SIZE);
	if (n > 1 && capture(topology, &out) == 0)
		machine_info_gpu_links(out.buf, sb);
	strbuf_release(&out);
}

/* Add a link type unless it is already listed after start. */
static void
add_link(struct strbuf *sb, size_t start, const char *kind, size_t len)
{
	char name[16];

	snprintf(name, sizeof name, " %.*s", (int)len, kind);
	if (sb->len > start && strstr(sb->buf + start, name) != NULL)
		return;
	strbuf_addstr(sb, sb->len > start ? "," : "gpu link:");
	strbuf_addstr(sb, name);
}

void
machine_info_gpu_links(const char *matrix, struct strbuf *sb)
{
	const size_t start = sb->len;
	size_t n_gpus = 0;

	for (const char *p = matrix; (p = strstr(p, "\nGPU")) != NULL; p++)
		n_gpus++;
	for (const char *p = matrix; (p = strstr(p, "\nGPU")) != NULL; p++) {
		const char *at = p + 1 + strcspn(p + 1, "\t \n");

		for (size_t i = 0; i < n_gpus; i++) {
			size_t len;

			at += strspn(at, "\t ");
			len = strcspn(at, "\t \n");
			if (len > 0 && len < 8 && !(len == 1 && *at == 'X'))
				add_link(sb, start, at, len);
			at += len;
		}
	}
	if (sb->len > start)
		strbuf_addch(sb, '\n');
}

/* --- libraries ------------------------------------------------------------ */

/* Library and the function that reports its version: one that stores it, one
 * that returns it, or one that returns oneDNN's struct of three numbers. */
struct library {
	const char *name;
	const char *files[4]; /* newest first */
	const char *call;
	enum { VERSION_STORED, VERSION_RETURNED, VERSION_STRUCT } form;
};

static void
describe_library(const struct library *l, void *call, struct strbuf *sb)
{
	union {
		void *address;
		int (*store)(int *);
		size_t (*fetch)(void);
		const int *(*three)(void);
	} version = { .address = call };
	int v = 0, major;

	if (l->form == VERSION_STRUCT) {
		const int *three = version.three();

		strbuf_printf(sb, "%s: %d.%d.%d\n", l->name, three[0], three[1],
		    three[2]);
		return;
	}
	if (l->form == VERSION_RETURNED)
		v = (int)version.fetch();
	else if (version.store(&v) != 0)
		return;
	if (v <= 0)
		return;
	if (strcmp(l->name, "cuda") == 0) {
		/* CUDA: 12040 is 12.4. */
		strbuf_printf(sb, "cuda: %d.%d\n", v / 1000, v % 1000 / 10);
		return;
	}
	/* cuDNN: 90501 is 9.5.1 since version 9, 8902 was 8.9.2 before. NCCL:
	 * 22703 is 2.27.3 since version 2.9, 2708 was 2.7.8 before. */
	major = v >= 10000 ? 10000 : 1000;
	strbuf_printf(
	    sb, "%s: %d.%d.%d\n", l->name, v / major, v % major / 100, v % 100);
}

static void
describe_libraries(struct strbuf *sb)
{
	static const struct library known[] = {
		{ "cuda",
		    { "libcudart.so.13", "libcudart.so.12",
			"libcudart.so.11.0" },
		    "cudaRuntimeGetVersion", VERSION_STORED },
		{ "cudnn", { "libcudnn.so.9", "libcudnn.so.8" },
		    "cudnnGetVersion", VERSION_RETURNED },
		{ "nccl", { "libnccl.so.2" }, "ncclGetVersion",
		    VERSION_STORED },
		{ "onednn", { "libdnnl.so.3", "libdnnl.so.2" }, "dnnl_version",
		    VERSION_STRUCT },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		void *library = NULL, *call = NULL;

		for (const char *const *file = known[i].files;
		     *file != NULL && library == NULL; file++)
			library = dlopen(*file, RTLD_LAZY | RTLD_LOCAL);
		if (library != NULL)
			call = dlsym(library, known[i].call);
		/* Keep the library loaded: unloading is not safe. */
		if (call != NULL)
			describe_library(&known[i], call, sb);
	}
}

/* --- all ------------------------------------------------------------------ */

void
machine_info_describe(
    const char *mpirun, machine_info_capturer *capture, struct strbuf *sb)
{
	const char *const version[] = { mpirun, "--version", NULL };
	struct utsname u;

	if (uname(&u) == 0 && u.nodename[0] != '\0')
		strbuf_printf(sb, "host: %s\n", u.nodename);
	describe_processors(sb);
	describe_system(sb);
	machine_info_nics("/sys", sb);
	describe_gpus(capture, sb);
	describe_output("mpi", version, capture, sb);
	describe_libraries(sb);
	strbuf_printf(sb, "dlscale: %s\n", PACKAGE_VERSION);
}

void
machine_info_commit(machine_info_capturer *capture, struct strbuf *sb)
{
	static const char *const argv[] = { "git", "describe", "--always",
		"--dirty", "--abbrev=12", "--exclude=*", NULL };

	describe_output("commit", argv, capture, sb);
}

void
machine_info_date(struct strbuf *sb)
{
	const time_t t = time(NULL);
	char stamp[32] = "";
	struct tm tm;

	if (gmtime_r(&t, &tm) != NULL &&
	    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0)
		strbuf_printf(sb, "date: %s\n", stamp);
}
