#include "tests/prototype/completions/completions_api.hpp"

#include "gateway/api/json_body.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/memory/long_text.hpp"

#include <array>
#include <optional>
#include <utility>

namespace photofinish::prototype {
namespace {

using gateway::answer_form;
using gateway::api_error;
using gateway::outgoing;
using proxy::json_quote;

constexpr std::array<std::string_view, 3> single_members{"model", "prompt", "stream"};

// Makes {"id":…,"object":"text_completion",…,"choices":[{"index":0,"text":…,"finish_reason":…}]}.
std::string completion(const gateway::answer_identity& identity, std::int64_t choice, std::string_view text,
                       std::optional<proxy::finish_reason> reason) {
  return R"({"id":)" + json_quote("cmpl-" + identity.id) + R"(,"object":"text_completion","created":)" +
         std::to_string(identity.created) + R"(,"model":)" + json_quote(identity.model) + R"(,"choices":[{"index":)" +
         std::to_string(choice) + R"(,"text":)" + json_quote(text) + R"(,"finish_reason":)" +
         (reason ? json_quote(to_string(*reason)) : "null") + "}]}";
}

std::string worded(const api_error& error) { return R"({"completions_error":)" + json_quote(error.message) + "}"; }

class stream_writer final : public gateway::answer_writer {
 public:
  explicit stream_writer(gateway::answer_identity identity) : identity_(std::move(identity)) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override {
    text_.clear();
    for (const proxy::delta& each : event.deltas) {
      if (each.kind == proxy::delta_kind::text) say(completion(identity_, each.choice, each.text, std::nullopt));
      if (each.kind == proxy::delta_kind::finish) say(completion(identity_, each.choice, "", each.reason));
    }
    to.put(text_);
    return {};
  }
  void end(outgoing& to) override { to.put("data: [DONE]\n\n"); }
  void fail(const api_error& error, outgoing& to) override {
    text_.clear();
    say(worded(error));
    to.put(text_);
  }

 private:
  void say(std::string_view json) { text_.append("data: ").append(json).append("\n\n"); }

  gateway::answer_identity identity_;
  std::string text_;
};

class whole_writer final : public gateway::answer_writer {
 public:
  explicit whole_writer(gateway::answer_identity identity) : identity_(std::move(identity)) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing&) override {
    for (const proxy::delta& each : event.deltas) {
      if (each.kind == proxy::delta_kind::text) text_ += each.text;
      if (each.kind == proxy::delta_kind::finish) reason_ = each.reason;
    }
    return {};
  }
  void end(outgoing& to) override { to.put(proxy::long_text(completion(identity_, 0, text_, reason_))); }
  void fail(const api_error& error, outgoing& to) override { to.put(proxy::long_text(worded(error))); }
  std::size_t held_bytes() const override { return text_.size(); }

 private:
  gateway::answer_identity identity_;
  std::string text_;
  proxy::finish_reason reason_ = proxy::finish_reason::stop;
};

}  // namespace

// Reads a request. The race runs the equivalent chat request.
std::variant<gateway::parsed_request, api_error> completions_api::read(std::string text, proxy::tolerant_parser& parser) const {
  auto read = gateway::read_json_body(std::move(text), single_members, parser);
  if (auto* error = std::get_if<api_error>(&read)) return std::move(*error);
  const proxy::client_body& body = *std::get<0>(read).text;
  auto model = gateway::read_model(body);
  if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
  const std::string_view prompt = body.value_of("prompt");
  if (!proxy::json_is_string(prompt)) return gateway::bad_request("'prompt' is a string", "prompt");
  gateway::parsed_request request{.format = proxy::wire_format::openai_chat};
  request.model = std::get<std::string>(std::move(model));
  request.form = body.value_of("stream") == "true" ? answer_form::stream : answer_form::whole;
  request.body = std::make_shared<const proxy::client_body>(R"({"model":)" + json_quote(request.model) +
                                                            R"(,"messages":[{"role":"user","content":)" +
                                                            std::string(prompt) + "}]}");
  request.prompt = request.body->value_of("messages");
  return request;
}

std::unique_ptr<gateway::answer_writer> completions_api::writer(const gateway::parsed_request& request,
                                                                gateway::answer_identity identity) const {
  if (request.form == answer_form::stream) return std::make_unique<stream_writer>(std::move(identity));
  return std::make_unique<whole_writer>(std::move(identity));
}

std::string completions_api::error_json(const api_error& error) const { return worded(error); }

}  // namespace photofinish::prototype
