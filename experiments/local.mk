# run_experiment, and the experiments that it makes: sweeps, and the published
# values that they are compared with.
bin_PROGRAMS += run_experiment
run_experiment_CPPFLAGS = $(AM_CPPFLAGS) $(DNNL_CPPFLAGS)
run_experiment_SOURCES = %D%/main.c
run_experiment_LDADD = $(LAUNCH_LIBS) libcommon.a $(JSON_C_LIBS) $(PCRE2_LIBS) -lm

EXTRA_DIST += %D%/README.md
experimentsdir = $(pkgdatadir)/experiments
dist_experiments_DATA = \
	%D%/autotune.sweep \
	%D%/backends.sweep \
	%D%/bandwidth.sweep \
	%D%/batch-size.sweep \
	%D%/compression.sweep \
	%D%/data.sweep \
	%D%/dlscale-cpu.sweep \
	%D%/fusion.sweep \
	%D%/hierarchical.sweep \
	%D%/quickstart.sweep \
	%D%/report-000.figures \
	%D%/report-001.figures \
	%D%/report-001.machine \
	%D%/report-002.figures \
	%D%/report-002.machine \
	%D%/report-003.figures \
	%D%/report-003.machine \
	%D%/report-004.figures \
	%D%/report-004.machine \
	%D%/scaling.sweep

# Found as the charts' templates are.
noinst_DATA += share/experiments
CLEANFILES += share/experiments
share/experiments:
	$(AM_V_GEN)$(MKDIR_P) share && rm -f $@ && \
	    $(LN_S) $(abs_top_srcdir)/experiments $@
