// One request of a client, and the expected form of this request at one target.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::proxy::rules {

struct wire_case {
  const char* name;    // name of the tested rule
  const char* client;  // API of the client: chat, responses or messages
  const char* target;  // a preset; or a dialect, a space and the base URL of a provider without a preset
  const char* model;   // name of the model, which may include the service tier of a target
  const char* request;  // the request's JSON; betas are a member of Messages requests, as in Anthropic's SDKs
  // The expected result in JSON. "format" is the format of the sent request, and "skipped" is the reason if the target is skipped.
  // "dropped" lists the names of dropped members that the client gets. "has" contains values by JSON pointer, and "lacks" lists pointers
  // without a value. "path" is the request's path, and "header" contains names and values.
  const char* expected = "{}";
};

inline void PrintTo(const wire_case& each, std::ostream* to) { *to << each.name; }

std::vector<wire_case> openai_cases();
std::vector<wire_case> claude_cases();
std::vector<wire_case> other_cases();
std::vector<wire_case> tier_cases();

}  // namespace photofinish::proxy::rules
