// Tests races in which several clouds serve the same model: Claude, GPT or Gemini. The simulated clouds refuse the requests that the real
// clouds refuse. A conversation has two turns: the first has reasoning with tool calls, the second has the results of these calls. For each
// pair of clouds, one test lets the first cloud win the first turn, and the second cloud win the second turn.
#include "tests/integration/apis/conversing_clients.hpp"
#include "tests/integration/clouds/raced_clouds.hpp"
#include "tests/integration/clouds/streamed_answers.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

using nlohmann::json;

enum class client_kind { chat, chat_without_reasoning, responses, messages };
constexpr const char* client_names[] = {"chat", "chat_without_reasoning", "responses", "messages"};

// The combinations of two facts: whether the client's answer is streamed, and whether the gateway requests streams from the clouds.
enum class delivery { streamed, whole_from_streams, whole, streamed_from_whole };
constexpr const char* delivery_names[] = {"streamed", "whole_from_streams", "whole", "streamed_from_whole"};

std::unique_ptr<conversing_client> client_of(client_kind kind) {
  if (kind == client_kind::responses) return std::make_unique<responses_client>();
  if (kind == client_kind::messages) return std::make_unique<messages_client>();
  return std::make_unique<chat_client>(kind == client_kind::chat ? chat_client::keeps::all : chat_client::keeps::known_members);
}

// Headers that Claude Code sends. Bedrock and its mantle support fewer beta features.
constexpr const char* fields_of_messages =
    "anthropic-version: 2023-06-01\r\nanthropic-beta: claude-code-20250219,interleaved-thinking-2025-05-14\r\n";

// Adds members that clients often send. The models in this test refuse the member `temperature`, so the gateway must not send it to the
// clouds.
void add_members(client_kind kind, json& request) {
  request["temperature"] = kind == client_kind::messages ? 1.0 : 0.7;
  if (kind == client_kind::chat) request["max_tokens"] = 9000;
  if (kind == client_kind::chat) request["parallel_tool_calls"] = true;
  if (kind == client_kind::responses) request["max_output_tokens"] = 9000;
  // Requests encrypted reasoning. Otherwise the client could not send the reasoning back.
  if (kind == client_kind::responses) request["include"] = json::array({"reasoning.encrypted_content"});
  if (kind == client_kind::messages) request["system"] = "Be brief.";
}

using clouds_case = std::tuple<const char*, client_kind, delivery>;

class clouds_test : public gateway_fixture, public ::testing::WithParamInterface<clouds_case> {
 protected:
  clouds_test() : clouds_(std::get<0>(GetParam())), kind_(std::get<1>(GetParam())), delivery_(std::get<2>(GetParam())) {
    const bool asks_whole = delivery_ == delivery::whole || delivery_ == delivery::streamed_from_whole;
    clouds_.add_to(settings, asks_whole ? proxy::upstream_stream::never : proxy::upstream_stream::automatic);
    start();
  }

  bool is_streamed() const { return delivery_ == delivery::streamed || delivery_ == delivery::streamed_from_whole; }

  // Sends one turn of a conversation, in which the given cloud wins. If a cloud refuses the turn, the returned text is empty.
  taken_turn take_turn(conversing_client& client, const std::string& winner) {
    clouds_.begin_turn(winner);
    json request = client.request(std::get<0>(GetParam()));
    add_members(kind_, request);
    if (is_streamed()) request["stream"] = true;
    test_client connection = connect();
    connection.post(request.dump(), kind_ == client_kind::messages ? fields_of_messages : "", client.path());
    const http_response got = connection.read();
    EXPECT_EQ(clouds_.faults(), std::vector<std::string>());
    for (const std::string& name : clouds_.names()) EXPECT_NE(clouds_.body_at(name), "") << name << " was not asked";
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_EQ(got.field_or("x-race-winner", ""), winner);
    if (got.status != 200) return {};
    const std::string answer = is_streamed() ? put_together(client.path(), got.body).dump() : got.body;
    return client.take(answer);
  }

  void expect_calls(const taken_turn& turn, const std::string& winner) {
    ASSERT_EQ(turn.calls.size(), 2u);
    EXPECT_EQ(turn.calls[0].first, "f");
    EXPECT_EQ(turn.calls[0].second, (json{{"by", winner.substr(0, winner.find('/'))}}));
    EXPECT_EQ(turn.calls[1].first, "g");
    EXPECT_EQ(turn.calls[1].second, json::object());
  }

  // Checks that the cloud that produced the reasoning of the first turn gets this reasoning back. If the model is Claude, checks this for
  // every cloud, because all clouds accept Claude's signatures.
  void expect_reasoning_back(const std::string& maker, const std::string& reasoning) {
    ASSERT_NE(reasoning, "");
    const bool is_shared = maker.find("claude") != std::string::npos;
    for (const std::string& name : clouds_.names()) {
      const bool is_there = clouds_.body_at(name).find(reasoning) != std::string::npos;
      EXPECT_EQ(is_there, is_shared || name == maker) << name << ": " << clouds_.body_at(name);
    }
  }

  void converse(const std::string& first, const std::string& second) {
    const auto client = client_of(kind_);
    expect_calls(take_turn(*client, first), first);
    if (HasFailure()) return;
    const std::string reasoning = clouds_.last_reasoning(first);
    EXPECT_EQ(take_turn(*client, second).text, "It is done");
    expect_reasoning_back(first, reasoning);
  }

  raced_clouds clouds_;
  const client_kind kind_;
  const delivery delivery_;
};

std::string name_of(const ::testing::TestParamInfo<clouds_case>& tested) {
  std::string name = std::get<0>(tested.param);
  name.append("_").append(client_names[static_cast<int>(std::get<1>(tested.param))]);
  name.append("_").append(delivery_names[static_cast<int>(std::get<2>(tested.param))]);
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Raced, clouds_test,
    ::testing::Combine(::testing::Values("claude-opus-5-5", "gpt-6.1-sol", "gemini-3.8-flash"),
                       ::testing::Values(client_kind::chat, client_kind::chat_without_reasoning, client_kind::responses,
                                         client_kind::messages),
                       ::testing::Values(delivery::streamed, delivery::whole_from_streams, delivery::whole,
                                         delivery::streamed_from_whole)),
    name_of);

TEST_P(clouds_test, EachWinsEachTurnOnce) {
  for (const std::string& first : clouds_.names())
    for (const std::string& second : clouds_.names()) {
      SCOPED_TRACE(first + ", then " + second);
      converse(first, second);
      if (HasFailure()) return;
    }
  EXPECT_EQ(metric("photofinish_repeated_attempts_total"), 0);
}

}  // namespace
}  // namespace photofinish::testing
