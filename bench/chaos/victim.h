// A run that is disturbed: its coordinator, its workers, its network and its disk, as processes of
// this machine, which are all gone when it goes.
//
// Whoever dies is started again after a while, as somebody who watches over a cluster would do.
// With Means::links there is a host for the coordinator and one for each worker; else all are on
// this one, and half of the workers are the coordinator's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/posix/process.h"
#include "base/time.h"
#include "judgement.h"
#include "network.h"
#include "small_disk.h"

namespace surety::bench {

// A worker that ended though nothing was done to it and nobody told it to.
struct Deserter {
  pid_t pid = 0;
  Time at{};
  std::string logs;  // The last line of each worker's log at that time.
};

struct VictimOptions {
  std::filesystem::path folder;  // Gets the job, the run and what the processes print.
  std::string job;               // YAML, without `cluster`.
  std::uint32_t workers = 8;
  const Network* network = nullptr;  // Of workers + 1 hosts.
  const SmallDisk* disk = nullptr;   // On folder / "disk".
};

class Victim {
 public:
  explicit Victim(VictimOptions options);
  ~Victim();
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  [[nodiscard]] Result<void> start();
  void strike(const Fault& fault);
  // Undoes what is due, starts again who is due. InvalidInput: the run ended as it should not.
  [[nodiscard]] Result<void> look_after();
  void heal();  // Undoes everything now.
  // Its coordinator's exit code, once the run is complete.
  [[nodiscard]] std::optional<int> ended() const { return ended_; }

  [[nodiscard]] Records journal() const;
  [[nodiscard]] std::filesystem::path run() const;
  [[nodiscard]] const std::vector<Happened>& faults() const { return faults_; }
  // Durable records that a coordinator's death has cost.
  [[nodiscard]] std::uint32_t records_lost() const { return records_lost_; }
  [[nodiscard]] std::vector<Deserter> deserters() const;
  [[nodiscard]] std::uint32_t resumes() const { return resumes_; }

 private:
  struct Undo {  // What is to be done at that time.
    Time at;
    FaultKind kind;
    pid_t pid = 0;
    std::uint32_t host = 0;
  };
  struct Joiner {
    std::optional<posix::Process> process;
    Time start_at;
  };

  [[nodiscard]] Result<void> start_coordinator();
  [[nodiscard]] Result<void> start_joiner(std::uint32_t number);
  [[nodiscard]] Result<posix::Process> start_on(std::uint32_t host, std::vector<std::string> argv,
                                                const std::string& output) const;
  [[nodiscard]] std::set<pid_t> workers() const;
  void watch_coordinator(const posix::ExitStatus& status);
  void watch_workers();
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] std::string last_lines() const;
  void undo(const Undo& what);
  [[nodiscard]] bool disk_is_full() const;
  void disturb_worker(FaultKind kind, pid_t pid, double lasts_s);
  [[nodiscard]] std::uint32_t local() const;

  VictimOptions options_;
  std::optional<posix::Process> coordinator_;
  std::optional<Time> coordinator_at_;  // To be started again then.
  std::vector<Joiner> joiners_;
  std::vector<Undo> undos_;
  std::vector<Happened> faults_;
  std::optional<int> ended_;
  std::set<pid_t> alive_, struck_;  // Workers; those that were killed or asked to go.
  std::vector<Deserter> deserted_;  // Some of them had been told to, as it turns out.
  std::vector<Time> dismissed_;  // When a coordinator ended in order: it says bye to its workers.
  Records durable_;              // As the last coordinator that died left it.
  std::uint32_t records_lost_ = 0, resumes_ = 0, fruitless_ = 0;
  std::size_t passes_ = 0;  // When it was last resumed.
};

}  // namespace surety::bench
