/* Description of this machine from /proc, /sys, libraries and programs. Unknown
 * properties are omitted. */
#include <config.h>

#include "trainer/base/machine_info.h"

#include <glob.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/text.h"
#include "trainer/base/shared_library.h"

/* --- programs ------------------------------------------------------------- */

void
shell_word_add(struct strbuf *sb, const char *word)
{
	const size_t plain = strspn(word,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789-_./=:,+@%");

	if (word[0] != '\0' && word[plain] == '\0') {
		strbuf_addstr(sb, word);
		return;
	}
	strbuf_addch(sb, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			strbuf_addstr(sb, "'\\''");
		else
			strbuf_addch(sb, *word);
	}
	strbuf_addch(sb, '\'');
}

int
machine_info_capture(const char *const *argv, struct strbuf *out)
{
	struct strbuf command = STRBUF_INIT(MACHINE_INFO_SIZE);
	char piece[4096];
	size_t got;
	FILE *f;

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
describe_output(const char *key, const char *const *argv, struct strbuf *sb)
{
	struct strbuf out = STRBUF_INIT(MACHINE_INFO_SIZE);

	if (machine_info_capture(argv, &out) == 0 && out.len > 0 &&
	    out.buf[0] != '\n')
		strbuf_printf(sb, "%s: %.*s\n", key,
		    (int)strcspn(out.buf, "\r\n"), out.buf);
	strbuf_release(&out);
}

/* --- files ---------------------------------------------------------------- */

/* Value of the first line of a file that begins with key, without surrounding
 * spaces, colons, equals signs and quotes. Returns 0 and "" if there is
 * none. */
static int PRINTF_LIKE(4, 5)
    find_value(char *out, size_t size, const char *key, const char *fmt, ...)
{
	char path[PATH_MAX], line[8192];
	int found = 0;
	va_list ap;
	FILE *f;

	out[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(path, sizeof path, fmt, ap);
	va_end(ap);
	f = fopen(path, "r");
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
	return found;
}

/* --- the network ---------------------------------------------------------- */

/* Add an Ethernet card: "nic: eth0, mlx5_core, 100 Gbit/s". Skips interfaces
 * without a driver, which are virtual (loopback, bridges, tunnels), except one
 * with a link: a container sees only that. */
static void
describe_ethernet(const char *path, struct strbuf *sb)
{
	char link[PATH_MAX], driver[1024], speed[64], state[64];
	const char *name = basename(path);
	ssize_t len;
	double mbit;

	snprintf(link, sizeof link, "%s/device/driver", path);
	len = readlink(link, driver, sizeof driver - 1);
	driver[len > 0 ? len : 0] = '\0';
	find_value(state, sizeof state, "", "%s/operstate", path);
	find_value(speed, sizeof speed, "", "%s/speed", path);
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

void
machine_info_nics(const char *root, struct strbuf *sb)
{
	char pattern[PATH_MAX];
	glob_t found;

	snprintf(pattern, sizeof pattern, "%s/class/net/*", root);
	(void)glob(pattern, 0, NULL, &found);
	snprintf(
	    pattern, sizeof pattern, "%s/class/infiniband/*/ports/*", root);
	(void)glob(pattern, GLOB_APPEND, NULL, &found);
	/* A port of an InfiniBand or RoCE card, .../mlx5_0/ports/1, is "nic:
	 * mlx5_0:1, 100 Gbit/s (4X EDR)". */
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i], *rest;
		const char *ports = strstr(path, "/ports/"), *card = ports;
		char rate[64];

		if (ports == NULL)
			describe_ethernet(path, sb);
		if (ports == NULL ||
		    !find_value(rate, sizeof rate, "", "%s/rate", path))
			continue;
		while (card[-1] != '/')
			card--;
		rest = strchr(rate, '(');
		strbuf_printf(sb, "nic: %.*s:%s, %g Gbit/s%s%s\n",
		    (int)(ports - card), card, basename(path),
		    strtod(rate, NULL), rest != NULL ? " " : "",
		    rest != NULL ? rest : "");
	}
	globfree(&found);
}

/* --- GPUs ----------------------------------------------------------------- */

/* Add a line per GPU, one for their driver and one for the types of the links
 * between them, if nvidia-smi is installed. */
static void
describe_gpus(struct strbuf *sb)
{
	static const char *const list[] = { "nvidia-smi",
		"--query-gpu=index,name,memory.total,driver_version",
		"--format=csv,noheader", NULL };
	static const char *const topology[] = { "nvidia-smi", "topo", "-m",
		NULL };
	const char *driver = NULL;
	struct strbuf out = STRBUF_INIT(MACHINE_INFO_SIZE),
		      links = STRBUF_INIT(MACHINE_INFO_SIZE);
	char *save, *line, *cells, *word, kind[16];
	size_t n = 0, start;

	if (machine_info_capture(list, &out) == 0)
		for (line = strtok_r(out.buf, "\n", &save); line != NULL;
		     line = strtok_r(NULL, "\n", &save), n++) {
			strbuf_printf(sb, "gpu: %s\n", line);
			driver = strrchr(line, ',');
		}
	if (driver != NULL)
		strbuf_printf(
		    sb, "driver: %s\n", driver + 1 + strspn(driver + 1, " "));
	start = sb->len;
	if (n > 1 && machine_info_capture(topology, &links) != 0)
		strbuf_reset(&links);
	/* One line per GPU with its link to each of n: "GPU0 X NV2 SYS ...". */
	for (line = strtok_r(links.buf, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		word = strncmp(line, "GPU", 3) == 0
		    ? strtok_r(line, "\t ", &cells)
		    : NULL;
		for (size_t i = 0; i < n && word != NULL; i++) {
			word = strtok_r(NULL, "\t ", &cells);
			snprintf(kind, sizeof kind, " %s", word ? word : "X");
			if (strcmp(kind, " X") != 0 &&
			    strstr(sb->buf + start, kind) == NULL)
				strbuf_printf(sb, "%s%s",
				    sb->len > start ? "," : "gpu link:", kind);
		}
	}
	if (sb->len > start)
		strbuf_addch(sb, '\n');
	strbuf_release(&links);
	strbuf_release(&out);
}

/* --- libraries ------------------------------------------------------------ */

/* Add a line per library that is installed. */
static void
describe_libraries(struct strbuf *sb)
{
	/* The function that reports the version stores it, returns it, or
	 * returns oneDNN's struct of three numbers. */
	enum { STORED, RETURNED, STRUCT };
	static const struct {
		const char *name;
		const char *files[4]; /* newest first */
		const char *call;
		int form;
	} known[] = {
		{ "cuda",
		    { "libcudart.so.13", "libcudart.so.12",
			"libcudart.so.11.0" },
		    "cudaRuntimeGetVersion", STORED },
		{ "cudnn", { "libcudnn.so.9", "libcudnn.so.8" },
		    "cudnnGetVersion", RETURNED },
		{ "nccl", { "libnccl.so.2" }, "ncclGetVersion", STORED },
		{ "onednn", { "libdnnl.so.3", "libdnnl.so.2" }, "dnnl_version",
		    STRUCT },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		union {
			int (*store)(int *);
			size_t (*fetch)(void);
			const int *(*three)(void);
		} call;
		const struct shared_library_call wanted = { known[i].call,
			&call };
		const char *const *file = known[i].files;
		int v = 0, major;

		while (*file != NULL &&
		    shared_library_open(*file, &wanted, 1, NULL) != 0)
			file++;
		if (*file == NULL)
			continue;
		if (known[i].form == STRUCT) {
			const int *three = call.three();

			v = three[0] * 10000 + three[1] * 100 + three[2];
		} else if (known[i].form == RETURNED) {
			v = (int)call.fetch();
		} else if (call.store(&v) != 0) {
			continue;
		}
		/* CUDA: 12040 is 12.4. cuDNN: 90501 is 9.5.1 since version 9,
		 * 8902 was 8.9.2 before. NCCL: 22703 is 2.27.3 since version
		 * 2.9, 2708 was 2.7.8 before. */
		major = v >= 10000 ? 10000 : 1000;
		if (v > 0 && i == 0)
			strbuf_printf(
			    sb, "cuda: %d.%d\n", v / 1000, v % 1000 / 10);
		else if (v > 0)
			strbuf_printf(sb, "%s: %d.%d.%d\n", known[i].name,
			    v / major, v % major / 100, v % 100);
	}
}

/* --- the whole description ------------------------------------------------ */

void
machine_info_describe(const char *mpirun, struct strbuf *sb)
{
	const char *const version[] = { mpirun, "--version", NULL };
	const double pages = (double)sysconf(_SC_PHYS_PAGES);
	const double page = (double)sysconf(_SC_PAGESIZE);
	struct utsname u;
	const int is_named = uname(&u) == 0;
	char name[256];
	cpu_set_t set;

	if (is_named && u.nodename[0] != '\0')
		strbuf_printf(sb, "host: %s\n", u.nodename);
	if (find_value(name, sizeof name, "model name", "/proc/cpuinfo"))
		strbuf_printf(sb, "processor: %s\n", name);
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof set, &set) == 0)
		strbuf_printf(sb, "processors: %ld, %d usable\n",
		    sysconf(_SC_NPROCESSORS_ONLN), CPU_COUNT(&set));
	strbuf_printf(sb, "memory: %.1f GiB\n", pages * page / (1 << 30));
	if (is_named)
		strbuf_printf(
		    sb, "kernel: %s %s %s\n", u.sysname, u.release, u.machine);
	if (find_value(name, sizeof name, "PRETTY_NAME", "/etc/os-release"))
		strbuf_printf(sb, "system: %s\n", name);
	machine_info_nics("/sys", sb);
	describe_gpus(sb);
	describe_output("mpi", version, sb);
	describe_libraries(sb);
	strbuf_printf(sb, "dlscale: %s\n", PACKAGE_VERSION);
}

void
machine_info_commit(struct strbuf *sb)
{
	static const char *const argv[] = { "git", "describe", "--always",
		"--dirty", "--abbrev=12", "--exclude=*", NULL };

	describe_output("commit", argv, sb);
}
