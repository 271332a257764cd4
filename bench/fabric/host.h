// One host of the test bed: a process in its namespace that carries out what its standard input
// says, line by line in JSON, and answers with a line of JSON each.
//
//   {"ip": IP}                       -> {"address": A}
//   {"peers": [A, ...]}              -> {}           connected to all
//   {"prepare": job}                 -> {}           vectors made
//   {"go": true}                     -> {"begin_s", "end_s", "cpu_s", "data_bytes",
//                                        "control_bytes", "staged_bytes"}
//   {"train": job}                   -> as training.h says
//   {"check": true}                  -> {"wrong"}    elements that are not the plain sum
// An answer may be {"error": REASON} instead. It ends with its input.
#pragma once

#include <cstdint>

namespace surety::bench {

// Returns the exit code.
int run_host(std::uint32_t id);

}  // namespace surety::bench
