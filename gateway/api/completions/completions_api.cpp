#include "gateway/api/completions/completions_api.hpp"

#include "gateway/api/chat/answer_collector.hpp"
#include "gateway/api/json_body.hpp"
#include "gateway/api/passed_event.hpp"
#include "gateway/api/stream_members.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/memory/long_text.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 9> single_completions_members{
    "model", "prompt", "suffix", "stream", "stream_options", "max_tokens", "n", "echo", "best_of"};

// The maximum number of JSON values in a prompt. It is high, because a prompt may be a list of tokens, each of them a
// number.
constexpr std::size_t most_prompt_values = 500'000;

std::optional<api_error> check_prompt(std::string_view prompt) {
  const auto error = [](std::string_view fault) {
    return bad_request("'prompt' is " + std::string(fault) + ": text, tokens, or an array of either is expected",
                       "prompt");
  };
  if (prompt.empty()) return error("missing");
  // An empty prompt is valid, because a request may contain only a suffix.
  if (proxy::json_is_string(prompt)) return std::nullopt;
  if (!proxy::json_is_array(prompt)) return error("neither text nor an array");
  proxy::json_walk entries(prompt);
  if (!entries.next_element()) return error("empty");
  return std::nullopt;
}

// The rules for merging chunks into a text_completion. Rules for inner objects are defined before the rules that use
// them. The lists in `logprobs` are joined.
constexpr merge_rules completion_logprobs_rules{{}, merge::grow};

constexpr member_rule completion_choice_members[] = {
    {"text", merge::text, R"("")"},
    {"index", merge::last, "0"},
    {"logprobs", merge::object, "null", &completion_logprobs_rules},
    {"finish_reason", merge::last, "null"},
};
constexpr merge_rules completion_choice_rules{completion_choice_members, merge::grow};

constexpr member_rule completion_members[] = {
    {"id"},    {"object", merge::fixed, R"("text_completion")"}, {"created"},
    {"model"}, {"choices", merge::list, "[]", &completion_choice_rules},
};
constexpr merge_rules completion_rules{completion_members, merge::last, "usage"};

// The gateway calls only targets that serve the completions API, so all events must have the format of this API.
proxy::result<void> check_format(const proxy::stream_event& event) {
  if (event.json.empty() || event.spoken == proxy::wire_format::openai_completions) return {};
  return proxy::bad_stream("the provider's answer is in the format of another API");
}

class completion_stream_writer final : public answer_writer {
 public:
  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override {
    if (auto right = check_format(event); !right) return right;
    put_passed(event, to);
    return {};
  }

  void end(outgoing& to) override { to.put("data: [DONE]\n\n"); }

  void fail(const api_error& error, outgoing& to) override {
    text_ = as_event(to_json(error));
    to.put(text_);
  }

 private:
  std::string text_;  // the last text that the writer has sent
};

// Merges chunks into a single text_completion object.
class completion_whole_writer final : public answer_writer {
 public:
  proxy::result<void> add(const proxy::stream_event& event, outgoing&) override {
    if (auto right = check_format(event); !right) return right;
    if (event.is_whole) passed_ = take_answer(event);
    else if (!event.json.empty()) return collector_.add(event.json);
    return {};
  }

  void end(outgoing& to) override {
    if (!passed_.empty()) return to.put(proxy::long_text(std::move(passed_)));
    std::move(collector_).finish(to);
  }

  void fail(const api_error& error, outgoing& to) override { to.put(proxy::long_text(to_json(error))); }
  std::size_t held_bytes() const override { return collector_.held_bytes() + passed_.size(); }

 private:
  answer_collector collector_{completion_rules};
  std::string passed_;  // a non-streamed answer, as the provider sent it
};

}  // namespace

std::variant<parsed_request, api_error> completions_api::read(std::string text, proxy::tolerant_parser& parser) const {
  auto read = read_json_body(std::move(text), single_completions_members, parser, most_prompt_values);
  if (auto* error = std::get_if<api_error>(&read)) return std::move(*error);
  parsed_request request{.format = proxy::wire_format::openai_completions};
  request.body = std::get<json_body>(read).text;
  request.is_text_alone = std::get<json_body>(read).is_text_alone;
  const proxy::client_body& body = *request.body;
  auto model = read_model(body);
  if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
  if (auto error = check_prompt(body.value_of("prompt"))) return std::move(*error);
  if (auto error = check_stream_members(body)) return std::move(*error);
  request.model = std::get<std::string>(std::move(model));
  request.form = body.value_of("stream") == "true" ? answer_form::stream : answer_form::whole;
  request.usage = usage_asked_for(body);
  request.prompt = body.value_of("prompt");
  return request;
}

std::unique_ptr<answer_writer> completions_api::writer(const parsed_request& request, answer_identity) const {
  if (request.form == answer_form::whole) return std::make_unique<completion_whole_writer>();
  return std::make_unique<completion_stream_writer>();
}

}  // namespace photofinish::gateway
