#include "base/posix/spill_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "base/check.h"

namespace surety::posix {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

Result<std::unique_ptr<SpillMemory>> SpillMemory::create(const std::filesystem::path& folder) {
  SURETY_TRY(Fd fd, open_fd(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  return std::unique_ptr<SpillMemory>(new SpillMemory(std::move(fd)));
}

void* SpillMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes < kBytesMin) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  const std::size_t size = whole_pages(bytes);
  SURETY_CHECK(alignment <= static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  // Without this, a write to a page for which the file has no room would end the process.
  if (::posix_fallocate(fd_.get(), static_cast<off_t>(end_), static_cast<off_t>(size)) != 0) {
    throw std::bad_alloc();
  }
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(),
                        static_cast<off_t>(end_));
  if (memory == MAP_FAILED) throw std::bad_alloc();
  offsets_[memory] = end_;
  end_ += size;
  return memory;
}

void SpillMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  const auto at = offsets_.find(memory);
  if (at == offsets_.end()) {
    return std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  const std::size_t size = whole_pages(bytes);
  ::munmap(memory, size);
  // If the file system cannot make holes, the room is free only after the end of the process.
  static_cast<void>(::fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                static_cast<off_t>(at->second), static_cast<off_t>(size)));
  offsets_.erase(at);
}

}  // namespace surety::posix
