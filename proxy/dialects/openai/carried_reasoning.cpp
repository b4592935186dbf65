#include "proxy/dialects/openai/carried_reasoning.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/providers/model_facts.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

constexpr std::string_view stand_in = R"({"google":{"thought_signature":"skip_thought_signature_validator"}})";

bool is_google_layer(const provider& target) {
  const std::string_view host = target.url.host, place = place_of(target);
  const bool is_vertex = host.find("aiplatform.") != std::string_view::npos && host.ends_with(".googleapis.com");
  return place == "vertex" || place == "google" || is_vertex || host == "aiplatform.googleapis.com" ||
         host == "generativelanguage.googleapis.com";
}

bool is_open_router(const provider& target) {
  return place_of(target) == "openrouter" || target.url.host == "openrouter.ai";
}

// True if the model requires signatures. The publisher is removed from the name, because the table of models contains
// gemini-3-pro and not google/gemini-3-pro.
bool demands_signatures(std::string_view model) {
  return gemini_facts_of(model.substr(model.rfind('/') + 1)).demands_signatures;
}

// Returns an element of `reasoning_details` as its provider sent it (see chat_member_reader).
std::string piece_of_detail(std::string_view detail) {
  constexpr std::string_view before_text = R"({"text":)";
  json_walk walk(detail);
  const auto first = walk.next_member();
  if (!first || !detail.starts_with(before_text) || json_find(detail, "type") != R"("reasoning.text")")
    return std::string(detail);
  const std::size_t rest = before_text.size() + first->value.size() + 1;
  return "{" + std::string(detail.substr(std::min(rest, detail.size())));
}

class reasoning_fitter {
 public:
  reasoning_fitter(const attempt_request& request, json_edits& edits)
      : request_(request),
        edits_(edits),
        is_google_(is_google_layer(request.target)),
        needs_stand_ins_(is_google_ && demands_signatures(request.model)) {}

  std::size_t run() {
    const std::string_view list = request_.body->value_of("messages");
    const bool has_any = request_.is_translated && (list.find("\"extra_content\"") != std::string_view::npos ||
                                                    list.find("\"reasoning_details\"") != std::string_view::npos);
    if (!has_any && !needs_stand_ins_) return 0;
    for (const std::string_view message : json_elements(list))
      if (json_find(message, "role") == R"("assistant")") fit_message(message);
    return removed_;
  }

 private:
  void fit_message(std::string_view message) {
    for (const json_member& member : json_members(message)) {
      if (json_key_is(member.raw_key, "tool_calls")) fit_calls(member.value);
      if (!request_.is_translated) continue;
      if (json_key_is(member.raw_key, "reasoning_details") && !may_have_details(member.value))
        remove(member, "messages[].reasoning_details");
      if (json_key_is(member.raw_key, "extra_content") && !may_have_extra(member.value))
        remove(member, "messages[].extra_content");
    }
  }

  // Removes signatures that the target would refuse. Gemini signs only the first of several parallel calls, so only the
  // first call may need a placeholder.
  void fit_calls(std::string_view calls) {
    if (!json_is_array(calls) || is_dropped("messages[].tool_calls[].extra_content")) return;
    json_walk walk(calls);
    for (bool is_first = true; const auto call = walk.next_element(); is_first = false)
      if (json_is_object(*call)) fit_call(*call, is_first && needs_stand_ins_);
  }

  void fit_call(std::string_view call, bool needs_stand_in) {
    std::optional<json_member> extra;
    for (const json_member& member : json_members(call))
      if (json_key_is(member.raw_key, "extra_content")) extra = member;
    if (!extra && needs_stand_in)
      return edits_.insert_member(call, std::string(R"("extra_content":)").append(stand_in));
    const bool is_left_out = request_.reasoning == reasoning_items::left_out && needs_stand_in;
    const bool is_fitted = request_.is_translated || is_left_out;
    if (!extra || !is_fitted || may_have_extra(extra->value)) return;
    ++removed_;
    if (needs_stand_in) edits_.replace(extra->value, stand_in);
    else edits_.remove_member(*extra);
  }

  bool may_have_extra(std::string_view value) {
    return may_have(std::string(R"({"extra_content":)").append(value).append("}"), is_google_);
  }

  // True if the target may get the whole list `reasoning_details`. The list is useless if any of its elements is
  // removed.
  bool may_have_details(std::string_view list) {
    const bool is_place = is_open_router(request_.target);
    for (const std::string_view each : json_elements(list))
      if (!may_have(piece_of_detail(each), is_place)) return false;
    return true;
  }

  // True if the target may get this piece of reasoning. `is_place` is true for a provider such as OpenRouter, which can
  // read the reasoning of every model that it serves. All other targets can read only their own reasoning.
  bool may_have(const std::string& piece, bool is_place) {
    if (request_.reasoning == reasoning_items::left_out) return false;
    const bool is_own = request_.foreign != nullptr && request_.foreign->is_own(piece);
    return (is_own || is_place) && (request_.foreign == nullptr || !request_.foreign->contains(piece));
  }

  // True if the provider's drop_params contains the path. The member is then removed from every message.
  bool is_dropped(std::string_view path) const {
    const auto& paths = request_.target.behaves.drop_params;
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  }

  void remove(const json_member& member, std::string_view path) {
    if (is_dropped(path)) return;
    edits_.remove_member(member);
    ++removed_;
  }

  const attempt_request& request_;
  json_edits& edits_;
  const bool is_google_;
  const bool needs_stand_ins_;
  std::size_t removed_ = 0;
};

}  // namespace

std::size_t fit_carried_reasoning(const attempt_request& request, json_edits& edits) {
  return request.target.behaves.apply_message ? 0 : reasoning_fitter(request, edits).run();
}

}  // namespace photofinish::proxy
