// OpenAI's chat completions request -> conversation. [pure]
#include "proxy/conversation/chat_reasoning.hpp"
#include "proxy/conversation/conversation_builder.hpp"
#include "proxy/conversation/object_members.hpp"
#include "proxy/conversation/request_readers.hpp"
#include "proxy/conversation/tool_reader.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

class chat_reader {
 public:
  explicit chat_reader(const client_body& body) : body_(body) {}

  read_conversation read() {
    if (read_list(body_.value_of("messages")) && read_tools(body_.value_of("tools"))) read_members();
    return builder_.finish();
  }

 private:
  // Top level

  void read_members() {
    builder_.enter({}, 0);
    for (const json_member& member : body_.members().members())
      if (member.value != "null") read_member(member);
  }

  void read_member(const json_member& member) {
    conversation& into = builder_.now();
    const std::string_view value = member.value;
    const auto is = [&member](std::string_view key) { return json_key_is(member.raw_key, key); };
    if (is("model") || is("stream") || is("stream_options") || is("messages") || is("tools")) return;
    if (is("max_tokens") || is("max_completion_tokens")) into.max_tokens = value;
    else if (is("temperature")) into.temperature = value;
    else if (is("top_p")) into.top_p = value;
    else if (is("top_k")) into.top_k = value;
    else if (is("stop")) into.stop = value;
    else if (is("user")) into.user = value;
    else if (is("service_tier")) into.service_tier = value;
    else if (is("reasoning_effort")) into.effort = value;
    else if (is("parallel_tool_calls")) into.parallel_calls = value == "true";
    else if (is("response_format")) read_format(object_members(value));
    else if (is("tool_choice")) read_tool_choice(value);
    else into.others.push_back(member);
  }

  void read_format(const object_members& format) {
    const std::string_view type = format.word("type");
    output_format& output = builder_.now().output;
    if (type == "json_object") output.kind = output_kind::json_object;
    if (type != "json_schema") return;
    const object_members inner(format["json_schema"]);
    output = {output_kind::json_schema, inner["name"], inner["description"], inner["schema"], inner["strict"]};
  }

  bool read_tools(std::string_view list) {
    if (list.empty() || list == "null") return true;
    builder_.enter({}, 0);
    if (!json_is_array(list)) return builder_.fail("tools", "must be a list");
    json_walk walk(list);
    for (std::size_t at = 0; const auto each = walk.next_element(); ++at) {
      builder_.enter("tools", at);
      const object_members outer(*each);
      const std::string_view type = outer.word("type");
      if (type == "tool_search") {  // without it the model is shown all tools
        builder_.hint("tools.tool_search");
        continue;
      }
      if (type != "function" && type != "custom") {
        builder_.need_native("tools." + std::string(type));
        continue;
      }
      const object_members inner(outer[type]);
      tool read{.kind = type == "custom" ? call_kind::custom : call_kind::function, .name = inner["name"]};
      read.description = inner["description"];
      read.parameters = inner["parameters"];
      read.strict = inner["strict"];
      if (!builder_.check_text(read.name, "function.name")) return false;
      builder_.now().tools.push_back(read);
    }
    return true;
  }

  void read_tool_choice(std::string_view value) {
    tool_choice& choice = builder_.now().choice;
    const std::string_view word = json_raw_string(value);
    if (word == "auto") choice.kind = choice_kind::automatic;
    if (word == "none") choice.kind = choice_kind::none;
    if (word == "required") choice.kind = choice_kind::required;
    const object_members chosen(value);
    const std::string_view type = chosen.word("type");
    if (type == "function" || type == "custom")
      choice = {choice_kind::named, object_members(chosen[type])["name"], {}};
    if (type == "allowed_tools") {
      const object_members allowed(chosen["allowed_tools"]);
      choice.kind = allowed.word("mode") == "required" ? choice_kind::required : choice_kind::automatic;
      keep_allowed_tools(builder_.now().tools, allowed["tools"]);
    }
  }

  // Messages

  bool read_list(std::string_view list) {
    if (!json_is_array(list)) return builder_.fail("messages", "must be a list of messages");
    json_walk walk(list);
    for (std::size_t at = 0; const auto each = walk.next_element(); ++at) {
      builder_.enter("messages", at);
      if (!read_message(object_members(*each))) return false;
    }
    return true;
  }

  bool read_message(const object_members& message) {
    const std::string_view role = message.word("role");
    if (role == "tool" || role == "function") return read_result(message);
    if (role == "assistant") builder_.go_on_as(speaker::assistant);
    else if (role == "user") builder_.begin_turn(speaker::user);
    else if (role == "system") builder_.begin_turn(speaker::system);
    else if (role == "developer") builder_.begin_turn(speaker::developer);
    else return builder_.fail("role", "must be system, developer, user, assistant or tool");
    if (role == "assistant") return read_answer(message);
    return read_content(message["content"], place::turn) && read_refusal(message);
  }

  bool read_answer(const object_members& message) {
    const chat_reasoning thought(message, builder_.now().made);
    if (const std::string_view member = thought.too_long(); !member.empty())
      return builder_.fail(member, "has more than " + std::to_string(most_reasoning_parts) + " parts");
    return add_all(thought.in_front()) && read_content(message["content"], place::turn) && read_refusal(message) &&
           read_calls(message["tool_calls"], thought);
  }

  bool read_refusal(const object_members& message) {
    return message["refusal"].empty() ||
           builder_.add({.kind = block_kind::refusal, .text = message["refusal"]});
  }

  bool add_all(const std::vector<block>& blocks) {
    return std::all_of(blocks.begin(), blocks.end(), [this](const block& each) { return builder_.add(each); });
  }

  enum class place { turn, result };

  bool read_content(std::string_view content, place where) {
    const auto add = [this, where](const block& each) {
      return where == place::turn ? builder_.add(each) : builder_.add_part(each);
    };
    if (json_is_string(content)) return add({.text = content});
    if (!json_is_array(content)) return content.empty() || builder_.fail("content", "must be a string or a list");
    json_walk walk(content);
    for (std::size_t at = 0; const auto each = walk.next_element(); ++at) {
      builder_.enter_part("content", at);
      if (!add(read_part(*each))) return false;
    }
    return true;
  }

  block read_part(std::string_view value) {
    const object_members part(value);
    const std::string_view type = part.word("type");
    block read{.raw = value};
    if (type == "text") {
      read.text = part["text"];
    } else if (type == "refusal") {
      read.kind = block_kind::refusal;
      read.text = part["refusal"];
    } else if (type == "image_url") {
      const object_members image(part["image_url"]);
      read.kind = block_kind::image;
      read.url = json_is_string(part["image_url"]) ? part["image_url"] : image["url"];
      read.detail = image["detail"];
    } else if (type == "file") {
      const object_members file(part["file"]);
      read.kind = block_kind::document;
      read.data = file["file_data"];
      read.file_id = file["file_id"];
      read.title = file["filename"];
    } else if (type == "input_audio") {
      const object_members audio(part["input_audio"]);
      read.kind = block_kind::audio;
      read.data = audio["data"];
      read.media_type = audio["format"];
    } else {
      read.kind = block_kind::unknown;
      builder_.need_native("content." + std::string(type.empty() ? "type" : type));
    }
    return read;
  }

  bool read_calls(std::string_view list, const chat_reasoning& thought) {
    json_walk walk(list);
    for (std::size_t at = 0; const auto each = walk.next_element(); ++at) {
      builder_.enter_part("tool_calls", at);
      const object_members outer(*each);
      const bool is_custom = outer.word("type") == "custom";
      const object_members inner(outer[is_custom ? "custom" : "function"]);
      block call{.kind = block_kind::call, .raw = *each};
      call.called = is_custom ? call_kind::custom : call_kind::function;
      call.call_id = outer["id"];
      call.name = inner["name"];
      call.arguments = inner[is_custom ? "input" : "arguments"];
      if (!builder_.check_text(call.name, "function.name")) return false;
      if (!add_all(thought.before(outer)) || !builder_.add(call)) return false;
    }
    return true;
  }

  bool read_result(const object_members& message) {
    builder_.go_on_as(speaker::tool);
    block result{.kind = block_kind::result};
    result.call_id = message["tool_call_id"];
    if (json_is_string(message["content"])) {
      result.text = message["content"];
      return builder_.add(result);
    }
    result.first_part = builder_.parts_so_far();
    if (!read_content(message["content"], place::result)) return false;
    result.parts = builder_.parts_so_far() - result.first_part;
    return builder_.add(result);
  }

  const client_body& body_;
  conversation_builder builder_{wire_format::openai_chat};
};

}  // namespace

read_conversation read_chat(const client_body& body) { return chat_reader(body).read(); }

}  // namespace photofinish::proxy
