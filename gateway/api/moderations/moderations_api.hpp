// OpenAI's moderations, as clients speak it. [pure]
#pragma once

#include "gateway/api/api.hpp"

namespace photofinish::gateway {

class moderations_api final : public api {
 public:
  std::string_view path() const override { return "/moderations"; }
  metrics::endpoint label() const override { return metrics::endpoint::moderations; }
  std::variant<ask, api_error> read(std::string body, proxy::tolerant_parser& parser) const override;
  std::unique_ptr<answer_writer> writer(const ask& request, answer_identity identity) const override;
};

}  // namespace photofinish::gateway
