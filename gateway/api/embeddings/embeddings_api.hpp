// OpenAI's embeddings, as clients speak it: in the encoding that the client has asked for. [pure]
#pragma once

#include "gateway/api/api.hpp"

namespace photofinish::gateway {

class embeddings_api final : public api {
 public:
  std::string_view path() const override { return "/embeddings"; }
  metrics::endpoint label() const override { return metrics::endpoint::embeddings; }
  std::variant<ask, api_error> read(std::string body, proxy::tolerant_parser& parser) const override;
  std::unique_ptr<answer_writer> writer(const ask& request, answer_identity identity) const override;
};

}  // namespace photofinish::gateway
