// Tests answers of a provider of the Responses API for a client of the same API.
#include "gateway/api/responses/passed_responses.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/requests/worker/protocols.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

using testing::json;

proxy::stream_event event(std::string_view name, const std::string_view& text) {
  proxy::stream_event made{.kind = proxy::event_kind::token, .spoken = proxy::wire_format::openai_responses, .json = {&text, 1}};
  made.name = name;
  return made;
}

const answer_identity identity{"req_1", 5, "big", proxy::wire_format::openai_responses};

std::string added(answer_writer& writer, std::string_view name, const std::string_view& text) {
  std::string batch;
  outgoing to(batch);
  to.begin_batch();
  EXPECT_TRUE(writer.add(event(name, text), to));
  return batch;
}

std::string ended(answer_writer& writer) {
  std::string batch;
  outgoing to(batch);
  to.begin_batch();
  writer.end(to);
  return to.take().text();
}

api_error broken() {
  api_error error;
  error.message = "it broke";
  error.status = 502;
  return error;
}

json failed(answer_writer& writer, const api_error& error = broken()) {
  std::string batch;
  outgoing to(batch);
  to.begin_batch();
  writer.fail(error, to);
  const std::string all = to.take().text();
  EXPECT_TRUE(all.starts_with("event: response.failed\ndata: {")) << all;
  EXPECT_TRUE(all.ends_with("}\n\n"));
  return json::parse(all.substr(all.find('{')));
}

TEST(PassedResponses, AnEventPassesUnderItsName) {
  passed_response_stream writer(identity);
  EXPECT_EQ(added(writer, "response.created", "{}"), "event: response.created\ndata: {}\n\n");
  EXPECT_EQ(added(writer, "response.created", R"({"a":1})"), "event: response.created\ndata: {\"a\":1}\n\n");
  EXPECT_EQ(added(writer, "", "{}"), "data: {}\n\n");
  EXPECT_EQ(ended(writer), "");
}

TEST(PassedResponses, AnErrorBehindTheFirstTokenEndsTheSameResponse) {
  passed_response_stream writer(identity);
  added(writer, "response.created", R"({"sequence_number":4,"response":{"id":"resp_theirs","status":"in_progress"}})");
  added(writer, "response.output_text.delta", R"({"sequence_number":5})");
  const json last = failed(writer);
  EXPECT_EQ(last.at("sequence_number"), 6);
  EXPECT_EQ(last.at("response").at("id"), "resp_theirs");
  EXPECT_EQ(last.at("response").at("status"), "failed");
  EXPECT_EQ(last.at("response").at("error"), json::parse(R"({"code":"server_error","message":"it broke"})"));
  EXPECT_TRUE(last.at("response").at("output").is_array());
}

TEST(PassedResponses, AnErrorHasItsProvidersCodeOrOneThatClientsKnow) {
  const auto code_of = [](const api_error& error) {
    passed_response_stream writer(identity);
    return failed(writer, error).at("response").at("error").at("code");
  };
  proxy::failure why;
  why.code = "context_length_exceeded";
  EXPECT_EQ(code_of(explain_broken_winner("a/m", why)), "context_length_exceeded");
  EXPECT_EQ(code_of(explain_broken_winner("a/m", {})), "server_error") << "and not upstream_broken";
  why.origin = proxy::failure_origin::gateway;
  EXPECT_EQ(code_of(explain_broken_winner("a/m", why)), "server_error");
  api_error limited;
  limited.status = 429;
  limited.code = "rate_limit_exceeded";
  EXPECT_EQ(code_of(limited), "rate_limit_exceeded");
  limited.code = "insufficient_quota";
  EXPECT_EQ(code_of(limited), "insufficient_quota");
}

// After the error code server_error, Codex repeats the request. After the error code invalid_prompt, Codex shows the error to its user.
TEST(PassedResponses, AReportedErrorHasACodeOfTheApi) {
  const auto code_of = [](proxy::failure_kind kind, int status) {
    proxy::failure why;
    why.kind = kind;
    why.status = status;
    passed_response_stream writer(identity);
    return failed(writer, explain_broken_winner("a/m", why)).at("response").at("error").at("code");
  };
  EXPECT_EQ(code_of(proxy::failure_kind::rate_limited, 429), "rate_limit_exceeded");
  EXPECT_EQ(code_of(proxy::failure_kind::quota, 402), "insufficient_quota");
  EXPECT_EQ(code_of(proxy::failure_kind::bad_request, 400), "invalid_prompt");
  EXPECT_EQ(code_of(proxy::failure_kind::server_error, 529), "server_error");
  EXPECT_EQ(code_of(proxy::failure_kind::server_error, 500), "server_error");
  EXPECT_EQ(code_of(proxy::failure_kind::auth, 401), "server_error");
}

TEST(PassedResponses, AnErrorNeedsNothingOfTheEventsBeforeIt) {
  for (const std::string opening : {R"({})", R"({"response":7,"sequence_number":"x"})", R"({"response":{"id":5}})"}) {
    passed_response_stream writer(identity);
    added(writer, "response.created", opening);
    EXPECT_EQ(failed(writer).at("response").at("id"), "resp_req_1") << opening;
  }
  passed_response_stream writer(identity);
  EXPECT_EQ(failed(writer).at("sequence_number"), 0);
}

TEST(PassedResponses, AWholeAnswerIsTheResponseOfItsLastEvent) {
  for (const char* name : {"response.completed", "response.incomplete", "response.queued", "response.in_progress"}) {
    passed_whole_response writer(identity);
    EXPECT_EQ(added(writer, "response.created", R"({"response":{"id":"a"}})"), "");
    EXPECT_EQ(added(writer, "response.output_text.delta", R"({"delta":"x"})"), "");
    EXPECT_EQ(added(writer, name, R"({"type":"x","response": {"id":"b", "n":1e400} })"), "");
    EXPECT_EQ(ended(writer), R"({"id":"b", "n":1e400})");
  }
}

TEST(PassedResponses, AreChosenByWhatTheWinnerSpeaks) {
  const api* const called = api_at("/v1/responses", all_apis());
  parsed_request request{.format = proxy::wire_format::openai_responses, .body = std::make_shared<const proxy::client_body>("{}")};
  request.form = answer_form::stream;
  EXPECT_NE(dynamic_cast<passed_response_stream*>(called->writer(request, identity).get()), nullptr);
  request.form = answer_form::whole;
  EXPECT_NE(dynamic_cast<passed_whole_response*>(called->writer(request, identity).get()), nullptr);
  EXPECT_EQ(dynamic_cast<passed_whole_response*>(called->writer(request, {"req_1", 5, "m", proxy::wire_format::openai_chat}).get()), nullptr);
}

}  // namespace
}  // namespace photofinish::gateway
