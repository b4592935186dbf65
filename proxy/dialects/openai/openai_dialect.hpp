// Writes requests of OpenAI's chat completions API in the variations of many compatible servers, and requests of
// OpenAI's other APIs. [pure] The answers are read by openai_stream.hpp, json_answer.hpp, and the folders passthrough
// and responses.
#pragma once

#include "proxy/dialects/dialect.hpp"

namespace photofinish::proxy {

class openai_dialect final : public dialect {
 public:
  wire_format speaks(wire_format asked, const provider& target, std::string_view model,
                     const client_body& body) const override;
  std::optional<std::string_view> unsupported(const client_body& body, wire_format format,
                                              const provider& target) const override;
  std::optional<std::string_view> unsupported_by_model(const client_body& body, wire_format format,
                                                       std::string_view model,
                                                       const provider& target) const override;
  bool stores(const client_body& body, wire_format format, const provider& target) const override;
  prepared_request prepare(const attempt_request& request) const override;
  std::unique_ptr<dialect_stream> open_stream(stream_settings settings) const override;
};

}  // namespace photofinish::proxy
