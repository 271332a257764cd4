// A fluid model of a network: jobs have rates, which max-min fairness determines.
//
// A job that progresses at x bytes per second uses a_r x of every link r that it loads. A plain
// flow has a = 1 on its sender and its receiver, a ring all-reduce has 2 (n - 1) / n on every port,
// and a two-hop round has the loads of its plan. Where a link is full, its jobs progress at the
// same rate, whatever their loads are. A link may have a token bucket, like a traffic
// shaper: unused capacity lets data pass faster later. Latency, loss and congestion control are not
// modelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sim/network/link.h"

namespace surety::sim {

using JobId = std::uint64_t;

class FluidNetwork {
 public:
  FluidNetwork(std::size_t hosts, std::size_t racks);

  // Bytes per second. Rates are computed anew at the next advance() or next_end_s().
  void set_capacity(const Link& link, double bytes_per_s);
  [[nodiscard]] double capacity(const Link& link) const;

  // Gives a link a token bucket. Unused capacity, up to `bytes`, is saved, and lets later data pass
  // at `line_bytes_per_s`. The bucket is full at first. REQUIRES: bytes > 0, and the line rate is
  // above any capacity that is set.
  void set_bucket(const Link& link, double bytes, double line_bytes_per_s);

  // REQUIRES: bytes > 0, loads not empty.
  JobId start(std::span<const LinkLoad> loads, double bytes);
  void stop(JobId job);

  // Seconds until the first job ends at the current rates, or until a bucket changes them; nullopt
  // if neither will happen.
  [[nodiscard]] std::optional<double> next_end_s();
  // Lets time pass and returns the jobs that end in it, in ascending order.
  // REQUIRES: seconds <= next_end_s().
  std::vector<JobId> advance(double seconds);

  [[nodiscard]] double rate(JobId job);
  // Bytes that have passed the link.
  [[nodiscard]] double carried(const Link& link) const { return carried_[index_of(link)]; }
  [[nodiscard]] std::size_t jobs() const { return jobs_.size(); }

 private:
  struct Use {
    std::size_t link = 0;
    double per_byte = 0;
  };
  struct Job {
    std::vector<Use> uses;
    double left = 0;
    double rate = 0;
    bool is_frozen = false;
  };
  struct Bucket {
    double bytes = 0;
    double line = 0;
    double left = 0;
    // The bucket closes when it is empty, and opens again when a part of it is full.
    bool open = true;
  };
  [[nodiscard]] std::size_t index_of(const Link& link) const;
  void share_out();
  [[nodiscard]] std::optional<double> bucket_turns_s(std::size_t link) const;
  void fill_buckets(double seconds);

  std::size_t hosts_;
  std::vector<double> capacity_;
  std::vector<double> carried_;
  std::vector<double> used_;  // Use of each link at the current rates.
  // Keyed by link; only links with a bucket.
  std::map<std::size_t, Bucket> buckets_;
  std::map<JobId, Job> jobs_;
  JobId last_ = 0;
  bool has_stale_rates_ = false;  // Rates are older than the last change.
};

}  // namespace surety::sim
