// Tests clients of the Responses API with providers that also serve this API, alone and in races with chat providers.
#include "tests/integration/apis/conversation_fixture.hpp"

#include <string>
#include <vector>

namespace photofinish::testing {
namespace {

// Events in the format of the Responses API. They have members that the gateway does not know.
std::vector<std::string> events_of_an_answer() {
  const std::string head = R"("response":{"id":"resp_theirs","object":"response","model":"big-2026","store":false,"status":)";
  const std::string item = R"({"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[],"logprobs":[]}],"x":1})";
  return {R"({"type":"response.created","sequence_number":0,)" + head + R"("in_progress","output":[],"usage":null}})",
          R"({"type":"response.in_progress","sequence_number":1,)" + head + R"("in_progress","output":[],"usage":null}})",
          R"({"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}})",
          R"({"type":"response.content_part.added","sequence_number":3,"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}})",
          R"({"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hi","logprobs":[],"obfuscation":"zz"})",
          R"({"type":"response.output_text.done","sequence_number":5,"item_id":"msg_1","output_index":0,"content_index":0,"text":"Hi","logprobs":[]})",
          R"({"type":"response.content_part.done","sequence_number":6,"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"Hi","annotations":[],"logprobs":[]}})",
          R"({"type":"response.output_item.done","sequence_number":7,"output_index":0,"item":)" + item + "}",
          R"({"type":"response.completed","sequence_number":8,)" + head + R"("completed","output":[)" + item +
              R"(],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":3},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":29}}})"};
}

const char* const mixed_items =
    R"([{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"gAAAA"},)"
    R"({"id":"rs_2","type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},)"
    R"({"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}},)"
    R"({"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[)"
    R"({"type":"output_text","text":"Hi","annotations":[{"type":"url_citation","url":"u","start_index":0,"end_index":2}],"logprobs":[]},)"
    R"({"type":"refusal","refusal":"No"}]},)"
    R"({"id":"fc_1","type":"function_call","status":"completed","call_id":"call_a","name":"f","arguments":"{\"a\":1}"},)"
    R"({"id":"ctc_1","type":"custom_tool_call","status":"completed","call_id":"call_b","name":"patch","input":"*** Begin"}])";

std::string as_sent(const std::vector<std::string>& events) {
  std::string bytes;
  for (const std::string& each : events)
    bytes += "event: " + json::parse(each).at("type").get<std::string>() + "\ndata: " + each + "\n\n";
  return bytes;
}

scripted_provider::script responds(std::vector<std::string> events, bool is_cut = false) {
  return [events = std::move(events), is_cut](provider_call& call) {
    call.stream_head();
    for (const std::string& each : events) call.chunk(as_sent({each}));
    if (is_cut) call.close();
    else call.send("0\r\n\r\n");
  };
}

std::vector<std::string> first(std::size_t count) {
  std::vector<std::string> events = events_of_an_answer();
  events.resize(count);
  return events;
}

class responses_providers_test : public conversation_fixture {
 protected:
  responses_providers_test() {
    add_responses("native", native_);
    add_responses("silent", silent_);
    add_responses("cut", cut_);
    add_responses("alone", alone_);
    add_responses("items", items_);
    add_responses("unstreamed", items_).behaves.stream = proxy::upstream_stream::never;
    add_responses("quota", quota_);
    add_responses("failed", failed_);
    add_responses("full", full_).key.value = proxy::secret("sk-lab-0123456789");
    add("chat", chat_);
    add_route("r", {"native/big"});
    add_route("mixed", {"silent/m", "chat/m", "native/big"});
    add_route("cut", {"cut/m"});
    add_route("full", {"full/m"});
    add_route("alone", {"alone/m"});
    add_route("items", {"items/m"});
    add_route("items_unstreamed", {"unstreamed/m"});
    add_route("failover", {"quota/m", "failed/m", "native/big"}, racing::race_policy::fallback);
    add_route("only_failed", {"quota/m"}, racing::race_policy::fallback);
    add_route("chat_second", {"native/big", "chat/m"}, racing::race_policy::fallback);
    add_route("native_second", {"chat/m", "native/big"}, racing::race_policy::fallback);
  }

  scripted_provider native_{responds(events_of_an_answer())};
  scripted_provider silent_{stays_silent()};
  scripted_provider cut_{responds(first(5), true)};
  scripted_provider alone_{[](provider_call& call) {
    const json last = json::parse(events_of_an_answer().back());
    call.answer(200, last.at("response").dump());
  }};
  scripted_provider items_{refuses(200, R"({"id":"resp_1","object":"response","status":"completed","usage":null,"output":)" +
                                            std::string(mixed_items) + "}")};
  scripted_provider quota_{responds({events_of_an_answer()[0], R"({"type":"error","sequence_number":1,"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"No credit","param":null}})"})};
  scripted_provider failed_{responds({events_of_an_answer()[0], R"({"type":"response.failed","sequence_number":1,"response":{"id":"resp_f","status":"failed","error":{"code":"server_error","message":"It broke"},"output":[]}})"})};
  scripted_provider chat_{[](provider_call& call) { streams({"from", " chat"})(call); }};
  scripted_provider full_{[](provider_call& call) {
    std::vector<std::string> events = first(5);
    events.push_back(R"({"type":"response.failed","sequence_number":5,"response":{"id":"resp_theirs","status":"failed","error":{"code":"context_length_exceeded","message":"Too long for sk-lab-0123456789"},"output":[]}})");
    responds(events)(call);
  }};
};

TEST_F(responses_providers_test, AStreamPassesByteForByte) {
  const http_response got = respond({{"model", "r"}, {"stream", true}, {"input", "hi"}, {"tools", {{{"type", "web_search"}}}}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.body, as_sent(events_of_an_answer()));
  EXPECT_TRUE(got.is_complete);
  EXPECT_EQ(strict_accumulator(read_named_events(got.body)).fault, "");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "native/big");
  EXPECT_TRUE(native_.request().head.starts_with("POST /v1/responses ")) << native_.request().head;
  EXPECT_EQ(json::parse(native_.request().body),
            json::parse(R"({"model":"big","stream":true,"store":false,"input":"hi","tools":[{"type":"web_search"}]})"));
}

TEST_F(responses_providers_test, AWholeAnswerIsTheProvidersOwnResponse) {
  const http_response got = respond({{"model", "r"}, {"input", "hi"}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("content-type", ""), "application/json");
  EXPECT_EQ(json::parse(got.body), json::parse(events_of_an_answer().back()).at("response"));
}

TEST_F(responses_providers_test, IsCountedAsAnyAnswerIs) {
  ASSERT_EQ(respond({{"model", "r"}, {"input", "hi"}, {"stream", true}}).status, 200);
  expect_metric(20, "photofinish_output_tokens_total", {R"(provider="native")", R"(source="usage")"});
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="responses")", R"(outcome="ok")"});
}

// Each target gets the request in its own format. The client always gets a Responses answer.
TEST_F(responses_providers_test, ARaceMixesTargetsOfBothFormats) {
  const http_response got = respond({{"model", "mixed"}, {"input", "hi"}, {"stream", true}, {"max_output_tokens", 9}});
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(strict_accumulator(read_named_events(got.body)).fault, "") << got.body;
  EXPECT_EQ(json::parse(silent_.request().body).at("max_output_tokens"), 9);
  EXPECT_EQ(json::parse(chat_.request().body).at("max_tokens"), 9);
  EXPECT_TRUE(chat_.request().head.starts_with("POST /v1/chat/completions "));
  silent_.closed_at(silent_.request());
}

TEST_F(responses_providers_test, TheAnswerIsOfResponsesFromEitherKindOfTarget) {
  for (const char* route : {"chat_second", "native_second"}) {
    for (const bool is_streamed : {true, false}) {
      const http_response got = respond({{"model", route}, {"input", "hi"}, {"stream", is_streamed}});
      ASSERT_EQ(got.status, 200) << got.body;
      const json response = is_streamed ? strict_accumulator(read_named_events(got.body)).response : json::parse(got.body);
      const bool is_native = route == std::string("chat_second");
      EXPECT_EQ(response.at("output")[0].at("content")[0].at("text"), is_native ? "Hi" : "from chat");
      EXPECT_EQ(response.at("store"), false);
    }
  }
}

TEST_F(responses_providers_test, HostedToolsGoToTheTargetThatHasThem) {
  const http_response got = respond({{"model", "native_second"}, {"input", "hi"}, {"tools", {{{"type", "web_search"}}}}});
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "native/big");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "chat/m;reason=unsupported:tools.web_search");
}

TEST_F(responses_providers_test, TroubleBeforeTheFirstTokenStartsTheNextTarget) {
  const http_response got = respond({{"model", "failover"}, {"input", "hi"}, {"stream", true}});
  EXPECT_EQ(got.body, as_sent(events_of_an_answer()));
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "3");
  const http_response lost = respond({{"model", "only_failed"}, {"input", "hi"}, {"stream", true}});
  EXPECT_EQ(lost.status, 429);
  EXPECT_EQ(lost.error("code"), "insufficient_quota");
}

TEST_F(responses_providers_test, AStreamThatBreaksEndsAsTheSameResponse) {
  const http_response got = respond({{"model", "cut"}, {"input", "hi"}, {"stream", true}});
  EXPECT_EQ(got.status, 200);
  EXPECT_FALSE(got.is_complete);
  ASSERT_TRUE(got.body.starts_with(as_sent(first(5)))) << got.body;
  const strict_accumulator read(read_named_events(got.body));
  EXPECT_EQ(read.fault, "");
  EXPECT_EQ(read.response.at("status"), "failed");
  EXPECT_EQ(read.response.at("id"), "resp_theirs");
}

// Codex ends its task after some error codes, and retries after all other error codes.
TEST_F(responses_providers_test, AProvidersOwnCodeBehindTheFirstTokenIsKept) {
  const http_response got = respond({{"model", "full"}, {"input", "hi"}, {"stream", true}});
  const json last = read_named_events(got.body).back().data;
  EXPECT_EQ(last.at("type"), "response.failed") << got.body;
  EXPECT_EQ(last.at("response").at("error").at("code"), "context_length_exceeded");
  EXPECT_EQ(last.at("response").at("error").at("message").get<std::string>().find("sk-lab-0123456789"), std::string::npos);
}

TEST_F(responses_providers_test, AResponseThatComesAloneIsServedEitherWay) {
  const json response = json::parse(events_of_an_answer().back()).at("response");
  EXPECT_EQ(json::parse(respond({{"model", "alone"}, {"input", "hi"}}).body), response);
  const http_response got = respond({{"model", "alone"}, {"input", "hi"}, {"stream", true}});
  const std::vector<read_event> events = read_named_events(got.body);
  const std::vector<std::string> streamed = events_of_an_answer();
  ASSERT_EQ(events.size(), streamed.size()) << got.body;
  for (std::size_t at = 0; at < streamed.size(); ++at) {
    json expected = json::parse(streamed[at]);
    expected.erase("obfuscation");
    if (expected.at("type") == "response.output_item.added") expected["item"]["x"] = 1;
    EXPECT_EQ(events[at].data, expected);
    EXPECT_EQ(events[at].type, expected.at("type"));
  }
  const strict_accumulator read(events);
  EXPECT_EQ(read.fault, "");
  EXPECT_EQ(read.response, response);
}

// One provider does not stream. It sends reasoning, tool calls and a message in one piece. A second provider answers a streaming request
// with JSON.
TEST_F(responses_providers_test, EachItemOfAResponseThatComesAloneHasItsEvents) {
  for (const char* route : {"items", "items_unstreamed"}) {
    const http_response got = respond({{"model", route}, {"input", "hi"}, {"stream", true}});
    const strict_accumulator read(read_named_events(got.body));
    EXPECT_EQ(read.fault, "") << got.body;
    EXPECT_EQ(read.response.at("output"), json::parse(mixed_items)) << route;
    EXPECT_EQ(json::parse(items_.requests().back().body).at("stream"), route == std::string("items"));
  }
  EXPECT_EQ(metric("photofinish_attempt_ttft_seconds_count"), 0);
  expect_metric(2, "photofinish_unmeasurable_total", {R"(reason="not_streamed")"});
}

TEST_F(responses_providers_test, AChatClientGetsChatFromThem) {
  if (!gateway) start();
  EXPECT_EQ(post(streamed("chat/m")).status, 200);
  (void)post(streamed("native/big"));
  EXPECT_TRUE(native_.request().head.starts_with("POST /v1/chat/completions "));
}

}  // namespace
}  // namespace photofinish::testing
