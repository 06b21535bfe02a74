#include <config.h>

#include "trainer/base/machine_info.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/files.h"
#include "tests/tap.h"

static char folder[] = "/tmp/machine-info-XXXXXX";

static void
make_folders(const char *below)
{
	char *path = xasprintf("%s/%s/", folder, below);

	for (char *p = path + strlen(folder) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0777);
		*p = '/';
	}
	free(path);
}

static void
make_file(const char *below, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s/%s", folder, below, name);

	make_folders(below);
	file_put(path, text);
	free(path);
}

static void
make_driver(const char *below, const char *driver)
{
	char *path = xasprintf("%s/%s/device/driver", folder, below);
	char *target = xasprintf("../../../../bus/pci/drivers/%s", driver);
	char *device = xasprintf("%s/device", below);

	make_folders(device);
	if (symlink(target, path) != 0)
		perror(path);
	free(device);
	free(target);
	free(path);
}

/* Network cards with a driver, with and without a link; virtual interfaces. */
static void
test_nics(void)
{
	struct strbuf sb;

	make_file("class/net/lo", "operstate", "unknown\n");
	make_file("class/net/eth0", "operstate", "up\n");
	make_file("class/net/eth0", "speed", "25000\n");
	make_driver("class/net/eth0", "mlx5_core");
	make_file("class/net/eth1", "operstate", "down\n");
	make_file("class/net/eth1", "speed", "-1\n");
	make_driver("class/net/eth1", "e1000e");
	make_file("class/net/docker0", "operstate", "down\n");
	make_file("class/net/veth", "operstate", "up\n");
	make_file("class/net/veth", "speed", "10000\n");
	make_file(
	    "class/infiniband/mlx5_0/ports/1", "rate", "400 Gb/sec (4X NDR)\n");
	strbuf_init(&sb, MACHINE_INFO_SIZE);
	machine_info_nics(folder, &sb);
	CHECK_STR(sb.buf,
	    "nic: eth0, mlx5_core, 25 Gbit/s\n"
	    "nic: eth1, e1000e, down\n"
	    "nic: veth, 10 Gbit/s\n"
	    "nic: mlx5_0:1, 400 Gbit/s (4X NDR)\n");
	strbuf_release(&sb);
	strbuf_init(&sb, MACHINE_INFO_SIZE);
	machine_info_nics("/nonexistent", &sb);
	CHECK(sb.len == 0);
	strbuf_release(&sb);
}

/* Add a program to a folder that is searched first. */
static void
make_program(const char *name, const char *script)
{
	char *path = xasprintf("%s/bin/%s", folder, name);

	make_file("bin", name, script);
	chmod(path, 0755);
	free(path);
}

/* Three GPUs, and the output of nvidia-smi topo -m on a V100 machine: two kinds
 * of NVLink, and PCIe. */
static void
test_describe(void)
{
	char *path = xasprintf("%s/bin:%s", folder, getenv("PATH"));
	struct strbuf sb;

	make_program("nvidia-smi",
	    "#!/bin/sh\ncase $1 in -*)\n"
	    "echo '0, Tesla V100, 15360 MiB, 450.51'\n"
	    "echo '1, Tesla V100, 15360 MiB, 450.51'\n"
	    "echo '2, Tesla V100, 15360 MiB, 450.51'\n"
	    "exit;; esac\ncat <<'EOF'\n"
	    "\tGPU0\tGPU1\tGPU2\tmlx5_0\tCPU Affinity\n"
	    "GPU0\t X \tNV2\tSYS\tPIX\t0-19\n"
	    "GPU1\tNV2\t X \tNV1\tNODE\t0-19\n"
	    "GPU2\tSYS\tNV1\t X \tPHB\t20-39\n"
	    "mlx5_0\tPIX\tNODE\tPHB\t X\nEOF\n");
	make_program("git", "#!/bin/sh\necho 0123456789ab-dirty\n");
	make_program("mpirun", "#!/bin/sh\nexit 1\n");
	setenv("PATH", path, 1);
	free(path);
	strbuf_init(&sb, MACHINE_INFO_SIZE);
	machine_info_describe("mpirun", &sb);
	machine_info_commit(&sb);
	CHECK(strncmp(sb.buf, "host: ", 6) == 0);
	CHECK(strstr(sb.buf,
		  "gpu: 0, Tesla V100, 15360 MiB, 450.51\n"
		  "gpu: 1, Tesla V100, 15360 MiB, 450.51\n"
		  "gpu: 2, Tesla V100, 15360 MiB, 450.51\n"
		  "driver: 450.51\ngpu link: NV2, SYS, NV1\n") != NULL);
	CHECK(strstr(sb.buf, "\nmpi: ") == NULL);
	CHECK(strstr(sb.buf, "\ndlscale: " PACKAGE_VERSION "\n") != NULL);
	CHECK(strstr(sb.buf, "\ncommit: 0123456789ab-dirty\n") != NULL);
	strbuf_release(&sb);
}

static void
test_capture(void)
{
	static const char *const says[] = { "sh", "-c", "echo a; echo b >&2",
		NULL };
	static const char *const fails[] = { "sh", "-c", "echo a; exit 3",
		NULL };
	static const char *const none[] = { "no-such-program-here", NULL };
	struct strbuf sb;

	strbuf_init(&sb, MACHINE_INFO_SIZE);
	CHECK(machine_info_capture(says, &sb) == 0);
	CHECK_STR(sb.buf, "a\n");
	CHECK(machine_info_capture(fails, &sb) == -1);
	CHECK(machine_info_capture(none, &sb) == -1);
	strbuf_release(&sb);
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	return remove(path);
}

static const struct tap_test tests[] = {
	TEST(test_nics),
	TEST(test_describe),
	TEST(test_capture),
};

int
main(void)
{
	if (mkdtemp(folder) == NULL)
		return 1;
	tap_main(tests, N_TESTS(tests));
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
