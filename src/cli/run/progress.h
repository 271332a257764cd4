// The progress of a run: a live line on a terminal, plain lines elsewhere. Plain lines and details
// are also written to a log file. Lines about waiting are not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "orchestrator/job/job_machine.h"

namespace surety::cli {

class Progress {
 public:
  struct Options {
    bool quiet = false;    // Nothing is printed on stderr.
    bool verbose = false;  // Details are printed on stderr, too.
    // The file that lines are appended to, if there is one. A full disk does not end the run.
    std::optional<std::filesystem::path> log;
    bool terminal = false;  // stderr is a terminal: the live line is redrawn in place.
  };
  explicit Progress(Options options);
  ~Progress() { clear(); }

  // Events up to the newest record are not printed again, because an earlier coordinator of the run
  // has printed them.
  void resume_after(const orchestrator::RunState& state);

  // Draws the live line, at most a few times a second. Prints a line of its own for every new
  // measurement and every new entry of the timeline.
  void update(const orchestrator::JobMachine& machine, double now_s);
  void line(double now_s, const std::string& text, bool detail = false);

 private:
  void clear();
  // Prints the entries of the timeline and the measurements that are new, in the order of their
  // times.
  void print_new_entries(const orchestrator::RunState& state);
  void print_waiting(const orchestrator::JobMachine& machine, double now_s);
  Options options_;
  std::ofstream log_;
  std::optional<double> drawn_s_;  // The time of the last redraw.
  double last_line_s_ = 0;
  bool line_drawn_ = false;
  std::size_t measurements_ = 0;  // Number of measurements printed so far.
  std::size_t events_ = 0;        // Number of events printed so far.
  std::size_t curves_ = 0;        // Number of curves printed so far.
};

// The text is, for example,
// "train  pass 7 41%  prune:0.5  loss 0.412 -> 0.35  4 workers  cost 0.0123  48s left".
[[nodiscard]] std::string live_line(const orchestrator::JobView& view,
                                    const orchestrator::RunState& state, double now_s);

// The result of a pass of training, for example
// "pass   7  full       objective 0.31  gap 1.2e-05  accuracy 0.9312  0.034s  4 workers  cost
// 0.01".
// If the promise is a duality gap, objective, gap and accuracy are those of the training data.
// Otherwise the metric of the promise takes their place.
[[nodiscard]] std::string pass_line(const certificate::Measurement& measurement,
                                    const orchestrator::RunState& state);

}  // namespace surety::cli
