// Linking this target is all that there is to do: it declares nothing of its own.
#ifndef CHATELAINE_CZEROINGALLOCATOR_H
#define CHATELAINE_CZEROINGALLOCATOR_H
#endif
