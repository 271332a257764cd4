#include "record/note.h"

#include "record/checkpoint.h"
#include "record/results.h"

// If a text can be read, writing the result gives the same text.
template <typename Parsed>
void check_text(const Parsed& parsed, std::string_view text) {
  if (parsed && to_text(*parsed) != text) __builtin_trap();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::record;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_text(parse_checkpoint(text), text);
  check_text(parse_results(text), text);
  check_text(parse_proof(text), text);
  check_text(parse_note(text), text);
  if (const auto note = parse_note(text)) {
    check_text(parse_checkpoint(note->text), note->text);
    check_text(parse_results(note->text), note->text);
  }
  static_cast<void>(parse_verifier(text));
  if (const auto signer = parse_signer(text); signer && signer->secret_text() != text) {
    __builtin_trap();
  }
  return 0;
}
