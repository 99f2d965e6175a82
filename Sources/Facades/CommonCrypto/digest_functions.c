#include "digest_functions.h"

#include <dlfcn.h>
#include <stdio.h>

#include "libcrypto.h"

const struct digest_information digest_table[DIGEST_COUNT] = {
    [DIGEST_MD4] = {"MD4", 16, 64, 16},       [DIGEST_MD5] = {"MD5", 16, 64, 16},
    [DIGEST_SHA1] = {"SHA1", 20, 64, 16},     [DIGEST_SHA224] = {"SHA224", 28, 64, 16},
    [DIGEST_SHA256] = {"SHA256", 32, 64, 16}, [DIGEST_SHA384] = {"SHA384", 48, 128, 28},
    [DIGEST_SHA512] = {"SHA512", 64, 128, 28},
};

static struct {
    int (*init)(void *);
    int (*update)(void *, const void *, size_t);
    int (*final)(unsigned char *, void *);
} functions[DIGEST_COUNT];

bool digest_functions_load(void *handle) {
    for (int which = 0; which < DIGEST_COUNT; which++) {
        char name[32];
#define FIND(member, suffix)                                                                                           \
    snprintf(name, sizeof name, "%s_" suffix, digest_table[which].name);                                               \
    functions[which].member = (__typeof__(functions[which].member))dlsym(handle, name);                                \
    if (functions[which].member == NULL) {                                                                             \
        return false;                                                                                                  \
    }
        FIND(init, "Init")
        FIND(update, "Update")
        FIND(final, "Final")
    }
    return true;
}

// Marks a context that was set up for this digest. Others hold a state that the library must not be given.
static uint64_t kind_of(enum digest which) { return 0x43436469676573ULL << 8 | (uint64_t)which; }

int digest_init(enum digest which, void *context) {
    if (context == NULL) {
        return 0;
    }
    struct small_state *state = context;
    wipe(state, (1 + digest_table[which].state) * sizeof(uint64_t));
    if (libcrypto() == NULL || functions[which].init(state->state) != 1) {
        return 0;
    }
    state->kind = kind_of(which);
    return 1;
}

int digest_update(enum digest which, void *context, const void *data, size_t length) {
    struct small_state *state = context;
    if (state == NULL || state->kind != kind_of(which) || libcrypto() == NULL) {
        return 0;
    }
    if (length == 0) {
        return 1;
    }
    if (data == NULL) {
        return 0;
    }
    return functions[which].update(state->state, data, length);
}

int digest_final(enum digest which, void *context, unsigned char *md) {
    struct small_state *state = context;
    if (md == NULL) {
        return 0;
    }
    if (state == NULL || state->kind != kind_of(which) || libcrypto() == NULL ||
        functions[which].final(md, state->state) != 1) {
        random_fill(md, digest_table[which].length);
        return 0;
    }
    wipe(state, (1 + digest_table[which].state) * sizeof(uint64_t));
    return 1;
}
