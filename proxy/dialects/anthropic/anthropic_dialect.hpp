// Writes requests of Anthropic's Messages API, for Anthropic and for other providers of Claude models.
// message_stream.hpp reads the answers. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

namespace photofinish::proxy {

class anthropic_dialect final : public dialect {
 public:
  wire_format speaks(wire_format asked, const provider& target, std::string_view model,
                     const client_body& body) const override;
  std::span<const std::string_view> passed_headers(wire_format asked) const override;
  std::optional<std::string_view> unsupported(const client_body& body, wire_format format,
                                              const provider& target) const override;
  std::optional<std::string_view> unsupported_by_model(const client_body& body, wire_format format,
                                                       std::string_view model,
                                                       const provider& target) const override;
  bool stores(const client_body&, wire_format, const provider&) const override { return false; }
  prepared_request prepare(const attempt_request& request) const override;
  std::unique_ptr<dialect_stream> open_stream(stream_settings settings) const override;
};

}  // namespace photofinish::proxy
