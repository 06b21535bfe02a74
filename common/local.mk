noinst_LIBRARIES += libcommon.a
libcommon_a_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_C_CFLAGS) $(PCRE2_CFLAGS) $(XXHASH_CFLAGS) \
	-DPKGDATADIR='"$(pkgdatadir)"'
libcommon_a_SOURCES = \
	%D%/alloc.c %D%/alloc.h \
	%D%/defaults.h \
	%D%/error.c %D%/error.h \
	%D%/terminal.c %D%/terminal.h \
	%D%/hash_index.c %D%/hash_index.h \
	%D%/process.c %D%/process.h \
	%D%/sha256.c %D%/sha256.h \
	%D%/text.c %D%/text.h
libcommon_a_SOURCES += \
	%D%/files/files.c %D%/files/files.h
libcommon_a_SOURCES += \
	%D%/program/confine.c %D%/program/confine.h \
	%D%/program/options.c %D%/program/options.h
libcommon_a_SOURCES += \
	%D%/json/json.c %D%/json/json.h
libcommon_a_SOURCES += \
	%D%/units/time.c \
	%D%/units/units.c %D%/units/units.h
libcommon_a_SOURCES += \
	%D%/stats/change_points.c %D%/stats/change_points.h \
	%D%/stats/rank_test.c %D%/stats/rank_test.h \
	%D%/stats/stats.c %D%/stats/stats.h
libcommon_a_SOURCES += \
	%D%/table/table.c %D%/table/table.h \
	%D%/table/table_text.c
libcommon_a_SOURCES += \
	%D%/result/case_text.c %D%/result/case_text.h \
	%D%/result/record_fields.c %D%/result/record_fields.h \
	%D%/result/result.c %D%/result/result.h \
	%D%/result/work_rate.c %D%/result/work_rate.h
libcommon_a_SOURCES += \
	%D%/published/published.c %D%/published/published.h \
	%D%/published/published_head.c \
	%D%/published/published_parts.h \
	%D%/published/published_table.c
libcommon_a_SOURCES += \
	%D%/texts/message_template.h %D%/texts/remark_template.h \
	%D%/texts/remark.c %D%/texts/remark.h
libcommon_a_SOURCES += \
	%D%/series/reference_values.c \
	%D%/series/result_comparison.c %D%/series/result_comparison.h \
	%D%/series/result_set.c %D%/series/result_set.h \
	%D%/series/run_rows.c \
	%D%/series/runs_table.c %D%/series/runs_table.h \
	%D%/series/series.c %D%/series/series.h

# Declarations of other programs' tables of runs, found as the charts' templates
# are; every one is installed, so that another needs no line here.
tablesdir = $(pkgdatadir)/tables
dist_tables_DATA = $(wildcard $(srcdir)/%D%/tables/*.table)
noinst_DATA += share/tables
CLEANFILES += share/tables
share/tables:
	$(AM_V_GEN)$(MKDIR_P) share && rm -f $@ && \
	    $(LN_S) $(abs_top_srcdir)/common/tables $@
