EXTRA_DIST += %D%/result-schema.json
EXTRA_DIST += %D%/measurement.md
EXTRA_DIST += %D%/published.md
