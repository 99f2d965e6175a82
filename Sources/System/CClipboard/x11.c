#include "clipboard.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

// The functions of libxcb that are called here.
#define EACH_FUNCTION(DO)            \
    DO(xcb_connect)                  \
    DO(xcb_connection_has_error)     \
    DO(xcb_disconnect)               \
    DO(xcb_get_file_descriptor)      \
    DO(xcb_get_setup)                \
    DO(xcb_setup_roots_iterator)     \
    DO(xcb_generate_id)              \
    DO(xcb_create_window)            \
    DO(xcb_intern_atom)              \
    DO(xcb_intern_atom_reply)        \
    DO(xcb_change_property)          \
    DO(xcb_set_selection_owner)      \
    DO(xcb_get_selection_owner)      \
    DO(xcb_get_selection_owner_reply) \
    DO(xcb_send_event)               \
    DO(xcb_flush)                    \
    DO(xcb_poll_for_event)           \
    DO(xcb_poll_for_queued_event)    \
    DO(xcb_wait_for_event)

struct functions {
#define DECLARE(name) typeof(&name) name;
    EACH_FUNCTION(DECLARE)
#undef DECLARE
};

// The atoms, beginning with the types of a text.
enum { atom_mark = text_type_count, atom_clipboard, atom_targets, atom_timestamp, atom_count };
static const char *const atom_names[atom_count] = {"UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT", MARK_TYPE,
                                                   "CLIPBOARD",   "TARGETS",                  "TIMESTAMP"};

// Taken at a time, so that a program that sends without end holds up nothing else.
enum { most_events = 64 };

struct x11 {
    struct cclipboard clipboard;
    struct functions call;
    xcb_connection_t *connection;
    xcb_window_t window;
    xcb_atom_t atoms[atom_count];
    xcb_timestamp_t since;
};

static bool load(struct functions *call) {
    void *library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) return false;
#define FIND(name)                                    \
    call->name = (typeof(&name))dlsym(library, #name); \
    if (call->name == NULL) return false;
    EACH_FUNCTION(FIND)
#undef FIND
    return true;
}

static void close_x11(struct cclipboard *clipboard) {
    struct x11 *x11 = (struct x11 *)clipboard;
    if (x11->connection != NULL) x11->call.xcb_disconnect(x11->connection);
    free(x11);
}

// Writes what is asked for into a property of the window that asks (ICCCM, section 2.2). MULTIPLE, which asks for several at
// once, is refused, as most programs do.
static bool write_answer(struct x11 *x11, const xcb_selection_request_event_t *request, xcb_atom_t property) {
    // It was asked for before this text was there.
    bool is_early = request->time != XCB_CURRENT_TIME && (int32_t)(request->time - x11->since) < 0;
    if (is_early || request->selection != x11->atoms[atom_clipboard]) return false;
    xcb_atom_t type = request->target;
    uint8_t bits = 8;
    uint32_t count = 0;
    const void *data = NULL;
    xcb_atom_t targets[atom_count] = {x11->atoms[atom_targets], x11->atoms[atom_timestamp], x11->atoms[atom_mark]};
    if (request->target == x11->atoms[atom_targets]) {
        memcpy(targets + 3, x11->atoms, text_type_count * sizeof *targets);
        (type = XCB_ATOM_ATOM, bits = 32, count = 3 + text_type_count, data = targets);
    } else if (request->target == x11->atoms[atom_timestamp]) {
        (type = XCB_ATOM_INTEGER, bits = 32, count = 1, data = &x11->since);
    } else if (request->target == x11->atoms[atom_mark]) {
        (count = sizeof MARK - 1, data = MARK);
    } else {
        bool is_text = false;
        for (int each = 0; each < text_type_count; each++) is_text |= request->target == x11->atoms[each];
        if (!is_text) return false;
        // TEXT leaves the encoding to the owner.
        if (type == x11->atoms[3]) type = x11->atoms[0];
        (count = (uint32_t)x11->clipboard.length, data = x11->clipboard.text);
    }
    x11->call.xcb_change_property(x11->connection, XCB_PROP_MODE_REPLACE, request->requestor, property, type, bits, count, data);
    return true;
}

static void answer(struct x11 *x11, const xcb_selection_request_event_t *request) {
    // Old programs name no property.
    xcb_atom_t property = request->property == XCB_NONE ? request->target : request->property;
    xcb_selection_notify_event_t done = {
        .response_type = XCB_SELECTION_NOTIFY,
        .time = request->time,
        .requestor = request->requestor,
        .selection = request->selection,
        .target = request->target,
        .property = write_answer(x11, request, property) ? property : XCB_NONE,
    };
    // The wire has 32 bytes for an event.
    char event[32] = {0};
    memcpy(event, &done, sizeof done);
    x11->call.xcb_send_event(x11->connection, 0, request->requestor, XCB_EVENT_MASK_NO_EVENT, event);
}

// Takes an event, and frees it. The display's own ones have the highest bit clear: others any program can send.
static void handle(struct x11 *x11, xcb_generic_event_t *event) {
    switch (event->response_type) {
        case XCB_SELECTION_REQUEST: answer(x11, (xcb_selection_request_event_t *)event); break;
        case XCB_SELECTION_CLEAR: {
            // One from before this text says nothing of it.
            const xcb_selection_clear_event_t *clear = (const xcb_selection_clear_event_t *)event;
            bool is_ours = clear->owner == x11->window && clear->selection == x11->atoms[atom_clipboard];
            if (is_ours && (int32_t)(clear->time - x11->since) >= 0) x11->clipboard.is_replaced = true;
            break;
        }
        // Also errors: a window that asked may be gone.
        default: break;
    }
    free(event);
}

static bool process(struct cclipboard *clipboard) {
    struct x11 *x11 = (struct x11 *)clipboard;
    xcb_generic_event_t *event = NULL;
    for (int count = 0; count < most_events && (event = x11->call.xcb_poll_for_event(x11->connection)) != NULL; count++) {
        handle(x11, event);
    }
    x11->call.xcb_flush(x11->connection);
    // Sending also reads: what came meanwhile wakes nobody.
    xcb_generic_event_t *queued = x11->call.xcb_poll_for_queued_event(x11->connection);
    if (queued != NULL) handle(x11, queued);
    clipboard->is_busy = event != NULL || queued != NULL;
    return x11->call.xcb_connection_has_error(x11->connection) == 0;
}

// The time of the display, which takes part in deciding who has the clipboard: that of a change of our own window.
static bool read_time(struct x11 *x11, xcb_timestamp_t *time) {
    x11->call.xcb_change_property(x11->connection, XCB_PROP_MODE_APPEND, x11->window, x11->atoms[atom_timestamp],
                                  XCB_ATOM_INTEGER, 32, 0, NULL);
    x11->call.xcb_flush(x11->connection);
    xcb_generic_event_t *event;
    while ((event = x11->call.xcb_wait_for_event(x11->connection)) != NULL) {
        const xcb_property_notify_event_t *change = (const xcb_property_notify_event_t *)event;
        bool is_change = event->response_type == XCB_PROPERTY_NOTIFY && change->window == x11->window &&
                         change->atom == x11->atoms[atom_timestamp];
        if (is_change) *time = change->time;
        handle(x11, event);
        if (is_change) return true;
    }
    return false;
}

static bool offer(struct cclipboard *clipboard) {
    struct x11 *x11 = (struct x11 *)clipboard;
    if (!read_time(x11, &x11->since) || clipboard->is_replaced) return false;
    xcb_atom_t selection = x11->atoms[atom_clipboard];
    x11->call.xcb_set_selection_owner(x11->connection, x11->window, selection, x11->since);
    xcb_get_selection_owner_cookie_t question = x11->call.xcb_get_selection_owner(x11->connection, selection);
    xcb_get_selection_owner_reply_t *owner = x11->call.xcb_get_selection_owner_reply(x11->connection, question, NULL);
    bool is_ours = owner != NULL && owner->owner == x11->window;
    free(owner);
    return is_ours;
}

static bool find_atoms(struct x11 *x11) {
    xcb_intern_atom_cookie_t questions[atom_count];
    for (int each = 0; each < atom_count; each++) {
        questions[each] =
            x11->call.xcb_intern_atom(x11->connection, 0, (uint16_t)strlen(atom_names[each]), atom_names[each]);
    }
    bool are_found = true;
    for (int each = 0; each < atom_count; each++) {
        xcb_intern_atom_reply_t *atom = x11->call.xcb_intern_atom_reply(x11->connection, questions[each], NULL);
        if (atom != NULL) x11->atoms[each] = atom->atom;
        are_found &= atom != NULL;
        free(atom);
    }
    return are_found;
}

struct cclipboard *cclipboard_open_x11(const char *display) {
    struct x11 *x11 = calloc(1, sizeof *x11);
    if (x11 == NULL) return NULL;
    x11->clipboard = (struct cclipboard){.close = close_x11, .offer = offer, .process = process};
    int number = 0;
    if (load(&x11->call)) x11->connection = x11->call.xcb_connect(display, &number);
    if (x11->connection == NULL || x11->call.xcb_connection_has_error(x11->connection) != 0) {
        close_x11(&x11->clipboard);
        return NULL;
    }
    xcb_screen_iterator_t screen = x11->call.xcb_setup_roots_iterator(x11->call.xcb_get_setup(x11->connection));
    if (screen.rem == 0) {
        close_x11(&x11->clipboard);
        return NULL;
    }
    x11->window = x11->call.xcb_generate_id(x11->connection);
    uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
    x11->call.xcb_create_window(x11->connection, 0, x11->window, screen.data->root, 0, 0, 1, 1, 0,
                                XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
    x11->clipboard.descriptor = x11->call.xcb_get_file_descriptor(x11->connection);
    if (find_atoms(x11)) return &x11->clipboard;
    close_x11(&x11->clipboard);
    return NULL;
}
