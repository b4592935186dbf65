// Changes a valid catalogue file at an arbitrary position. A truncated or forged file, or a file that lacks models or prices, never
// replaces the valid file. The input is a position (two bytes), the number of bytes to remove there, and the bytes to insert.
#include "proxy/providers/catalogue_proof.hpp"
#include "proxy/providers/catalogue_update.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/signed_catalogue.hpp"

#include <algorithm>
#include <string>

namespace photofinish::fuzz {
namespace {

const std::string good_text =
    R"({"schema": 1, "as_of": "2026-11-28", "sources": [{"name": "a-list", "date": "2026-11-27"}], "holidays": {},
"betas": {}, "providers": {"lab": [
{"names": ["m", "m-2"], "sources": [0], "prices": {"standard": {"input": 2, "output": 10}, "flex": 0.5}},
{"names": ["n"], "sources": [0], "prices": {"standard": [{"input": [1, [1000, 2]], "output": 4},
{"input": 3, "output": 6, "from": "2026-12-01"}]}}],
"cloud": [{"names": ["m"], "sources": [0], "prices": {"standard": {"input": 2.2, "output": 11}}}]}})";

const proxy::catalogue& good_list() {
  static const std::shared_ptr<const proxy::catalogue> list = proxy::parse_catalogue(good_text).value;
  return *list;
}

std::string edited(std::string_view bytes) {
  std::string text = good_text;
  if (bytes.size() < 3) return text;
  const auto number = [bytes](std::size_t place) { return static_cast<unsigned char>(bytes[place]); };
  const std::size_t place = (number(0) * 256u + number(1)) % (text.size() + 1);
  return text.replace(place, number(2), bytes.substr(3));
}

// Checks that only the unchanged file passes the hash check and the signature check.
void check_proofs(const std::string& text) {
  static const std::string hash = proxy::sha256_hex(good_text), signature = tests::list_signature(good_text);
  const bool is_good = text == good_text;
  const auto by_hash = proxy::read_proven_catalogue({.text = text, .signature = {}, .sha256 = hash, .public_key = {}});
  const auto by_key = proxy::read_proven_catalogue(
      {.text = text, .signature = signature, .sha256 = {}, .public_key = tests::list_public_key});
  require((by_hash.value != nullptr) == is_good, "a file with another hash is refused");
  require((by_key.value != nullptr) == is_good, "a file with another signature is refused");
}

// Checks that a signature of arbitrary bytes is never valid.
void check_signature(std::string_view bytes) {
  static const std::string signature = tests::list_signature(good_text);
  const bool is_signed = proxy::is_signed_by(tests::list_public_key, good_text, bytes);
  require(!is_signed || bytes == signature || bytes.size() > signature.size(), "64 other bytes are no signature");
}

void check_price(const proxy::model_prices& before, const proxy::model_prices* next) {
  require(next != nullptr, "no price vanishes");
  for (const auto when : {std::chrono::sys_days{}, std::chrono::sys_days{std::chrono::year{2026} / 12 / 1}})
    for (const std::uint64_t input : {1u, 2000u}) {
      const proxy::billed_tokens tokens{.input = input, .output = 1000};
      require(proxy::cost_usd(*next, tokens, when) > 0, "no price falls to zero");
      // The cost of a request may grow up to 100 times, because a price may rise tenfold, and prices also vary by date and prompt size.
      const double limit = 100 * proxy::cost_usd(before, tokens, when);
      require(proxy::cost_usd(*next, tokens, when) <= limit, "no price rises without a bound");
    }
}

void check_accepted(const proxy::catalogue& next) {
  std::size_t before_count = 0, next_count = 0;
  for (const auto& [provider, models] : next.models())
    for (const auto& each : models) next_count += each.names.size();
  for (const auto& [provider, models] : good_list().models()) {
    require(next.models().contains(provider), "no provider vanishes");
    for (const auto& each : models)
      for (const std::string& name : each.names) {
        ++before_count;
        const auto* row = next.find(provider, name);
        for (const auto& [tier, prices] : each.prices)
          if (row) check_price(prices, row->prices_of(tier));
      }
  }
  require(next_count >= before_count, "the list does not shrink");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  const fuzz::exact_bytes bytes(fuzz::as_text(data, size));
  const std::string text = fuzz::edited(bytes.view());
  fuzz::check_proofs(text);
  fuzz::check_signature(bytes.view());
  const proxy::catalogue_result read = proxy::parse_catalogue(text);
  if (read.value && proxy::jump_problem(fuzz::good_list(), *read.value).empty()) fuzz::check_accepted(*read.value);
  return 0;
}
