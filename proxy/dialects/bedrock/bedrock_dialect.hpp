// Writes requests of Amazon Bedrock's own API, for clients of every conversation API. [pure] Claude models are called
// by InvokeModel in the format of Anthropic's Messages API, and all other models by Converse. Bedrock's mantle is a
// separate service at another host. Mantle serves Claude models by the Messages API, and all other models by OpenAI's
// APIs. Each model family has its own path. claude_stream.hpp and converse_stream.hpp read the answers.
#pragma once

#include "proxy/dialects/anthropic/anthropic_dialect.hpp"
#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/openai/openai_dialect.hpp"

namespace photofinish::proxy {

class bedrock_dialect final : public dialect {
 public:
  wire_format speaks(wire_format asked, const provider& target, std::string_view model,
                     const client_body& body) const override;
  std::span<const std::string_view> passed_headers(wire_format asked) const override;
  std::optional<std::string_view> unsupported(const client_body& body, wire_format format,
                                              const provider& target) const override;
  std::optional<std::string_view> unsupported_by_model(const client_body& body, wire_format format,
                                                       std::string_view model,
                                                       const provider& target) const override;
  bool stores(const client_body& body, wire_format format, const provider& target) const override;
  prepared_request prepare(const attempt_request& request) const override;
  std::unique_ptr<dialect_stream> open_stream(stream_settings settings) const override;

 private:
  prepared_request prepare_at_mantle(const attempt_request& request) const;

  anthropic_dialect anthropic_;
  openai_dialect openai_;
};

}  // namespace photofinish::proxy
