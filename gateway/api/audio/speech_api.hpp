// OpenAI's speech: text in, sound out as it is made, or events with sound in them. [pure]
#pragma once

#include "gateway/api/api.hpp"

namespace photofinish::gateway {

class speech_api final : public api {
 public:
  std::string_view path() const override { return "/audio/speech"; }
  metrics::endpoint label() const override { return metrics::endpoint::audio_speech; }
  std::variant<ask, api_error> read(std::string body, proxy::tolerant_parser& parser) const override;
  std::unique_ptr<answer_writer> writer(const ask& request, answer_identity identity) const override;
};

}  // namespace photofinish::gateway
