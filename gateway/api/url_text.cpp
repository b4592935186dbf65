#include "gateway/api/url_text.hpp"

#include "proxy/words/ascii.hpp"

#include <algorithm>

namespace photofinish::gateway {

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) == name) {
      std::string value(pair.substr(std::min(equals + 1, pair.size())));
      std::replace(value.begin(), value.end(), '+', ' ');
      return proxy::percent_decoded(value);
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return std::nullopt;
}

}  // namespace photofinish::gateway
