// A network as fluids: jobs that flow at rates, shared out by weighted max-min fairness.
//
// A job that progresses at x bytes a second uses a_r x of every resource r that it loads: a plain
// flow has a = 1 on its sender and its receiver, a ring all-reduce 2 (n - 1) / n on every port, a
// two-hop round what its plan says. A resource may have a bucket, as shapers do: what was not used
// passes later, faster. Latency, loss and congestion control are not modelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fabric/core/shares.h"

namespace surety::fabric::sim {

using JobId = std::uint64_t;

class FluidNetwork {
 public:
  FluidNetwork(std::size_t hosts, std::size_t racks);

  // Bytes a second. Rates are shared out anew at the next advance() or next_end_s().
  void set_capacity(const Resource& resource, double bytes_per_s);
  [[nodiscard]] double capacity(const Resource& resource) const;

  // What a resource does not use of its capacity, up to so many bytes, passes at `line_bytes_per_s`
  // as soon as somebody has more to send. The bucket is full at first. REQUIRES: bytes > 0, and a
  // line faster than any capacity that is set.
  void set_bucket(const Resource& resource, double bytes, double line_bytes_per_s);

  // REQUIRES: bytes > 0, weight > 0, loads not empty.
  JobId start(std::span<const Load> loads, double bytes, double weight);
  void stop(JobId job);

  // Seconds until the first job ends at today's rates, or a bucket changes them; nothing if neither
  // ever happens.
  [[nodiscard]] std::optional<double> next_end_s();
  // Lets time pass; jobs that end in it, ascending. REQUIRES: seconds <= next_end_s().
  std::vector<JobId> advance(double seconds);

  [[nodiscard]] double rate(JobId job);
  // Bytes that have passed it.
  [[nodiscard]] double carried(const Resource& resource) const {
    return carried_[index_of(resource)];
  }
  [[nodiscard]] std::size_t jobs() const { return jobs_.size(); }

 private:
  struct Use {
    std::size_t resource = 0;
    double per_byte = 0;
  };
  struct Job {
    std::vector<Use> uses;
    double left = 0, weight = 0, rate = 0;
    bool frozen = false;
  };
  struct Bucket {
    double bytes = 0, line = 0;
    double left = 0;
    bool open = true;  // Until it is empty; again when a part of it is full.
  };
  [[nodiscard]] std::size_t index_of(const Resource& resource) const;
  void share_out();
  [[nodiscard]] std::optional<double> bucket_turns_s(std::size_t resource) const;
  void fill_buckets(double seconds);

  std::size_t hosts_;
  std::vector<double> capacity_, carried_;
  std::vector<double> used_;               // At today's rates.
  std::map<std::size_t, Bucket> buckets_;  // By resource; of those that have one.
  std::map<JobId, Job> jobs_;
  JobId last_ = 0;
  bool stale_ = false;  // Rates are from before the last change.
};

}  // namespace surety::fabric::sim
