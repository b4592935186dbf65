#include "gateway/simulator/response_text.hpp"

#include "gateway/simulator/answer_text.hpp"
#include "proxy/json/json_text.hpp"

namespace photofinish::gateway::simulator {
namespace {

using proxy::json_quote;

// The text that replaces encrypted reasoning. Clients do not read this text, and only send it back in later requests.
constexpr std::string_view encrypted = "gAAAAABc2ltdWxhdGVk";

// The names of an output item's events, which depend on the kind of the item.
struct item_events {
  std::string_view part_added, delta, done, part_done;
  std::string_view member;  // the name of the JSON member with the complete text in the last event of an output item
};
item_events events_of(step_kind kind) {
  if (kind == step_kind::reasoning)
    return {"response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
            "response.reasoning_summary_text.done", "response.reasoning_summary_part.done", "text"};
  if (kind == step_kind::arguments)
    return {{}, "response.function_call_arguments.delta", "response.function_call_arguments.done", {}, "arguments"};
  return {"response.content_part.added", "response.output_text.delta", "response.output_text.done",
          "response.content_part.done", "text"};
}

// place_of() returns the JSON member that contains the position of a content part within its output item. beside_text()
// returns the JSON members that an event contains in addition to its text.
std::string_view place_of(step_kind kind) {
  if (kind == step_kind::reasoning) return R"(,"summary_index":0)";
  return kind == step_kind::content ? R"(,"content_index":0)" : std::string_view();
}
std::string_view beside_text(step_kind kind) {
  return kind == step_kind::content ? R"(,"logprobs":[])" : std::string_view();
}

std::string member(std::string_view name, std::string_view json) {
  return ",\"" + std::string(name) + "\":" + std::string(json);
}

}  // namespace

void response_text::append_step(std::string& out, const sim_step& step) {
  switch (step.kind) {
    case step_kind::role: {
      const std::string begun = member("response", response_json("in_progress", "[]"));
      append_event(out, "response.created", begun);
      return append_event(out, "response.in_progress", begun);
    }
    case step_kind::tool_name: return open_item(out, step_kind::arguments);
    case step_kind::reasoning:
    case step_kind::content:
    case step_kind::arguments: return append_delta(out, step);
    case step_kind::finish: return close_item(out);
    // The step `usage` sends nothing, because the last event contains the whole response, including its usage.
    case step_kind::usage: return;
    case step_kind::done: return append_end(out);
    case step_kind::error_event: return append_error(out);
    case step_kind::refuse:
    case step_kind::silence:
    case step_kind::reset:
    case step_kind::close: return;
  }
}

void response_text::append_event(std::string& out, std::string_view type, std::string_view members) {
  const std::string number = std::to_string(sequence_++);
  append_chunk(out, {"event: ", type, "\ndata: {\"type\":\"", type, "\",\"sequence_number\":", number, members,
                     "}\n\n"});
}

void response_text::append_of_item(std::string& out, std::string_view type, std::string_view members) {
  std::string all = member("item_id", json_quote(id_of(open_))) + member("output_index", std::to_string(index_));
  append_event(out, type, all.append(place_of(open_)).append(members));
}

void response_text::open_item(std::string& out, step_kind kind) {
  close_item(out);
  open_ = kind;
  append_event(out, "response.output_item.added",
               member("output_index", std::to_string(index_)) + member("item", item_json(kind, false)));
  if (const std::string_view added = events_of(kind).part_added; !added.empty())
    append_of_item(out, added, member("part", part_json(kind, {})));
}

void response_text::append_delta(std::string& out, const sim_step& step) {
  if (open_ != step.kind) open_item(out, step.kind);
  append_of_item(out, events_of(step.kind).delta,
                 member("delta", json_quote(schedule_.text_of(step))) + std::string(beside_text(step.kind)));
}

void response_text::close_item(std::string& out) {
  if (open_ == step_kind::role) return;
  const item_events events = events_of(open_);
  const std::string text = schedule_.text_of(open_);
  append_of_item(out, events.done, member(events.member, json_quote(text)) + std::string(beside_text(open_)));
  if (!events.part_done.empty()) append_of_item(out, events.part_done, member("part", part_json(open_, text)));
  append_event(out, "response.output_item.done",
               member("output_index", std::to_string(index_)) + member("item", item_json(open_, true)));
  ++index_;
  open_ = step_kind::role;
}

void response_text::append_end(std::string& out) {
  const std::string_view status = end_status();
  append_event(out, "response." + std::string(status), member("response", response_json(status, output_json())));
}

void response_text::append_error(std::string& out) {
  const proxy::failure why = simulated_failure(500);
  const std::string message = json_quote(why.detail);
  append_event(out, "error",
               R"(,"error":{"type":"server_error","code":"server_error","message":)" + message + R"(,"param":null})");
  append_event(out, "response.failed", member("response", response_json("failed", "[]")));
}

std::string response_text::id_of(step_kind kind) const {
  const std::string_view begin = kind == step_kind::reasoning ? "rs_" : kind == step_kind::arguments ? "fc_" : "msg_";
  return std::string(begin) + request_id_;
}

std::string response_text::item_json(step_kind kind, bool is_done) const {
  const std::string text = is_done ? schedule_.text_of(kind) : std::string();
  const std::string part = is_done ? part_json(kind, text) : std::string();
  const std::string id = R"({"id":)" + json_quote(id_of(kind));
  if (kind == step_kind::reasoning) {
    const bool is_encrypted = is_done && request_.wants_encrypted;
    return id + R"(,"type":"reasoning","summary":[)" + part + "]" +
           (is_encrypted ? member("encrypted_content", json_quote(encrypted)) : std::string()) + "}";
  }
  const std::string status = R"(,"status":")" + std::string(is_done ? end_status() : "in_progress") + "\"";
  if (kind == step_kind::arguments)
    return id + R"(,"type":"function_call")" + status + R"(,"call_id":"call_)" + request_id_ + R"(","name":)" +
           json_quote(request_.tool_name) + R"(,"arguments":)" + json_quote(text) + "}";
  return id + R"(,"type":"message")" + status + R"(,"role":"assistant","content":[)" + part + "]}";
}

std::string response_text::part_json(step_kind kind, std::string_view text) const {
  if (kind == step_kind::arguments) return {};
  if (kind == step_kind::reasoning) return R"({"type":"summary_text","text":)" + json_quote(text) + "}";
  return R"({"type":"output_text","text":)" + json_quote(text) + R"(,"annotations":[],"logprobs":[]})";
}

std::string response_text::output_json() const {
  std::string items;
  for (const step_kind kind : {step_kind::reasoning, step_kind::content, step_kind::arguments})
    if (!schedule_.text_of(kind).empty()) items.append(items.empty() ? "" : ",").append(item_json(kind, true));
  return "[" + items + "]";
}

std::string response_text::response_json(std::string_view status, std::string_view output) const {
  const bool is_begun = status == "in_progress", is_failed = status == "failed";
  const bool is_incomplete = status == "incomplete";
  const std::string message = json_quote(simulated_failure(500).detail);
  std::string json = R"({"id":"resp_)" + request_id_ + R"(","object":"response","created_at":)";
  json.append(std::to_string(created_)).append(R"(,"status":")").append(status);
  json.append(R"(","background":false,"error":)");
  json.append(is_failed ? R"({"code":"server_error","message":)" + message + "}" : "null");
  json.append(R"(,"incomplete_details":)").append(is_incomplete ? R"({"reason":"max_output_tokens"})" : "null");
  json.append(R"(,"instructions":null,"metadata":{},"model":)").append(model_json_);
  json.append(R"(,"output":)").append(output);
  json.append(R"(,"parallel_tool_calls":true,"previous_response_id":null,"reasoning":{"effort":null,"summary":null})");
  json.append(R"(,"store":false,"temperature":1.0,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[])");
  json.append(R"(,"top_p":1.0,"truncation":"disabled","usage":)");
  return json.append(is_begun || is_failed || usage_ == usage_mode::never ? "null" : usage_json()).append("}");
}

std::string response_text::usage_json() const {
  const prompt_usage prompt = prompt_at(answer_part::end, cache_report::late);
  const std::string written =
      prompt.written > 0 ? member("cache_write_tokens", std::to_string(prompt.written)) : std::string();
  return R"({"input_tokens":)" + std::to_string(request_.prompt_tokens) +
         R"(,"input_tokens_details":{"cached_tokens":)" + std::to_string(prompt.read) + written +
         R"(},"output_tokens":)" + std::to_string(output_tokens()) +
         R"(,"output_tokens_details":{"reasoning_tokens":)" + std::to_string(schedule_.reasoning_tokens) +
         R"(},"total_tokens":)" + std::to_string(request_.prompt_tokens + output_tokens()) + "}";
}

std::string_view response_text::end_status() const {
  return schedule_.finish_reason == "length" ? "incomplete" : "completed";
}

void response_text::append_completion(std::string& out) const {
  append_json_response(out, 200, request_id_, {}, response_json(end_status(), output_json()), after_);
}

}  // namespace photofinish::gateway::simulator
