// A second provider dialect, for tests. An invented provider accepts `{"engine":…,"say":…}` and answers in one piece:
// `{"words":["a","b"],"why":"enough","spent":[3,2]}`. Before the words it may send `"thought":"…","seal":"…","call":["name","id"]`. The
// prototype shows that a dialect needs only one folder of its own.
#pragma once

#include "proxy/dialects/dialect.hpp"

namespace photofinish::prototype {

class words_dialect final : public proxy::dialect {
 public:
  proxy::wire_format speaks(proxy::wire_format, const proxy::provider&, std::string_view,
                           const proxy::client_body&) const override {
    return proxy::wire_format::openai_chat;
  }
  std::optional<std::string_view> unsupported(const proxy::client_body& body, proxy::wire_format format,
                                              const proxy::provider& target) const override;
  bool stores(const proxy::client_body&, proxy::wire_format, const proxy::provider&) const override { return false; }
  proxy::prepared_request prepare(const proxy::attempt_request& request) const override;
  std::unique_ptr<proxy::dialect_stream> open_stream(proxy::stream_settings settings) const override;
};

}  // namespace photofinish::prototype
