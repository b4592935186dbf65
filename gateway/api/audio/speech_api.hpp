// OpenAI's speech: text in, sound out as it is made, or events with sound in them. [pure]
#pragma once

#include "gateway/api/unstreamed/whole_apis.hpp"

namespace photofinish::gateway {

class speech_api final : public whole_api {
 public:
  speech_api();
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
};

}  // namespace photofinish::gateway
