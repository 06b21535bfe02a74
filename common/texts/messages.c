#include <config.h>

#include "common/texts/messages.h"

#include <assert.h>
#include <string.h>

#include "common/strbuf.h"

const char *const language_names[] = { "en", "zh", NULL };

static const char *const texts[N_MESSAGES][N_LANGUAGES] = {
#define ROW(code, en, zh) [code] = { en, zh },
#include "common/texts/message_template.h"
#undef ROW
};

enum language
language_find(const char *name)
{
	for (int i = 0; i < N_LANGUAGES; i++)
		if (strcmp(language_names[i], name) == 0)
			return (enum language)i;
	return LANGUAGE_EN;
}

const char *
message_label(const char *key, enum language lang)
{
	static const struct {
		const char *key;
		enum message m;
	} known[] = { { "backend", MESSAGE_BACKEND },
		{ "device", MESSAGE_DEVICE }, { "link", MESSAGE_LINK },
		{ "fusion", MESSAGE_FUSION },
		{ "compression", MESSAGE_COMPRESSION } };

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(known[i].key, key) == 0)
			return message(known[i].m, lang);
	return key;
}

void
message_fill(struct strbuf *sb, enum message w, enum language lang,
    const char *const *list)
{
	for (const char *p = message(w, lang); *p != '\0'; p++) {
		if (*p == '@' && *list != NULL)
			strbuf_addstr(sb, *list++);
		else
			strbuf_addch(sb, *p);
	}
}

const char *
message(enum message w, enum language lang)
{
	assert((int)w >= 0 && w < N_MESSAGES && (int)lang >= 0 &&
	    lang < N_LANGUAGES);
	assert(texts[w][lang] != NULL);
	return texts[w][lang];
}
