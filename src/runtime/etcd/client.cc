#include "runtime/etcd/client.h"

#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>

#include "base/check.h"
#include "base/posix/clock.h"
#include "proto/etcd.grpc.pb.h"

namespace surety::runtime {
namespace {

namespace pb = etcdserverpb;

// A member that does not answer is called again after 0.1 s, then at intervals of up to 0.5 s.
constexpr int kCallAgainMs = 100;
constexpr int kCallAgainMaxMs = 500;
// Our values are single lines, so a larger answer does not belong to one of our requests.
constexpr int kAnswerBytesMax = 64 << 10;
// This is longer than any lease that we request, and far below the overflow of a duration.
constexpr std::int64_t kTtlMaxS = 86'400;

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const std::optional<EtcdKeys>& keys) {
  if (!keys) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({.pem_root_certs = keys->authority,
                               .pem_private_key = keys->private_key,
                               .pem_cert_chain = keys->certificate});
}

std::shared_ptr<grpc::Channel> channel_to(const std::string& address,
                                          const std::optional<EtcdKeys>& keys) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kAnswerBytesMax);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kCallAgainMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kCallAgainMaxMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kCallAgainMaxMs);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Otherwise a new channel would inherit the growing retry interval of the last one to this
  // address.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, credentials_of(keys), arguments);
}

bool has_not_answered(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE ||
         status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
}

pb::Compare is_missing(const std::string& key) {
  pb::Compare compare;
  compare.set_key(key);
  compare.set_target(pb::Compare::CREATE);
  compare.set_result(pb::Compare::EQUAL);
  compare.set_create_revision(0);
  return compare;
}

pb::RequestOp as_request(const EtcdPut& put) {
  pb::RequestOp request;
  request.mutable_request_put()->set_key(put.key);
  request.mutable_request_put()->set_value(put.value);
  if (put.lease) request.mutable_request_put()->set_lease(*put.lease);
  return request;
}

pb::RequestOp as_removal(const std::string& key) {
  pb::RequestOp request;
  request.mutable_request_delete_range()->set_key(key);
  return request;
}

tl::unexpected<Error> not_understood(const char* what) {
  return fail(ErrorCode::kCorrupt, "the answer of etcd has {}", what);
}

Result<std::optional<EtcdValue>> value_of(const pb::ResponseOp& response, const std::string& key) {
  if (!response.has_response_range()) return not_understood("no range");
  const auto& found = response.response_range().kvs();
  if (found.empty()) return std::nullopt;
  if (found.size() > 1 || found[0].key() != key)
    return not_understood("keys that were not requested");
  return EtcdValue{.value = found[0].value(), .lease = found[0].lease()};
}

Result<Duration> as_ttl(std::int64_t seconds) {
  if (seconds < 1 || seconds > kTtlMaxS) return not_understood("a time to live out of range");
  return std::chrono::seconds(seconds);
}

}  // namespace

struct EtcdClient::Member {
  Member(const std::string& at, const std::optional<EtcdKeys>& by)
      : address(at),
        channel(channel_to(at, by)),
        keys(pb::KV::NewStub(channel)),
        leases(pb::Lease::NewStub(channel)) {}
  std::string address;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<pb::KV::Stub> keys;
  std::unique_ptr<pb::Lease::Stub> leases;
};

EtcdClient::EtcdClient(const EtcdMembers& members) {
  SURETY_CHECK(!members.addresses.empty());
  gpr_set_log_function([](gpr_log_func_args*) {});  // We report failures ourselves.
  for (const std::string& address : members.addresses) {
    members_.push_back(std::make_unique<Member>(address, members.keys));
  }
}

EtcdClient::~EtcdClient() = default;

// Tries the members in turn, each for an equal share of the patience. It begins with the member
// that answered last. So a member that is cut off does not use up the time of the others.
template <typename Call>
Result<void> EtcdClient::call_any_member(Duration patience, const Call& call) {
  const Duration share = patience / static_cast<int>(members_.size());
  std::string failures;
  for (std::size_t turn = 0; turn < members_.size(); ++turn) {
    Member& member = *members_[current_];
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::duration_cast<std::chrono::milliseconds>(share));
    const grpc::Status status = call(member, context);
    if (status.ok()) return {};
    if (!has_not_answered(status)) {
      return fail(ErrorCode::kUnavailable, "etcd at {}: {}", member.address,
                  status.error_message());
    }
    failures += fmt::format("{}{}", failures.empty() ? "" : ", ", member.address);
    current_ = (current_ + 1) % members_.size();
  }
  return fail(ErrorCode::kTimeout, "etcd does not answer at {}", failures);
}

Result<EtcdLease> EtcdClient::grant(Duration ttl, Duration patience) {
  pb::LeaseGrantRequest request;
  request.set_ttl(std::chrono::ceil<std::chrono::seconds>(ttl).count());
  pb::LeaseGrantResponse response;
  SURETY_TRY(call_any_member(patience, [&](Member& member, grpc::ClientContext& context) {
    return member.leases->LeaseGrant(&context, request, &response);
  }));
  if (!response.error().empty()) {
    return fail(ErrorCode::kUnavailable, "etcd grants no lease: {}", response.error());
  }
  if (response.id() == 0) return not_understood("no lease");
  EtcdLease lease{.id = response.id()};
  SURETY_TRY(lease.ttl, as_ttl(response.ttl()));
  return lease;
}

Result<std::optional<Duration>> EtcdClient::keep_alive(std::int64_t lease, Duration patience) {
  pb::LeaseKeepAliveRequest request;
  request.set_id(lease);
  pb::LeaseKeepAliveResponse response;
  bool answered = false;
  SURETY_TRY(call_any_member(patience, [&](Member& member, grpc::ClientContext& context) {
    const auto stream = member.leases->LeaseKeepAlive(&context);
    answered = stream->Write(request) && stream->WritesDone() && stream->Read(&response);
    if (answered) context.TryCancel();  // One answer is enough.
    const grpc::Status status = stream->Finish();
    return answered ? grpc::Status::OK : status;
  }));
  if (!answered) return not_understood("nothing about the lease");
  if (response.id() != lease) return not_understood("another lease");
  if (response.ttl() <= 0) return std::nullopt;
  return as_ttl(response.ttl());
}

Result<void> EtcdClient::revoke(std::int64_t lease, Duration patience) {
  pb::LeaseRevokeRequest request;
  request.set_id(lease);
  pb::LeaseRevokeResponse response;
  return call_any_member(patience, [&](Member& member, grpc::ClientContext& context) {
    const grpc::Status status = member.leases->LeaseRevoke(&context, request, &response);
    const bool gone = status.error_code() == grpc::StatusCode::NOT_FOUND;
    return gone ? grpc::Status::OK : status;
  });
}

Result<EtcdClient::PutIfNone> EtcdClient::put_if_none(const EtcdPut& put,
                                                      const std::vector<std::string>& keys,
                                                      Duration patience) {
  pb::TxnRequest request;
  *request.add_success() = as_request(put);
  for (const std::string& key : keys) {
    *request.add_compare() = is_missing(key);
    request.add_failure()->mutable_request_range()->set_key(key);
  }
  pb::TxnResponse response;
  SURETY_TRY(call_any_member(patience, [&](Member& member, grpc::ClientContext& context) {
    return member.keys->Txn(&context, request, &response);
  }));
  PutIfNone done{.put = response.succeeded(), .found = {}};
  if (done.put) return done;
  if (response.responses_size() != static_cast<int>(keys.size())) {
    return not_understood("a wrong number of keys");
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    SURETY_TRY(std::optional<EtcdValue> found,
               value_of(response.responses(static_cast<int>(i)), keys[i]));
    done.found.push_back(std::move(found));
  }
  return done;
}

Result<bool> EtcdClient::put_instead(const EtcdPut& put, const std::string& held,
                                     std::int64_t lease, Duration patience) {
  pb::TxnRequest request;
  pb::Compare& compare = *request.add_compare();
  compare.set_key(held);
  compare.set_target(pb::Compare::LEASE);
  compare.set_result(pb::Compare::EQUAL);
  compare.set_lease(lease);
  *request.add_success() = as_request(put);
  *request.add_success() = as_removal(held);
  pb::TxnResponse response;
  SURETY_TRY(call_any_member(patience, [&](Member& member, grpc::ClientContext& context) {
    return member.keys->Txn(&context, request, &response);
  }));
  return response.succeeded();
}

Result<void> EtcdClient::remove(const std::string& key, Duration patience) {
  pb::TxnRequest request;
  *request.add_success() = as_removal(key);
  pb::TxnResponse response;
  return call_any_member(patience, [&](Member& member, grpc::ClientContext& context) {
    return member.keys->Txn(&context, request, &response);
  });
}

}  // namespace surety::runtime
