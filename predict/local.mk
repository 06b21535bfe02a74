# predict_scaling: results in, speeds of cases that were never run out.
noinst_LIBRARIES += libpredict.a
libpredict_a_SOURCES = \
	%D%/constants.h %D%/models.c %D%/models.h \
	%D%/forecast.c %D%/forecast.h %D%/scaling_series.c \
	%D%/answers.c %D%/chart_svg.c %D%/outputs.c

bin_PROGRAMS += predict_scaling
predict_scaling_SOURCES = %D%/main.c
predict_scaling_LDADD = libpredict.a libreport.a libplots.a libcommon.a $(JSON_C_LIBS) \
	$(PCRE2_LIBS) -lm

# What the constants are worth on published series: a change of one of them is
# to be seen here first.
EXTRA_DIST += tests/predict_validate.py \
	%D%/published.figures %D%/chosen.figures %D%/kept.figures
validate = python3 $(srcdir)/tests/predict_validate.py .
.PHONY: predict-validate
predict-validate: predict_scaling$(EXEEXT) report_results$(EXEEXT)
	$(validate) $(srcdir)/%D%/published.figures
	$(validate) --coverage $(srcdir)/%D%/published.figures \
	    $(srcdir)/%D%/chosen.figures
	$(validate) --coverage $(srcdir)/%D%/kept.figures
	$(validate) --coverage $(srcdir)/%D%/published.figures \
	    $(srcdir)/%D%/chosen.figures $(srcdir)/%D%/kept.figures
