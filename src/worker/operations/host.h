// What a worker's step machine (worker/machine.h) needs from the process around it: it sends
// answers to the coordinator, starts computations on another thread, reads the time and sets
// timers. The network is in network.h, and files are in files.h. Each call starts an action and
// returns at once. The result is a later event of the machine. `runtime` carries the effects out on
// sockets, threads and files, and `sim` carries them out on a simulated cluster.
//
// A host delivers no event from inside a call of the machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "data/sources/chunk.h"
#include "learn/local_work.h"
#include "proto/surety.pb.h"

namespace surety::worker {

// How far a background computation may go.
struct WorkLimits {
  // Set by another thread when the computation should end early (Host::stop_work()).
  const std::atomic<bool>& stop;
  // Learning ends after this many samples. A host with a simulated clock sets it, because no time
  // passes while such a host computes. If it is absent, learning reads the clock itself.
  std::optional<std::uint64_t> samples{};
};

// A background computation: work that takes long, such as reading, learning, merging, evaluating or
// writing. It runs beside the machine, and at most one is under way.
//
// A host on a real clock only calls `run`. The other members describe the work to a host that must
// know how long the work takes before it is carried out.
struct Work {
  enum class Kind : std::uint8_t { kLoad, kLearn, kMerge, kEvaluate, kSwitch, kSave };
  Kind kind = Kind::kLoad;
  // The chunks to be read and kept; only for kLoad.
  std::vector<data::ChunkRange> ranges{};
  // The samples to be learned, in this order, and the seconds until the worker is late, if it has a
  // limit; only for kLearn.
  std::vector<learn::WorkItem> items{};
  std::optional<double> late_s{};
  // True if the work until stop_work() is a valid result; only for kLearn.
  bool keeps_part = false;
  // Any thread may call it, once.
  std::function<Result<void>(const WorkLimits&)> run;
};

class Host {
 public:
  virtual ~Host() = default;

  [[nodiscard]] virtual Time now() const = 0;  // Any thread may call it.
  // Sends the answer to a command, or a message about the command before its answer.
  virtual void answer(const proto::FromWorker& message) = 0;
  // Machine::on_time(timer) follows after the delay.
  virtual void wake_after(Duration delay, std::uint64_t timer) = 0;

  // Machine::on_work_done() follows. REQUIRES: no other computation is under way.
  virtual void start(Work work) = 0;
  // Asks the current computation to end early, because its command is over. What it has read or
  // learned until then may be kept (Operation::on_work_stopped()). Learning and evaluating look at
  // WorkLimits::stop now and then, and end early. Reading, merging, a change of version, writing
  // and the duality gap do not, and run to their end, however long that takes. on_work_done()
  // follows in any case.
  virtual void stop_work() = 0;

  // Whether on_exchanged() is wanted: the sum costs memory and time.
  [[nodiscard]] virtual bool watches_exchanges() const { return false; }
  // For checkers: an asynchronous step has changed the vector that the workers share. At the
  // beginning it was that of the committed model, and now it is `after`. `sum` is the weighted sum
  // of the updates of this worker.
  virtual void on_exchanged(std::uint64_t sequence, const std::vector<float>& after,
                            const std::vector<double>& sum) {
    static_cast<void>(sequence), static_cast<void>(after), static_cast<void>(sum);
  }
};

}  // namespace surety::worker
