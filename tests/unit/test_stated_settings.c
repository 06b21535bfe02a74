/* The settings that the head of a log states, by their kind of place. */
#include <config.h>

#include "extract/log/stated_settings.h"
#include "tests/tap.h"

#include <string.h>

static void
test_places(void)
{
	static const struct {
		const char *head, *text; /* see stated_settings_text */
	} cases[] = {
		{ "", "" },
		{ "+ python train.py --depth 3 --lr=0.2 --amp\n",
		    "amp\tc\ttrue\ndepth\tc\t3\nlr\tc\t0.2\n"
		    "program\tc\ttrain.py\n" },
		{ "+ python train.py \\\n    --depth 3 \\\n    --amp\n",
		    "amp\tc\ttrue\ndepth\tc\t3\nprogram\tc\ttrain.py\n" },
		{ "+ python train.py --depth 3\\\n    --width=4\\\n--amp\n",
		    "amp\tc\ttrue\ndepth\tc\t3\nprogram\tc\ttrain.py\n"
		    "width\tc\t4\n" },
		/* A shell's command is a command line. */
		{ "+ srun -N2 bash -c 'python train.py --depth 3'\n",
		    "depth\tc\t3\nprogram\tc\ttrain.py\n" },
		/* The code of a helper is not a command line. */
		{ "+ srun -N2 python -c 'f(\"--depth 3\")'\n", "" },
		{ "Namespace(depth=3, amp=True, seed=5)\n",
		    "amp\td\ttrue\ndepth\td\t3\n" },
		{ "{'depth': 3, 'lr': 0.2}\n", "depth\td\t3\nlr\td\t0.2\n" },
		{ "config {\"depth\": 3, \"lr\": 0.2}\n",
		    "depth\td\t3\nlr\td\t0.2\n" },
		/* Keys of JSON are quoted. */
		{ "x {depth: 3}\n", "" },
		{ "x {\"depth\": 3\n", "" },
		{ "depth: 3\nlr: 0.2\nwidth: 4\n",
		    "depth\td\t3\nlr\td\t0.2\nwidth\td\t4\n" },
		{ "depth ..... 3\nlr ........ 0.2\n",
		    "depth\td\t3\nlr\td\t0.2\n" },
		{ "NCCL_ALGO=Ring\n", "NCCL_ALGO\te\tRing\n" },
		/* A script alone is a command if an option follows. */
		{ "+ ./train.py -d 3\n", "d\tc\t3\nprogram\tc\ttrain.py\n" },
		{ "+ ./train.py data -d 3\n", "" },
		{ "+ ./train.py\n", "" },
		/* Comments, commas and quotes are not part of a value. */
		{ "depth: 3 # layers\nlr: '0.2',\nwidth: \"4\"\n",
		    "depth\td\t3\nlr\td\t0.2\nwidth\td\t4\n" },
		/* Columns: three blanks, or a tab. */
		{ "depth   3\nlr   0.2\nwidth   4\n",
		    "depth\td\t3\nlr\td\t0.2\nwidth\td\t4\n" },
		{ "depth\t3\nlr\t0.2\nwidth\t4\n",
		    "depth\td\t3\nlr\td\t0.2\nwidth\td\t4\n" },
		{ "depth  3\nlr  0.2\nwidth  4\n", "" },
		/* Keys with more than six values are left out. */
		{ "A_B=1\nA_B=2\nA_B=3\nA_B=4\nA_B=5\nA_B=6\nA_B=6\n",
		    "A_B\te\t1,2,3,4,5,6\n" },
		{ "A_B=1\nA_B=2\nA_B=3\nA_B=4\nA_B=5\nA_B=6\nA_B=7\n", "" },
	};
	struct arena a = ARENA_INIT;

	for (int i = 0; i < N_TESTS(cases); i++) {
		const char *head = cases[i].head;
		const struct stated_settings *all =
		    stated_settings_read(head, strlen(head), INT64_MAX, &a);

		printf("# %s", head);
		CHECK_STR(
		    stated_settings_text(all, INT64_MAX, &a), cases[i].text);
	}
	arena_release(&a);
}

int
main(void)
{
	static const struct tap_test tests[] = {
		TEST(test_places),
	};

	return tap_main(tests, N_TESTS(tests));
}
