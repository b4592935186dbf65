#include "proxy/dialects/gemini/gemini_request.hpp"

#include "proxy/conversation/forms/chat_form.hpp"
#include "proxy/conversation/forms/gemini_contents.hpp"
#include "proxy/dialects/gemini/gemini_models.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace photofinish::proxy {
namespace {

struct budget_of_effort {
  std::string_view effort;
  std::int64_t tokens;
};

// As Google's own layer for OpenAI's SDKs has them. What is more than high is as much as the model takes.
constexpr std::int64_t as_much_as_can_be = 1 << 20;
constexpr std::array<budget_of_effort, 7> budgets{{{"none", 0},
                                                   {"minimal", 512},
                                                   {"low", 1024},
                                                   {"medium", 8192},
                                                   {"high", 24'576},
                                                   {"xhigh", as_much_as_can_be},
                                                   {"max", as_much_as_can_be}}};

std::optional<std::int64_t> budget_of(std::string_view effort) {
  for (const auto& [word, tokens] : budgets)
    if (word == effort) return tokens;
  return std::nullopt;
}

std::string_view level_of(std::string_view effort, const gemini_model& model) {
  if (effort == "none" || effort == "minimal") return model.least_level;
  if (effort == "medium" && !model.has_medium_level) return "high";
  return effort == "xhigh" || effort == "max" ? "high" : effort;
}

// Thoughts are shown where any are asked for: to a client they are the first that is heard.
std::string with_thoughts(std::string config, bool is_off) {
  return "{" + config + (is_off ? "}" : R"(,"includeThoughts":true})");
}

std::string config_of_effort(std::string_view effort, const gemini_model& model) {
  const bool is_off = effort == "none";
  if (model.thinking == thinking_setting::level)
    return with_thoughts(R"("thinkingLevel":)" + json_quote(level_of(effort, model)), is_off);
  const std::int64_t budget = std::clamp(*budget_of(effort), model.least_budget, model.most_budget);
  return with_thoughts(R"("thinkingBudget":)" + std::to_string(budget), is_off);
}

std::string config_of_budget(std::int64_t tokens, const gemini_model& model) {
  if (model.thinking == thinking_setting::level) return config_of_effort(effort_of_budget(tokens), model);
  const std::int64_t budget = std::clamp(tokens, model.least_budget, model.most_budget);
  return with_thoughts(R"("thinkingBudget":)" + std::to_string(budget), false);
}

// Empty: the model takes none, or not this one.
std::string thinking_config(std::string_view asked, const gemini_model& model) {
  if (const auto config = json_find(asked, "config")) return std::string(*config);  // in the client's own words
  if (model.thinking == thinking_setting::none) return {};
  if (const auto effort = json_find(asked, "effort")) {
    const std::string word = json_unescape(json_raw_string(*effort));
    return budget_of(word) ? config_of_effort(word, model) : std::string();
  }
  std::int64_t tokens = 0;
  const std::string_view budget = json_find(asked, "budget").value_or("0");
  std::from_chars(budget.data(), budget.data() + budget.size(), tokens);
  return config_of_budget(tokens, model);
}

class body_editor {
 public:
  body_editor(const client_body& body, const behaviour& behaves, json_edits& edits, std::vector<std::string>& dropped)
      : body_(body), behaves_(behaves), edits_(edits), dropped_(dropped) {}

  void edit(const gemini_model& model) {
    for (const json_member& each : body_.members().members()) {
      if (json_key_is(each.raw_key, "thinking")) write_thinking(each, model);
      else drop_where_named(each);
      if (json_key_is(each.raw_key, "generationConfig")) drop_inside(each.value);
    }
    if (!model.demands_signatures) remove_stand_ins();
  }

 private:
  void write_thinking(const json_member& asked, const gemini_model& model) {
    edits_.remove_member(asked);
    const std::string config = thinking_config(asked.value, model);
    const bool is_off = json_find(asked.value, "effort") == R"("none")";
    if (is_dropped("thinkingConfig") || (config.empty() && !is_off)) dropped_.emplace_back("reasoning_effort");
    else if (!config.empty())
      edits_.insert_member(body_.value_of("generationConfig"), R"("thinkingConfig":)" + config);
  }

  bool is_dropped(std::string_view name) const {
    return std::find(behaves_.drop_params.begin(), behaves_.drop_params.end(), name) != behaves_.drop_params.end();
  }

  void drop_where_named(const json_member& each) {
    if (!is_dropped(each.raw_key)) return;
    edits_.remove_member(each);
    dropped_.emplace_back(each.raw_key);
  }

  void drop_inside(std::string_view config) {
    if (behaves_.drop_params.empty() || is_dropped("generationConfig")) return;
    json_walk walk(config);
    while (const auto each = walk.next_member()) drop_where_named(*each);
  }

  void remove_stand_ins() {
    if (body_.json().find(unsigned_call) == std::string_view::npos) return;
    json_walk contents(body_.value_of("contents"));
    while (const auto content = contents.next_element()) {
      json_walk parts(json_find(*content, "parts").value_or("[]"));
      while (const auto part = parts.next_element()) remove_stand_in(*part);
    }
  }

  void remove_stand_in(std::string_view part) {
    json_walk walk(part);
    while (const auto each = walk.next_member())
      if (each->raw_key == "thoughtSignature" && each->value == unsigned_call) edits_.remove_member(*each);
  }

  const client_body& body_;
  const behaviour& behaves_;
  json_edits& edits_;
  std::vector<std::string>& dropped_;
};

}  // namespace

std::string gemini_path(std::string_view model, std::string_view verb) {
  std::string path = "/";
  for (const std::string_view collection : {"models/", "tunedModels/"}) {
    if (!model.starts_with(collection)) continue;
    path += collection;
    model.remove_prefix(collection.size());
    break;
  }
  if (path.size() == 1) path += "models/";
  append_percent_encoded(model, path);
  return path.append(":").append(verb);
}

void edit_gemini_body(const client_body& body, std::string_view model, const behaviour& behaves, json_edits& edits,
                      std::vector<std::string>& dropped) {
  body_editor(body, behaves, edits, dropped).edit(gemini_model_called(model));
}

}  // namespace photofinish::proxy
