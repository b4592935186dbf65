#include "gateway/http/request_id.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_request_id = 128;

std::string with_digits(std::string_view beginning, std::array<std::uint64_t, 2> random) {
  constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuv";
  constexpr std::size_t digits_of_each = 12;
  std::string id(beginning.size() + random.size() * digits_of_each, '\0');
  char* at = std::copy(beginning.begin(), beginning.end(), id.data());
  for (std::uint64_t bits : random)
    for (std::size_t digit = 0; digit < digits_of_each; ++digit, bits >>= 5) *at++ = digits[bits & 31];
  return id;
}

}  // namespace

bool is_usable_request_id(std::string_view id) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; };
  return !id.empty() && id.size() <= longest_request_id && std::all_of(id.begin(), id.end(), is_plain);
}

std::string new_request_id(std::mt19937_64& random) {
  const std::uint64_t first = random();
  return with_digits("req_", {first, random()});
}

std::string new_race_id(std::array<std::uint64_t, 2> bits) { return with_digits("race_", bits); }

}  // namespace photofinish::gateway
