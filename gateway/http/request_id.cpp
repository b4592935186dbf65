#include "gateway/http/request_id.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_request_id = 128;

std::string with_digits(std::string_view beginning, std::mt19937_64& random) {
  constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuv";
  constexpr std::size_t count = 24;
  std::string id(beginning.size() + count, '0');
  std::copy(beginning.begin(), beginning.end(), id.begin());
  for (std::size_t from = beginning.size(); from < id.size(); from += 12)
    for (std::uint64_t bits = random(), at = 0; at < 12; ++at, bits >>= 5) id[from + at] = digits[bits & 31];
  return id;
}

}  // namespace

bool is_usable_request_id(std::string_view id) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; };
  return !id.empty() && id.size() <= longest_request_id && std::all_of(id.begin(), id.end(), is_plain);
}

std::string new_request_id(std::mt19937_64& random) { return with_digits("req_", random); }

std::string new_race_id(std::mt19937_64& random) { return with_digits("race_", random); }

}  // namespace photofinish::gateway
