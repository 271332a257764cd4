// Signals that stop a program: SIGINT (Ctrl-C), SIGTERM, SIGHUP (the terminal was closed; not under
// nohup) and SIGPIPE (the reader of the output has ended). They are counted, and do not end the
// process by themselves.
//
// The first one requests a graceful end, the second an immediate one; the shell decides what that
// means. A signal also interrupts a blocking poll() of the thread that receives it, but that may be
// any thread. So check at least every few hundred milliseconds.
#pragma once

namespace surety::posix {

// Starts counting from 0. Call it once in a process, before threads are started.
void count_stop_signals();

// Until count_stop_signals() is called, the first of these signals prints the text on standard
// error and ends the process at once with this exit code: for work that changes nothing, such as
// reading data, and may take minutes. Unlike the default of the system, this also works for a
// process with the number 1, as in a container. No destructors run. `text` must live as long as the
// process.
void exit_on_stop_signals(int code, const char* text);

// Number of SIGINTs and SIGTERMs so far; 1 if there was only a SIGHUP or a lost reader.
[[nodiscard]] int stop_signals();

}  // namespace surety::posix
