// The limits that the operating system sets to this process, and to those that it starts.
#pragma once

namespace surety::posix {

// A crash leaves no core file: it would contain tokens and keys. To be called when the program
// begins.
void forbid_core_dumps();

// This process may open as many files as the system allows. Each connection is a file, and many
// callers of a port would otherwise leave none for anything else.
void allow_open_files();

// Memory that threads have given back is used by other threads. Otherwise each of many threads
// keeps its own, and a server never becomes smaller again.
void share_free_memory();

}  // namespace surety::posix
