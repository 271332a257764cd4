// Networks by local SGD: a worker takes steps on its own samples, starting from the model that it
// gets. The update that is merged is the sum of these steps (local model - model), weighted by
// samples (Stich, "Local SGD Converges Fast and Communicates Little", 2018).
//
// - Batches of options.batch run through the work items in order, across chunks; the last batch
//   may be smaller. options.local_steps has no effect here: the code that makes the work decides
//   how many batches it contains.
// - SGD with momentum and weight decay (learn/network/sgd.h) works on the trainable values. Running
//   statistics of batch norm are part of the model. SGD steps and decay do not apply to them; each
//   batch moves them, and they are merged like the other values.
// - The momentum stays with the worker from one iteration to the next. The buffer of a compute()
//   that is not committed is discarded; a new version starts from zero.
// - The merged update may be a step of an outer optimiser (learn/network/outer_step.h), whose
//   velocity is part of the model and also starts from zero in a new version. Batch-norm statistics
//   are averaged.
// - Dropout draws from a stream of (seed, iteration, first work item), so a repeated iteration
//   gives the same bytes.
//
// Deterministic for a fixed number of threads and one BLAS kernel. No libtorch header here.
#pragma once

#include <memory>

#include "learn/task.h"

namespace surety::learn {

// Sets the number of threads of libtorch, in the whole process, to options.threads.
// InvalidInput for an unknown network, data that it cannot read (size, classes), or an option out
// of its range: batch and threads at least 1, learning_rate > 0, momentum and outer_momentum in [0,
// 1), outer_learning_rate > 0, weight_decay >= 0.
//
// compute(): InvalidInput if a label is no class; Diverged, naming the learning rate, if the loss
// or the update is no longer finite. It polls `stop` before each batch. duality_terms() and
// add_dual_sums() are for linear models: InvalidInput.
[[nodiscard]] Result<std::unique_ptr<Task>> make_dnn_task(const TaskOptions& options);

}  // namespace surety::learn
