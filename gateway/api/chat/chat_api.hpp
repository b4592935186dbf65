// Implements OpenAI's chat completions API for clients. [pure]
#pragma once

#include "gateway/api/api.hpp"

namespace photofinish::gateway {

class chat_api final : public api {
 public:
  std::string_view path() const override { return "/chat/completions"; }
  metrics::endpoint label() const override { return metrics::endpoint::chat_completions; }
  std::variant<parsed_request, api_error> read(std::string body, proxy::tolerant_parser& parser) const override;
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
};

}  // namespace photofinish::gateway
