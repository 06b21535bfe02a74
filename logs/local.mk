EXTRA_DIST += %D%/README.md %D%/pytorch-cpu %D%/dlscale-cpu %D%/dlscale-links \
	%D%/dlscale-toy %D%/backends %D%/bandwidth %D%/scaling \
	%D%/fusion %D%/h200
