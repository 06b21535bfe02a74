# predict_scaling: results in, speeds of cases that were never run out.
noinst_LIBRARIES += libpredict.a
libpredict_a_SOURCES = \
	%D%/bucket_step.c %D%/bucket_step.h \
	%D%/constants.c %D%/constants.h \
	%D%/diagnosis.c %D%/diagnosis.h \
	%D%/doubling.c %D%/doubling.h \
	%D%/forecast.c %D%/forecast.h \
	%D%/forecast_case.c %D%/forecast_doubling.c \
	%D%/forecast_link.c %D%/forecast_transfer.c \
	%D%/forecast_parts.h \
	%D%/forecast_set.c %D%/forecast_set.h \
	%D%/growth.c %D%/growth.h \
	%D%/laws.c %D%/laws.h \
	%D%/link.c %D%/link.h \
	%D%/mixture.c %D%/mixture.h \
	%D%/network.c %D%/network.h \
	%D%/refusal.c %D%/refusal.h \
	%D%/scaling_row.c %D%/scaling_row.h \
	%D%/scaling_series.c %D%/scaling_series.h \
	%D%/step_law.c %D%/step_law.h \
	%D%/transfer.c %D%/transfer.h \
	%D%/until.c %D%/until.h \
	%D%/what_if.c %D%/what_if.h
libpredict_a_SOURCES += \
	%D%/answers.c %D%/answers.h \
	%D%/chart_svg.c %D%/chart_svg.h \
	%D%/show_json.c %D%/show_table.c %D%/show.h \
	%D%/show_number.c %D%/show_number.h

bin_PROGRAMS += predict_scaling
predict_scaling_SOURCES = %D%/main.c
predict_scaling_LDADD = libpredict.a libcommon.a $(JSON_C_LIBS) -lm

# What the constants are worth on published series: a change of one of them is
# to be seen here first.
check_PROGRAMS += predict_validate
predict_validate_SOURCES = %D%/validate.c
predict_validate_LDADD = libpredict.a libcommon.a $(JSON_C_LIBS) -lm
EXTRA_DIST += %D%/published.figures
.PHONY: predict-validate
predict-validate: predict_validate$(EXEEXT)
	./predict_validate$(EXEEXT) $(srcdir)/%D%/published.figures
