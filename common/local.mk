noinst_LIBRARIES += libcommon.a
libcommon_a_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_C_CFLAGS)
libcommon_a_SOURCES = \
	%D%/alloc.c %D%/alloc.h \
	%D%/arena.c %D%/arena.h \
	%D%/error.c %D%/error.h \
	%D%/options.c %D%/options.h %D%/options_help.c \
	%D%/outfile.c %D%/outfile.h \
	%D%/ranktest.h \
	%D%/stats.h \
	%D%/strbuf.c %D%/strbuf.h
