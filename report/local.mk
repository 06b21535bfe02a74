# report_results: results in, tables out.
noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = \
	%D%/cell.c %D%/cell.h \
	%D%/collectives.c \
	%D%/comparison.c \
	%D%/keys.c %D%/keys.h \
	%D%/notes.c %D%/notes.h \
	%D%/panel.c %D%/panel.h \
	%D%/report.c %D%/report.h \
	%D%/scaling.c \
	%D%/speedup.c

bin_PROGRAMS += report_results
report_results_SOURCES = %D%/main.c
report_results_LDADD = libreport.a libcommon.a $(JSON_C_LIBS) -lm
