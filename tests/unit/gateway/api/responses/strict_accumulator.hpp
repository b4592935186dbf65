// Reads a Responses stream as the strictest official client does. An event in the wrong order is an error.
#pragma once

#include "tests/unit/gateway/api/answer_driver.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway::testing {

class strict_accumulator {
 public:
  explicit strict_accumulator(const std::vector<read_event>& events) {
    for (const read_event& each : events) {
      take(each);
      if (!fault.empty()) return;
    }
    if (!is_over_) fail("the stream has no end");
  }

  std::string fault;
  json response;  // the last complete state of the response

 private:
  void fail(const std::string& why) {
    if (fault.empty()) fault = why;
  }
  void check(bool is_good, const std::string& why) {
    if (!is_good) fail(why);
  }

  void take(const read_event& event) {
    check(event.data.at("type") == event.type, "the event's name is not its type: " + event.type);
    check(event.data.at("sequence_number") == number_++, "a sequence number is out of order");
    check(!is_over_, "an event behind the end: " + event.type);
    if (event.data.contains("response")) return take_response(event);
    check(!response.is_null(), "an event before response.created: " + event.type);
    if (event.type == "response.output_item.added") return add_item(event.data);
    if (event.type == "response.output_item.done") return end_item(event.data);
    take_part(event);
  }

  void take_response(const read_event& event) {
    check(response.is_null() == (event.type == "response.created"), "response.created is not the first event, once");
    check(event.data.at("response").at("output").is_array(), "output is not a list");
    response = event.data.at("response");
    is_over_ = event.type != "response.created" && event.type != "response.in_progress";
    if (!is_over_) return;
    const std::set<std::string> ends{"response.completed", "response.incomplete", "response.failed"};
    check(ends.contains(event.type), "an unknown end: " + event.type);
    if (event.type == "response.completed") check(response.at("output") == output_, "the last snapshot is not what was streamed");
  }

  void add_item(const json& data) {
    const json& item = data.at("item");
    check(data.at("output_index") == output_.size(), "output_index is not the next one");
    check(!item.value("id", "").empty(), "an item without an id");
    check(ids_.insert(item.value("id", "")).second, "an id that is there twice");
    const std::string type = item.at("type");
    if (type == "function_call" || type == "custom_tool_call") {
      check(!item.value("call_id", "").empty(), "a call without call_id");
      check(call_ids_.insert(item.value("call_id", "")).second, "a call_id that is there twice");
    }
    output_.push_back(item);
  }

  void end_item(const json& data) {
    const std::size_t at = data.at("output_index");
    if (at >= output_.size()) return fail("an item ends that never began");
    const json& item = data.at("item");
    for (const char* key : {"type", "id", "call_id"})
      check(item.value(key, "") == output_[at].value(key, ""), std::string(key) + " has changed");
    // The arguments of a tool_search_call are an object, and arrive in a single event.
    for (const char* key : {"content", "summary", "arguments"})
      if (output_[at].contains(key) && !output_[at].at(key).is_object()) check(item.at(key) == output_[at].at(key), std::string(key) + " is not what was streamed");
    output_[at] = item;
  }

  void take_part(const read_event& event) {
    const std::size_t at = event.data.at("output_index");
    if (at >= output_.size()) return fail("a part of an item that never began");
    json& item = output_[at];
    check(event.data.at("item_id") == item.at("id"), "item_id is not the item's");
    if (!fault.empty()) return;
    const std::string& type = event.type;
    if (type == "response.content_part.added") add_part(event.data, item.at("content"), "content_index");
    else if (type == "response.reasoning_summary_part.added") add_part(event.data, item.at("summary"), "summary_index");
    else if (type == "response.output_text.delta") add_text(event.data, item.at("content"), "content_index", "text");
    else if (type == "response.reasoning_text.delta") add_text(event.data, item.at("content"), "content_index", "text");
    else if (type == "response.refusal.delta") add_text(event.data, item.at("content"), "content_index", "refusal");
    else if (type == "response.reasoning_summary_text.delta") add_text(event.data, item.at("summary"), "summary_index", "text");
    else if (type == "response.function_call_arguments.delta") item["arguments"] = item.at("arguments").get<std::string>() + event.data.at("delta").get<std::string>();
    else if (type == "response.custom_tool_call_input.delta") item["input"] = item.at("input").get<std::string>() + event.data.at("delta").get<std::string>();
    else if (type == "response.output_text.annotation.added") add_annotation(event.data, item.at("content"));
    else check(ends_of_parts().contains(type), "an unknown event: " + type);
  }

  static const std::set<std::string>& ends_of_parts() {
    static const std::set<std::string> known{"response.output_text.done",           "response.refusal.done",
                                             "response.content_part.done",          "response.reasoning_summary_text.done",
                                             "response.reasoning_summary_part.done", "response.function_call_arguments.done",
                                             "response.custom_tool_call_input.done", "response.reasoning_text.done"};
    return known;
  }

  void add_part(const json& data, json& parts, const char* index) {
    check(data.at(index) == parts.size(), std::string(index) + " is not the next one");
    parts.push_back(data.at("part"));
  }

  void add_annotation(const json& data, json& parts) {
    const std::size_t at = data.at("content_index");
    if (at >= parts.size()) return fail("an annotation of a part that was not added");
    parts[at]["annotations"].push_back(data.at("annotation"));
  }

  void add_text(const json& data, json& parts, const char* index, const char* key) {
    const std::size_t at = data.at(index);
    if (at >= parts.size()) return fail("a delta of a part that was not added");
    if (data.at("type") == "response.output_text.delta") {
      check(data.at("logprobs").is_array(), "no logprobs");
      for (const json& each : data.at("logprobs")) parts[at]["logprobs"].push_back(each);
    }
    parts[at][key] = parts[at].at(key).get<std::string>() + data.at("delta").get<std::string>();
  }

  std::size_t number_ = 0;
  bool is_over_ = false;
  json output_ = json::array();
  std::set<std::string> ids_;
  std::set<std::string> call_ids_;
};

}  // namespace photofinish::gateway::testing
