// OpenAI's speech API: takes text, and returns sound while it is made, or events that contain sound. [pure]
#pragma once

#include "gateway/api/unstreamed/whole_apis.hpp"

namespace photofinish::gateway {

class speech_api final : public whole_api {
 public:
  speech_api();
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
};

}  // namespace photofinish::gateway
