// Implements OpenAI's Responses API for clients. [pure]
#pragma once

#include "gateway/api/api.hpp"

#include <optional>

namespace photofinish::gateway {

// Detects whether the request asks its provider to store the answer, or continues a conversation that a provider has
// stored. Returns an error if a request member that controls this has an invalid value.
std::optional<api_error> read_response_state(const proxy::client_body& body, asked_state& into);

class responses_api final : public api {
 public:
  std::string_view path() const override { return "/responses"; }
  metrics::endpoint label() const override { return metrics::endpoint::responses; }
  std::variant<parsed_request, api_error> read(std::string body, proxy::tolerant_parser& parser) const override;
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
};

}  // namespace photofinish::gateway
