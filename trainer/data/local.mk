# Pictures for train_imagenet; the only part that knows libjpeg and libpng.
noinst_LIBRARIES += libdata.a
libdata_a_CPPFLAGS = $(AM_CPPFLAGS) $(JPEG_CPPFLAGS) $(PNG_CPPFLAGS)
libdata_a_SOURCES = \
	%D%/data.h \
	%D%/dataset.h \
	%D%/loader.h \
	%D%/sampler.c %D%/sampler.h

# What a program that reads pictures links with.
DATA_LIBS = libdata.a $(JPEG_LDFLAGS) $(JPEG_LIBS) $(PNG_LDFLAGS) $(PNG_LIBS) \
	$(TRAINER_LIBS)
