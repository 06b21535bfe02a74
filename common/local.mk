noinst_LIBRARIES += libcommon.a
libcommon_a_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_C_CFLAGS) \
	-DPKGDATADIR='"$(pkgdatadir)"'
libcommon_a_SOURCES = \
	%D%/alloc.c %D%/alloc.h \
	%D%/arena.c %D%/arena.h \
	%D%/collectives.c %D%/collectives.h \
	%D%/datadir.c %D%/datadir.h \
	%D%/error.c %D%/error.h \
	%D%/figures.c %D%/figures.h \
	%D%/figures_reader.h %D%/figures_table.c %D%/figures_text.c \
	%D%/json_in.c %D%/json_in.h %D%/json_repeat.c \
	%D%/json_repeat.h %D%/json_out.c %D%/json_out.h \
	%D%/keys.c %D%/keys.h \
	%D%/options.c %D%/options.h %D%/options_help.c \
	%D%/outfile.c %D%/outfile.h \
	%D%/power.c %D%/power.h \
	%D%/ranktest.c %D%/ranktest.h \
	%D%/result.c %D%/result.h %D%/result_fields.c %D%/result_fields.h \
	%D%/result_read.c %D%/result_write.c \
	%D%/seconds.c %D%/seconds.h \
	%D%/series.c %D%/series.h \
	%D%/source.c %D%/source.h \
	%D%/spell.c %D%/spell.h \
	%D%/stats.c %D%/stats.h \
	%D%/strbuf.c %D%/strbuf.h \
	%D%/stream.c %D%/stream.h \
	%D%/table.c %D%/table.h %D%/table_parts.h \
	%D%/table_csv.c %D%/table_html.c %D%/table_latex.c \
	%D%/table_markdown.c %D%/table_text.c \
	%D%/units.c %D%/units.h %D%/units_duration.c \
	%D%/units_format.c %D%/units_stamp.c %D%/units_text.h \
	%D%/utf8.c %D%/utf8.h \
	%D%/words.c %D%/words.h
