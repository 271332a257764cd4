// The live line on a terminal; plain lines where there is none. All lines, those of interest only
// to some too, go into a log file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "orchestrator/job_machine.h"

namespace surety::cli {

class Progress {
 public:
  struct Options {
    bool quiet = false;         // Nothing on stderr.
    bool verbose = false;       // Details, too.
    std::filesystem::path log;  // Appended to; empty: none. A full disk ends no run.
    bool terminal = false;      // stderr is one: the line is redrawn in place.
  };
  explicit Progress(Options options);
  ~Progress() { clear(); }

  // What happened before the newest record was told by an earlier coordinator of the run: it is not
  // told again.
  void go_on_after(const orchestrator::RunState& state);

  // Draws the line, at most a few times a second; prints a line of its own for every new
  // measurement and every entry of the time line.
  void update(const orchestrator::JobMachine& machine, double now_s);
  void line(double now_s, const std::string& text, bool detail = false);

 private:
  void clear();
  // Entries of the time line and measurements that are new, in the order of their times.
  void say_what_happened(const orchestrator::RunState& state);
  void say_what_is_waited_for(const orchestrator::JobMachine& machine, double now_s);
  Options options_;
  std::ofstream log_;
  double drawn_s_ = -1, said_s_ = 0;
  bool line_drawn_ = false;
  std::size_t measurements_ = 0, events_ = 0, curves_ = 0;  // Printed so far.
};

// "train  pass 7 41%  prune:0.5  loss 0.412 -> 0.35  4 workers  cost 0.0123  48s left"
[[nodiscard]] std::string live_line(const orchestrator::JobView& view,
                                    const orchestrator::RunState& state, double now_s);

// "pass   7  full       objective 0.31  gap 1.2e-05  accuracy 0.9312  0.034s  4 workers  cost
// 0.01": what a pass of training came to; objective, gap and accuracy are those of the training
// data where the promise is a gap, else the metric of the promise stands there.
[[nodiscard]] std::string pass_line(const orchestrator::Measurement& measurement,
                                    const orchestrator::RunState& state);

}  // namespace surety::cli
