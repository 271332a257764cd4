// Keeps the memory of this process out of files.
#pragma once

namespace surety::posix {

// A crash of this process, or of one that it starts, leaves no core file: it would contain tokens
// and keys. To be called when the program begins.
void forbid_core_dumps();

}  // namespace surety::posix
