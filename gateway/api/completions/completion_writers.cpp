#include "gateway/api/completions/completion_writers.hpp"

#include "gateway/api/passed_event.hpp"
#include "proxy/memory/long_text.hpp"

#include <utility>

namespace photofinish::gateway {
namespace {

// How chunks fold into a text_completion, from the leaves up. The lists of logprobs grow with the text.
constexpr merge_rules logprobs_rules{{}, merge::grow};

constexpr member_rule choice_members[] = {
    {"text", merge::text, R"("")"},
    {"index", merge::last, "0"},
    {"logprobs", merge::object, "null", &logprobs_rules},
    {"finish_reason", merge::last, "null"},
};
constexpr merge_rules choice_rules{choice_members, merge::grow};

constexpr member_rule answer_members[] = {
    {"id"},    {"object", merge::fixed, R"("text_completion")"}, {"created"},
    {"model"}, {"choices", merge::list, "[]", &choice_rules},
};
constexpr merge_rules answer_rules{answer_members, merge::last, "usage"};

proxy::result<void> check(const proxy::stream_event& event) {
  if (event.json.empty() || event.spoken == proxy::wire_format::openai_completions) return {};
  return proxy::bad_stream("the answer is of another API");
}

}  // namespace

proxy::result<void> completion_stream_writer::add(const proxy::stream_event& event, outgoing& to) {
  if (auto right = check(event); !right) return right;
  put_passed(event, to);
  return {};
}

void completion_stream_writer::end(outgoing& to) { to.put("data: [DONE]\n\n"); }

void completion_stream_writer::fail(const api_error& error, outgoing& to) {
  text_ = as_event(to_json(error));
  to.put(text_);
}

completion_whole_writer::completion_whole_writer() : collector_(answer_rules) {}

proxy::result<void> completion_whole_writer::add(const proxy::stream_event& event, outgoing&) {
  if (auto right = check(event); !right) return right;
  if (event.is_whole) {
    passed_ = take_answer(event);
    return {};
  }
  return event.json.empty() ? proxy::result<void>() : collector_.add(event.json);
}

void completion_whole_writer::end(outgoing& to) {
  if (!passed_.empty()) return to.put(proxy::long_text(std::move(passed_)));
  std::move(collector_).finish(to);
}

void completion_whole_writer::fail(const api_error& error, outgoing& to) { to.put(proxy::long_text(to_json(error))); }

}  // namespace photofinish::gateway
