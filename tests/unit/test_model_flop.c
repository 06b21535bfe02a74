/* Compare the table of operations with the layers of the trainer's networks,
 * which count their own multiply-adds: a row that is copied wrongly differs by
 * more than its two decimals. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "extract/measure/measure_run.h"
#include "tests/tap.h"
#include "trainer/graph/graph.h"

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
		/* torchvision's table cuts or rounds to two decimals, and also
		 * counts other operations than multiply-adds. */
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

/* Aliases of a network have the same number of operations. */
static void
test_aliases(void)
{
	static const char *const names[][2] = { { "r18", "resnet18" },
		{ "rn18", "resnet18" }, { "r34", "resnet34" },
		{ "r50", "resnet50" }, { "rn50", "resnet50" },
		{ "rn50_v1.5", "resnet50" }, { "r101", "resnet101" },
		{ "r152", "resnet152" }, { "ResNet-50 v1.5", "resnet50" },
		{ "rn50_v1.5", "ResNet-50 v1.5" },
		{ "swin_tiny_patch4_window7_224", "swin_t" },
		{ "swin_small_patch4_window7_224", "swin_s" },
		{ "swin_base_patch4_window7_224", "swin_b" },
		{ "vit_base_patch16_224", "vit_b_16" },
		{ "vit_base_patch32_224", "vit_b_32" },
		{ "vit_large_patch16_224", "vit_l_16" } };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		int a, b;

		CHECK_NEAR(model_flop_per_image(names[i][0], &a),
		    model_flop_per_image(names[i][1], &b), 0);
		CHECK_INT(a, b);
	}
}

/* Image sides from torchvision's table of weights, for networks that are
 * trained on 224 pixels or another side. */
static void
test_sides(void)
{
	static const struct {
		const char *name;
		int side;
	} cases[] = { { "alexnet", 224 }, { "convnext_tiny", 224 },
		{ "convnext_small", 224 }, { "convnext_base", 224 },
		{ "densenet121", 224 }, { "densenet161", 224 },
		{ "densenet169", 224 }, { "densenet201", 224 },
		{ "efficientnet_b0", 224 }, { "efficientnet_b4", 380 },
		{ "efficientnet_b7", 600 }, { "googlenet", 224 },
		{ "inception_v3", 299 }, { "mobilenet_v2", 224 },
		{ "resnet18", 224 }, { "resnet34", 224 }, { "resnet50", 224 },
		{ "resnet101", 224 }, { "resnet152", 224 },
		{ "resnext50_32x4d", 224 }, { "resnext101_32x8d", 224 },
		{ "swin_t", 224 }, { "swin_s", 224 }, { "swin_b", 224 },
		{ "vgg11", 224 }, { "vgg13", 224 }, { "vgg16", 224 },
		{ "vgg19", 224 }, { "vit_b_16", 224 }, { "vit_b_32", 224 },
		{ "vit_l_16", 224 }, { "wide_resnet50_2", 224 },
		{ "wide_resnet101_2", 224 } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int side = 0;

		CHECK(model_flop_per_image(cases[i].name, &side) > 0);
		if (side != cases[i].side)
			printf("# %s\n", cases[i].name);
		CHECK_INT(side, cases[i].side);
	}
}

static const struct tap_test tests[] = {
	TEST(test_layers),
	TEST(test_aliases),
	TEST(test_sides),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
