/* SVG plots without gnuplot, and texts of SVG files. */
#include <config.h>

#include "plots/style/svg.h"

#include <stdint.h>
#include <string.h>

#include "plots/style/picture_style.h"

double
svg_x(const struct svg_plot *p, double x)
{
	return p->left + axis_share(&p->x, x) * (p->right - p->left);
}

double
svg_y(const struct svg_plot *p, double y)
{
	return p->bottom - axis_share(&p->y, y) * (p->bottom - p->top);
}

void
svg_grid(const struct svg_plot *p)
{
	for (size_t i = 0; i < p->y.n; i++) {
		const struct axis_tick *t = &p->y.ticks[i];
		const double at = svg_y(p, t->at);

		if (t->label[0] != '\0')
			fprintf(p->out,
			    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" "
			    "y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%d\" "
			    "y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			    p->left, p->right, at, at, p->left - 8, at + 6,
			    t->label);
	}
	for (size_t i = 0; i < p->x.n; i++) {
		const struct axis_tick *t = &p->x.ticks[i];
		const double at = svg_x(p, t->at);

		if (t->label[0] != '\0')
			fprintf(p->out,
			    "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" "
			    "y1=\"%d\" y2=\"%d\"/><text x=\"%.1f\" y=\"%d\" "
			    "text-anchor=\"middle\">%s</text>\n",
			    at, at, p->top, p->bottom, at, p->bottom + 21,
			    t->label);
	}
}

void
svg_ideal(const struct svg_plot *p, double x0, double y0, double x1, double y1)
{
	fprintf(p->out, "<path class=\"ideal\" d=\"M%.1f %.1f L%.1f %.1f\"/>\n",
	    svg_x(p, x0), svg_y(p, y0), svg_x(p, x1), svg_y(p, y1));
}

void
svg_add_text(struct strbuf *sb, const char *text)
{
	static const char special[] = "&<>";
	static const char *const names[] = { "&amp;", "&lt;", "&gt;" };

	while (*text != '\0') {
		const char *at = strchr(special, *text);

		if (at != NULL) {
			strbuf_addstr(sb, names[at - special]);
			text++;
		} else {
			text += quote_char(sb, text);
		}
	}
}
