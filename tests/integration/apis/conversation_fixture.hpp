// A gateway with clients of three APIs (chat, Responses and Messages) and with providers of each dialect. The namespace also contains
// functions that read the answers of these APIs.
#pragma once

#include "tests/integration/apis/conversing_clients.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"
#include "tests/unit/gateway/api/responses/strict_accumulator.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::testing {

using gateway::testing::json;
using gateway::testing::read_event;
using gateway::testing::read_named_events;
using gateway::testing::strict_accumulator;
using proxy::served_api;

class conversation_fixture : public gateway_fixture {
 protected:
  proxy::provider& add_responses(const std::string& name, const scripted_provider& at) {
    proxy::provider& target = add(name, at);
    target.apis = {served_api::chat, served_api::responses};
    return target;
  }
  proxy::provider& add_messages(const std::string& name, const scripted_provider& at) {
    proxy::provider& target = add(name, at);
    target.dialect = "anthropic";
    target.key.auth = proxy::auth_style::header;
    target.key.header = "x-api-key";
    target.key.value = proxy::secret("sk-ant-0123456789");
    return target;
  }
  proxy::provider& add_gemini(const std::string& name, const scripted_provider& at) {
    proxy::provider& target = add(name, at);
    target.dialect = "gemini";
    target.url.path = "/v1beta";
    return target;
  }

  // Sends a request on a new connection. The first call starts the gateway.
  http_response call(std::string_view path, const json& request, std::string_view fields = "") {
    if (!gateway) start();
    test_client client = connect();
    client.post(request.dump(), fields, path);
    return client.read();
  }
  http_response chat(json request, std::string_view fields = "") {
    return call("/v1/chat/completions", with_question(std::move(request)), fields);
  }
  http_response respond(json request, std::string_view fields = "") {
    if (!request.contains("input")) request["input"] = "hi";
    return call("/v1/responses", request, fields);
  }
  http_response message(json request, std::string_view fields = "") {
    if (!request.contains("max_tokens")) request["max_tokens"] = 100;
    return call("/v1/messages?beta=true", with_question(std::move(request)), fields);
  }

  // Sends the next turn of this client's conversation. If the gateway refuses the turn, the test fails, and `text` in the result contains
  // the refusal.
  taken_turn take_turn(conversing_client& client, const std::string& model) {
    const http_response got = call(client.path(), client.request(model));
    if (got.status != 200) {
      ADD_FAILURE() << got.body;
      return {.text = got.body};
    }
    taken_turn taken = client.take(got.body);
    taken.winner = got.field_or("x-race-winner", "");
    return taken;
  }

  // A script for targets that race each other. In each turn, one selected target answers, and all other targets stay silent.
  scripted_provider::script in_its_turn(int number, scripted_provider::script play) {
    return [this, number, play = std::move(play)](provider_call& call) {
      if (whose_turn_ == number) play(call);
      else call.hang();
    };
  }

  std::atomic<int> whose_turn_{0};

 private:
  static json with_question(json request) {
    if (!request.contains("messages")) request["messages"] = {{{"role", "user"}, {"content", "hi"}}};
    return request;
  }
};

}  // namespace photofinish::testing
