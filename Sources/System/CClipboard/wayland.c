#include "clipboard.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wayland-client-core.h>

// The functions of libwayland-client that are called here.
#define EACH_FUNCTION(DO)                       \
    DO(wl_display_connect)                      \
    DO(wl_display_disconnect)                   \
    DO(wl_display_get_fd)                       \
    DO(wl_display_roundtrip)                    \
    DO(wl_display_prepare_read)                 \
    DO(wl_display_read_events)                  \
    DO(wl_display_cancel_read)                  \
    DO(wl_display_dispatch_pending)             \
    DO(wl_display_flush)                        \
    DO(wl_display_get_error)                    \
    DO(wl_proxy_marshal)                        \
    DO(wl_proxy_marshal_constructor)            \
    DO(wl_proxy_marshal_constructor_versioned)  \
    DO(wl_proxy_add_listener)                   \
    DO(wl_proxy_destroy)

struct functions {
#define DECLARE(name) typeof(&name) name;
    EACH_FUNCTION(DECLARE)
#undef DECLARE
};

// The two protocols by which a program in the background has the clipboard differ in names alone: ext-data-control-v1 and
// version 1 of wlr-data-control-unstable-v1. Numbers of requests and events are their places in these lists.
struct protocol {
    struct wl_interface manager, device, source, offer;
};

static const struct wl_interface *no_types[2];

#define PROTOCOL(prefix, variable)                                                                                    \
    static const struct protocol variable;                                                                            \
    static const struct wl_interface *variable##_new_source[] = {&variable.source};                                   \
    static const struct wl_interface *variable##_new_device[] = {&variable.device, NULL};                             \
    static const struct wl_interface *variable##_new_offer[] = {&variable.offer};                                     \
    static const struct wl_message variable##_manager[] = {                                                           \
        {"create_data_source", "n", variable##_new_source}, {"get_data_device", "no", variable##_new_device},         \
        {"destroy", "", no_types}};                                                                                   \
    static const struct wl_message variable##_device[] = {                                                            \
        {"set_selection", "?o", no_types}, {"destroy", "", no_types}, {"set_primary_selection", "?o", no_types}};     \
    static const struct wl_message variable##_device_events[] = {                                                     \
        {"data_offer", "n", variable##_new_offer}, {"selection", "?o", no_types}, {"finished", "", no_types},         \
        {"primary_selection", "?o", no_types}};                                                                       \
    static const struct wl_message variable##_source[] = {{"offer", "s", no_types}, {"destroy", "", no_types}};       \
    static const struct wl_message variable##_source_events[] = {{"send", "sh", no_types}, {"cancelled", "", no_types}}; \
    static const struct wl_message variable##_offer[] = {{"receive", "sh", no_types}, {"destroy", "", no_types}};     \
    static const struct wl_message variable##_offer_events[] = {{"offer", "s", no_types}};                            \
    static const struct protocol variable = {                                                                         \
        {prefix "manager_v1", 1, 3, variable##_manager, 0, NULL},                                                     \
        {prefix "device_v1", 1, 3, variable##_device, 4, variable##_device_events},                                   \
        {prefix "source_v1", 1, 2, variable##_source, 2, variable##_source_events},                                   \
        {prefix "offer_v1", 1, 2, variable##_offer, 1, variable##_offer_events}};

PROTOCOL("ext_data_control_", ext)
PROTOCOL("zwlr_data_control_", wlr)

enum { display_get_registry = 1, registry_bind = 0 };
enum { manager_create_source = 0, manager_get_device = 1 };
enum { device_set_selection = 0 };
enum { source_offer = 0, source_destroy = 1 };
enum { offer_destroy = 1 };

struct wayland {
    struct cclipboard clipboard;
    struct functions call;
    const struct wl_interface *registry_interface;
    const struct wl_interface *seat_interface;
    struct wl_display *display;
    struct wl_proxy *registry, *seat, *manager, *device, *source;
    const struct protocol *protocol;
    // What is left for programs that are slow to read, in milliseconds.
    int patience;
};

static bool load(struct wayland *wayland) {
    void *library = dlopen("libwayland-client.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) return false;
#define FIND(name)                                            \
    wayland->call.name = (typeof(&name))dlsym(library, #name); \
    if (wayland->call.name == NULL) return false;
    EACH_FUNCTION(FIND)
#undef FIND
    wayland->registry_interface = dlsym(library, "wl_registry_interface");
    wayland->seat_interface = dlsym(library, "wl_seat_interface");
    return wayland->registry_interface != NULL && wayland->seat_interface != NULL;
}

static void close_wayland(struct cclipboard *clipboard) {
    struct wayland *wayland = (struct wayland *)clipboard;
    struct wl_proxy *proxies[] = {wayland->source, wayland->device, wayland->manager, wayland->seat, wayland->registry};
    for (size_t each = 0; each < sizeof proxies / sizeof *proxies; each++) {
        if (proxies[each] != NULL) wayland->call.wl_proxy_destroy(proxies[each]);
    }
    if (wayland->display != NULL) wayland->call.wl_display_disconnect(wayland->display);
    free(wayland);
}

// MARK: The registry

static struct wl_proxy *bind(struct wayland *wayland, uint32_t name, const struct wl_interface *interface) {
    return wayland->call.wl_proxy_marshal_constructor_versioned(wayland->registry, registry_bind, interface, 1, name,
                                                                interface->name, 1, NULL);
}

static void found(void *data, struct wl_proxy *registry, uint32_t name, const char *interface, uint32_t version) {
    (void)registry, (void)version;
    struct wayland *wayland = data;
    if (strcmp(interface, wayland->seat_interface->name) == 0 && wayland->seat == NULL) {
        wayland->seat = bind(wayland, name, wayland->seat_interface);
    }
    const struct protocol *protocols[] = {&ext, &wlr};
    for (int each = 0; each < 2 && wayland->manager == NULL; each++) {
        if (strcmp(interface, protocols[each]->manager.name) != 0) continue;
        wayland->protocol = protocols[each];
        wayland->manager = bind(wayland, name, &protocols[each]->manager);
    }
}

static void removed(void *data, struct wl_proxy *registry, uint32_t name) { (void)data, (void)registry, (void)name; }

static void (*const registry_listener[])(void) = {(void (*)(void))found, (void (*)(void))removed};

// MARK: What others have in the clipboard: nothing is read

static void offered(void *data, struct wl_proxy *device, struct wl_proxy *offer) {
    (void)device;
    struct wayland *wayland = data;
    wayland->call.wl_proxy_marshal(offer, offer_destroy);
    wayland->call.wl_proxy_destroy(offer);
}

static void selected(void *data, struct wl_proxy *device, struct wl_proxy *offer) { (void)data, (void)device, (void)offer; }

static void finished(void *data, struct wl_proxy *device) {
    (void)device;
    ((struct wayland *)data)->clipboard.is_replaced = true;
}

static void (*const device_listener[])(void) = {(void (*)(void))offered, (void (*)(void))selected,
                                                (void (*)(void))finished, (void (*)(void))selected};

// MARK: What we have in it

// Writes everything into a pipe. A program that does not read gets what fits; and of all that ask at the same time, the
// slow ones get a fifth of a second together. Writing into a file may take for ever.
static void send_text(void *data, struct wl_proxy *source, const char *type, int descriptor) {
    (void)source;
    struct wayland *wayland = data;
    bool is_mark = strcmp(type, MARK_TYPE) == 0;
    const char *next = is_mark ? MARK : wayland->clipboard.text;
    size_t left = is_mark ? sizeof MARK - 1 : wayland->clipboard.length;
    struct stat kind;
    if (fstat(descriptor, &kind) != 0 || !(S_ISFIFO(kind.st_mode) || S_ISSOCK(kind.st_mode))) left = 0;
    fcntl(descriptor, F_SETFL, O_WRONLY | O_NONBLOCK);
    while (left > 0) {
        struct pollfd writable = {descriptor, POLLOUT, 0};
        if (poll(&writable, 1, wayland->patience) <= 0) {
            wayland->patience = 0;
            break;
        }
        ssize_t written = write(descriptor, next, left);
        if (written < 0) break;
        next += written;
        left -= (size_t)written;
    }
    close(descriptor);
}

static void cancelled(void *data, struct wl_proxy *source) {
    struct wayland *wayland = data;
    if (source == wayland->source) wayland->clipboard.is_replaced = true;
}

static void (*const source_listener[])(void) = {(void (*)(void))send_text, (void (*)(void))cancelled};

static bool offer(struct cclipboard *clipboard) {
    struct wayland *wayland = (struct wayland *)clipboard;
    // What somebody else has put there meanwhile stays.
    if (wayland->source != NULL && wayland->call.wl_display_roundtrip(wayland->display) < 0) return false;
    if (clipboard->is_replaced) return false;
    struct wl_proxy *source =
        wayland->call.wl_proxy_marshal_constructor(wayland->manager, manager_create_source, &wayland->protocol->source, NULL);
    if (source == NULL) return false;
    wayland->call.wl_proxy_add_listener(source, (void (**)(void))source_listener, wayland);
    const char *types[] = TEXT_TYPES;
    // The mark first: managers decide by it whether to read the rest.
    wayland->call.wl_proxy_marshal(source, source_offer, MARK_TYPE);
    for (int each = 0; each < text_type_count; each++) wayland->call.wl_proxy_marshal(source, source_offer, types[each]);
    wayland->call.wl_proxy_marshal(wayland->device, device_set_selection, source);
    if (wayland->source != NULL) {
        wayland->call.wl_proxy_marshal(wayland->source, source_destroy);
        wayland->call.wl_proxy_destroy(wayland->source);
    }
    wayland->source = source;
    return wayland->call.wl_display_roundtrip(wayland->display) >= 0;
}

static bool process(struct cclipboard *clipboard) {
    struct wayland *wayland = (struct wayland *)clipboard;
    struct functions *call = &wayland->call;
    wayland->patience = 200;
    while (call->wl_display_prepare_read(wayland->display) != 0) {
        if (call->wl_display_dispatch_pending(wayland->display) < 0) return false;
    }
    call->wl_display_flush(wayland->display);
    struct pollfd readable = {clipboard->descriptor, POLLIN, 0};
    if (poll(&readable, 1, 0) > 0) {
        call->wl_display_read_events(wayland->display);
    } else {
        call->wl_display_cancel_read(wayland->display);
    }
    call->wl_display_dispatch_pending(wayland->display);
    call->wl_display_flush(wayland->display);
    return call->wl_display_get_error(wayland->display) == 0;
}

struct cclipboard *cclipboard_open_wayland(const char *display) {
    struct wayland *wayland = calloc(1, sizeof *wayland);
    if (wayland == NULL) return NULL;
    wayland->clipboard = (struct cclipboard){.close = close_wayland, .offer = offer, .process = process};
    struct functions *call = &wayland->call;
    if (!load(wayland) || (wayland->display = call->wl_display_connect(display)) == NULL) goto failed;
    wayland->clipboard.descriptor = call->wl_display_get_fd(wayland->display);
    wayland->registry = call->wl_proxy_marshal_constructor((struct wl_proxy *)wayland->display, display_get_registry,
                                                           wayland->registry_interface, NULL);
    if (wayland->registry == NULL) goto failed;
    call->wl_proxy_add_listener(wayland->registry, (void (**)(void))registry_listener, wayland);
    if (call->wl_display_roundtrip(wayland->display) < 0 || wayland->manager == NULL || wayland->seat == NULL) goto failed;
    wayland->device = call->wl_proxy_marshal_constructor(wayland->manager, manager_get_device, &wayland->protocol->device, NULL,
                                                         wayland->seat);
    if (wayland->device == NULL) goto failed;
    call->wl_proxy_add_listener(wayland->device, (void (**)(void))device_listener, wayland);
    return &wayland->clipboard;
failed:
    close_wayland(&wayland->clipboard);
    return NULL;
}
