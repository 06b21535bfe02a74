EXTRA_DIST += %D%/result-schema.json
