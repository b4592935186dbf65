// A client's request, and the expected form of this request at one target.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::proxy::rules {

struct wire_case {
  const char* name;    // name of the tested rule
  const char* client;  // API of the client: chat, responses or messages
  const char* target;  // name of a preset; for a provider without a preset, its dialect, a space and its base URL
  const char* model;   // name of the model; may include the target's service tier
  const char* request;  // the request as JSON; betas are a member of Messages requests, as in Anthropic's SDKs
  // The expected result as a JSON object. "format" is the format of the sent request. "skipped" is the expected reason if the target is
  // skipped. "dropped" lists the members that the gateway must report as dropped. "has" maps JSON pointers to expected values, and "lacks"
  // lists pointers to members that must be missing. "path" is the request's path. "header" maps header names to expected values.
  const char* expected = "{}";
};

inline void PrintTo(const wire_case& each, std::ostream* to) { *to << each.name; }

std::vector<wire_case> openai_cases();
std::vector<wire_case> claude_cases();
std::vector<wire_case> other_cases();
std::vector<wire_case> tier_cases();

}  // namespace photofinish::proxy::rules
