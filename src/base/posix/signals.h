// How a shell learns that it is to stop: SIGINT (Ctrl-C), SIGTERM, SIGHUP (its terminal was closed;
// not under nohup) and SIGPIPE (whoever read its output has gone) are counted, not obeyed.
//
// The first asks to leave politely, the second to leave now; what that means is the shell's to say.
// A signal also interrupts a blocking poll() of the thread that it lands on, but that may be any
// thread: ask at least every few hundred milliseconds.
#pragma once

namespace surety::posix {

// Starts counting, from 0. Once per process, before it starts threads.
void count_stop_signals();

// SIGINTs and SIGTERMs so far, together; 1 where there was only a SIGHUP or a lost reader.
[[nodiscard]] int stop_signals();

}  // namespace surety::posix
