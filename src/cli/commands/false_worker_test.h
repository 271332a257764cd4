// A worker that lies, for tests of what a run does with false results. It is a thread of the test
// that joins a real run.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "learn/task.h"

namespace surety::cli {

struct Lies {
  // Changes the result of each evaluation.
  std::function<void(learn::Evaluation& result)> of_evaluations;
  // Changes the samples that the worker learns from.
  std::function<void(data::Samples& samples)> of_samples;
};

// Joins the run at this address as a worker for linear models, and works until the run ends.
[[nodiscard]] std::jthread false_worker(const std::string& address, const std::string& token,
                                        Lies lies);

}  // namespace surety::cli
