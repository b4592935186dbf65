// Implements Anthropic's Messages API for clients. [pure]
#pragma once

#include "gateway/api/api.hpp"

namespace photofinish::gateway {

class messages_api final : public api {
 public:
  std::string_view path() const override { return "/messages"; }
  metrics::endpoint label() const override { return metrics::endpoint::messages; }
  std::string_view id_header() const override { return "request-id"; }
  std::variant<parsed_request, api_error> read(std::string body, proxy::tolerant_parser& parser) const override;
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
  std::string_view sign_of_life() const override;
  std::string error_json(const api_error& error) const override;
};

}  // namespace photofinish::gateway
