// Builds the bytes of a provider's response, for tests that control every byte.
#pragma once

#include "tests/support/gateway/gateway_fixture.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::testing {

inline std::string hex(std::size_t value) {
  std::string digits;
  for (; value > 0; value /= 16) digits.insert(digits.begin(), "0123456789abcdef"[value % 16]);
  return digits;
}

inline const std::string stream_fields = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";

// Builds a complete response. Its body is sent in chunks of this size.
inline std::string chunked(std::string_view body, std::size_t size) {
  std::string bytes = stream_fields + "Transfer-Encoding: chunked\r\n\r\n";
  for (; !body.empty(); body.remove_prefix(std::min(size, body.size()))) {
    const std::string_view piece = body.substr(0, size);
    bytes += hex(piece.size()) + "\r\n" + std::string(piece) + "\r\n";
  }
  return bytes + "0\r\n\r\n";
}

inline std::string events(std::initializer_list<std::string> all) {
  std::string bytes;
  for (const std::string& each : all) bytes += "data: " + each + "\n\n";
  return bytes;
}

inline const std::string plain_answer =
    events({role_chunk(), token_chunk("one"), token_chunk(" two"), finish_chunk(), "[DONE]"});

inline std::string replaced(std::string text, std::string_view part, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size()) text.replace(at, part.size(), by);
  return text;
}

// A fixture with one provider `p`, and a route `r` that uses only this provider.
class one_provider_test : public gateway_fixture {
 protected:
  void serve(scripted_provider::script play) {
    provider = std::make_unique<scripted_provider>(std::move(play));
    add("p", *provider);
    add_route("r", {"p/m"});
    start();
  }

  std::unique_ptr<scripted_provider> provider;
};

}  // namespace photofinish::testing
