#include "jump.h"

#include <cmath>
#include <utility>

#include "cluster.h"

namespace surety::bench {
namespace {

// The loss after one more pass from `model`.
Result<double> loss_after_pass(Cluster& cluster, std::uint32_t pass, learn::Model model) {
  cluster.continue_from(std::move(model));
  SURETY_TRY(cluster.train_pass(pass));
  return cluster.loss(cluster.model());
}

// Measures the jump after `passes` passes. Of the cluster's run, this changes only the momentum,
// which starts from zero after a switch in any case.
Result<Jump> measure_jump(Cluster& cluster, std::uint32_t passes, const std::string& to) {
  const learn::Model trained = cluster.model();
  Jump jump;
  SURETY_TRY(jump.before, cluster.loss(trained));
  SURETY_TRY(cluster.switch_version(to));
  const learn::Model cut = cluster.model();
  SURETY_TRY(jump.cut, cluster.loss(cut));
  SURETY_TRY(cluster.take_no_step(passes));
  SURETY_TRY(jump.after, cluster.loss(cluster.model()));
  SURETY_TRY(jump.after_pass, loss_after_pass(cluster, passes, cut));
  // This model differs from the cut one by one bit: so it counts as a model that has learned since
  // the cut, and is not compensated.
  learn::Model plain = cut;
  plain.parameters.front() = std::nextafter(plain.parameters.front(), 1.0f);
  SURETY_TRY(jump.cut_after_pass, loss_after_pass(cluster, passes, std::move(plain)));
  cluster.continue_from(trained);
  return jump;
}

}  // namespace

Result<std::vector<std::vector<Jump>>> measure_jumps(const JumpCase& spec,
                                                     const std::string& folder,
                                                     std::uint32_t seeds) {
  SURETY_TRY(const Images images, load_images(spec.training, folder));
  Cluster cluster(spec.training, images);
  std::vector<std::vector<Jump>> all(spec.passes.size());
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    std::uint32_t passes = 0;
    for (std::size_t i = 0; i < spec.passes.size(); ++i) {
      // Begin again, because the last measurement has changed the momentum and the clock.
      SURETY_TRY(cluster.begin(seed));
      for (passes = 0; passes < spec.passes[i]; ++passes) SURETY_TRY(cluster.train_pass(passes));
      SURETY_TRY(Jump jump, measure_jump(cluster, passes, spec.to));
      jump.chance = std::log(images.schema.classes);
      all[i].push_back(jump);
    }
  }
  return all;
}

}  // namespace surety::bench
