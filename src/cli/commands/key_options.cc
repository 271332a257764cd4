#include "cli/commands/key_options.h"

#include "runtime/files/keys.h"

namespace surety::cli {

Result<record::Verifier> read_key(const std::string& option, record::KeyKind kind,
                                  const std::string& text_or_file) {
  SURETY_TRY(record::Verifier key, runtime::read_verifier(text_or_file));
  if (key.kind == kind) return key;
  if (kind == record::KeyKind::kLog) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found the key of a witness, expected that of the record's owner, as  surety "
                "keys show  prints it",
                option);
  }
  return fail(ErrorCode::kInvalidInput,
              "{}: found the key of a record's owner, expected that of a witness: its command  "
              "surety keys show --witness  prints it",
              option);
}

Result<std::vector<record::Verifier>> read_keys(const std::string& option, record::KeyKind kind,
                                                const std::vector<std::string>& given) {
  std::vector<record::Verifier> keys;
  for (const std::string& text_or_file : given) {
    SURETY_TRY(record::Verifier key, read_key(option, kind, text_or_file));
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace surety::cli
