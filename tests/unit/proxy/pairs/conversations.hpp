// The conversations that the tests try with every client and every provider. They begin with the instructions. Gemini and Converse do not
// support instructions in the middle of a conversation, so to_gemini_test.cpp and to_converse_test.cpp test that case.
#pragma once

#include "tests/unit/proxy/pairs/dialogue.hpp"

#include <optional>
#include <ostream>

namespace photofinish::proxy::pairs {

struct named_conversation {
  std::string name;
  dialogue said;
  std::optional<dialogue> translated = {};  // the conversation as providers of other APIs get it; not set if it is the same as `said`
};

inline void PrintTo(const named_conversation& each, std::ostream* to) { *to << each.name; }

inline std::vector<named_conversation> all_conversations() {
  const std::string pixel = "iVBORw0KGgoAAAANSUhEUg==", paper = "JVBERi0xLjcKJeLjz9M=";
  const json verdict = {{"type", "object"},
                        {"properties", {{"verdict", {{"type", "string"}}}}},
                        {"required", {"verdict"}},
                        {"additionalProperties", false}};
  const std::string no_result = "No result of this call was recorded.";
  const std::string red = R"({"path":"a.txt"})", blue = R"({"path":"\"b\".txt"})";
  return {
      {"OneQuestion", {.items = {user("Hi")}}},
      {"Instructions", {.items = {system("Be kind."), developer("Be short."), user("Hi")}}},
      {"SeveralTurns", {.items = {user("One"), answer("Two"), user("Three"), answer("Four"), user("Five")}}},
      {"EscapesAndLetters", {.items = {user("\"a\\b\"\n\tгород \xF0\x9F\x8C\x8D </s>"), answer("{}"), user("\\u00e9")}}},
      {"QuestionsInARow", {.items = {user("One"), user("Two"), answer("Three"), user("Four")}}},
      {"AnImageBetweenTexts", {.items = {user("Look:"), image(pixel), user("What is it?")}}},
      {"ADocument", {.items = {user("Read"), document(paper, "paper.pdf")}}},
      {"ACallAndItsResult",
       {.items = {user("Read it"), call("call_0123456789ab", "read", red), result("call_0123456789ab", "red")},
        .tools = {"read"}}},
      {"TextBesideACall",
       {.items = {user("Read it"), answer("I will."), call("call_0123456789ab", "read", red),
                  result("call_0123456789ab", "red"), answer("It is red."), user("Thanks")},
        .tools = {"read"}}},
      {"ParallelCalls",
       {.items = {user("Both"), call("call_0123456789ab", "read", red), call("call_0123456789cd", "write", blue),
                  result("call_0123456789ab", "red"), result("call_0123456789cd", "done"), user("Go on")},
        .tools = {"read", "write"}}},
      {"ResultsInAnotherOrder",
       {.items = {user("Both"), call("call_0123456789ab", "read", red), call("call_0123456789cd", "write", blue),
                  result("call_0123456789cd", "done"), result("call_0123456789ab", "red")},
        .tools = {"read", "write"}}},
      {"OneToolTwice",
       {.items = {user("Both"), call("call_0123456789ab", "read", red), call("call_0123456789cd", "read", blue),
                  result("call_0123456789ab", "red"), result("call_0123456789cd", "blue")},
        .tools = {"read"}}},
      {"CallsOverTurns",
       {.items = {user("Both"), call("call_0123456789ab", "read", red), result("call_0123456789ab", "red"),
                  call("call_0123456789cd", "read", blue), result("call_0123456789cd", "blue"), answer("Done"),
                  user("Again")},
        .tools = {"read"}}},
      {"AResultWhoseCallIsGone",
       {.items = {user("One"), answer("Two"), result("call_gone", "red"), user("Go on")}, .tools = {"read"}},
       dialogue{.items = {user("One"), answer("Two"), user("red"), user("Go on")}, .tools = {"read"}}},
      {"AResultWithoutAnyCall",
       {.items = {user("One"), answer("Two"), result("call_gone", "red")}},
       dialogue{.items = {user("One"), answer("Two"), user("red")}}},
      {"ACallWithoutItsResult",
       {.items = {user("Read it"), call("call_0123456789ab", "read", red), user("Go on")}, .tools = {"read"}},
       dialogue{.items = {user("Read it"), call("call_0123456789ab", "read", red),
                          result("call_0123456789ab", no_result), user("Go on")},
                .tools = {"read"}}},
      {"OneOfTwoResults",
       {.items = {user("Both"), call("call_0123456789ab", "read", red), call("call_0123456789cd", "write", blue),
                  result("call_0123456789cd", "done"), user("Go on")},
        .tools = {"read", "write"}},
       dialogue{.items = {user("Both"), call("call_0123456789ab", "read", red),
                          call("call_0123456789cd", "write", blue), result("call_0123456789ab", no_result),
                          result("call_0123456789cd", "done"), user("Go on")},
                .tools = {"read", "write"}}},
      {"AResultGivenTwice",
       {.items = {user("Read it"), call("call_0123456789ab", "read", red), result("call_0123456789ab", "red"),
                  result("call_0123456789ab", "blue"), answer("Red or blue"), user("Go on")},
        .tools = {"read"}},
       dialogue{.items = {user("Read it"), call("call_0123456789ab", "read", red),
                          result("call_0123456789ab", "red"), user("blue"), answer("Red or blue"), user("Go on")},
                .tools = {"read"}}},
      {"SomeToolMustBeCalled", {.items = {user("Read")}, .tools = {"read", "write"}, .forced = "any"}},
      {"ThatToolMustBeCalled", {.items = {user("Read")}, .tools = {"read", "write"}, .forced = "write"}},
      {"AnAnswerInJson", {.items = {user("Judge")}, .schema = verdict}},
      {"StopStrings", {.items = {user("Count")}, .stops = {"7", "END"}}},
      {"ALimit", {.items = {user("Count")}, .max_tokens = 500}},
  };
}

}  // namespace photofinish::proxy::pairs
