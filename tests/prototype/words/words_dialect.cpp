#include "tests/prototype/words/words_dialect.hpp"

#include "proxy/dialects/provider_head.hpp"
#include "proxy/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::prototype {
namespace {

using proxy::delta;
using proxy::delta_kind;
using proxy::stream_event;
using nlohmann::json;

proxy::failure not_words() {
  proxy::failure why;
  why.kind = proxy::failure_kind::bad_stream;
  why.detail = "the answer has no words";
  return why;
}

class words_stream final : public proxy::dialect_stream {
 public:
  proxy::answer_kind on_head(const proxy::response_head& head) override {
    return head.status == 200 ? proxy::answer_kind::whole : proxy::answer_kind::refusal;
  }
  proxy::result<std::span<const stream_event>> on_event(const proxy::sse_event&, proxy::instant) override {
    return not_words();  // the dialect has no streams
  }
  proxy::result<std::span<const stream_event>> on_body_end(std::string_view, proxy::instant) override {
    return not_words();
  }
  proxy::result<void> on_whole(std::string body) override {
    const json answer = json::parse(body, nullptr, false);
    if (!answer.is_object() || !answer.contains("words")) return not_words();
    words_ = answer.at("words").get<std::vector<std::string>>();
    why_ = answer.value("why", "");
    thought_ = answer.value("thought", "");
    seal_ = answer.value("seal", "");
    call_ = answer.value("call", std::vector<std::string>());
    usage_ = {.input_tokens = answer.at("spent").at(0), .output_tokens = answer.at("spent").at(1)};
    return {};
  }
  proxy::result<std::span<const stream_event>> next_of_whole(proxy::instant read_at) override {
    deltas_.clear();
    if (!thought_.empty()) deltas_.push_back({.kind = delta_kind::reasoning, .text = thought_});
    if (!seal_.empty()) deltas_.push_back({.kind = delta_kind::signature, .text = seal_, .id = "anthropic_messages"});
    if (call_.size() == 2) deltas_.push_back({.kind = delta_kind::call, .text = call_[0], .id = call_[1]});
    if (call_.size() == 2) deltas_.push_back({.kind = delta_kind::call_arguments, .text = "{}"});
    for (const std::string& word : words_) deltas_.push_back({.text = word});
    deltas_.push_back({.kind = delta_kind::finish,
                       .reason = why_ == "full" ? proxy::finish_reason::length : proxy::finish_reason::stop,
                       .text = why_});
    events_[0] = {.kind = proxy::event_kind::token, .deltas = deltas_, .usage = &usage_, .read_at = read_at};
    events_[1] = {.kind = proxy::event_kind::end, .read_at = read_at};
    return std::span<const stream_event>(events_);
  }
  std::size_t held_bytes() const override { return 0; }

 private:
  std::vector<std::string> words_;
  std::string why_, thought_, seal_;
  std::vector<std::string> call_;  // name and id of the tool call
  proxy::token_usage usage_;
  std::vector<delta> deltas_;
  std::array<stream_event, 2> events_;
};

}  // namespace

std::optional<std::string_view> words_dialect::unsupported(const proxy::client_body& body, proxy::wire_format format,
                                                           const proxy::provider&) const {
  if (format != proxy::wire_format::openai_chat) return "messages";
  return body.value_of("tools").empty() ? std::nullopt : std::optional<std::string_view>("tools");
}

proxy::prepared_request words_dialect::prepare(const proxy::attempt_request& request) const {
  const json asked = json::parse(request.body->json());
  const json own{{"engine", request.model}, {"say", asked.at("messages").back().at("content")}};
  const std::array<proxy::header_field, 1> fields{{{"content-type", "application/json"}}};
  return {.head = proxy::provider_head(request.target, request.key, "/say", fields, request.forwarded),
          .body = proxy::request_body(own.dump()),
          .dropped = {}};
}

std::unique_ptr<proxy::dialect_stream> words_dialect::open_stream(proxy::stream_settings) const {
  return std::make_unique<words_stream>();
}

}  // namespace photofinish::prototype
