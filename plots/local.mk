# plot_results: results in, charts out.
noinst_LIBRARIES += libplots.a
libplots_a_SOURCES = \
	%D%/style/axis.c %D%/style/axis.h \
	%D%/style/picture_style.c %D%/style/picture_style.h \
	%D%/style/svg.c %D%/style/svg.h
libplots_a_SOURCES += \
	%D%/charts/chart.c %D%/charts/chart.h \
	%D%/charts/chart_case.c \
	%D%/charts/chart_gpus.c \
	%D%/charts/chart_steps.c \
	%D%/charts/chart_texts.c \
	%D%/charts/charts.c
libplots_a_SOURCES += \
	%D%/draw.c %D%/draw.h \
	%D%/script.c \
	%D%/script_layout.c \
	%D%/terminal_chart.c

bin_PROGRAMS += plot_results
plot_results_SOURCES = %D%/main.c
plot_results_LDADD = libplots.a libcommon.a $(JSON_C_LIBS) $(PCRE2_LIBS) -lm

# Every template is installed, so that another chart needs no line here.
templatesdir = $(pkgdatadir)/plots
dist_templates_DATA = $(wildcard $(srcdir)/%D%/templates/*.gp)

# A build tree finds its templates next to the programs
# (common/files/files.h).
noinst_DATA += share/plots
CLEANFILES += share/plots
share/plots:
	$(AM_V_GEN)$(MKDIR_P) share && rm -f $@ && \
	    $(LN_S) $(abs_top_srcdir)/plots/templates $@
