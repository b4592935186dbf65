// Tests clients of each API that ask a model to apply an edit. The model accepts only one message.
#include "tests/integration/apis/conversation_fixture.hpp"

#include <string>

namespace photofinish::testing {
namespace {

const std::string edit = "<instruction>double it</instruction><code>x = 1</code><update>x = 2</update>";

// Checks a request as strictly as a model that applies edits: the request must have one message with its parts in the required order, and
// no tools.
std::string fault_of_an_edit(const json& asked) {
  if (asked.contains("tools") || asked.contains("tool_choice")) return "no tools here";
  const json& messages = asked.at("messages");
  if (messages.size() != 1 || messages[0].at("role") != "user") return "one user message is expected";
  return messages[0].at("content") == edit ? "" : "not an edit: " + messages[0].at("content").dump();
}

json said_by_a_model(const std::string& text) {
  return {{"id", "c"}, {"object", "chat.completion"}, {"created", 1}, {"model", "m"},
          {"choices", {{{"index", 0}, {"message", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", "stop"}}}},
          {"usage", {{"prompt_tokens", 9}, {"completion_tokens", 3}, {"total_tokens", 12}}}};
}

class apply_message_test : public conversation_fixture {
 protected:
  apply_message_test() {
    add("editor", editor_).behaves.apply_message = true;
    add("general", general_);
    add_route("edits", {"editor/m"});
    add_route("both", {"editor/m", "general/m"});
  }

  // A conversation in which the agent adds its own text before and after the edit, and orders the parts of the edit differently.
  static json conversation() {
    const std::string scattered = "<code>x = 1</code>\n<update>x = 2</update>\n<instruction>double it</instruction>";
    return {{{"role", "user"}, {"content", "Hello"}}, {{"role", "assistant"}, {"content", "Hello"}},
            {{"role", "user"}, {"content", {{{"type", "text"}, {"text", scattered}}}}}};
  }
  static json as_input(json messages) {
    messages.back()["content"][0]["type"] = "input_text";
    return messages;
  }
  http_response asked_by(const std::string& client, const std::string& route, const json& said) {
    if (client == "responses") return respond({{"model", route}, {"instructions", "Edit."}, {"input", as_input(said)}});
    if (client == "messages") return message({{"model", route}, {"system", "Edit."}, {"messages", said}});
    return chat({{"model", route}, {"messages", said}});
  }

  scripted_provider editor_{[](provider_call& call) {
    const std::string fault = fault_of_an_edit(json::parse(call.request().body));
    if (fault.empty()) call.answer(200, said_by_a_model("x = 2").dump());
    else call.answer(400, json{{"error", {{"message", fault}}}}.dump());
  }};
  scripted_provider general_{[](provider_call& call) { call.answer(200, said_by_a_model("general").dump()); }};
};

TEST_F(apply_message_test, ItIsTheSameMessageWhicheverApiItCameBy) {
  for (const char* client : {"chat", "messages", "responses"}) {
    SCOPED_TRACE(client);
    const http_response got = asked_by(client, "edits", conversation());
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_NE(got.body.find("x = 2"), std::string::npos) << got.body;
    EXPECT_NE(got.field_or("x-race-dropped", "").find("messages"), std::string::npos);
  }
}

TEST_F(apply_message_test, WithoutAnEditTheTargetSitsOut) {
  json question = conversation();
  question.back()["content"][0]["text"] = "What does x = 1 do?";
  for (const char* client : {"chat", "messages", "responses"}) {
    SCOPED_TRACE(client);
    const http_response got = asked_by(client, "both", question);
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_NE(got.body.find("general"), std::string::npos) << got.body;
    EXPECT_NE(got.field_or("x-race-skipped", "").find("editor/m"), std::string::npos);
    EXPECT_EQ(asked_by(client, "edits", question).status, 400);
  }
  EXPECT_TRUE(editor_.requests().empty());
}

TEST_F(apply_message_test, AMessageTooLongForSuchAModelIsNone) {
  json long_edit = conversation();
  long_edit.back()["content"][0]["text"] = "<code>" + std::string(3u << 20, 'x') + "</code><update>y</update>";
  EXPECT_EQ(asked_by("chat", "edits", long_edit).status, 400);
  EXPECT_TRUE(editor_.requests().empty()) << "it is not even asked";
}

}  // namespace
}  // namespace photofinish::testing
