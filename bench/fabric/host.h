// One host of the test bed: a process in its own namespace. It reads commands from standard input,
// one line of JSON each, and answers each with a line of JSON.
//
//   {"ip": IP}                       -> {"address": A}
//   {"peers": [A, ...]}              -> {}           connected to all
//   {"prepare": job}                 -> {}           vectors made
//   {"go": true}                     -> {"begin_s", "end_s", "cpu_s", "data_bytes",
//                                        "control_bytes", "staged_bytes"}
//   {"train": job}                   -> an answer of training.h
//   {"check": true}                  -> {"wrong"}    elements that are not the plain sum
// Any answer may be {"error": REASON} instead. The process ends when its input ends.
#pragma once

#include <cstdint>

namespace surety::bench {

// Runs the host until its input ends, and returns the exit code.
int run_host(std::uint32_t id);

}  // namespace surety::bench
