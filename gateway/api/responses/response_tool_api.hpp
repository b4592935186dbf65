// Two APIs that belong to OpenAI's Responses API: one compacts a conversation, the other counts its tokens. The targets
// return non-streamed answers, which pass to the client unchanged. [pure]
#pragma once

#include "gateway/api/api.hpp"

namespace photofinish::gateway {

class response_tool_api final : public api {
 public:
  // `format` is the wire format of the API's requests. The caller keeps `path` valid as long as the program runs.
  response_tool_api(std::string_view path, proxy::wire_format format) : path_(path), format_(format) {}

  std::string_view path() const override { return path_; }
  metrics::endpoint label() const override { return metrics::endpoint::responses; }
  std::variant<parsed_request, api_error> read(std::string body, proxy::tolerant_parser& parser) const override;
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;

 private:
  std::string_view path_;
  proxy::wire_format format_;
};

}  // namespace photofinish::gateway
