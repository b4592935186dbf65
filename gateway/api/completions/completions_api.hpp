// OpenAI's older completions API for clients: the request has a prompt, and the answer continues the prompt. [pure] If
// the request has a suffix, the answer is the text between prompt and suffix.
#pragma once

#include "gateway/api/api.hpp"

namespace photofinish::gateway {

class completions_api final : public api {
 public:
  std::string_view path() const override { return "/completions"; }
  metrics::endpoint label() const override { return metrics::endpoint::completions; }
  std::variant<parsed_request, api_error> read(std::string body, proxy::tolerant_parser& parser) const override;
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
};

}  // namespace photofinish::gateway
