/* Lines of machine.txt from /proc, /sys and the programs that know. runner.c
 * writes them next to the logs. */
#include <config.h>

#include "trainer/launch/machine_info.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#ifdef HAVE_DNNL
#include <oneapi/dnnl/dnnl.h>
#endif

#include "common/alloc.h"
#include "common/outfile.h"
#include "trainer/launch/job.h"

enum { MAX_MACHINES = 99, MAX_TEXT = 1 << 16 };

/* The value after the first line of a file that begins with key; spaces,
 * colons, equals signs and quotes around it are not part of it. */
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

/* The vector instructions that decide how fast training is. */
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

/* The first line that a command prints, if it can be run. */
static void
describe_output(const char *key, const char *const *argv, struct strbuf *sb)
{
	struct strbuf out;

	strbuf_init(&out, MAX_TEXT);
	if (job_capture(argv, &out) == 0 && out.len > 0)
		strbuf_printf(sb, "%s: %.*s\n", key,
		    (int)strcspn(out.buf, "\n"), out.buf);
	strbuf_release(&out);
}

/* One line a GPU, if the driver's tool is there. */
static void
describe_gpus(struct strbuf *sb)
{
	static const char *const argv[] = { "nvidia-smi",
		"--query-gpu=index,name,memory.total,driver_version",
		"--format=csv,noheader", NULL };
	struct strbuf out;

	strbuf_init(&out, MAX_TEXT);
	if (job_capture(argv, &out) == 0) {
		for (const char *p = out.buf; *p != '\0';) {
			const size_t len = strcspn(p, "\n");

			strbuf_printf(sb, "gpu: %.*s\n", (int)len, p);
			p += len + (p[len] == '\n');
		}
	}
	strbuf_release(&out);
}

void
machine_info_describe(const char *mpirun, struct strbuf *sb)
{
	const char *const version[] = { mpirun, "--version", NULL };

	describe_processors(sb);
	describe_system(sb);
	describe_gpus(sb);
	describe_output("mpi", version, sb);
#ifdef HAVE_DNNL
	{
		const dnnl_version_t *v = dnnl_version();

		strbuf_printf(
		    sb, "onednn: %d.%d.%d\n", v->major, v->minor, v->patch);
	}
#endif
	strbuf_printf(sb, "dlscale: %s\n", PACKAGE_VERSION);
}

/* --- The file ------------------------------------------------------------- */

/* Does the file begin with text?  Returns 1, 0, or -1 if it is not there. */
static int
file_begins(const char *path, const char *text)
{
	const size_t len = strlen(text);
	FILE *f = fopen(path, "r");
	char *buf;
	size_t n;

	if (f == NULL)
		return -1;
	buf = xmalloc(len + 1);
	n = fread(buf, 1, len, f);
	fclose(f);
	n = n == len && memcmp(buf, text, len) == 0;
	free(buf);
	return (int)n;
}

static int
write_file(
    const char *path, const char *text, const char *command, struct error *e)
{
	const time_t t = time(NULL);
	char stamp[32] = "";
	struct outfile o;
	struct tm tm;

	if (gmtime_r(&t, &tm) != NULL)
		strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (outfile_open(&o, path, e) != 0)
		return -1;
	fprintf(o.f, "%sstarted: %s\ncommand: %s\n", text, stamp, command);
	return outfile_commit(&o, e);
}

int
machine_info_record(const char *folder, const char *text, const char *command,
    char **note, struct error *e)
{
	char *path = xasprintf("%s/machine.txt", folder);
	int i = 1, same = file_begins(path, text), rc = 0;

	while (same == 0 && i < MAX_MACHINES) {
		free(path);
		path = xasprintf("%s/machine.%d.txt", folder, ++i);
		same = file_begins(path, text);
	}
	*note = NULL;
	if (same < 0)
		rc = write_file(path, text, command, e);
	if (rc == 0 && i > 1)
		*note = xasprintf("not the machine of %s/machine.txt, but that "
				  "of %s",
		    folder, path);
	free(path);
	return rc;
}
