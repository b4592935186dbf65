// Tests responses that a provider stores, and items that the gateway stores. Checks which callers may continue them, and which target then
// gets the request.
#include "tests/integration/apis/conversation_fixture.hpp"

#include <string>

namespace photofinish::testing {
namespace {

json response_of(const std::string& provider, const json& asked, const std::string& status) {
  const bool is_kept = asked.value("store", false) || asked.value("background", false);
  json output = json::array();
  if (status == "completed")
    output = {{{"id", "msg_" + provider}, {"type", "message"}, {"status", "completed"}, {"role", "assistant"},
               {"content", {{{"type", "output_text"}, {"text", "I am " + provider}, {"annotations", json::array()}}}}}};
  return {{"id", "resp_" + provider}, {"object", "response"}, {"status", status}, {"model", "m"}, {"output", output},
          {"store", is_kept}, {"previous_response_id", asked.value("previous_response_id", json())}};
}

// A provider of the Responses API. It streams an answer, or immediately returns a background response.
scripted_provider::script keeps(const std::string& name) {
  return [name](provider_call& call) {
    const json asked = json::parse(call.request().body);
    if (call.request().head.starts_with("POST /v1/responses/compact "))
      return call.answer(200, R"({"object":"response.compaction","output":[]})");
    if (call.request().head.starts_with("POST /v1/responses/input_tokens "))
      return call.answer(200, R"({"object":"response.input_tokens","input_tokens":7})");
    if (asked.value("background", false) && !asked.value("stream", false))
      return call.answer(200, response_of(name, asked, "queued").dump());
    call.stream_head();
    const auto say = [&](json event) { call.chunk("event: " + event.at("type").get<std::string>() + "\ndata: " + event.dump() + "\n\n"); };
    say({{"type", "response.created"}, {"sequence_number", 0}, {"response", response_of(name, asked, "in_progress")}});
    say({{"type", "response.output_text.delta"}, {"sequence_number", 1}, {"output_index", 0}, {"delta", "I am " + name}});
    say({{"type", "response.completed"}, {"sequence_number", 2}, {"response", response_of(name, asked, "completed")}});
    call.send("0\r\n\r\n");
  };
}

constexpr const char* secret = "0123456789abcdef0123456789abcdef";

class responses_state_test : public conversation_fixture {
 protected:
  responses_state_test() {
    settings.access.id_secret = proxy::secret(secret);
    add_responses("one", one_);
    add_responses("two", two_);
    add_responses("down", down_);
    add("chat", chat_);
    add_route("r", {"chat/m", "one/m", "two/m"});
    add_route("other", {"two/m"});
    add_route("chats", {"chat/m"});
    add_route("down_first", {"down/m", "two/m"});
  }

  std::string kept_id(const std::string& model = "r", std::string_view fields = "") {
    const http_response got = respond({{"model", model}, {"store", true}}, fields);
    EXPECT_EQ(got.status, 200) << got.body;
    return json::parse(got.body).at("id");
  }
  // Returns the last request that the provider received at this path. Requests cannot be found by their number, because a losing attempt's
  // request may arrive later than the requests of the next race.
  static json asked_at(const scripted_provider& at, const std::string& path) {
    json last;
    for (const received_request& each : at.requests())
      if (each.head.find("/" + path + " HTTP/") != std::string::npos) last = json::parse(each.body);
    return last;
  }
  static json asked(const scripted_provider& at, std::size_t index = 0) { return json::parse(at.request(index).body); }

  scripted_provider one_{keeps("one")};
  scripted_provider two_{keeps("two")};
  scripted_provider down_{[](provider_call& call) { call.answer(500, R"({"error":{"message":"down"}})"); }};
  scripted_provider chat_{streams({"I am chat"})};
  scripted_provider queues_{[](provider_call& call) {
    call.answer(200, response_of("queues", json::parse(call.request().body), "queued").dump());
  }};
};

TEST_F(responses_state_test, WhatIsNotAskedForIsNotStored) {
  const http_response got = respond({{"model", "other"}});
  EXPECT_EQ(json::parse(got.body).at("id"), "resp_two") << got.body;
  EXPECT_EQ(json::parse(got.body).at("store"), false);
  EXPECT_EQ(asked(two_).at("store"), false);
}

TEST_F(responses_state_test, AStoredRequestRunsOnceAtATargetThatServesResponses) {
  const http_response got = respond({{"model", "r"}, {"store", true}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "one/m");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "1");
  EXPECT_EQ(got.field_or("x-race-policy", ""), "fallback;reason=store");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "chat/m;reason=unsupported:store");
  EXPECT_EQ(json::parse(got.body).at("store"), true);
  EXPECT_NE(json::parse(got.body).at("id"), "resp_one");
  EXPECT_TRUE(two_.requests().empty());
}

TEST_F(responses_state_test, AStoredRequestGoesOnToTheNextTargetWhereTheFirstFails) {
  const http_response got = respond({{"model", "down_first"}, {"store", true}});
  EXPECT_EQ(got.field_or("x-race-winner", ""), "two/m");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "2");
}

TEST_F(responses_state_test, TheNextRequestGoesToTheTargetThatHasTheResponse) {
  start();
  const std::string id = kept_id("other");
  const http_response got = respond({{"model", "r"}, {"store", true}, {"previous_response_id", id}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "two/m");
  EXPECT_EQ(asked(two_, 1).at("previous_response_id"), "resp_two");
  EXPECT_EQ(json::parse(got.body).at("previous_response_id"), id) << "as the client called it";
  EXPECT_TRUE(one_.requests().empty());
}

TEST_F(responses_state_test, EachEventOfAStreamHasTheSameId) {
  start();
  const std::string id = kept_id();
  const http_response got = respond({{"model", "r"}, {"store", true}, {"stream", true}, {"previous_response_id", id}});
  std::string shown;
  for (const read_event& each : read_named_events(got.body)) {
    if (!each.data.contains("response")) continue;
    const std::string now = each.data.at("response").at("id");
    EXPECT_TRUE(shown.empty() || now == shown);
    EXPECT_EQ(each.data.at("response").at("previous_response_id"), id);
    shown = now;
  }
  EXPECT_EQ(got.body.find("resp_one"), std::string::npos) << got.body;
  EXPECT_EQ(respond({{"model", "r"}, {"previous_response_id", shown}}).status, 200);
}

TEST_F(responses_state_test, AnIdThatIsForgedOrUnsignedIsNotFound) {
  start();
  std::string id = kept_id();
  id.back() = id.back() == 'A' ? 'B' : 'A';
  for (const std::string& each : {id, std::string("resp_one"), std::string("x"), "resp_" + std::string(9000, 'A')}) {
    const http_response got = respond({{"model", "r"}, {"previous_response_id", each}});
    EXPECT_EQ(got.status, 404) << got.body;
    EXPECT_EQ(got.error("code"), "response_not_found");
    EXPECT_EQ(got.error("param"), "previous_response_id");
    EXPECT_EQ(got.error("type"), "invalid_request_error");
  }
  EXPECT_EQ(one_.requests().size(), 1u);
}

TEST_F(responses_state_test, AnIdOpensForItsAccessKeyAlone) {
  settings.access.keys = {{.name = "a", .key = proxy::secret("sk-a-0123456789abcdef")},
                          {.name = "b", .key = proxy::secret("sk-b-0123456789abcdef")}};
  start();
  const std::string id = kept_id("r", "authorization: Bearer sk-a-0123456789abcdef\r\n");
  const json next{{"model", "r"}, {"previous_response_id", id}};
  EXPECT_EQ(respond(next, "authorization: Bearer sk-b-0123456789abcdef\r\n").status, 404);
  EXPECT_EQ(respond(next, "x-photofinish-key: sk-a-0123456789abcdef\r\n").status, 200);
  EXPECT_EQ(respond(next).status, 401);
}

TEST_F(responses_state_test, AnIdOpensForTheCallersOwnKeyAlone) {
  start();
  const std::string id = kept_id("r", "x-provider-key-one: mine\r\n");
  const json next{{"model", "r"}, {"previous_response_id", id}};
  EXPECT_EQ(respond(next, "x-provider-key-one: yours\r\n").status, 404);
  EXPECT_EQ(respond(next).status, 404);
  EXPECT_EQ(respond(next, "x-provider-key-one: mine\r\n").status, 200);
}

TEST_F(responses_state_test, AnIdOpensAtEachGatewayWithItsSecretAndAtNoOther) {
  start();
  const std::string id = kept_id();
  gateway = std::make_unique<running_gateway>(settings);
  EXPECT_EQ(respond({{"model", "r"}, {"previous_response_id", id}}).status, 200);
  settings.access.id_secret = {};
  gateway = std::make_unique<running_gateway>(settings);
  EXPECT_EQ(respond({{"model", "r"}, {"previous_response_id", id}}).status, 404);
}

TEST_F(responses_state_test, AModelWithoutTheTargetThatHasTheResponseIsRefused) {
  start();
  const http_response got = respond({{"model", "other"}, {"previous_response_id", kept_id("r")}});
  EXPECT_EQ(got.status, 400) << got.body;
  EXPECT_EQ(got.error("param"), "model");
}

TEST_F(responses_state_test, StateWithoutATargetThatHasItIsRefusedByName) {
  start();
  for (const json& state : {json{{"store", true}}, json{{"background", true}}, json{{"conversation", "conv_1"}}}) {
    json request{{"model", "chats"}};
    request.update(state);
    const http_response got = respond(request);
    EXPECT_EQ(got.status, 400) << got.body;
    EXPECT_EQ(got.error("param"), state.begin().key());
  }
  EXPECT_TRUE(chat_.requests().empty());
}

TEST_F(responses_state_test, AConversationIsTriedAtOneTargetAlone) {
  const http_response got = respond({{"model", "down_first"}, {"conversation", "conv_1"}});
  EXPECT_EQ(got.status, 502) << got.body;
  EXPECT_TRUE(two_.requests().empty());
}

TEST_F(responses_state_test, WhatRunsInTheBackgroundIsAnsweredAtOnce) {
  const http_response got = respond({{"model", "r"}, {"background", true}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(json::parse(got.body).at("status"), "queued");
  EXPECT_NE(json::parse(got.body).at("id"), "resp_one");
  EXPECT_EQ(asked(one_).contains("store"), false);
  EXPECT_EQ(asked(one_).contains("stream"), false);
}

// The last response in a stream has the status "queued", so that clients do not assume that it is complete.
TEST_F(responses_state_test, AStreamOfWhatIsQueuedEndsAsQueued) {
  add_responses("queues", queues_);
  add_route("queue", {"queues/m"});
  const http_response got = respond({{"model", "queue"}, {"background", true}, {"stream", true}});
  ASSERT_EQ(got.status, 200) << got.body;
  const std::vector<read_event> events = read_named_events(got.body);
  ASSERT_EQ(events.size(), 2u) << got.body;
  EXPECT_EQ(events[0].type, "response.created");
  EXPECT_EQ(events[1].type, "response.queued");
  for (const read_event& each : events) EXPECT_EQ(each.data.at("response").at("status"), "queued");
}

TEST_F(responses_state_test, ARaceMayRefuseState) {
  settings.routes.at("r").race.stored = racing::stored_answers::refuse;
  const http_response got = respond({{"model", "r"}, {"background", true}});
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("param"), "background");
}

class unsaid_store_test : public responses_state_test {
 protected:
  unsaid_store_test() {
    for (auto& [name, route] : settings.routes) route.race.stored = racing::stored_answers::by_default;
  }
};

// Repeats the first conversation example of OpenAI's documentation, in which no request sets `store`.
TEST_F(unsaid_store_test, AChainGoesOnAtItsTarget) {
  start();
  json turn{{"model", "other"}};
  for (int times = 0; times < 3; ++times) {
    const http_response got = respond(turn);
    ASSERT_EQ(got.status, 200) << got.body;
    turn["previous_response_id"] = json::parse(got.body).at("id");
    EXPECT_NE(turn["previous_response_id"], "resp_two");
    EXPECT_EQ(asked(two_, static_cast<std::size_t>(times)).contains("store"), false);
  }
  EXPECT_EQ(asked(two_, 2).at("previous_response_id"), "resp_two");
}

TEST_F(unsaid_store_test, ItsAttemptsRunOneAtATime) {
  settings.routes.at("r").targets.erase(settings.routes.at("r").targets.begin());
  const http_response got = respond({{"model", "r"}});
  EXPECT_EQ(got.field_or("x-race-policy", ""), "fallback;reason=store");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "one/m");
  EXPECT_TRUE(two_.requests().empty());
}

TEST_F(unsaid_store_test, WhatTheClientSaysHolds) {
  const http_response got = respond({{"model", "other"}, {"store", false}});
  EXPECT_EQ(json::parse(got.body).at("id"), "resp_two") << got.body;
  EXPECT_EQ(got.field_or("x-race-policy", ""), "");
  EXPECT_EQ(asked(two_).at("store"), false);
}

TEST_F(unsaid_store_test, ATargetThatCannotKeepSaysSo) {
  const http_response got = respond({{"model", "r"}});
  ASSERT_EQ(got.field_or("x-race-winner", ""), "chat/m") << got.body;
  EXPECT_NE(got.field_or("x-race-dropped", "").find("store"), std::string::npos);
  EXPECT_EQ(json::parse(got.body).at("store"), false);
}

TEST_F(unsaid_store_test, ARouteThatKeepsNothingRacesAsUsual) {
  const http_response got = respond({{"model", "chats"}});
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-policy", ""), "");
  EXPECT_NE(got.field_or("x-race-dropped", "").find("store"), std::string::npos);
}

json reference(const std::string& id) { return json::array({{{"type", "item_reference"}, {"id", id}}, {{"role", "user"}, {"content", "and?"}}}); }

TEST_F(responses_state_test, AnItemOfAnEarlierAnswerMayBeReferredTo) {
  for (const char* model : {"chats", "other"}) {
    SCOPED_TRACE(model);
    const json first = json::parse(respond({{"model", model}}).body);
    const std::string id = first.at("output")[0].at("id");
    const http_response got = respond({{"model", model}, {"input", reference(id)}});
    ASSERT_EQ(got.status, 200) << got.body;
  }
  EXPECT_EQ(asked(chat_, 1).at("messages")[0], json::parse(R"({"role":"assistant","content":"I am chat"})"));
  EXPECT_EQ(asked(two_, 1).at("input")[0].at("content")[0].at("text"), "I am two");
}

TEST_F(responses_state_test, AnItemMayBeReferredToByItsCallerAlone) {
  start();
  const json first = json::parse(respond({{"model", "chats"}, {"stream", false}}, "x-provider-key-one: mine\r\n").body);
  const json next{{"model", "chats"}, {"input", reference(first.at("output")[0].at("id"))}};
  for (const char* other : {"", "x-provider-key-one: yours\r\n"}) {
    const http_response got = respond(next, other);
    EXPECT_EQ(got.status, 400);
    EXPECT_EQ(got.error("code"), "item_not_found");
    EXPECT_EQ(got.error("param"), "input[0].id");
  }
}

TEST_F(responses_state_test, AConversationIsCompactedAndCountedWhereResponsesAreServed) {
  start();
  const auto ask = [this](const std::string& path, const json& request) { return call("/v1/responses/" + path, request); };
  const http_response compact = ask("compact", {{"model", "r"}, {"input", "hi"}, {"service_tier", "x"}});
  EXPECT_EQ(compact.body, R"({"object":"response.compaction","output":[]})");
  EXPECT_EQ(compact.field_or("x-race-skipped", ""), "chat/m;reason=unsupported:responses");
  EXPECT_EQ(ask("input_tokens", {{"model", "other"}, {"input", "hi"}}).body, R"({"object":"response.input_tokens","input_tokens":7})");
  EXPECT_EQ(asked_at(two_, "input_tokens"), json::parse(R"({"model":"m","input":"hi"})"));
  const http_response refused = ask("input_tokens", {{"model", "chats"}, {"input", "hi"}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.error("code"), "unsupported_parameter");
  const std::string id = kept_id("other");
  EXPECT_EQ(ask("input_tokens", {{"model", "r"}, {"previous_response_id", id}}).status, 200);
  EXPECT_EQ(asked_at(two_, "input_tokens").at("previous_response_id"), "resp_two");
  EXPECT_EQ(ask("compact", {{"model", "r"}, {"previous_response_id", "resp_two"}}).status, 404);
  EXPECT_EQ(ask("compact", {{"model", "r"}}).error("param"), "input");
}

TEST_F(responses_state_test, ItemsThatAreKeptCountInTheMemoryOfAllRequests) {
  start();
  ASSERT_EQ(respond({{"model", "chats"}}).status, 200);
  EXPECT_TRUE(comes_true([&] {
    const double used = metric("photofinish_memory_used_bytes");
    return used > 200 && used < 2000;
  })) << metric("photofinish_memory_used_bytes");
}

}  // namespace
}  // namespace photofinish::testing
