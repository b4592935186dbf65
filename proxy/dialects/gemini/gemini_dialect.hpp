// Writes requests of Google's Gemini API (generateContent), for clients of every conversation API. gemini_stream.hpp
// reads the answers. [pure] Embeddings and other requests that are not conversations use Google's OpenAI-compatible API
// under the same base URL.
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/openai/openai_dialect.hpp"

namespace photofinish::proxy {

class gemini_dialect final : public dialect {
 public:
  wire_format speaks(wire_format asked, const provider& target, std::string_view model,
                     const client_body& body) const override;
  std::optional<std::string_view> unsupported(const client_body& body, wire_format format,
                                              const provider& target) const override;
  std::optional<std::string_view> unsupported_by_model(const client_body& body, wire_format format,
                                                       std::string_view model,
                                                       const provider& target) const override;
  bool stores(const client_body&, wire_format, const provider&) const override { return false; }
  prepared_request prepare(const attempt_request& request) const override;
  std::unique_ptr<dialect_stream> open_stream(stream_settings settings) const override;

 private:
  openai_dialect openai_;
};

}  // namespace photofinish::proxy
