// Writes the HTTP head and the body of one request of the bench. [pure]
#pragma once

#include "gateway/bench/load/endpoint.hpp"
#include "gateway/bench/options.hpp"
#include "proxy/http/http_message.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway::bench {

// The properties that all requests of a run have in common.
struct request_traits {
  endpoint to;
  std::string model;
  answer_mode mode = answer_mode::stream;
  std::size_t max_tokens = 0;
  // Members that are added to each request's body: pairs of a name and a JSON value.
  std::vector<std::pair<std::string, std::string>> extra_members;
};

struct request_text {
  proxy::request_head head;
  std::string body;
};

request_text write_chat(const request_traits& traits, std::string_view prompt);
// Writes a request with the messages of a user's prompt. If `traits` and the prompt contain the same JSON member, the
// request contains the value from `traits`.
request_text write_chat(const request_traits& traits, const workload_prompt& prompt);
request_text write_models_query(const endpoint& to);

}  // namespace photofinish::gateway::bench
