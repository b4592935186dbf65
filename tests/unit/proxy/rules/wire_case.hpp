// One request of a client, and its expected form at one target.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::proxy::rules {

struct wire_case {
  const char* name;    // name of the tested rule
  const char* client;  // API of the client: chat, responses or messages
  const char* target;  // a preset; or the dialect, a blank and the base URL of a provider without preset
  const char* model;   // name of the model, which may include a target's tier
  const char* request;  // the request's JSON; betas are a member of Messages, as in Anthropic's SDKs
  // The expectations in JSON. "format" is the format of the sent request, and "skipped" the named reason. "dropped" lists the names that
  // the client sees. "has" contains values by pointer, and "lacks" lists pointers. "path" is the path, and "header" contains names and
  // values.
  const char* expected = "{}";
};

inline void PrintTo(const wire_case& each, std::ostream* to) { *to << each.name; }

std::vector<wire_case> openai_cases();
std::vector<wire_case> claude_cases();
std::vector<wire_case> other_cases();
std::vector<wire_case> tier_cases();

}  // namespace photofinish::proxy::rules
