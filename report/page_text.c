/* Texts of logs and files in the page.  All its parts call it. */
#include <config.h>

#include "report/page_parts.h"

void
page_text(FILE *f, const char *text)
{
	table_html_text(f, text != NULL ? text : "unknown");
}
