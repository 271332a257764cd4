// The contents of simulated disks, checkpoint files and the journal, and their faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/sources/chunk.h"
#include "learn/model.h"
#include "proto/surety.pb.h"

namespace surety::sim {

// The folder that all workers reach. A file is written completely or not at all.
class Checkpoints {
 public:
  // Unavailable if the disk is full.
  [[nodiscard]] Result<proto::SavedFile> write(const std::string& path, learn::Model model);
  [[nodiscard]] Result<proto::SavedFile> write(const std::string& path, data::ChunkStates states);
  // Unavailable if there is no such file, Corrupt if its bytes have changed since they were
  // written.
  [[nodiscard]] Result<learn::Model> model(const std::string& path) const;
  [[nodiscard]] Result<data::ChunkStates> states(const std::string& path) const;
  void remove_folder(const std::string& folder);

  void set_full(bool full) { full_ = full; }
  // With `quietly` a model's numbers change, but the file is still well-formed.
  void corrupt(const std::string& path, bool quietly);
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  struct File {
    std::variant<learn::Model, data::ChunkStates> content;
    bool is_corrupt = false;
  };
  template <typename Content>
  [[nodiscard]] Result<proto::SavedFile> put(const std::string& path, Content content,
                                             std::uint64_t bytes);
  template <typename Content>
  [[nodiscard]] Result<Content> get(const std::string& path) const;

  std::map<std::string, File> files_;
  bool full_ = false;
};

// The journal's bytes as a crash leaves them: all that was synced, and the beginning of the rest.
class JournalDisk {
 public:
  JournalDisk();
  // Unavailable if the disk is full: then no part of the record was written.
  [[nodiscard]] Result<void> append(const proto::JournalRecord& record);
  // Syncs only if a record must be durable, as the real journal does. Returns true if it synced;
  // then all records are durable.
  bool sync();
  // Keeps `share` of the bytes that were not synced.
  void crash(double share);
  // Cuts off a torn tail and returns the remaining records. Corrupt if the journal is damaged
  // before its end.
  [[nodiscard]] Result<std::vector<proto::JournalRecord>> open();

  void set_full(bool full) { full_ = full; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t synced_ = 0;
  bool must_sync_ = false;
  bool full_ = false;
};

}  // namespace surety::sim
