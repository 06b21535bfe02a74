/* The legend keeps all names whole, whatever their length and number. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "plots/draw.h"
#include "plots/style/picture_style.h"
#include "tests/tap.h"

static struct script l;

/* Lay out n entries with names of len characters that begin with a number. */
static void
lay_out(int n, int len, const char *filling, int width)
{
	chart_release(&l.d);
	l.how = (struct script_how){
		.width = width, .zoom = 1, .bare = 1, .place = PLACE_BELOW
	};
	l.d.chart = chart_find("bars");
	l.d.y_title = "";
	for (int i = 0; i < n; i++) {
		char name[256];

		snprintf(name, sizeof name, "%02d", i);
		for (int k = 2; k < len; k++)
			name[k] = filling[k % (int)strlen(filling)];
		name[len] = '\0';
		chart_series_add(&l.d, arena_strdup(&l.d.arena, name), 0);
	}
	script_lay_out(&l);
}

/* Count the characters of a name in all lines, and in its longest line. */
static void
measure_name(const char *name, int *characters, int *longest)
{
	int line = 0;

	*characters = *longest = 0;
	for (; *name != '\0'; name++) {
		line = *name == '\n' ? 0 : line + 1;
		*characters += *name != '\n';
		*longest = line > *longest ? line : *longest;
	}
}

static void
test_nothing_is_clipped(void)
{
	static const int counts[] = { 2, 3, 12, 24, 49 };
	static const int lengths[] = { 4, 24, 110, 250 };
	static const char *const fillings[] = { "abcd efg, ", "x" };
	static const int widths[] = { 200, 325, 800, 1600 };

	for (int c = 0; c < 5; c++)
		for (int k = 0; k < 4; k++)
			for (int f = 0; f < 2; f++)
				for (int w = 0; w < 4; w++) {
					int all, longest;

					lay_out(counts[c], lengths[k],
					    fillings[f], widths[w]);
					CHECK_INT(l.n_entries, counts[c]);
					/* 6.5 pixels a letter of "abcd efg, ",
					 * 38 the sample */
					measure_name(
					    l.entries[0].name, &all, &longest);
					CHECK(longest * 13 / 2 + 38 <=
					    l.column_width);
					CHECK(l.legend_columns >= 1);
					CHECK(l.legend_columns == 1 ||
					    l.legend_columns * l.column_width <=
						widths[w]);
					CHECK(longest <= lengths[k]);
					/* A blank at a line's end may go. */
					CHECK(f == 0 || all == lengths[k]);
					CHECK(l.legend_height >=
					    20 * counts[c] / l.legend_columns);
				}
	chart_release(&l.d);
}

/* Names of one line use as many columns as fit. */
static void
test_columns(void)
{
	lay_out(4, 10, "x", 800);
	CHECK_INT(l.legend_columns, 4);
	CHECK_INT(l.column_width, 38 + 80 + 14);
	CHECK_INT(l.legend_height, 20 + 8);
	lay_out(4, 10, "x", 4 * 132 - 14 + 20);
	CHECK_INT(l.legend_columns, 4);
	lay_out(4, 10, "x", 4 * 132 - 14 + 19);
	CHECK_INT(l.legend_columns, 3);
	CHECK_INT(l.legend_height, 2 * 20 + 8);
	chart_release(&l.d);
}

/* CHART_MAX_SERIES series have different styles. */
static void
test_styles_differ(void)
{
	for (const struct palette *p = palettes; p->name != NULL; p++)
		for (int i = 0; i < CHART_MAX_SERIES; i++)
			for (int k = 0; k < i; k++) {
				struct series_style a = series_style_of(
				    p, themes, i, CHART_MAX_SERIES, i, -1);
				struct series_style b = series_style_of(
				    p, themes, k, CHART_MAX_SERIES, k, -1);

				CHECK(strcmp(a.colour, b.colour) != 0 ||
				    a.mark != b.mark || a.dash != b.dash);
			}
}

/* Shades of boxes, which have only colours, differ for up to 28 series. */
static void
test_shades_differ(void)
{
	enum { N = 28 };
	char shades[N][SERIES_SHADE_SIZE];

	for (const struct theme *t = themes; t->name != NULL; t++)
		for (int i = 0; i < N; i++) {
			const struct series_style s =
			    series_style_of(palettes, t, i, N, i, -1);

			series_shade(s.colour, t, i / palettes->n, shades[i]);
			CHECK_INT(strlen(shades[i]), 7);
			for (int k = 0; k < i; k++)
				CHECK(strcmp(shades[i], shades[k]) != 0);
		}
}

static void
test_themes(void)
{
	const struct theme *light = theme_find(NULL),
			   *dark = theme_find("dark");
	const struct palette *viridis = palette_find("viridis");

	CHECK_STR(light->name, "light");
	CHECK_STR(palette_find(NULL)->name, "okabe-ito");
	/* Two series get the ends of an ordered palette that suit the theme. */
	CHECK_STR(
	    series_style_of(viridis, light, 0, 2, 0, -1).colour, "#440154");
	CHECK_STR(
	    series_style_of(viridis, light, 1, 2, 0, -1).colour, "#35B779");
	CHECK_STR(
	    series_style_of(viridis, dark, 0, 2, 0, -1).colour, "#FDE725");
	CHECK_STR(
	    series_style_of(viridis, dark, 1, 2, 0, -1).colour, "#1F9E89");
	CHECK_STR(
	    series_style_of(&palettes[0], dark, 6, 7, 0, -1).colour, "#f4f4f4");
	CHECK_STR(series_style_of(&palettes[0], light, 6, 7, 0, -1).colour,
	    "#000000");
	/* The eighth series repeats a colour with another dash. */
	CHECK_INT(series_style_of(&palettes[0], light, 6, 8, 0, -1).dash, 1);
	CHECK_INT(series_style_of(&palettes[0], light, 7, 8, 0, -1).dash, 2);
}

static const struct tap_test tests[] = { TEST(test_nothing_is_clipped),
	TEST(test_columns), TEST(test_styles_differ), TEST(test_shades_differ),
	TEST(test_themes) };

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof *tests);
}
