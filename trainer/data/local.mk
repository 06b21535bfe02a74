# Images for train_imagenet; which with make_toy_images alone know libjpeg and libpng.
noinst_LIBRARIES += libdata.a
libdata_a_CPPFLAGS = $(AM_CPPFLAGS) $(JPEG_CPPFLAGS) $(PNG_CPPFLAGS)
libdata_a_CFLAGS = $(AM_CFLAGS) -Wno-psabi -ffp-contract=off
libdata_a_SOURCES = \
	%D%/dataset.c %D%/dataset.h \
	%D%/decode.c %D%/decode.h \
	%D%/resize.c %D%/resize.h
# One source, built for each instruction set.
noinst_LIBRARIES += libresize_plain.a
libresize_plain_a_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRESIZE_KERNELS=resize_kernels_plain -DRESIZE_ISA='"plain"'
libresize_plain_a_CFLAGS = $(AM_CFLAGS) -Wno-psabi -ffp-contract=off
libresize_plain_a_SOURCES = %D%/resize_kernels.c %D%/resize.h
RESIZE_LIBS = libresize_plain.a
if HAVE_X86_FLAGS
noinst_LIBRARIES += libresize_avx2.a libresize_avx512.a
libresize_avx2_a_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRESIZE_KERNELS=resize_kernels_avx2 -DRESIZE_ISA='"AVX2"'
libresize_avx2_a_CFLAGS = $(AM_CFLAGS) -Wno-psabi $(AVX2_FLAGS) -ffp-contract=off
libresize_avx2_a_SOURCES = %D%/resize_kernels.c
libresize_avx512_a_CPPFLAGS = $(AM_CPPFLAGS) \
	-DRESIZE_KERNELS=resize_kernels_avx512 -DRESIZE_ISA='"AVX-512"'
libresize_avx512_a_CFLAGS = $(AM_CFLAGS) -Wno-psabi $(AVX512_FLAGS) -ffp-contract=off
libresize_avx512_a_SOURCES = %D%/resize_kernels.c
RESIZE_LIBS += libresize_avx2.a libresize_avx512.a
endif

# What a program that reads images links with.
DATA_LIBS = libdata.a $(RESIZE_LIBS) $(JPEG_LDFLAGS) $(JPEG_LIBS) \
	$(PNG_LDFLAGS) $(PNG_LIBS) $(TRAINER_LIBS)

# Images to learn, made by formula.
noinst_PROGRAMS += make_toy_images
make_toy_images_SOURCES = trainer/tools/make_toy_images.c \
	trainer/tools/toy.c trainer/tools/toy.h
make_toy_images_CPPFLAGS = $(AM_CPPFLAGS) $(JPEG_CPPFLAGS) $(PNG_CPPFLAGS)
make_toy_images_LDADD = $(DATA_LIBS)
