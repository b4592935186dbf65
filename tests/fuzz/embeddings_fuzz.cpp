// Converts the vectors of an embeddings answer between base64 and lists of numbers. The result is valid JSON, and is not longer than the
// computed limit. Converting the result back restores the original answer.
#include "proxy/dialects/vector_encoding.hpp"
#include "proxy/json/json_scan.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace photofinish::fuzz {
namespace {

using proxy::vector_encoding;

bool is_valid(std::string_view json) {
  proxy::json_scan scan;
  return scan.see(json) && scan.is_complete();
}

void check(std::string_view answer, vector_encoding to, vector_encoding back) {
  const auto there = proxy::encoded_as(answer, to);
  if (!there) return;
  require(is_valid(*there), "a converted answer is valid JSON");
  // The shortest list, `[]`, has two characters, but its base64 text has at least four letters.
  const std::size_t most = proxy::most_encoded_bytes(answer.size()) + 8;
  require(there->size() <= most, "it grows no more than is counted");
  // A vector that already has the requested encoding is copied unchanged, even if its numbers are written in an unusual way. A conversion
  // to the other encoding and back normalizes the numbers. Therefore the test compares only converted vectors.
  const auto home = proxy::encoded_as(*there, back);
  if (!home) return;
  const auto again = proxy::encoded_as(*home, to);
  require(again.has_value(), "what was converted can be converted back");
  const auto same = proxy::encoded_as(*again, back);
  require(same.has_value() && *same == *home, "there and back again is the same");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  using namespace photofinish::fuzz;
  const exact_bytes bytes(as_text(data, size));
  (void)proxy::encoding_at_first_sight(bytes.view());
  if (!is_valid(bytes.view())) return 0;
  check(bytes.view(), vector_encoding::base64, vector_encoding::floats);
  check(bytes.view(), vector_encoding::floats, vector_encoding::base64);
  return 0;
}
