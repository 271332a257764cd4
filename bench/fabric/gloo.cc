#include "bench/fabric/gloo.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/fabric/cluster.h"

namespace surety::bench {
namespace {

constexpr double kPatience_s = 240;

// The first all-reduce is a warm-up. A barrier before each one makes all hosts start together.
constexpr const char* kScript = R"(
import sys, time, torch, torch.distributed as dist
rank, size, elements, address = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
dist.init_process_group('gloo', init_method=f'tcp://{address}:29511', rank=rank, world_size=size)
seconds = []
for repeat in range(2):
    values = torch.full((elements,), float(rank + 1))
    dist.barrier()
    begin = time.monotonic()
    dist.all_reduce(values)
    took = torch.tensor([time.monotonic() - begin])
    assert bool((values == size * (size + 1) / 2).all())
    dist.all_reduce(took, op=dist.ReduceOp.MAX)
    seconds.append(float(took))
print(seconds[-1], flush=True)
)";

}  // namespace

Result<double> gloo_all_reduce_s(std::uint32_t hosts, std::uint64_t elements) {
  std::vector<Child> children;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    SURETY_TRY(auto child,
               Child::start({"ip", "netns", "exec", ShapedNetwork::namespace_of(host), "env",
                             "GLOO_SOCKET_IFNAME=eth0", "OMP_NUM_THREADS=1", "/usr/bin/python3",
                             "-c", kScript, std::to_string(host), std::to_string(hosts),
                             std::to_string(elements), ShapedNetwork::ip_of(0)}));
    children.push_back(std::move(child));
  }
  double seconds = 0;
  for (Child& child : children) {
    SURETY_TRY(const std::string line, child.receive_line(kPatience_s));
    seconds = std::max(seconds, std::strtod(line.c_str(), nullptr));
  }
  return seconds;
}

}  // namespace surety::bench
