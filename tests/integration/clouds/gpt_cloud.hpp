// Simulated clouds that serve GPT by Responses: OpenAI, Azure OpenAI and Bedrock's mantle. Each cloud is a separate account that can read
// only its own encrypted reasoning.
#pragma once

#include "tests/integration/clouds/cloud_stand_in.hpp"
#include "tests/support/gateway/strict_responses.hpp"

#include <string>

namespace photofinish::testing {

class gpt_cloud : public cloud_stand_in {
 public:
  explicit gpt_cloud(const cloud_target& at);

  void answer(provider_call& call) override;
  void refuse(provider_call& call, const std::string& fault) const override;

 private:
  std::string fault_of_body(const received_request& request, const json& body) const override;

  strict_responses responses_;
};

}  // namespace photofinish::testing
