// One request of a client and its expected form at one target.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::proxy::rules {

struct wire_case {
  const char* name;    // the name of the rule
  const char* client;  // chat, responses or messages
  const char* target;  // a preset, or the dialect, a blank and the base URL of a provider without preset
  const char* model;   // may include a target's tier
  const char* request;  // JSON; betas are a member of Messages, as in its SDKs
  // JSON: "format" of the request sent; "skipped", the named reason; "dropped", names that are shown; "has", values by pointer; "lacks",
  // pointers; "path"; "header", names and values.
  const char* expected = "{}";
};

inline void PrintTo(const wire_case& each, std::ostream* to) { *to << each.name; }

std::vector<wire_case> openai_cases();
std::vector<wire_case> claude_cases();
std::vector<wire_case> other_cases();
std::vector<wire_case> tier_cases();

}  // namespace photofinish::proxy::rules
