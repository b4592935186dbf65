// Tests requests about a response that its provider stores: which callers may read the response, which target answers, and what the answer
// contains.
#include "tests/integration/apis/conversation_fixture.hpp"

#include <string>

namespace photofinish::testing {
namespace {

std::string line_of(const received_request& request) { return request.head.substr(0, request.head.find('\r')); }

// Repeats the first conversation example in OpenAI's documentation. No request in this example sets `store`.
void keep(provider_call& call) {
  const std::string line = line_of(call.request());
  if (line.starts_with("POST /v1/responses HTTP"))
    return call.answer(200, R"({"id":"resp_a.1/x","status":"completed","output":[],"previous_response_id":null})");
  if (line.find("/v1/responses/resp_a%2E1%2Fx") == std::string::npos)
    return call.answer(404, R"({"error":{"message":"Response not found","type":"invalid_request_error","param":null,"code":null}})");
  if (line.starts_with("DELETE")) return call.answer(200, R"({"id":"resp_a.1/x","object":"response.deleted","deleted":true})");
  if (line.find("/input_items") != std::string::npos) return call.answer(200, R"({"object":"list","data":[{"id":"msg_1"}]})");
  call.answer(200, R"( {"id":"resp_a.1/x","status":"completed","previous_response_id":"resp_before","output":[]})");
}

// The events that follow event 4 of a stream. A client that disconnected after event 4 requests them later.
constexpr const char* rest_of_a_stream =
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":5,\"delta\":\"lo\"}\n\n"
    "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":6,\"response\":{\"id\":\"resp_a.1/x\","
    "\"status\":\"completed\",\"output\":[]}}\n\n";

class kept_responses_test : public conversation_fixture {
 protected:
  kept_responses_test() {
    settings.access.id_secret = proxy::secret("0123456789abcdef0123456789abcdef");
    add_responses("lab", lab_);
    add_responses("slow", slow_);
    add_responses("lost", lost_);
    add_responses("streams", streams_);
    add_responses("breaks", breaks_);
    add_responses("gone", gone_);
    for (const std::string name : {"lab", "slow", "lost", "streams", "breaks", "gone"}) add_route(name, {name + "/m"});
  }

  std::string made(const std::string& route = "lab", std::string_view fields = "") {
    const http_response got = respond({{"model", route}, {"store", true}}, fields);
    EXPECT_EQ(got.status, 200) << got.body;
    return json::parse(got.body).at("id");
  }
  http_response ask(std::string_view method, const std::string& path, std::string_view fields = "") {
    test_client client = connect();
    client.get("/v1/responses/" + path, fields, method);
    return client.read();
  }

  scripted_provider lab_{keep};
  scripted_provider streams_{[](provider_call& call) {
    if (line_of(call.request()).starts_with("POST")) return keep(call);
    call.stream_head();
    call.chunk(rest_of_a_stream);
    call.send("0\r\n\r\n");
  }};
  scripted_provider breaks_{[](provider_call& call) {
    if (line_of(call.request()).starts_with("POST")) return keep(call);
    call.stream_head();
    const std::string_view all(rest_of_a_stream);
    call.chunk(all.substr(0, all.find("event: response.completed") + 10));
    call.close();
  }};
  scripted_provider gone_{[](provider_call& call) {
    if (line_of(call.request()).starts_with("POST")) return keep(call);
    call.answer(404, R"({"error":{"message":"Response not found","type":"invalid_request_error","param":null,"code":null}})");
  }};
  scripted_provider slow_{[](provider_call& call) {
    if (line_of(call.request()).starts_with("POST /v1/responses HTTP")) return keep(call);
    call.hang();
  }};
  scripted_provider lost_{[](provider_call& call) {
    if (line_of(call.request()).starts_with("POST /v1/responses HTTP")) return keep(call);
    if (line_of(call.request()).starts_with("GET")) return call.answer(200, "<html>");
    call.answer(401, R"({"error":{"message":"bad key"}})");
  }};
};

TEST_F(kept_responses_test, AreReadWhereTheyAreKept) {
  const std::string id = made();
  const http_response got = ask("GET", id + "?include[]=x&stream=false");
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(line_of(lab_.request(1)), "GET /v1/responses/resp_a%2E1%2Fx?include[]=x&stream=false HTTP/1.1");
  EXPECT_EQ(json::parse(got.body).at("id"), id);
  EXPECT_NE(json::parse(got.body).at("previous_response_id"), "resp_before");
  EXPECT_EQ(got.field_or("content-type", ""), "application/json");
  expect_metric(2, "photofinish_requests_total", {R"(endpoint="responses")", R"(outcome="ok")"});
}

TEST_F(kept_responses_test, AreDeletedCancelledAndListedThere) {
  const std::string id = made();
  EXPECT_EQ(json::parse(ask("DELETE", id).body), (json{{"id", id}, {"object", "response.deleted"}, {"deleted", true}}));
  EXPECT_EQ(json::parse(ask("POST", id + "/cancel").body).at("id"), id);
  EXPECT_EQ(ask("GET", id + "/input_items?limit=5").body, R"({"object":"list","data":[{"id":"msg_1"}]})");
  EXPECT_EQ(line_of(lab_.request(1)), "DELETE /v1/responses/resp_a%2E1%2Fx HTTP/1.1");
  EXPECT_EQ(line_of(lab_.request(2)), "POST /v1/responses/resp_a%2E1%2Fx/cancel HTTP/1.1");
  EXPECT_EQ(line_of(lab_.request(3)), "GET /v1/responses/resp_a%2E1%2Fx/input_items?limit=5 HTTP/1.1");
}

TEST_F(kept_responses_test, AForgedOrForeignIdIsNotFound) {
  std::string id = made();
  id[10] = id[10] == 'A' ? 'B' : 'A';
  for (const std::string& each : {id, std::string("resp_1"), std::string("..%2Fmodels"), std::string("%00"), std::string(5000, 'a')}) {
    const http_response got = ask("GET", each);
    const bool is_path = each != "%00";
    EXPECT_EQ(got.status, is_path ? 404 : 400) << got.body;
    EXPECT_EQ(got.error("code") == "response_not_found", is_path) << got.body;
  }
  EXPECT_EQ(lab_.requests().size(), 1u);
}

TEST_F(kept_responses_test, OpenForTheirCallerAlone) {
  settings.access.keys = {{.name = "a", .key = proxy::secret("sk-a-0123456789abcdef")},
                          {.name = "b", .key = proxy::secret("sk-b-0123456789abcdef")}};
  constexpr const char* a = "authorization: Bearer sk-a-0123456789abcdef\r\n";
  const std::string id = made("lab", a);
  EXPECT_EQ(ask("GET", id, a).status, 200);
  EXPECT_EQ(ask("GET", id, "authorization: Bearer sk-b-0123456789abcdef\r\n").status, 404);
  EXPECT_EQ(ask("DELETE", id, "authorization: Bearer sk-b-0123456789abcdef\r\n").status, 404);
  EXPECT_EQ(ask("GET", id).status, 401);
}

TEST_F(kept_responses_test, ARouteThatWasTakenAwayClosesThem) {
  settings.access.keys = {{.name = "a", .key = proxy::secret("sk-a-0123456789abcdef"), .routes = {"lab", "slow"}}};
  constexpr const char* a = "authorization: Bearer sk-a-0123456789abcdef\r\n";
  const std::string id = made("lab", a);
  EXPECT_EQ(ask("GET", id, a).status, 200);
  settings.access.keys[0].routes = {"slow"};
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([&] { return ask("GET", id, a).status == 404; }));
}

TEST_F(kept_responses_test, AnotherMethodIsRefusedAndNamesTheRightOnes) {
  const std::string id = made();
  const http_response put = ask("PUT", id);
  EXPECT_EQ(put.status, 405);
  EXPECT_EQ(put.field_or("allow", ""), "GET, DELETE");
  EXPECT_EQ(ask("GET", id + "/cancel").field_or("allow", ""), "POST");
  EXPECT_EQ(ask("POST", id + "/input_items").field_or("allow", ""), "GET");
}

TEST_F(kept_responses_test, AreStreamedFromTheEventThatTheClientNames) {
  const std::string id = made("streams");
  const http_response got = ask("GET", id + "?stream=true&starting_after=4");
  ASSERT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(line_of(streams_.request(1)), "GET /v1/responses/resp_a%2E1%2Fx?stream=true&starting_after=4 HTTP/1.1");
  EXPECT_EQ(streams_.request(1).field("accept"), "text/event-stream");
  EXPECT_EQ(got.field_or("content-type", ""), "text/event-stream");
  std::string expected = rest_of_a_stream;
  expected.replace(expected.find("resp_a.1/x"), 10, id);
  EXPECT_EQ(got.body, expected);
  EXPECT_TRUE(got.is_complete);
  expect_metric(2, "photofinish_requests_total", {R"(endpoint="responses")", R"(outcome="ok")"});
}

TEST_F(kept_responses_test, AStreamThatBreaksEndsAsTheSameResponse) {
  const std::string id = made("breaks");
  const http_response got = ask("GET", id + "?stream=true");
  EXPECT_EQ(got.status, 200);
  EXPECT_FALSE(got.is_complete);
  EXPECT_NE(got.body.find("event: response.failed\n"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find(R"("sequence_number":6)"), std::string::npos) << got.body;
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="responses")", R"(outcome="truncated")"});
}

TEST_F(kept_responses_test, AStreamThatIsRefusedIsAnErrorWithItsStatus) {
  const http_response got = ask("GET", made("gone") + "?stream=true");
  EXPECT_EQ(got.status, 404) << got.body;
  EXPECT_NE(got.error("message").find("Response not found"), std::string::npos);
}

TEST_F(kept_responses_test, AClientThatLeavesItsStreamLetsGoOfTheProvider) {
  const std::string id = made("slow");
  {
    test_client client = connect();
    client.get("/v1/responses/" + id + "?stream=true");
    (void)slow_.request(1);
  }
  slow_.closed_at(slow_.request(1));
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="responses")", R"(outcome="client_cancelled")"});
}

TEST_F(kept_responses_test, BringTheHeadersThatTheirProviderWantsForwarded) {
  settings.providers.at("lab").forwarding.headers = {"x-tenant"};
  const std::string id = made();
  for (const char* query : {"", "?stream=true"}) {
    (void)ask("GET", id + query, "x-tenant: a\r\nx-other: b\r\n");
    const received_request last = lab_.requests().back();
    EXPECT_EQ(last.field("x-tenant"), "a");
    EXPECT_EQ(last.field("x-other"), "");
  }
}

TEST_F(kept_responses_test, WhatTheProviderSaysAgainstItIsReported) {
  const std::string id = made("lost");
  EXPECT_EQ(ask("GET", id).status, 502);
  EXPECT_EQ(ask("DELETE", id).status, 502) << "the gateway's own key";
}

TEST_F(kept_responses_test, AClientThatLeavesLetsGoOfTheProvider) {
  const std::string id = made("slow");
  {
    test_client client = connect();
    client.get("/v1/responses/" + id);
    (void)slow_.request(1);
  }
  slow_.closed_at(slow_.request(1));
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="responses")", R"(outcome="client_cancelled")"});
}

}  // namespace
}  // namespace photofinish::testing
