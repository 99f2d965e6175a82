#ifndef CCLIPBOARD_H
#define CCLIPBOARD_H

#include <stdbool.h>
#include <stddef.h>

// The clipboard of a display, for one thread. Its libraries are loaded when it is opened.
struct cclipboard;

// Connects to a display of X11, such as ":0". NULL where the display or the library for it is missing.
struct cclipboard *cclipboard_open_x11(const char *display);

// Connects to a display of Wayland, such as "wayland-0". NULL also where it lets no program in the background have the
// clipboard (it has neither ext-data-control-v1 nor wlr-data-control-unstable-v1).
struct cclipboard *cclipboard_open_wayland(const char *display);

// Disconnects. What is in the clipboard goes with the connection.
void cclipboard_close(struct cclipboard *clipboard);

// Puts a text into the clipboard, with the mark by which clipboard managers know that they shall not keep it. The text has to
// last as long as it is there: until the next one, or the end of the connection. Without a length it may be NULL.
bool cclipboard_offer(struct cclipboard *clipboard, const char *text, size_t length);

enum cclipboard_end {
    // Somebody has put something else into the clipboard.
    cclipboard_replaced,
    // The time is over.
    cclipboard_timed_out,
    // The descriptor became readable.
    cclipboard_woken,
    // The display is gone.
    cclipboard_broken,
};

// Gives the text to programs that ask for it.
//
// - wake: ends it; -1 for none.
// - milliseconds: for how long; negative for as long as it takes.
enum cclipboard_end cclipboard_serve(struct cclipboard *clipboard, int wake, int milliseconds);

#endif
