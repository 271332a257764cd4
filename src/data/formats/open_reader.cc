#include "data/formats/open_reader.h"

#include "data/formats/formats.h"
#include "data/reader.h"

namespace surety::data {

Result<std::unique_ptr<Reader>> open_reader(const SourceUrl& url, const OpenFile& open,
                                            const ReadOptions& options) {
  switch (url.scheme) {
    case Scheme::kIdx:
      return open_idx(url, open, options.labels);
    case Scheme::kCifar10:
      return open_cifar10(url, open, options.labels);
    case Scheme::kLibsvm:
      return open_libsvm(url, open, options.labels);
    case Scheme::kCsv:
      return open_csv(url, open, options);
    case Scheme::kNpy:
      return open_npy(url, open, options.labels);
    case Scheme::kDigits:
      return open_digits(url);
    case Scheme::kSynthetic:
      break;
  }
  return open_synthetic(url);
}

}  // namespace surety::data
