// Generalised linear models by CoCoA: logistic regression, linear SVM with hinge loss ("svm") or
// squared hinge loss ("svm-l2"; LIBLINEAR's L2-loss SVM), and squared loss ("ridge", "lasso",
// "elastic-net"). For each of them options.l1_ratio says how much of the penalty is an L1 norm.
// Without an L1 norm (learn/linear/solver/glm_penalty.h describes the other case):
//
//   P(w)     = (1/n) sum_i l_i(w.x_i) + (lambda/2) ||w||^2             to be minimised
//   D(alpha) = -(1/n) sum_i l_i*(-alpha_i) - (lambda/2) ||w||^2        to be maximised
//   w        = (1/(lambda n)) sum_i alpha_i x_i                        the invariant w = A alpha
//
// A worker visits the samples of its work items once. For each sample it takes the exact dual step
// at the model w plus sigma' times the worker's changes so far (learn/linear/solver/glm_solver.h).
// A single worker (K = 1) then revisits the samples whose dual variables can still move, with up to
// twice the number of first visits. In the count of passes each sample still counts as visited
// once: a pass only guarantees that every sample was visited, and CoCoA accepts any higher local
// accuracy. There are no revisits if the samples are larger than memory, because they would be read
// in random order.
//
// With sigma' = K the sum of all workers' updates never lowers D ("safe adding"; Smith et al.,
// "CoCoA: A General Framework for Communication-Efficient Distributed Optimization", JMLR 18, 2018,
// with gamma = 1). The same holds for a smaller sigma' with a line search
// (learn/linear/glm_line_search.h). The dual variables are kept in Chunk::state. P(w) - D(alpha) >=
// 0 bounds how far w is from the optimum.
//
// learn/linear/kernels/glm_loss.h defines the losses; squared loss has the factor 1/2, squared
// hinge loss does not. There is no bias term: data that needs one has a constant feature. Bytes are
// scaled by 1/255. Labels of classifiers are -1 and +1 (0 counts as -1). The threads of
// options.team share large pieces of work (learn/linear/solver/glm_replicas.h). options.threads,
// batch, local_steps, learning_rate, momentum and weight_decay have no meaning here.
#pragma once

#include <memory>

#include "learn/task.h"

namespace surety::learn {

// InvalidInput if the model is no GLM, there are no samples or no features, a classifier has more
// than two classes, or lambda is negative or not finite.
// ENSURES of the task: a position of a work item is one in bucket_order(seed, pass, chunk). The
// same calls give the same bytes on processors with the same instructions and with the same number
// of threads. On other processors, results differ by rounding. With another number of threads, the
// steps differ, but lead to the same optimum. compute() takes O(non-zeros of the items + features),
// and for bytes four times their memory. InvalidInput of compute() names the chunk and the sample:
// a label that the loss does not allow, a feature beyond the model, or values that are not finite.
[[nodiscard]] Result<std::unique_ptr<Task>> make_glm_task(const TaskOptions& options);

}  // namespace surety::learn
