# report_results: results in, tables out.
noinst_LIBRARIES += libreport.a
libreport_a_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CPPFLAGS)
libreport_a_SOURCES = \
	%D%/check/check.c %D%/check/check.h \
	%D%/check/check_parts.h \
	%D%/check/check_rules.c
libreport_a_SOURCES += \
	%D%/parts/columns.c %D%/parts/columns.h \
	%D%/parts/panel.c %D%/parts/panel.h
libreport_a_SOURCES += \
	%D%/tables/cases.c \
	%D%/tables/compare.c \
	%D%/tables/environment.c \
	%D%/tables/law.c \
	%D%/tables/phases.c \
	%D%/tables/pivot.c \
	%D%/tables/sessions.c
libreport_a_SOURCES += \
	%D%/history/history.h \
	%D%/history/history_command.c \
	%D%/history/history_file.c \
	%D%/history/trend.c
libreport_a_SOURCES += \
	%D%/page/page.c \
	%D%/page/page_lead.c \
	%D%/page/page_parts.h
libreport_a_SOURCES += \
	%D%/exports.c \
	%D%/gate.c \
	%D%/tables/report.h \
	%D%/reproduce.c

bin_PROGRAMS += report_results
report_results_SOURCES = %D%/main.c
report_results_LDFLAGS = $(AM_LDFLAGS) $(SQLITE_LDFLAGS)
report_results_LDADD = libreport.a libplots.a libtrainer.a libcommon.a $(JSON_C_LIBS) $(PCRE2_LIBS) \
	$(SQLITE_LIBS) -lm

# Published figures for --reproduce, found as the charts' templates are; every
# file is installed, so that another needs no line here.
publisheddir = $(pkgdatadir)/published
dist_published_DATA = $(wildcard $(srcdir)/%D%/published/*.figures)
noinst_DATA += share/published
CLEANFILES += share/published
share/published:
	$(AM_V_GEN)$(MKDIR_P) share && rm -f $@ && \
	    $(LN_S) $(abs_top_srcdir)/report/published $@

# The style and the script of its page, found as the charts' templates are.
pagedir = $(pkgdatadir)/page
dist_page_DATA = %D%/page/page.css %D%/page/page.html \
	%D%/page/page.js
noinst_DATA += share/page
CLEANFILES += share/page
share/page:
	$(AM_V_GEN)$(MKDIR_P) share && rm -f $@ && \
	    $(LN_S) $(abs_top_srcdir)/report/page $@
