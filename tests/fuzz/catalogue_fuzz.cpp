// Reads arbitrary text as a catalogue of models. The reader either accepts the whole text or rejects it with a one-sentence error. A lookup
// by a model's name finds that model's entry, and no cost is negative.
#include "proxy/providers/catalogue.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace photofinish::fuzz {
namespace {

void check_refusal(const std::string& error) {
  require(!error.empty(), "a refusal says why");
  require(std::find(error.begin(), error.end(), '\n') == error.end(), "a refusal is one line");
}

void check_costs(const proxy::model_prices& prices) {
  require(!prices.periods.empty(), "a tier has a price");
  const proxy::billed_tokens tokens{.input = 300'000, .cached_input = 1000, .written_input = 2000,
                                    .written_for_hour = 1000, .output = 5000, .reasoning = 1000};
  for (const auto when : {std::chrono::sys_days{std::chrono::year{2026} / 11 / 28}, std::chrono::sys_days{}}) {
    const double usd = proxy::cost_usd(prices, tokens, when);
    require(std::isfinite(usd) && usd >= 0, "a cost is a number of at least 0");
  }
}

void check_rows(const proxy::catalogue& read) {
  for (const auto& [provider, models] : read.models())
    for (const proxy::catalogue_model& model : models) {
      for (const std::string& name : model.names)
        require(name.size() > 256 || read.find(provider, name) == &model, "a name finds its own row");
      for (const auto& [tier, prices] : model.prices) check_costs(prices);
      for (const std::size_t source : model.sources) require(source < read.sources().size(), "a source is listed");
    }
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  const fuzz::exact_bytes bytes(fuzz::as_text(data, size));
  const proxy::catalogue_result read = proxy::parse_catalogue(bytes.view());
  if (!read.value) {
    fuzz::check_refusal(read.error);
    return 0;
  }
  fuzz::require(read.error.empty(), "a catalogue that is read has no error");
  fuzz::require(read.value->id().size() == 64, "a catalogue has the hash of its text");
  fuzz::check_rows(*read.value);
  return 0;
}
