# plot_results: results in, charts out.
noinst_LIBRARIES += libplots.a
libplots_a_SOURCES = \
	%D%/axis.c %D%/axis.h \
	%D%/canvas.c %D%/canvas.h \
	%D%/chart.c %D%/chart.h \
	%D%/chart_points.c %D%/chart_points.h \
	%D%/chart_series.c %D%/chart_series.h \
	%D%/chart_band.c %D%/chart_band.h \
	%D%/chart_compare.c %D%/chart_compare.h \
	%D%/charts_case.c %D%/charts_case.h \
	%D%/chart_texts.c %D%/chart_texts.h \
	%D%/chart_history.c %D%/chart_history.h \
	%D%/charts_collective.c %D%/charts_collective.h \
	%D%/charts_steps.c %D%/charts_steps.h \
	%D%/composition.c %D%/composition.h \
	%D%/draw.c %D%/draw.h \
	%D%/step_records.c %D%/step_records.h \
	%D%/gnuplot.c %D%/gnuplot.h \
	%D%/legend.c %D%/legend.h \
	%D%/picture_format.c %D%/picture_format.h \
	%D%/picture_style.c %D%/picture_style.h \
	%D%/quote.c %D%/quote.h \
	%D%/script.c %D%/script.h \
	%D%/script_data.c %D%/script_data.h \
	%D%/script_file.c %D%/script_file.h \
	%D%/script_layout.c %D%/script_layout.h \
	%D%/forest.c %D%/forest.h \
	%D%/svg_text.c %D%/svg_text.h \
	%D%/terminal_chart.c %D%/terminal_chart.h

bin_PROGRAMS += plot_results
plot_results_SOURCES = %D%/main.c
plot_results_LDADD = libplots.a libcommon.a $(JSON_C_LIBS) -lm

chartsdir = $(pkgdatadir)/plots
dist_charts_DATA = \
	%D%/templates/bandwidth.gp \
	%D%/templates/bars.gp \
	%D%/templates/batch.gp \
	%D%/templates/collectives.gp \
	%D%/templates/compare.gp \
	%D%/templates/efficiency.gp \
	%D%/templates/accuracy.gp \
	%D%/templates/history.gp \
	%D%/templates/loss-time.gp \
	%D%/templates/loss.gp \
	%D%/templates/phases.gp \
	%D%/templates/spread.gp \
	%D%/templates/steps.gp \
	%D%/templates/speedup.gp \
	%D%/templates/style.gp \
	%D%/templates/throughput.gp

# A build tree finds its templates next to the programs (common/install_path.h).
noinst_DATA += share/plots
CLEANFILES += share/plots
share/plots:
	$(AM_V_GEN)$(MKDIR_P) share && rm -f $@ && \
	    $(LN_S) $(abs_top_srcdir)/plots/templates $@
