/* The table of operations against the layers of our own networks, which count
 * their multiply-adds themselves: a row that was copied wrongly differs by more
 * than its two decimals. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "extract/measure/model_flop.h"
#include "tests/tap.h"
#include "trainer/graph/graph.h"
#include "trainer/graph/model.h"

static void
test_layers(void)
{
	size_t n, compared = 0;
	const struct model *all = model_list(&n);

	for (size_t i = 0; i < n; i++) {
		struct graph g;
		struct error e = ERROR_INIT;
		double want;
		int side = 0;
		const double flop = model_flop_per_image(all[i].name, &side);

		if (isnan(flop))
			continue;
		CHECK_INT(graph_build(&all[i], 1000, side, &g, &e), 0);
		want = graph_macs(&g) / 1e9;
		/* Two decimals, of which torchvision's table cuts or rounds
		 * the last; it also counts what is no multiply-add. */
		if (!(fabs(flop / 6e9 - want) <= 0.012))
			printf("# %s: table %.4g, layers %.6g\n", all[i].name,
			    flop / 6e9, want);
		CHECK(fabs(flop / 6e9 - want) <= 0.012);
		compared++;
		graph_release(&g);
	}
	CHECK(compared >= 8);
	printf("# %zu networks\n", compared);
}

/* Names of one network have one number. */
static void
test_aliases(void)
{
	static const char *const names[][2] = { { "r18", "resnet18" },
		{ "rn18", "resnet18" }, { "r34", "resnet34" },
		{ "r50", "resnet50" }, { "rn50", "resnet50" },
		{ "rn50_v1.5", "resnet50" }, { "r101", "resnet101" },
		{ "r152", "resnet152" }, { "ResNet-50 v1.5", "resnet50" } };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		int a, b;

		CHECK_NEAR(model_flop_per_image(names[i][0], &a),
		    model_flop_per_image(names[i][1], &b), 0);
	}
}

static const struct tap_test tests[] = {
	TEST(test_layers),
	TEST(test_aliases),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
