// Tests models that refuse a conversation without the model's earlier reasoning. The gateway must make such models accept conversations in
// which the client has dropped the reasoning, or in which other models wrote the earlier answers.
#include "tests/integration/apis/conversation_fixture.hpp"
#include "tests/support/gateway/calling_provider.hpp"

#include <memory>
#include <string>
#include <vector>

namespace photofinish::testing {
namespace {

enum class demanded { of_all, of_calls };

// Refuses a request without the earlier reasoning, as DeepSeek and Moonshot do. Empty reasoning also counts as missing.
scripted_provider::script demands_reasoning(demanded where) {
  return [where, play = calls_tools()](provider_call& call) {
    const json asked = json::parse(call.request().body);
    for (const json& each : asked.at("messages")) {
      const bool is_asked = each.at("role") == "assistant" && (where == demanded::of_all || each.contains("tool_calls"));
      const json there = each.value("reasoning_content", json());
      if (!is_asked || (there.is_string() && !there.get<std::string>().empty())) continue;
      return call.answer(400, R"({"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}})");
    }
    play(call);
  };
}

class demanded_reasoning_test : public conversation_fixture {
 protected:
  demanded_reasoning_test() {
    add("deepseek", deepseek_).preset = "deepseek";
    add("moonshot", moonshot_).preset = "moonshot";
    add("elsewhere", deepseek_);
    add_route("deepseek", {"deepseek/deepseek-v4-pro"});
    add_route("moonshot", {"moonshot/kimi-k3"});
    add_route("elsewhere", {"elsewhere/deepseek-v4-pro"});
  }

  scripted_provider deepseek_{demands_reasoning(demanded::of_all)};
  scripted_provider moonshot_{demands_reasoning(demanded::of_calls)};
};

TEST_F(demanded_reasoning_test, EachClientHoldsAConversationWithTools) {
  for (const char* route : {"deepseek", "moonshot"}) {
    std::vector<std::unique_ptr<conversing_client>> clients = clients_of_each_api();
    clients.push_back(std::make_unique<chat_client>(chat_client::keeps::known_members));
    for (const auto& client : clients)
      for (int step = 0; step < 3; ++step) {
        SCOPED_TRACE(std::string(route) + " " + client->path() + " " + std::to_string(step));
        ASSERT_EQ(take_turn(*client, route).calls.size(), 2u);
        EXPECT_EQ(take_turn(*client, route).text, "It is done");
      }
  }
}

TEST_F(demanded_reasoning_test, WhatIsThereStaysAndABlankStandsForTheRest) {
  const json messages = json::parse(R"([{"role":"user","content":"q"},{"role":"assistant","content":"a","reasoning_content":"mine"},
      {"role":"user","content":"q"},{"role":"assistant","content":"b"},{"role":"user","content":"q"}])");
  ASSERT_EQ(chat({{"model", "deepseek"}, {"messages", messages}}).status, 200);
  const json asked = json::parse(deepseek_.request().body).at("messages");
  EXPECT_EQ(asked[1].at("reasoning_content"), "mine");
  EXPECT_EQ(asked[3].at("reasoning_content"), " ");
}

// The gateway adds reasoning only for providers that are known to require it.
TEST_F(demanded_reasoning_test, OtherProvidersOfTheModelGetTheClientsMessages) {
  const json messages = json::parse(R"([{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user","content":"q"}])");
  EXPECT_EQ(chat({{"model", "elsewhere"}, {"messages", messages}}).status, 400);
}

}  // namespace
}  // namespace photofinish::testing
