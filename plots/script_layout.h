/* The layout of a picture: what was asked, and where everything stands. */
#ifndef PLOTS_SCRIPT_LAYOUT_H
#define PLOTS_SCRIPT_LAYOUT_H

#include <stddef.h>

#include "common/error.h"
#include "plots/charts/chart.h"
#include "plots/forest.h"
#include "plots/style/legend.h"
#include "plots/style/picture_format.h"
#include "plots/style/picture_style.h"

enum { SCRIPT_FONT = 13 }; /* pixels of the font that layouts are of */

/* What is asked of a picture. */
struct script_how {
	const struct picture_format *format;
	int width, height;   /* pixels of 1/96 inch; height 0: as high as titles
	                        and legend make it */
	const char *picture; /* the file's name without folder, or NULL */
	const char *script;  /* the script's own, or NULL */
	const struct palette *palette;
	const struct theme *theme;
	const char *font; /* NULL: sans-serif */
	double scale;     /* of a bitmap's pixels, > 0 */
};

struct script_layout {
	int width, height;  /* pixels */
	char *title, *note; /* broken into lines */
	int title_lines, note_lines;
	int label_lines;        /* of the x axis */
	double top, bottom;     /* of the plot, in shares of the height */
	double title_y, note_y; /* middle of the first line, the same */
	struct legend legend;
	int direct;   /* names stand at the ends of lines, not in the legend */
	double right; /* end of the plot then, in shares of the width */
	int columns, rows; /* of facets; 0: one chart */
	char **facets;     /* [n_facets] their titles, broken into lines */
	size_t n_facets;
	int facet_title;      /* pixels of them */
	struct forest forest; /* of charts with cases down the side */
};

/* A small chart of several, in shares of the picture from its lower left. */
struct facet_box {
	double left, right, top, bottom;
	double title_y; /* middle of its title */
};

/* Characters along the x axis, and labels along the y axis, for chart_how.
 *
 * n_facets  small charts side by side, 0: one chart */
int script_room(const struct script_how *how, size_t n_facets);
/* Small charts that may stand in a picture without being asked for. */
int script_max_facets(const struct script_how *how);
int script_max_ticks(const struct script_how *how);

/* Lay out a picture.
 *
 * l  release it with script_layout_release, whatever is returned
 *
 * Returns 0; -1 with ERROR_USAGE if the size leaves no room for the plot. */
int script_lay_out(const struct chart_data *d, const struct script_how *how,
    struct script_layout *l, struct error *e);
void script_layout_release(struct script_layout *l);

/* Where small chart i of several stands, from the top left on. */
struct facet_box script_facet_box(
    const struct script_how *how, const struct script_layout *l, int i);

/* Has series i an ideal line that no earlier one has? */
int script_has_own_ideal(const struct chart_data *d, size_t i);

/* The last point of a series' line, or NULL. */
const struct chart_point *script_last_point(
    const struct chart_data *d, const struct chart_series *s);

#endif
