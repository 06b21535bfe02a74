# What make install brings to read, and what only the sources need.
dist_doc_DATA = README.md NEWS.md
dist_docpages_DATA = \
	%D%/convergence.md %D%/convergence.svg \
	%D%/h200_batch.svg \
	%D%/exchange.md %D%/experiments.md \
	%D%/formats.md %D%/gallery.md \
	%D%/measurement.md \
	%D%/performance.md \
	%D%/prediction.md \
	%D%/gates.md \
	%D%/check.md \
	%D%/history.md \
	%D%/page.png \
	%D%/programs.md %D%/published.md %D%/robustness.md \
	%D%/resnet50-v100.figures %D%/resnet50-v100_efficiency.svg \
	%D%/prediction-schema.json \
	%D%/result-schema.json %D%/tables-schema.json \
	%D%/trainer.md
docpagesdir = $(docdir)/doc
dist_gallery_DATA = $(wildcard $(srcdir)/%D%/gallery/*.svg \
	$(srcdir)/%D%/gallery/*.png)
gallerydir = $(docpagesdir)/gallery

# The page of all charts and its pictures, drawn again.
.PHONY: gallery
gallery: $(bin_PROGRAMS) share/plots
	$(srcdir)/build-aux/gallery . $(srcdir) $(srcdir)/%D%

# Situations that figures meet, each in all sizes and formats, to be looked at.
.PHONY: gallery-all
gallery-all: $(bin_PROGRAMS) share/plots
	python3 $(srcdir)/build-aux/gallery-all . $(srcdir) gallery-all

# The pictures of pages in README.md and doc/; needs Chromium and Selenium.
.PHONY: page-picture
page-picture: $(bin_PROGRAMS) share/page
	$(srcdir)/build-aux/page_picture . $(srcdir) $(srcdir)/%D%

EXTRA_DIST += %D%/convergence.csv %D%/convergence.gp

# The language of log formats is a manual page as well.
man5_MANS = %D%/dlscale-formats.5
EXTRA_DIST += %D%/man.awk
CLEANFILES += $(man5_MANS)
%D%/dlscale-formats.5: %D%/formats.md %D%/man.awk
	$(AM_V_MAN)$(MKDIR_P) %D% && $(AWK) -f $(srcdir)/%D%/man.awk \
	    -v name=dlscale-formats -v section=5 \
	    -v what='log formats and path layouts of dlscale' \
	    -v version='dlscale $(VERSION)' $(srcdir)/%D%/formats.md >$@.tmp && \
	    mv $@.tmp $@

# Man pages and bash completions are printed by the programs themselves, from
# their option tables.
man_pages = \
	%D%/extract_logs.1 \
	%D%/plot_results.1 \
	%D%/predict_scaling.1 \
	%D%/report_results.1 \
	%D%/run_experiment.1 \
	%D%/run_on_nodes.1 \
	%D%/run_sweep.1 \
	%D%/train_imagenet.1
completions = \
	%D%/extract_logs \
	%D%/plot_results \
	%D%/predict_scaling \
	%D%/report_results \
	%D%/run_experiment \
	%D%/run_on_nodes \
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
