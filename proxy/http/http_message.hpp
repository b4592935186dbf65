// The heads of an HTTP request and of its response, independent of the HTTP version. [pure]
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

// The kind of connection that an exchange uses. It is `none` as long as the exchange has no connection.
enum class connection_used { none, fresh, reused };

// The head of a request. The caller keeps it alive during the whole exchange.
struct request_head {
  std::string_view method = "POST";
  std::string path;                                         // the path and the query
  std::string host;                                         // the value of the Host header
  std::vector<std::pair<std::string, std::string>> fields;  // all fields except Host and the framing fields
};

struct response_head {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;  // the names of the header fields are in lower case

  std::string_view field(std::string_view lower_case_name) const {
    for (const auto& [name, value] : fields)
      if (name == lower_case_name) return value;
    return {};
  }
};

}  // namespace photofinish::proxy
