// Networks by local SGD: a worker takes steps on its own samples from the model that it was given,
// and what is merged is where they led (local model - model), weighted by samples (Stich, "Local
// SGD Converges Fast and Communicates Little", 2018).
//
// - Batches of options.batch run through the work items in order, across chunks; the last one may
// be
//   smaller. options.local_steps limits nothing here: whoever makes the work decides how many
//   batches it holds.
// - SGD with momentum and weight decay (learn/sgd.h) on the trainable values. Batch-norm running
//   statistics are part of the model: neither stepped nor decayed, but moved by each batch and
//   merged like the rest.
// - The momentum stays with the worker from one iteration to the next: the buffer of a compute()
// that
//   is not committed is thrown away, a new version starts from zero.
// - The merged update may be a step of an outer optimizer (learn/outer_step.h), whose velocity is
// part
//   of the model; a new version starts it from zero, too. Batch-norm statistics are averaged.
// - Dropout draws from a stream of (seed, iteration, first work item): an iteration done again
// gives
//   the same bytes.
//
// Deterministic for a fixed number of threads and one BLAS kernel. No libtorch header here.
#pragma once

#include <memory>

#include "learn/task.h"

namespace surety::learn {

// Sets the number of threads that libtorch computes with, in the whole process, to options.threads.
// InvalidInput for an unknown network, data that it cannot read (size, classes), or an option out
// of its range: batch and threads at least 1, learning_rate > 0, momentum and outer_momentum in
// [0, 1), outer_learning_rate > 0, weight_decay >= 0.
//
// compute(): InvalidInput where a label is no class, or where the loss stops being a number (names
// the learning rate); polls `stop` before each batch. duality_terms() and partial_model() are for
// linear models: InvalidInput.
[[nodiscard]] Result<std::unique_ptr<Task>> make_dnn_task(const TaskOptions& options);

}  // namespace surety::learn
