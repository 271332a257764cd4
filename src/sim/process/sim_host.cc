#include "sim/process/sim_host.h"

#include <utility>

#include "learn/local_work.h"
#include "sim/process/held.h"

namespace surety::sim {
void SimHost::answer(const proto::FromWorker& message) {
  if (message.has_step_done()) {
    world_.watch.sums().on_reported(start_.number, message.step_done());
  }
  link_.send(message);
}

void SimHost::wake_after(Duration delay, std::uint64_t timer) {
  lifecycle_.after(to_seconds(delay), [this, timer] { machine_.on_time(timer); });
}

// ---- background computations --------------------------------------------------------------------

void SimHost::start(worker::Work work) {
  if (work.kind == worker::Work::Kind::kLearn) {
    const proto::ToWorker& command = *machine_.command();
    world_.watch.sums().on_work(start_.number, command.step());
    if (!inbox_.is_in_one()) {
      world_.watch.on_learning(machine_.state().self, held_by(machine_.state()), command);
    }
  }
  processor_.start(std::move(work));
}

void SimHost::on_exchanged(std::uint64_t sequence, const std::vector<float>& after,
                           const std::vector<double>& sum) {
  const std::vector<float> before = learn::shared_vector(machine_.state().model.parameters,
                                                         machine_.command()->step().line_search());
  world_.watch.on_exchanged(machine_.state().self, {sequence, before, after, sum});
}

}  // namespace surety::sim
