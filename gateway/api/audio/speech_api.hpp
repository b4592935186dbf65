// OpenAI's speech API: the request contains text, and the answer is a stream of audio, or of events that
// contain audio. [pure]
#pragma once

#include "gateway/api/unstreamed/whole_apis.hpp"

namespace photofinish::gateway {

class speech_api final : public whole_api {
 public:
  speech_api();
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
};

}  // namespace photofinish::gateway
