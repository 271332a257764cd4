#include "data/formats/open_reader.h"

#include "base/check.h"
#include "data/formats/formats.h"
#include "data/reader.h"

namespace surety::data {

Result<std::unique_ptr<Reader>> open_reader(const SourceUrl& url, const OpenFile& open,
                                            const ReadOptions& options) {
  if (url.scheme == "idx") return open_idx(url, open, options.labels);
  if (url.scheme == "cifar10") return open_cifar10(url, open, options.labels);
  if (url.scheme == "libsvm") return open_libsvm(url, open, options.labels);
  if (url.scheme == "csv") return open_csv(url, open, options);
  if (url.scheme == "npy") return open_npy(url, open, options.labels);
  if (url.scheme == "digits") return open_digits(url);
  SURETY_CHECK(url.scheme == "synthetic");  // parse_url() accepts no other scheme.
  return open_synthetic(url);
}

}  // namespace surety::data
