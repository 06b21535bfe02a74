# report_results: results in, tables out.
noinst_LIBRARIES += libreport.a
libreport_a_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CPPFLAGS)
libreport_a_SOURCES = \
	%D%/case_links.c %D%/case_links.h \
	%D%/cell.c %D%/cell.h \
	%D%/check/check.c %D%/check/check.h \
	%D%/check/check_against.c \
	%D%/check/check_blame.c \
	%D%/check/check_findings.c \
	%D%/check/check_names.c \
	%D%/check/check_operands.c \
	%D%/check/check_parts.h \
	%D%/check/check_speedup.c \
	%D%/check/check_within.c \
	%D%/check/check_write.c \
	%D%/collectives.c \
	%D%/compare.c %D%/compare.h \
	%D%/comparison.c \
	%D%/dlperf_table.c \
	%D%/environment.c %D%/environment.h \
	%D%/gate.c %D%/gate.h \
	%D%/gate_write.c \
	%D%/history/history.h \
	%D%/history/history_file.c %D%/history/history_file.h \
	%D%/history/history_rows.c \
	%D%/history/trend.c %D%/history/trend.h \
	%D%/history_command.c %D%/history_command.h \
	%D%/history_table.c %D%/history_text.h \
	%D%/history_when.c \
	%D%/keys.c %D%/keys.h \
	%D%/law.c \
	%D%/modes.c %D%/modes.h \
	%D%/notes.c %D%/notes.h \
	%D%/page.c %D%/page.h %D%/page_chart.c %D%/page_details.c \
	%D%/page_doubts.c \
	%D%/page_messages.c %D%/page_messages.h \
	%D%/page_parts.h %D%/page_predictions.c \
	%D%/page_sections.c %D%/page_sources.c \
	%D%/page_summary.c %D%/page_text.c \
	%D%/panel.c %D%/panel.h \
	%D%/phases_table.c \
	%D%/pivot.c %D%/pivot.h \
	%D%/report.c %D%/report.h \
	%D%/report_tables.c %D%/report_tables.h \
	%D%/scaling.c \
	%D%/speedup.c \
	%D%/times_table.c

bin_PROGRAMS += report_results
report_results_SOURCES = %D%/main.c
report_results_LDFLAGS = $(AM_LDFLAGS) $(SQLITE_LDFLAGS)
report_results_LDADD = libreport.a libplots.a libcommon.a $(JSON_C_LIBS) \
	$(SQLITE_LIBS) -lm

# The style and the script of its page, found as the charts' templates are.
pagedir = $(pkgdatadir)/page
dist_page_DATA = %D%/page/page.css %D%/page/page.js
noinst_DATA += share/page
CLEANFILES += share/page
share/page:
	$(AM_V_GEN)$(MKDIR_P) share && rm -f $@ && \
	    $(LN_S) $(abs_top_srcdir)/report/page $@
