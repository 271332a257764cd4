// A client of etcd's version 3 API (proto/etcd.proto): leases, and keys that go with them.
//
// Every call is answered, or has failed, within its patience. kUnavailable and kTimeout: etcd may
// or may not have acted; kCorrupt: what answers is no etcd that we understand. Plain connections,
// no user: for networks that are trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace surety::runtime {

struct EtcdLease {
  std::int64_t id = 0;
  Duration ttl{};  // From when it was asked for, at least.
};

struct EtcdPut {
  std::string key, value;
  std::int64_t lease = 0;  // 0: it stays.
};

struct EtcdValue {
  std::string value;
  std::int64_t lease = 0;
};

class EtcdClient {
 public:
  // Members of one etcd, HOST:PORT each; nothing is connected yet. REQUIRES: not empty.
  explicit EtcdClient(const std::vector<std::string>& members);
  ~EtcdClient();
  EtcdClient(const EtcdClient&) = delete;
  EtcdClient& operator=(const EtcdClient&) = delete;

  // ENSURES: at least `ttl`, which is rounded up to whole seconds.
  [[nodiscard]] Result<EtcdLease> grant(Duration ttl, Duration patience);
  // How long it lives from when this was sent; nothing where there is no such lease.
  [[nodiscard]] Result<std::optional<Duration>> keep_alive(std::int64_t lease, Duration patience);
  [[nodiscard]] Result<void> revoke(std::int64_t lease, Duration patience);

  struct PutIfNone {
    bool put = false;
    std::vector<std::optional<EtcdValue>> found;  // Of `keys`, in their order; where it was not.
  };
  // At once: puts it where none of `keys` is there, else reads them.
  [[nodiscard]] Result<PutIfNone> put_if_none(const EtcdPut& put,
                                              const std::vector<std::string>& keys,
                                              Duration patience);
  // At once, where `held` goes with `lease`: puts, and removes `held`. False: it does not.
  [[nodiscard]] Result<bool> put_instead(const EtcdPut& put, const std::string& held,
                                         std::int64_t lease, Duration patience);
  [[nodiscard]] Result<void> remove(const std::string& key, Duration patience);

 private:
  struct Member;
  template <typename Call>
  [[nodiscard]] Result<void> ask(Duration patience, const Call& call);

  std::vector<std::unique_ptr<Member>> members_;
  std::size_t current_ = 0;  // Who answered last.
};

}  // namespace surety::runtime
