EXTRA_DIST += %D%/result-schema.json
EXTRA_DIST += %D%/measurement.md
EXTRA_DIST += %D%/performance.md
EXTRA_DIST += %D%/prediction.md
EXTRA_DIST += %D%/published.md
EXTRA_DIST += %D%/trainer.md

# Man pages and bash completions are printed by the programs themselves, from
# their option tables.
man_pages = \
	%D%/extract_logs.1 \
	%D%/plot_results.1 \
	%D%/predict_scaling.1 \
	%D%/report_results.1 \
	%D%/run_sweep.1 \
	%D%/train_imagenet.1
completions = \
	%D%/extract_logs \
	%D%/plot_results \
	%D%/predict_scaling \
	%D%/report_results \
	%D%/run_sweep \
	%D%/train_imagenet
man1_MANS += $(man_pages)
bashcompletion_DATA += $(completions)
CLEANFILES += $(man_pages) $(completions)

AM_V_MAN = $(am__v_MAN_@AM_V@)
am__v_MAN_ = $(am__v_MAN_@AM_DEFAULT_V@)
am__v_MAN_0 = @echo "  MAN     " $@;
am__v_MAN_1 =

$(man_pages): %D%/%.1: %$(EXEEXT)
	$(AM_V_MAN)$(MKDIR_P) %D% && ./$< --help=man >$@.tmp && mv $@.tmp $@
$(completions): %D%/%: %$(EXEEXT)
	$(AM_V_MAN)$(MKDIR_P) %D% && ./$< --help=bash >$@.tmp && mv $@.tmp $@
EXTRA_DIST += %D%/pytorch-cpu_speedup.svg
EXTRA_DIST += %D%/formats.md
EXTRA_DIST += %D%/convergence.md %D%/convergence.csv
EXTRA_DIST += %D%/convergence.gp %D%/convergence.svg
