// The heads of an HTTP request and its response, independent of the HTTP version. [pure]
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

// The kind of connection that an exchange started on. none: the exchange did not get a connection.
enum class connection_used { none, fresh, reused };

// The caller owns it for the whole exchange.
struct request_head {
  std::string_view method = "POST";
  std::string path;  // includes the query
  std::string host;  // value of the Host header
  std::vector<std::pair<std::string, std::string>> fields;  // except Host and framing fields
};

struct response_head {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;  // names are in lower case

  std::string_view field(std::string_view lower_case_name) const {
    for (const auto& [name, value] : fields)
      if (name == lower_case_name) return value;
    return {};
  }
};

}  // namespace photofinish::proxy
