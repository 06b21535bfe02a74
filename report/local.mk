# report_results: results in, tables out.
noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = \
	%D%/cell.c %D%/cell.h \
	%D%/check.c %D%/check.h %D%/check_parts.h \
	%D%/check_against.c %D%/check_within.c %D%/check_write.c \
	%D%/collectives.c \
	%D%/compare.c %D%/compare.h \
	%D%/comparison.c \
	%D%/dlperf_table.c \
	%D%/gate.c %D%/gate.h \
	%D%/gate_write.c \
	%D%/keys.c %D%/keys.h \
	%D%/law.c \
	%D%/notes.c %D%/notes.h \
	%D%/page.c %D%/page.h %D%/page_chart.c %D%/page_details.c \
	%D%/panel.c %D%/panel.h \
	%D%/phases_table.c \
	%D%/pivot.c %D%/pivot.h \
	%D%/predictions.c %D%/predictions.h \
	%D%/report.c %D%/report.h \
	%D%/scaling.c \
	%D%/speedup.c \
	%D%/times_table.c

bin_PROGRAMS += report_results
report_results_SOURCES = %D%/main.c
report_results_LDADD = libreport.a libcommon.a $(JSON_C_LIBS) -lm

# The style and the script of its page, found as the charts' templates are.
pagedir = $(pkgdatadir)/page
dist_page_DATA = %D%/page/page.css %D%/page/page.js
noinst_DATA += share/page
CLEANFILES += share/page
share/page:
	$(AM_V_GEN)$(MKDIR_P) share && rm -f $@ && \
	    $(LN_S) $(abs_top_srcdir)/report/page $@
