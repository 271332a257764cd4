// Generalised linear models by CoCoA: logistic regression, linear SVM with hinge loss ("svm") or
// squared hinge loss ("svm-l2"; LIBLINEAR's L2-loss SVM), and squared loss ("ridge", "lasso",
// "elastic-net": how much of the penalty is an L1 norm, options.l1_ratio says, for any of them).
// Without an L1 norm, and otherwise as learn/glm_penalty.h says:
//
//   P(w)     = (1/n) sum_i l_i(w.x_i) + (lambda/2) ||w||^2             to be minimised
//   D(alpha) = -(1/n) sum_i l_i*(-alpha_i) - (lambda/2) ||w||^2        to be maximised
//   w        = (1/(lambda n)) sum_i alpha_i x_i                        the invariant w = A alpha
//
// A worker goes once through its work items and, sample by sample, takes the exact dual step
// against w plus sigma' times what it has changed itself (learn/glm_solver.h). A worker that is
// alone (K = 1) then revisits the samples that can still move, up to twice its work: to the
// bookkeeping of passes each sample counts as visited once all the same, because what must happen
// once a pass is that every sample had its turn; CoCoA accepts any local accuracy beyond that. (Not
// where samples are more than memory: they would be read in random order.) With
// sigma' = K the sum of all workers' updates never lowers D ("safe adding"; Smith et al., "CoCoA: A
// General Framework for Communication-Efficient Distributed Optimization", JMLR 18, 2018, with
// gamma = 1); with a smaller one and a line search neither (learn/glm_line_search.h). The dual
// variables lie in Chunk::state; P(w) - D(alpha) >= 0 bounds how far w is from the optimum.
//
// Losses are those of learn/glm_loss.h; squared loss carries the factor 1/2, squared hinge loss
// does not. There is no bias term:
// data that needs one carries a constant feature. Bytes are scaled by 1/255. Labels of classifiers
// are -1 and +1 (0 counts as -1). The threads of options.team share what there is much of
// (learn/glm_replicas.h); options.threads, batch, local_steps, learning_rate, momentum and
// weight_decay have no meaning here.
#pragma once

#include <memory>

#include "learn/task.h"

namespace surety::learn {

// InvalidInput for a model that is no GLM, no samples, no features, more than two classes for a
// classifier, or a lambda that is negative or not finite.
// ENSURES of the task: a position of a work item is one in bucket_order(seed, pass, chunk); same
// calls, same bytes on processors with the same instructions (others differ by rounding) and with
// as many threads (others take other steps, to the same optimum). compute() takes O(non-zeros of
// the items + features), and for bytes four times their memory. InvalidInput of compute() names
// chunk and sample: a label that the loss does not know, a feature beyond the model, values that
// are not finite.
[[nodiscard]] Result<std::unique_ptr<Task>> make_glm_task(const TaskOptions& options);

}  // namespace surety::learn
