// Simulated clouds that serve Gemini by generateContent: Google AI and Vertex AI. Each cloud accepts only its own signatures.
#pragma once

#include "tests/integration/clouds/cloud_stand_in.hpp"
#include "tests/support/gateway/strict_gemini.hpp"

#include <string>

namespace photofinish::testing {

class gemini_cloud : public cloud_stand_in {
 public:
  explicit gemini_cloud(const cloud_target& at) : cloud_stand_in(at) {}

  void answer(provider_call& call) override;
  void refuse(provider_call& call, const std::string& fault) const override;

 private:
  std::string fault_of_body(const received_request& request, const json& body) const override;
  std::string sign();

  strict_gemini contents_;
  int signed_ = 0;
};

}  // namespace photofinish::testing
