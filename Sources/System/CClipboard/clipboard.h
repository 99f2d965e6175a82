#ifndef CLIPBOARD_H
#define CLIPBOARD_H

#include "cclipboard.h"

#include <stdbool.h>

// What a display is spoken to by. A kind of display has this first in a structure of its own.
struct cclipboard {
    void (*close)(struct cclipboard *);
    // False also where somebody else has put something there meanwhile.
    bool (*offer)(struct cclipboard *);
    // Takes some of what has come, and sends what is to go. False where the display is gone.
    bool (*process)(struct cclipboard *);
    int descriptor;
    const char *text;
    size_t length;
    bool is_replaced;
    // Whether there is more to take than was taken.
    bool is_busy;
};

// The names by which a text is asked for.
#define TEXT_TYPES {"UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT"}
enum { text_type_count = 4 };

// KDE's mark for what clipboard managers shall not keep. Others than KDE's know it as well.
#define MARK_TYPE "x-kde-passwordManagerHint"
#define MARK "secret"

#endif
