// Linking this target is all that there is to do: it declares nothing of its own.
#ifndef CHATELAINE_CNOPRIORITIES_H
#define CHATELAINE_CNOPRIORITIES_H
#endif
