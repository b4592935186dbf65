#include "proxy/dialects/gemini/gemini_dialect.hpp"

#include "proxy/find_dialect.hpp"
#include "tests/support/streams/known_reasoning.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

provider google() {
  provider target;
  target.url = {.is_tls = true, .host = "generativelanguage.googleapis.com", .port = 443, .path = "/v1beta"};
  target.key.auth = auth_style::header;
  target.key.header = "x-goog-api-key";
  target.apis = {served_api::chat, served_api::embeddings};
  return target;
}

struct asked {
  prepared_request request;
  json body;
  std::string field(std::string_view name) const {
    for (const auto& [each, value] : request.head.fields)
      if (each == name) return value;
    return {};
  }
};

asked ask(const std::string& form, const std::string& model, const provider& target = google(),
          wire_format format = wire_format::gemini, answer_shape shape = answer_shape::streamed,
          reasoning_items reasoning = reasoning_items::kept) {
  const auto body = std::make_shared<const client_body>(form);
  const secret key("k");
  asked made{gemini_dialect().prepare({body, format, target, model, key, {}, shape, {}, reasoning}), {}};
  std::string text;
  for (const std::string_view piece : made.request.body.pieces()) text += piece;
  made.body = json::parse(text);
  return made;
}

const std::string form = R"({"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"},)"
                         R"({"text":"a","thoughtSignature":"own"}]}],"generationConfig":{"temperature":1},"thinking":{"effort":"medium"}})";

TEST(GeminiDialect, IsFoundByItsName) { EXPECT_NE(find_dialect("gemini"), nullptr); }

TEST(GeminiDialect, SpeaksItsOwnFormatForEveryConversation) {
  const gemini_dialect dialect;
  for (const wire_format each : {wire_format::openai_chat, wire_format::openai_responses, wire_format::anthropic_messages})
    EXPECT_EQ(dialect.speaks(each, google(), "m", client_body("{}")), wire_format::gemini);
  EXPECT_EQ(dialect.speaks(wire_format::openai_embeddings, google(), "m", client_body("{}")), wire_format::openai_embeddings);
}

TEST(GeminiDialect, StreamsFromTheModelsOwnPath) {
  const asked made = ask(form, "gemini-3-flash");
  EXPECT_EQ(made.request.head.path, "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse");
  EXPECT_EQ(made.field("x-goog-api-key"), "k");
  EXPECT_EQ(made.field("authorization"), "");
  EXPECT_FALSE(made.request.is_unstreamed);
}

TEST(GeminiDialect, AsksForOnePieceWhereThatIsWanted) {
  const asked made = ask(form, "gemini-3-flash", google(), wire_format::gemini, answer_shape::in_one_piece);
  EXPECT_EQ(made.request.head.path, "/v1beta/models/gemini-3-flash:generateContent");
  EXPECT_EQ(made.field("accept"), "application/json");
  EXPECT_TRUE(made.request.is_unstreamed);
}

TEST(GeminiDialect, AModelsNameCannotLeaveItsPlaceInThePath) {
  EXPECT_EQ(ask(form, "../x?y#z:w").request.head.path, "/v1beta/models/..%2Fx%3Fy%23z%3Aw:streamGenerateContent?alt=sse");
  EXPECT_EQ(ask(form, "tunedModels/mine").request.head.path, "/v1beta/tunedModels/mine:streamGenerateContent?alt=sse");
  EXPECT_EQ(ask(form, "models/gemini-3-pro").request.head.path, "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse");
}

struct thinking_case {
  const char* model;
  const char* asked;
  const char* config;  // the expected thinkingConfig; empty if the converted request must not contain it
  bool is_named = false;  // true if the gateway must change the requested effort or budget, and must report the change in the answer
};
class GeminiThinking : public ::testing::TestWithParam<thinking_case> {};
INSTANTIATE_TEST_SUITE_P(
    GeminiDialect, GeminiThinking,
    ::testing::Values(
        thinking_case{"gemini-3.1-pro-preview", R"({"effort":"medium"})", R"({"thinkingLevel":"medium","includeThoughts":true})"},
        thinking_case{"gemini-3-pro-preview", R"({"effort":"medium"})", R"({"thinkingLevel":"high","includeThoughts":true})", true},
        thinking_case{"gemini-3-pro", R"({"effort":"minimal"})", R"({"thinkingLevel":"low","includeThoughts":true})", true},
        thinking_case{"gemini-3.5-flash", R"({"effort":"none"})", R"({"thinkingLevel":"minimal"})", true},
        thinking_case{"gemini-3.7-flash", R"({"effort":"none"})", R"({"thinkingLevel":"low"})", true},
        thinking_case{"gemini-flash-latest", R"({"effort":"xhigh"})", R"({"thinkingLevel":"high","includeThoughts":true})", true},
        thinking_case{"gemini-4-ultra", R"({"budget":1000})", R"({"thinkingLevel":"low","includeThoughts":true})"},
        thinking_case{"gemini-2.5-flash", R"({"effort":"none"})", R"({"thinkingBudget":0})"},
        thinking_case{"gemini-2.5-pro", R"({"effort":"none"})", R"({"thinkingBudget":128})", true},
        thinking_case{"gemini-2.5-flash-lite", R"({"effort":"none"})", R"({"thinkingBudget":0})"},
        thinking_case{"gemini-2.5-flash-lite", R"({"effort":"minimal"})", R"({"thinkingBudget":512,"includeThoughts":true})"},
        thinking_case{"gemini-2.5-pro", R"({"effort":"max"})", R"({"thinkingBudget":32768,"includeThoughts":true})"},
        thinking_case{"gemini-2.5-flash-lite", R"({"budget":100})", R"({"thinkingBudget":512,"includeThoughts":true})", true},
        thinking_case{"google/gemini-2.5-flash", R"({"budget":100000})", R"({"thinkingBudget":24576,"includeThoughts":true})", true},
        thinking_case{"gemini-2.0-flash", R"({"effort":"high"})", ""},
        thinking_case{"gemma-3-27b-it", R"({"effort":"high"})", ""},
        thinking_case{"gemini-3-pro", R"({"effort":"whatever"})", ""},
        thinking_case{"gemini-2.5-flash-image", R"({"budget":100})", ""},
        thinking_case{"gemini-2.0-flash", R"({"config":{"thinking_budget":7}})", R"({"thinking_budget":7})"}));
TEST_P(GeminiThinking, IsAskedForAsTheModelTakesIt) {
  const asked made = ask(R"({"contents":[],"generationConfig":{},"thinking":)" + std::string(GetParam().asked) + "}", GetParam().model);
  EXPECT_FALSE(made.body.contains("thinking"));
  if (GetParam().config[0] == '\0') {
    EXPECT_EQ(made.body.at("generationConfig"), json::object());
    EXPECT_EQ(made.request.dropped, std::vector<std::string>{"reasoning_effort"});
  } else {
    EXPECT_EQ(made.body.at("generationConfig").at("thinkingConfig"), json::parse(GetParam().config));
    const std::vector<std::string> named = {"reasoning_effort"};
    EXPECT_EQ(made.request.dropped, GetParam().is_named ? named : std::vector<std::string>());
  }
}

TEST(GeminiDialect, NoThinkingIsWhatAModelWithoutItDoes) {
  EXPECT_TRUE(ask(R"({"contents":[],"generationConfig":{},"thinking":{"effort":"none"}})", "gemini-2.0-flash").request.dropped.empty());
}

TEST(GeminiDialect, StandInsForSignaturesGoToModelsThatDemandThemAlone) {
  const json demanding = ask(form, "gemini-3-pro").body.at("contents")[0].at("parts");
  EXPECT_EQ(demanding[0].at("thoughtSignature"), "skip_thought_signature_validator");
  const json lenient = ask(form, "gemini-2.5-pro").body.at("contents")[0].at("parts");
  EXPECT_FALSE(lenient[0].contains("thoughtSignature"));
  EXPECT_EQ(lenient[1].at("thoughtSignature"), "own");
}

asked ask_without_reasoning(const std::string& contents, const std::string& model) {
  return ask(R"({"contents":)" + contents + "}", model, google(), wire_format::gemini, answer_shape::streamed,
             reasoning_items::left_out);
}

// The first of two parallel calls has a signature, and the second has none. The last text part is empty and exists only to carry its
// signature.
constexpr const char* signed_parts =
    R"([{"role":"model","parts":[{"functionCall":{"name":"f","args":{"thoughtSignature":"mine"}},"thoughtSignature":"a"},)"
    R"({"functionCall":{"name":"g","args":{}}},{"text":"t","thoughtSignature":"b"},{"text":"","thoughtSignature":"c"}]},)"
    R"({"role":"user","parts":[{"text":"u"}]},{"role":"model","parts":[{"text":"","thoughtSignature":"d"}]}])";

TEST(GeminiDialect, SignaturesThatWereRefusedAreLeftOut) {
  const asked demanding = ask_without_reasoning(signed_parts, "gemini-3-pro");
  EXPECT_EQ(demanding.request.reasoning_left_out, 4u);
  EXPECT_EQ(demanding.body.at("contents"), json::parse(R"([{"role":"model","parts":[
      {"functionCall":{"name":"f","args":{"thoughtSignature":"mine"}},"thoughtSignature":"skip_thought_signature_validator"},
      {"functionCall":{"name":"g","args":{}}},{"text":"t"}]},
      {"role":"user","parts":[{"text":"u"}]},{"role":"model","parts":[{"text":" "}]}])"));
  const asked lenient = ask_without_reasoning(signed_parts, "gemini-2.5-pro");
  EXPECT_EQ(lenient.request.reasoning_left_out, 4u);
  EXPECT_EQ(lenient.body.at("contents")[0].at("parts")[0],
            json::parse(R"({"functionCall":{"name":"f","args":{"thoughtSignature":"mine"}}})"));
}

TEST(GeminiDialect, SignaturesThatAreKnownToBeAnotherTargetsAreLeftOut) {
  photofinish::testing::known_reasoning known({"a", "d"});
  const auto body = std::make_shared<const client_body>(R"({"contents":)" + std::string(signed_parts) + "}");
  const secret key("k");
  const provider target = google();
  attempt_request wanted{body, wire_format::gemini, target, "gemini-3-pro", key, {}};
  wanted.foreign = &known;
  prepared_request request = gemini_dialect().prepare(wanted);
  std::string text;
  for (const std::string_view piece : request.body.pieces()) text += piece;
  EXPECT_EQ(json::parse(text).at("contents"), json::parse(R"([{"role":"model","parts":[
      {"functionCall":{"name":"f","args":{"thoughtSignature":"mine"}},"thoughtSignature":"skip_thought_signature_validator"},
      {"functionCall":{"name":"g","args":{}}},{"text":"t","thoughtSignature":"b"},{"text":"","thoughtSignature":"c"}]},
      {"role":"user","parts":[{"text":"u"}]},{"role":"model","parts":[{"text":" "}]}])"));
  EXPECT_EQ(request.dropped, std::vector<std::string>{"reasoning"});
  EXPECT_EQ(request.reasoning_left_out, 2u);
}

TEST(GeminiDialect, StandInsAreNotCountedAsReasoning) {
  const std::string contents =
      R"([{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]}])";
  for (const char* model : {"gemini-3-pro", "gemini-2.5-pro"})
    EXPECT_EQ(ask_without_reasoning(contents, model).request.reasoning_left_out, 0u) << model;
  EXPECT_EQ(ask_without_reasoning(contents, "gemini-3-pro").body.at("contents"), json::parse(contents));
  EXPECT_EQ(ask_without_reasoning("7", "gemini-3-pro").body.at("contents"), 7) << "as it came";
}

TEST(GeminiDialect, ParametersAreDroppedAndRefusedByGeminisNames) {
  provider target = google();
  target.behaves.drop_params = {"temperature", "safetySettings"};
  target.behaves.reject_params = {"seed"};
  const asked made = ask(R"({"contents":[],"safetySettings":[1],"generationConfig":{"temperature":0.5,"topP":0.5}})", "gemini-3-pro", target);
  EXPECT_EQ(made.body, json::parse(R"({"contents":[],"generationConfig":{"topP":0.5}})"));
  EXPECT_EQ(made.request.dropped, (std::vector<std::string>{"safetySettings", "temperature"}));
  const client_body seeded(R"({"contents":[],"generationConfig":{"seed":4}})");
  EXPECT_EQ(gemini_dialect().unsupported(seeded, wire_format::gemini, target), "seed");
}

TEST(GeminiDialect, ARequestThatWasNotTranslatedIsUnsupported) {
  EXPECT_EQ(gemini_dialect().unsupported(client_body("{}"), wire_format::openai_chat, google()), "format");
  EXPECT_EQ(gemini_dialect().unsupported(client_body("{}"), wire_format::gemini, google()), std::nullopt);
}

TEST(GeminiDialect, ToolsBesideJsonAreForNewerModels) {
  const client_body both(R"({"tools":[{}],"generationConfig":{"responseMimeType":"application/json"}})");
  EXPECT_EQ(gemini_dialect().unsupported_by_model(both, wire_format::gemini, "gemini-2.5-pro", google()), "response_format");
  EXPECT_EQ(gemini_dialect().unsupported_by_model(both, wire_format::gemini, "gemini-3-pro", google()), std::nullopt);
}

TEST(GeminiDialect, EmbeddingsGoByTheLayerForOpenaisSdks) {
  const asked made = ask(R"({"model":"m","input":"x"})", "gemini-embedding-001", google(), wire_format::openai_embeddings);
  EXPECT_EQ(made.request.head.path, "/v1beta/openai/embeddings");
  EXPECT_EQ(made.field("authorization"), "Bearer k");
  EXPECT_EQ(made.field("x-goog-api-key"), "");
  EXPECT_EQ(made.body.at("model"), "gemini-embedding-001");
}

}  // namespace
}  // namespace photofinish::proxy
