# The engine of train_imagenet: models, networks, devices.
noinst_LIBRARIES += libtrainer.a
libtrainer_a_SOURCES = \
	%D%/device.h \
	%D%/graph.h \
	%D%/model.h \
	%D%/network.h \
	%D%/rng.c %D%/rng.h \
	%D%/tensor.c %D%/tensor.h
