// The limits that the operating system sets to this process, and to those that it starts.
#pragma once

namespace surety::posix {

// A crash leaves no core file: it would contain tokens and keys. To be called when the program
// begins.
void forbid_core_dumps();

// As many files may be open as the system allows: each connection is one. Otherwise many callers of
// a port would soon leave none for anything else.
void allow_open_files();

}  // namespace surety::posix
