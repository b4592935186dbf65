// A simulation of one cloud and the model that it serves. It refuses the requests that the real cloud refuses, and answers in that cloud's
// format.
#pragma once

#include "tests/support/gateway/scripted_provider.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace photofinish::testing {

// The paths at which a cloud serves the model, and the header that authenticates callers.
struct cloud_target {
  std::string preset;
  std::string model;
  std::string host;
  std::string streamed_path;
  std::string whole_path;  // the path for non-streamed answers; equal to streamed_path if the body decides whether the answer is streamed
  std::string key_field;   // the name of the header with the key; empty if the request has an AWS signature instead
  std::string key_prefix;  // the text before the key in the value of the key's header
  std::string key;

  std::string name() const { return preset + "/" + model; }
};

class cloud_stand_in {
 public:
  using json = nlohmann::json;

  explicit cloud_stand_in(cloud_target at) : at_(std::move(at)) {}
  virtual ~cloud_stand_in() = default;

  const cloud_target& at() const { return at_; }

  // Returns the reason why the real cloud would refuse the request, or an empty string if it would accept it.
  std::string fault_of(const received_request& request) const;
  // Answers a valid request with reasoning and with calls of the tools f and g. If the request contains the results of these calls, the
  // answer is the text "It is done".
  virtual void answer(provider_call& call) = 0;
  virtual void refuse(provider_call& call, const std::string& fault) const = 0;

  // The signature or encrypted text of the cloud's last answer with tool calls.
  const std::string& last_reasoning() const { return last_reasoning_; }

 protected:
  virtual std::string fault_of_body(const received_request& request, const json& body) const = 0;
  // Returns the request's body in the form that the rules of strict_vendors.hpp expect.
  virtual json body_for_rules(const json& body) const { return body; }
  virtual std::string fault_of_key(const received_request& request) const;

  bool wants_stream(const received_request& request, const json& body) const;
  void keep_reasoning(std::string made) { last_reasoning_ = std::move(made); }

 private:
  const cloud_target at_;
  std::string last_reasoning_;
};

// Returns the path in a request's first line.
std::string path_of(const received_request& request);

}  // namespace photofinish::testing
