// A client of etcd's version 3 API (proto/etcd.proto): leases, and keys that are bound to them.
//
// Every call returns an answer or an error within its patience. kUnavailable means that the call
// has failed at a member, and kTimeout that no member has answered. With both, etcd may or may not
// have acted. kCorrupt means that the answer does not come from an etcd that this client
// understands. Without EtcdKeys, connections are not encrypted and have no user.
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

// Certificates for TLS with an etcd that demands them (--client-cert-auth): texts in PEM. The
// authority is that of the members.
struct EtcdKeys {
  std::string authority;
  std::string certificate;
  std::string private_key;
};

// The members of one etcd, HOST:PORT each. Without keys, connections are plain.
struct EtcdMembers {
  std::vector<std::string> addresses;
  std::optional<EtcdKeys> keys{};
};

struct EtcdLease {
  std::int64_t id = 0;
  Duration ttl{};  // It is counted from the request of the lease or later.
};

struct EtcdPut {
  std::string key;
  std::string value;
  // The key exists as long as this lease; if absent, the key has no limit of time.
  std::optional<std::int64_t> lease{};
};

struct EtcdValue {
  std::string value;
  std::int64_t lease = 0;
};

class EtcdClient {
 public:
  // Does not connect yet. REQUIRES: there is an address.
  explicit EtcdClient(const EtcdMembers& members);
  ~EtcdClient();
  EtcdClient(const EtcdClient&) = delete;
  EtcdClient& operator=(const EtcdClient&) = delete;

  // ENSURES: the lease has at least `ttl`, rounded up to whole seconds.
  [[nodiscard]] Result<EtcdLease> grant(Duration ttl, Duration patience);
  // How long the lease lives from when this request was sent; nothing if there is no such lease.
  [[nodiscard]] Result<std::optional<Duration>> keep_alive(std::int64_t lease, Duration patience);
  [[nodiscard]] Result<void> revoke(std::int64_t lease, Duration patience);

  struct PutIfNone {
    bool put = false;
    // Values of `keys`, in their order, if nothing was put.
    std::vector<std::optional<EtcdValue>> found;
  };
  // Atomic: puts the value if none of `keys` exists, else reads them.
  [[nodiscard]] Result<PutIfNone> put_if_none(const EtcdPut& put,
                                              const std::vector<std::string>& keys,
                                              Duration patience);
  // Atomic: puts the value and removes `held` if `held` is bound to `lease`. Returns false if it is
  // not bound.
  [[nodiscard]] Result<bool> put_instead(const EtcdPut& put, const std::string& held,
                                         std::int64_t lease, Duration patience);
  [[nodiscard]] Result<void> remove(const std::string& key, Duration patience);

 private:
  struct Member;
  template <typename Call>
  [[nodiscard]] Result<void> call_any_member(Duration patience, const Call& call);

  std::vector<std::unique_ptr<Member>> members_;
  std::size_t current_ = 0;  // The member that answered last.
};

}  // namespace surety::runtime
