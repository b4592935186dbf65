// What a client learns of a refusal does not depend on who refuses: providers of each dialect say the same in their own
// shapes, and clients of each API get one status, type and code, and the provider's own sentence.
#include "tests/integration/apis/conversation_fixture.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

struct said_error {
  int status = 0;
  std::string body;
  std::string fields = {};
};

// One meaning, as each dialect says it.
struct meaning {
  const char* name;
  const char* sentence;
  int status;             // OpenAI's and Gemini's
  const char* openai;     // type
  const char* anthropic;  // type
  int anthropic_status;
  const char* gemini;  // status
  const char* bedrock;
  int bedrock_status;
};

const std::vector<meaning> meanings{
    {"a bad request", "The field is wrong", 400, "invalid_request_error", "invalid_request_error", 400, "INVALID_ARGUMENT",
     "ValidationException", 400},
    {"a forbidden model", "You may not use it", 403, "permission_error", "permission_error", 403, "PERMISSION_DENIED",
     "AccessDeniedException", 403},
    {"an unknown model", "There is none of that name", 404, "invalid_request_error", "not_found_error", 404, "NOT_FOUND",
     "ResourceNotFoundException", 404},
    {"a limit", "Slower, please", 429, "rate_limit_error", "rate_limit_error", 429, "RESOURCE_EXHAUSTED",
     "ThrottlingException", 429},
    {"a fault of its own", "We broke it", 500, "server_error", "api_error", 500, "INTERNAL", "InternalServerException",
     500},
};

using json = nlohmann::json;

std::map<std::string, said_error> in_each_dialect(const meaning& of) {
  const std::string sentence = of.sentence;
  const json openai = {{"error", {{"message", sentence}, {"type", of.openai}, {"param", nullptr}, {"code", nullptr}}}};
  const json anthropic = {{"type", "error"}, {"error", {{"type", of.anthropic}, {"message", sentence}}}};
  const json gemini = {{"error", {{"code", of.status}, {"message", sentence}, {"status", of.gemini}}}};
  return {{"chat", {of.status, openai.dump()}},
          {"responses", {of.status, openai.dump()}},
          {"anthropic", {of.anthropic_status, anthropic.dump()}},
          {"gemini", {of.status, gemini.dump()}},
          {"bedrock", {of.bedrock_status, json{{"message", sentence}}.dump(),
                       "x-amzn-errortype: " + std::string(of.bedrock) + ":http://internal.amazon.com/\r\n"}}};
}

class provider_errors_test : public conversation_fixture {
 protected:
  provider_errors_test() {
    add("chat", at("chat"));
    add("responses", at("responses")).apis = {served_api::responses};
    add_messages("anthropic", at("anthropic"));
    add_gemini("gemini", at("gemini"));
    proxy::provider& bedrock = add("bedrock", at("bedrock"));
    bedrock.dialect = "bedrock";
    bedrock.url.path.clear();
    add_route("from-chat", {"chat/m"});
    add_route("from-responses", {"responses/m"});
    add_route("from-anthropic", {"anthropic/claude-sonnet-5"});
    add_route("from-gemini", {"gemini/gemini-3-pro"});
    add_route("from-bedrock", {"bedrock/us.amazon.nova-2-lite-v1:0"});
  }

  const scripted_provider& at(const std::string& name) {
    return *providers_
                .emplace(name, std::make_unique<scripted_provider>([this, name](provider_call& call) {
                           const said_error& error = says_.at(name);
                           call.answer(error.status, error.body, error.fields);
                         }))
                .first->second;
  }

  // Of a whole answer and of a stream, for each API.
  std::vector<http_response> ask_for(const std::string& model) {
    std::vector<http_response> got;
    for (const bool is_stream : {false, true}) {
      got.push_back(chat({{"model", model}, {"stream", is_stream}}));
      got.push_back(respond({{"model", model}, {"stream", is_stream}}));
      got.push_back(message({{"model", model}, {"stream", is_stream}}));
    }
    return got;
  }

  std::map<std::string, said_error> says_;
  std::map<std::string, std::unique_ptr<scripted_provider>> providers_;
};

// But for the sentence; and of what the request itself is to blame for, OpenAI's clients get the provider's own type
// (docs/http.md).
json comparable(const http_response& got) {
  json error = json::parse(got.body).at("error");
  error.erase("message");
  if (error.contains("param") && (got.status == 400 || got.status == 404)) error.erase("type");
  return {{"status", got.status}, {"error", error}, {"retry-after", got.field_or("retry-after", "")}};
}

TEST_F(provider_errors_test, AreTheSameWhoeverSaysThem) {
  for (const meaning& each : meanings) {
    SCOPED_TRACE(each.name);
    says_ = in_each_dialect(each);
    const std::vector<http_response> first = ask_for("from-chat");
    for (const auto& [name, error] : says_) {
      SCOPED_TRACE(name);
      const std::vector<http_response> got = ask_for("from-" + name);
      for (std::size_t way = 0; way < got.size(); ++way) {
        SCOPED_TRACE(way);
        EXPECT_EQ(comparable(got[way]), comparable(first[way])) << got[way].body;
        const std::string message = json::parse(got[way].body).at("error").at("message");
        EXPECT_NE(message.find(each.sentence), std::string::npos) << message;
      }
    }
  }
}

}  // namespace
}  // namespace photofinish::testing
