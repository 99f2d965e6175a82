#include "csecretservice.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// As libsecret-1 and GLib 2 declare them; both keep them for ever.
struct g_list { void *data; struct g_list *next; struct g_list *previous; };
struct g_error { uint32_t domain; int code; char *message; };
enum { OPEN_SESSION = 1 << 1, LOAD_COLLECTIONS = 1 << 2 };
enum { SEARCH_ALL = 1 << 1, SEARCH_UNLOCK = 1 << 2, SEARCH_LOAD_SECRETS = 1 << 3 };

static const struct csecretservice_listener *current;

static void tell(void *name, void *value, void *unused) {
    (void)unused;
    current->attribute(current->context, name, value);
}

#define FUNCTION(result, name, ...) \
    result (*name)(__VA_ARGS__) = (result (*)(__VA_ARGS__))dlsym(library, #name); \
    if (name == NULL) { snprintf(error, size, "libsecret has no %s", #name); return 1; }

int csecretservice_list(const struct csecretservice_listener *listener, char *error, size_t size) {
    // What it depends on, GLib among it, is found through the same handle.
    void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(error, size, "libsecret is not installed");
        return 1;
    }
    FUNCTION(void *, secret_service_get_sync, int, void *, struct g_error **)
    FUNCTION(struct g_list *, secret_service_search_sync, void *, void *, void *, int, void *, struct g_error **)
    FUNCTION(char *, secret_item_get_label, void *)
    FUNCTION(void *, secret_item_get_attributes, void *)
    FUNCTION(void *, secret_item_get_secret, void *)
    FUNCTION(const char *, secret_value_get, void *, size_t *)
    FUNCTION(void, secret_value_unref, void *)
    FUNCTION(void *, g_hash_table_new, void *, void *)
    FUNCTION(void, g_hash_table_foreach, void *, void (*)(void *, void *, void *), void *)
    FUNCTION(void, g_hash_table_unref, void *)
    FUNCTION(void, g_free, void *)
    void *hash = dlsym(library, "g_str_hash"), *equal = dlsym(library, "g_str_equal");

    struct g_error *failure = NULL;
    void *service = secret_service_get_sync(OPEN_SESSION | LOAD_COLLECTIONS, NULL, &failure);
    struct g_list *items = NULL;
    if (service != NULL) {
        void *all = g_hash_table_new(hash, equal);
        items = secret_service_search_sync(
            service, NULL, all, SEARCH_ALL | SEARCH_UNLOCK | SEARCH_LOAD_SECRETS, NULL, &failure);
        g_hash_table_unref(all);
    }
    if (failure != NULL) {
        snprintf(error, size, "%s", failure->message);
        return 2;
    }
    // The process ends soon: the list is left to it.
    for (; items != NULL; items = items->next) {
        void *value = secret_item_get_secret(items->data);
        // One that stayed locked has none.
        if (value == NULL) continue;
        char *label = secret_item_get_label(items->data);
        listener->begin(listener->context, label == NULL ? "" : label);
        g_free(label);
        void *attributes = secret_item_get_attributes(items->data);
        current = listener;
        g_hash_table_foreach(attributes, tell, NULL);
        g_hash_table_unref(attributes);
        size_t count = 0;
        const char *secret = secret_value_get(value, &count);
        listener->end(listener->context, (const uint8_t *)secret, count);
        secret_value_unref(value);
    }
    return 0;
}
