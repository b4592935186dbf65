// A second client API, for tests: OpenAI's legacy completions, which take a prompt and return text. The prototype shows that a client API
// needs only one folder of its own, and that its answers can be written from the events of any dialect.
#pragma once

#include "gateway/api/api.hpp"

namespace photofinish::prototype {

class completions_api final : public gateway::api {
 public:
  std::string_view path() const override { return "/completions"; }
  metrics::endpoint label() const override { return metrics::endpoint::other; }
  std::variant<gateway::parsed_request, gateway::api_error> read(std::string body, proxy::tolerant_parser& parser) const override;
  std::unique_ptr<gateway::answer_writer> writer(const gateway::parsed_request& request,
                                                 gateway::answer_identity identity) const override;
  std::string error_json(const gateway::api_error& error) const override;
};

}  // namespace photofinish::prototype
