#include "gateway/api/url_text.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

std::optional<int> hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return std::nullopt;
}

}  // namespace

std::string percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size()) {
      const auto high = hex_digit(text[at + 1]), low = hex_digit(text[at + 2]);
      if (high && low) {
        out.push_back(static_cast<char>(*high * 16 + *low));
        at += 2;
        continue;
      }
    }
    out.push_back(text[at]);
  }
  return out;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) == name) {
      std::string value(pair.substr(std::min(equals + 1, pair.size())));
      std::replace(value.begin(), value.end(), '+', ' ');
      return percent_decode(value);
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return std::nullopt;
}

}  // namespace photofinish::gateway
