// Simulated clouds that serve Claude: Anthropic, Vertex AI, Azure, Bedrock's InvokeModel and Bedrock's mantle.
#pragma once

#include "tests/integration/clouds/cloud_stand_in.hpp"
#include "tests/support/gateway/strict_anthropic.hpp"
#include "tests/support/gateway/strict_bedrock.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace photofinish::testing {

// The thinking blocks that Claude has signed. Each cloud accepts the signatures of the other clouds. A block of opus-5-5 is valid only in
// the conversation for which it was made.
class signed_thinking {
 public:
  using json = nlohmann::json;

  std::string sign(const json& body);
  bool fits(const std::string& signature, const json& body, std::size_t message) const;
  const strict_anthropic& messages() const { return messages_; }

 private:
  static json prefix_of(const json& body, std::size_t messages);

  strict_anthropic messages_;
  std::map<std::string, json> prefixes_;
};

class claude_cloud : public cloud_stand_in {
 public:
  claude_cloud(cloud_target at, std::shared_ptr<signed_thinking> thinking);

  void answer(provider_call& call) override;
  void refuse(provider_call& call, const std::string& fault) const override;

 private:
  bool is_bedrock() const { return at().preset == "bedrock"; }
  bool is_vertex() const { return at().preset == "vertex-anthropic"; }

  std::string fault_of_key(const received_request& request) const override;
  std::string fault_of_body(const received_request& request, const json& body) const override;
  std::string fault_of_envelope(const received_request& request, const json& body) const;
  json body_for_rules(const json& body) const override;
  json blocks_for(const json& body);
  std::string call_id(const std::string& name, const std::string& signature) const;

  std::shared_ptr<signed_thinking> thinking_;
  strict_bedrock aws_;
};

}  // namespace photofinish::testing
