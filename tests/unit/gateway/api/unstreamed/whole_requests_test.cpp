// Tests the parser of requests for non-streamed answers. Invalid requests must be refused.
#include "gateway/api/unstreamed/whole_apis.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

const embeddings_api embeddings;
const rerank_api rerank;
const moderations_api moderations;
const images_api images;

std::variant<parsed_request, api_error> read(const api& by, const std::string& body) {
  proxy::tolerant_parser parser;
  return by.read(body, parser);
}

// Returns the error text, or an empty string if the request is accepted.
std::string complaint(const api& by, const std::string& body) {
  const auto got = read(by, body);
  const auto* error = std::get_if<api_error>(&got);
  if (error == nullptr) return {};
  EXPECT_EQ(error->status, 400) << body;
  return error->param + ": " + error->message;
}

TEST(WholeRequests, AreWholeAndKeepTheirBytes) {
  const std::string text = R"( {"model":"fast", "input":["a","b"],"stream":true,"dimensions":256,"x":1e400} )";
  const auto got = std::get<parsed_request>(read(embeddings, text));
  EXPECT_EQ(got.form, answer_form::whole);
  EXPECT_EQ(got.format, proxy::wire_format::openai_embeddings);
  EXPECT_EQ(got.model, "fast");
  EXPECT_EQ(got.body->json(), text);
  EXPECT_EQ(got.prompt, R"(["a","b"])");
}

TEST(WholeRequests, EmbeddingsTakeTextAndTokens) {
  for (const char* input : {R"("text")", R"(["a","b"])", "[1,2,3]", "[[1,2],[3]]"})
    EXPECT_EQ(complaint(embeddings, R"({"model":"m","input":)" + std::string(input) + "}"), "") << input;
  EXPECT_EQ(complaint(embeddings, R"({"model":"m"})"), "input: 'input' is missing: text or an array is expected");
  EXPECT_EQ(complaint(embeddings, R"({"model":"m","input":[]})"), "input: 'input' is empty: text or an array is expected");
  EXPECT_EQ(complaint(embeddings, R"({"model":"m","input":7})"), "input: 'input' is neither: text or an array is expected");
  EXPECT_TRUE(complaint(embeddings, R"({"input":"x"})").starts_with("model: 'model' is missing"));
  EXPECT_TRUE(complaint(embeddings, R"({"model":"m","input":"x","encoding_format":7})").starts_with("encoding_format: "));
  EXPECT_TRUE(complaint(embeddings, R"({"model":"m","input":"x","input":"y"})").starts_with("input: "));
  EXPECT_TRUE(complaint(embeddings, "[]").ends_with("is not a JSON object"));
}

TEST(WholeRequests, AModelOfAnotherTypeIsNotCalledMissing) {
  for (const char* model : {"7", "{}", "[]", "true"})
    EXPECT_TRUE(complaint(embeddings, R"({"input":"x","model":)" + std::string(model) + "}")
                    .starts_with("model: 'model' must be a string"))
        << model;
  EXPECT_TRUE(complaint(embeddings, R"({"input":"x","model":""})").starts_with("model: 'model' is empty"));
  EXPECT_TRUE(complaint(embeddings, R"({"input":"x","model":null})").starts_with("model: 'model' is missing"));
}

TEST(WholeRequests, ABatchOfTokensMayHaveAsManyAsOpenAiTakes) {
  const auto batch = [](std::size_t tokens) {
    std::string text = R"({"model":"m","input":[[1)";
    for (std::size_t count = 1; count < tokens; ++count) text += count % 8000 == 0 ? "],[1" : ",1";
    return text + "]]}";
  };
  EXPECT_EQ(complaint(embeddings, batch(300'000)), "");
  EXPECT_NE(complaint(embeddings, batch(600'000)), "");
}

TEST(WholeRequests, RerankNeedsAQueryAndDocuments) {
  const auto got = std::get<parsed_request>(read(rerank, R"({"model":"m","query":"q","documents":["a",{"text":"b"}],"top_n":1})"));
  EXPECT_EQ(got.format, proxy::wire_format::openai_rerank);
  EXPECT_TRUE(complaint(rerank, R"({"model":"m","query":"q"})").starts_with("documents: "));
  EXPECT_TRUE(complaint(rerank, R"({"model":"m","query":"q","documents":"a"})").starts_with("documents: "));
  EXPECT_TRUE(complaint(rerank, R"({"model":"m","documents":["a"]})").starts_with("query: "));
}

TEST(WholeRequests, AModerationWithoutAModelMeansOpenAisDefault) {
  const auto got = std::get<parsed_request>(read(moderations, R"({"input":[{"type":"text","text":"x"}]})"));
  EXPECT_EQ(got.model, "omni-moderation-latest");
  EXPECT_EQ(std::get<parsed_request>(read(moderations, R"({"model":null,"input":"x"})")).model, "omni-moderation-latest");
  EXPECT_EQ(std::get<parsed_request>(read(moderations, R"({"model":"m","input":"x"})")).model, "m");
  EXPECT_TRUE(complaint(moderations, R"({"model":7,"input":"x"})").starts_with("model: "));
}

TEST(WholeRequests, ImagesComeInOnePiece) {
  EXPECT_EQ(complaint(images, R"({"model":"m","prompt":"a cat","n":2,"stream":false})"), "");
  EXPECT_TRUE(complaint(images, R"({"model":"m","prompt":"a cat","stream":true})").starts_with("stream: "));
  EXPECT_TRUE(complaint(images, R"({"model":"m","prompt":["a"]})").starts_with("prompt: "));
}

}  // namespace
}  // namespace photofinish::gateway
