// OpenAI's older completions, as clients speak it: a prompt, and what follows it. [pure]
// With a suffix it is what stands between the two.
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
