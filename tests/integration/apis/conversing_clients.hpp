// Clients of each API that hold a conversation with tools. Each turn sends the earlier answers again, with a result for each tool call. If
// the last answer has no tool call, the turn asks another question.
#pragma once

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {

struct taken_turn {
  std::string text;
  std::vector<std::pair<std::string, nlohmann::json>> calls{};  // the name and the arguments of each tool call
  std::string winner{};
};

class conversing_client {
 public:
  using json = nlohmann::json;

  virtual ~conversing_client() = default;
  virtual std::string path() const = 0;
  virtual json request(const std::string& model) const = 0;
  virtual taken_turn take(const std::string& answer) = 0;  // reads an answer that was sent as a whole, not streamed

  json said = {{{"role", "user"}, {"content", "q"}}};

 protected:
  // Declares the tools f and g, which each client's request offers to the model.
  template <class Declare>
  static json tools(const Declare& declare) {
    json all = json::array();
    for (const char* name : {"f", "g"})
      all.push_back(declare(name, json{{"type", "object"}, {"additionalProperties", false}}));
    return all;
  }
  static std::string result_of(const std::string& name) { return "result of " + name; }
  void ask_on() { said.push_back({{"role", "user"}, {"content", "again"}}); }
};

class chat_client : public conversing_client {
 public:
  enum class keeps : bool { known_members, all };
  explicit chat_client(keeps what = keeps::all) : keeps_(what) {}

  std::string path() const override { return "/v1/chat/completions"; }
  json request(const std::string& model) const override {
    const auto declare = [](const char* name, const json& schema) -> json {
      return {{"type", "function"}, {"function", {{"name", name}, {"parameters", schema}}}};
    };
    return {{"model", model}, {"messages", said}, {"reasoning_effort", "low"}, {"tools", tools(declare)}};
  }
  taken_turn take(const std::string& answer) override {
    json message = json::parse(answer).at("choices")[0].at("message");
    if (keeps_ == keeps::known_members) message = rebuilt(message);
    said.push_back(message);
    taken_turn taken{.text = message.value("content", json()).is_string() ? message["content"] : json("")};
    for (const json& each : message.value("tool_calls", json::array())) {
      const std::string name = each.at("function").at("name");
      taken.calls.emplace_back(name, json::parse(each.at("function").at("arguments").get<std::string>()));
      said.push_back({{"role", "tool"}, {"tool_call_id", each.at("id")}, {"content", result_of(name)}});
    }
    if (taken.calls.empty()) ask_on();
    return taken;
  }

 private:
  // Copies only the members of a message that OpenAI's API defines, as many clients do.
  static json rebuilt(const json& message) {
    json known{{"role", "assistant"}, {"content", message.value("content", json())}};
    for (const json& each : message.value("tool_calls", json::array()))
      known["tool_calls"].push_back({{"id", each.at("id")}, {"type", "function"}, {"function", each.at("function")}});
    return known;
  }

  const keeps keeps_;
};

class responses_client : public conversing_client {
 public:
  std::string path() const override { return "/v1/responses"; }
  json request(const std::string& model) const override {
    const auto declare = [](const char* name, const json& schema) -> json {
      return {{"type", "function"}, {"name", name}, {"parameters", schema}};
    };
    return {{"model", model}, {"input", said}, {"reasoning", {{"effort", "low"}}}, {"tools", tools(declare)}};
  }
  taken_turn take(const std::string& answer) override {
    taken_turn taken;
    const json output = json::parse(answer).at("output");
    for (const json& item : output) {
      said.push_back(item);
      if (item.at("type") == "message") taken.text += item.at("content")[0].at("text");
    }
    for (const json& item : output) {
      if (item.at("type") != "function_call") continue;
      taken.calls.emplace_back(item.at("name"), json::parse(item.at("arguments").get<std::string>()));
      said.push_back({{"type", "function_call_output"}, {"call_id", item.at("call_id")}, {"output", result_of(item.at("name"))}});
    }
    if (taken.calls.empty()) ask_on();
    return taken;
  }
};

class messages_client : public conversing_client {
 public:
  std::string path() const override { return "/v1/messages"; }
  json request(const std::string& model) const override {
    const auto declare = [](const char* name, const json& schema) -> json { return {{"name", name}, {"input_schema", schema}}; };
    return {{"model", model}, {"messages", said}, {"max_tokens", 9000}, {"tools", tools(declare)},
            {"thinking", {{"type", "enabled"}, {"budget_tokens", 2000}}}};
  }
  taken_turn take(const std::string& answer) override {
    taken_turn taken;
    const json content = json::parse(answer).at("content");
    said.push_back({{"role", "assistant"}, {"content", content}});
    json results = json::array();
    for (const json& block : content) {
      if (block.at("type") == "text") taken.text += block.at("text");
      if (block.at("type") != "tool_use") continue;
      taken.calls.emplace_back(block.at("name"), block.at("input"));
      results.push_back({{"type", "tool_result"}, {"tool_use_id", block.at("id")}, {"content", result_of(block.at("name"))}});
    }
    if (results.empty()) ask_on();
    else said.push_back({{"role", "user"}, {"content", results}});
    return taken;
  }
};

inline std::vector<std::unique_ptr<conversing_client>> clients_of_each_api() {
  std::vector<std::unique_ptr<conversing_client>> all;
  all.push_back(std::make_unique<chat_client>());
  all.push_back(std::make_unique<responses_client>());
  all.push_back(std::make_unique<messages_client>());
  return all;
}

}  // namespace photofinish::testing
