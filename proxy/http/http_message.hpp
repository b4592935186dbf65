// The heads of one HTTP request and its response, whatever HTTP's version. [pure]
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

// What an exchange started on; none: it never got that far.
enum class connection_used { none, fresh, reused };

// Borrowed from the caller for the whole exchange.
struct request_head {
  std::string_view method = "POST";
  std::string path;  // with its query
  std::string host;  // as in the Host header
  std::vector<std::pair<std::string, std::string>> fields;  // without Host and framing
};

struct response_head {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;  // names lower case

  std::string_view field(std::string_view lower_case_name) const {
    for (const auto& [name, value] : fields)
      if (name == lower_case_name) return value;
    return {};
  }
};

}  // namespace photofinish::proxy
