#include "gateway/limits/reserved_tokens.hpp"

#include "gateway/limits/bounds/asked_output.hpp"
#include "gateway/limits/bounds/usage_bounds.hpp"

#include <algorithm>
#include <cstring>

namespace photofinish::gateway {
namespace {

constexpr std::uint64_t bytes_per_token = 4;  // the estimated number of bytes per token of text
constexpr std::uint64_t tokens_per_medium = 1000;  // the approximate number of tokens of an ordinary picture
// The smallest size of base64 data that counts as a picture. Smaller data counts as text.
constexpr std::size_t least_medium = tokens_per_medium * bytes_per_token;

// Returns the position of the base64 data in the string that starts at `begin`. The string must be the value of a
// member `data` or a data URL. Otherwise returns npos.
std::size_t medium_in(std::string_view prompt, std::size_t begin) {
  constexpr std::size_t longest_head = 256;  // the maximum length of a data URL's media type with its parameters
  constexpr std::string_view end_of_head = ";base64,";
  if (prompt.substr(0, begin).ends_with(R"("data":")")) return begin;
  const std::string_view head = prompt.substr(begin, longest_head);
  const std::size_t found = head.starts_with("data:") ? head.find(end_of_head) : std::string_view::npos;
  return found == std::string_view::npos ? found : begin + found + end_of_head.size();
}

// Returns true for endpoints whose answers are numbers. All other answers may contain billed tokens, even pictures and
// sound.
bool answers_in_numbers(metrics::endpoint called) {
  using enum metrics::endpoint;
  return called == embeddings || called == rerank || called == moderations || called == count_tokens;
}

}  // namespace

// Estimates the tokens of a prompt. The function searches for large base64 data, which contains no quotation marks. It
// looks for the last quotation mark within the next least_medium bytes. If there is one, no large data begins before
// this mark, so the search continues after it. The search reads each byte at most twice, and skips most bytes of a text
// with many quotation marks.
std::uint64_t tokens_of_prompt(std::string_view prompt) {
  std::uint64_t bytes = prompt.size(), media = 0;
  for (std::size_t begin = 0; begin + least_medium <= prompt.size();) {
    const char* const from = prompt.data() + begin;
    if (const void* quote = memrchr(from, '"', least_medium)) {
      begin += static_cast<std::size_t>(static_cast<const char*>(quote) - from) + 1;
      continue;
    }
    const std::size_t end = std::min(prompt.find('"', begin + least_medium), prompt.size());
    const std::size_t at = medium_in(prompt, begin);
    if (at <= end && end - at >= least_medium) {
      bytes -= end - at;
      ++media;
    }
    begin = end + 1;
  }
  return bytes / bytes_per_token + media * tokens_per_medium;
}

wanted_tokens tokens_to_reserve(const parsed_request& asked, metrics::endpoint called) {
  wanted_tokens wanted{.input = tokens_of_prompt(asked.prompt), .answers = answers_of(asked)};
  if (answers_in_numbers(called)) wanted.most_output = 0;
  else if (const auto one = most_of_one_answer(asked))
    wanted.most_output = std::min(*one * wanted.answers, most_countable);
  return wanted;
}

std::uint64_t background_output(const parsed_request& asked, metrics::endpoint called) {
  // The estimated output of a background response without a limit. Background responses are usually long.
  constexpr std::uint64_t usual = 1000;
  if (called != metrics::endpoint::responses || !asked.body || asked.body->value_of("background") != "true") return 0;
  const std::uint64_t most = least_bounds_of(extent_of(asked), 0).output;
  return std::min(most_of_one_answer(asked).value_or(usual), most);
}

}  // namespace photofinish::gateway
