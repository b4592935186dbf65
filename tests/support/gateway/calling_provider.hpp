// Simulates a chat provider that calls the tools f and g in one answer. Also contains code that all simulated models with tool calls share.
#pragma once

#include "tests/support/gateway/scripted_provider.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace photofinish::testing {

// The model's reaction to the results of its tool calls.
enum class upon_results { says_it_is_done, calls_again };

inline scripted_provider::script calls_tools(upon_results then = upon_results::says_it_is_done) {
  return [then](provider_call& call) {
    using nlohmann::json;
    const json asked = json::parse(call.request().body);
    const std::string turn = std::to_string(asked.at("messages").size());
    const bool is_done = then == upon_results::says_it_is_done && asked.at("messages").back().at("role") == "tool";
    const auto say = [&call](const json& delta) {
      call.event(json{{"id", "c"}, {"object", "chat.completion.chunk"}, {"created", 1}, {"model", "m"},
                      {"choices", {{{"index", 0}, {"delta", delta}, {"finish_reason", nullptr}}}}}.dump());
    };
    call.stream_head();
    say({{"role", "assistant"}, {"content", ""}, {"reasoning_content", "well"}});
    if (is_done) say({{"content", "It is done"}});
    else  // the call's id contains a letter that Anthropic does not permit in ids
      say({{"tool_calls",
            {{{"index", 0}, {"id", "call:f" + turn}, {"type", "function"}, {"function", {{"name", "f"}, {"arguments", R"({"by":"chat"})"}}}},
             {{"index", 1}, {"id", "call:g" + turn}, {"type", "function"}, {"function", {{"name", "g"}, {"arguments", "{}"}}}}}}});
    call.event(finish_chunk(is_done ? "stop" : "tool_calls"));
    call.end();
  };
}

}  // namespace photofinish::testing
