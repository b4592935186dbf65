// Runs the gateway's binary with a short configuration, and sends requests to it.
#pragma once

#include "tests/support/gateway/gateway_process.hpp"
#include "tests/support/gateway/scripted_provider.hpp"
#include "tests/support/gateway/test_client.hpp"
#include "tests/support/patience.hpp"

#include <cstdint>
#include <string>

namespace photofinish::testing {

inline std::string provider_section(const std::string& name, const scripted_provider& at, const std::string& key = "none") {
  return "  " + name + ": {base_url: \"http://127.0.0.1:" + std::to_string(at.port()) + "/v1\", api_key: \"" + key + "\"}\n";
}

inline std::string one_provider(const scripted_provider& at, const std::string& more = "") {
  return "providers:\n" + provider_section("p", at) + "routes: {r: {targets: [p/m]}}\n" + more;
}

inline const std::string body = R"({"model":"r","messages":[{"role":"user","content":"hi"}],"stream":true})";

inline http_response ask(std::uint16_t port, const std::string& fields = "") {
  test_client client(port);
  client.post(body, fields);
  return client.read();
}

inline http_response fetch(std::uint16_t port, const std::string& path) {
  test_client client(port);
  client.get(path);
  return client.read();
}

}  // namespace photofinish::testing
