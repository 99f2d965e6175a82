#ifndef ATTACKER_H
#define ATTACKER_H

#include "service.h"

// Each attack by its name: `attacker NAME`, with VICTIM the path of a signed, installed program. What it prints is its loot.
void fork_and_answer(void);
void splice_before_exec(void);
void splice_with_descriptor(void);
void forge_sender(void);
void forge_executable(void);
void copy_up(void);
void copy_up_inside(void);
void inject_socket(void);
void fake_prctl(void);
void answer_through_output(void);
void replay(void);
void use_inherited(void);
void ask(void);
void bind_library(void);
void without_new_privileges(void);
void trace_start(void);
void read_client(void);
void read_process(void);
void replace_own_file(void);
void occupy(void);
void reuse_pid(void);

void become_own_namespace(int flags);
_Noreturn void run_victim(const char *kind);
// Starts the victim with its output in a pipe, and waits until it says that it has its secret; -1 if it never does.
pid_t start_holder(const char *kind);
// Prints all memory of a process that can be read.
bool print_memory(pid_t process);

#endif
