// A request that was translated to another API's format, the names of the omitted parts, and code that all request
// writers share. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/json/values/object_schema.hpp"
#include "proxy/words/contains.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct translated_text {
  std::string json;                  // the translated body, to which each attempt adds `model` and `stream`
  // omitted parts that do not affect the answer's quality, for the header x-race-dropped
  std::vector<std::string> dropped;
  std::string unsupported;           // a requested feature that the format cannot express; empty if there is none

  void drop_once(std::string_view name) {
    if (!contains(dropped, name)) dropped.emplace_back(name);
  }
};

// The base class of all classes that write a conversation in an API's format.
class form_base {
 protected:
  explicit form_base(const conversation& said) : said_(said) {}

  // Writes the beginning of the request and reserves memory for the rest. If the conversation has a feature that no
  // translation can express, writes nothing and stores the feature's name in form_.unsupported.
  bool begin(std::string_view first) {
    if (!said_.native_needs.empty()) form_.unsupported = said_.native_needs.front();
    else if (has_colliding_names(said_)) form_.unsupported = "tools[].name";
    if (!form_.unsupported.empty()) return false;
    form_.json.reserve(estimated_bytes());
    form_.json = first;
    return true;
  }

  // Writes a member with a JSON value. Writes nothing if the value is empty.
  void member(std::string_view key, std::string_view json) {
    if (json.empty()) return;
    form_.json.append(form_.json.ends_with('{') ? "\"" : ",\"").append(key).append("\":").append(json);
  }

  // Records the name of a dropped part. A very long name is not recorded, because the client may have chosen it.
  void drop(std::string_view name) {
    constexpr std::size_t longest_shown = 64, most_dropped = 16;
    if (form_.dropped.size() < most_dropped && name.size() <= longest_shown) form_.drop_once(name);
  }

  static constexpr std::string_view custom_schema =
      R"({"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false})";

  // Returns the schema of a tool's arguments. Arguments are always objects, so a schema of another type is replaced.
  static std::string input_schema(const tool& each) {
    return each.kind == call_kind::custom ? std::string(custom_schema) : argument_schema(each.parameters);
  }

  // Records a tool whose schema cannot be translated. Without a schema, the model may choose any arguments.
  void note_schema(const tool& each) {
    if (each.kind == call_kind::custom || !loses_arguments(each.parameters)) return;
    if (said_.from == wire_format::anthropic_messages) return drop("tools[].input_schema");
    drop(said_.from == wire_format::openai_chat ? "tools[].function.parameters" : "tools[].parameters");
  }

  // Records that the translation drops the member `detail` of images. Only OpenAI's APIs have this member.
  void note_details() {
    for (const std::vector<block>* list : {&said_.blocks, &said_.parts})
      for (const block& each : *list) {
        const std::string_view detail = json_raw_string(each.media.detail);
        if (each.kind != block_kind::image || detail.empty() || detail == "auto") continue;
        return drop(said_.from == wire_format::openai_chat ? "image_url.detail" : "input[].content[].detail");
      }
  }

  void drop_hints() {
    for (const std::string_view hint : said_.hints) drop(hint);
  }

  const conversation& said_;
  translated_text form_;

 private:
  // Returns an estimate of the translated request's size. The estimate includes the JSON around each block and tool,
  // and is slightly too large for most conversations.
  std::size_t estimated_bytes() const {
    std::size_t bytes = 1024;
    for (const std::vector<block>* list : {&said_.blocks, &said_.parts})
      for (const block& each : *list)
        bytes += 128 + each.text.size() + each.arguments.size() * 5 / 4 + each.media.data.size() +
                 each.media.url.size() + each.signature.size();
    for (const tool& each : said_.tools) bytes += 160 + each.description.size() + each.parameters.size();
    return bytes;
  }
};

}  // namespace photofinish::proxy
