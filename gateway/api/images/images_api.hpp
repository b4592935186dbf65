// OpenAI's images, as clients ask for new ones. [pure]
#pragma once

#include "gateway/api/api.hpp"

namespace photofinish::gateway {

class images_api final : public api {
 public:
  std::string_view path() const override { return "/images/generations"; }
  metrics::endpoint label() const override { return metrics::endpoint::images; }
  std::variant<ask, api_error> read(std::string body, proxy::tolerant_parser& parser) const override;
  std::unique_ptr<answer_writer> writer(const ask& request, answer_identity identity) const override;
};

}  // namespace photofinish::gateway
