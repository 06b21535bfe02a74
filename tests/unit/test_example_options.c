/* The command line that replaces one of PyTorch's ImageNet example, on machines
 * with and without GPUs. */
#include <config.h>

#include "trainer/run/options/options_table.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"

static const char *
line_of(const char *const *words, long nodes, long devices)
{
	static char text[500];
	char *argv[20] = { NULL };
	struct strbuf sb;

	for (int i = 0; words[i] != NULL; i++)
		argv[i] = xstrdup(words[i]);
	strbuf_init(&sb, sizeof text - 1);
	example_options_line(argv, nodes, devices, &sb);
	snprintf(text, sizeof text, "%s", sb.buf);
	strbuf_release(&sb);
	for (int i = 0; argv[i] != NULL; i++)
		free(argv[i]);
	return text;
}

static void
test_devices(void)
{
	static const char *const words[] = { "main.py", "-a", "resnet50",
		"--dist-backend", "nccl", "--multiprocessing-distributed",
		"--world-size", "1", "--rank=0", "--dist-url", "env://", "-b",
		"256", "DIR", NULL };

	CHECK_STR(line_of(words, 1, 8),
	    "mpirun -n 8 train_imagenet --device=cuda -a resnet50 "
	    "--dist-backend nccl --total-batch=256 DIR");
	CHECK_STR(line_of(words, 2, 8),
	    "mpirun -n 16 --hostfile HOSTS train_imagenet --device=cuda -a "
	    "resnet50 --dist-backend nccl --total-batch=512 DIR");
	CHECK_STR(line_of(words, 1, 0),
	    "mpirun -n N train_imagenet -a resnet50 --dist-backend nccl "
	    "--total-batch=256 DIR");
}

/* An explicit device is kept; words with special characters are quoted. */
static void
test_words(void)
{
	static const char *const words[] = { "main.py", "--device=cpu",
		"--multiprocessing_distributed", "-b64", "it's mine", NULL };

	CHECK_STR(line_of(words, 1, 4),
	    "mpirun -n 4 train_imagenet --device=cpu --total-batch=64 "
	    "'it'\\''s mine'");
}

static const struct tap_test tests[] = { TEST(test_devices), TEST(test_words) };

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
