// A library of the dynamic victim's own.
void program_library(void);

void program_library(void) {}
