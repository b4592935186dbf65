// Reads a request of Anthropic's Messages API into a conversation. [pure]
#include "proxy/conversation/attribution.hpp"
#include "proxy/conversation/conversation_builder.hpp"
#include "proxy/conversation/object_members.hpp"
#include "proxy/conversation/request_readers.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/conversation/tool_reader.hpp"
#include "proxy/conversation/readers/unknown_members.hpp"
#include "proxy/words/parse_number.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

// A line of text that replaces a member of a block, for APIs without this member.
struct heading_line {
  std::string_view label;  // a label such as "Source: "
  std::string_view text;   // the text as a JSON string
};

// Returns a JSON string with one line for each text that is not empty, or an empty string if all texts are empty.
std::string heading_lines(std::initializer_list<heading_line> lines) {
  std::string all;
  for (const heading_line& each : lines)
    if (const std::string_view raw = json_raw_string(each.text); !raw.empty())
      all.append(all.empty() ? "\"" : "\\n").append(each.label).append(raw);
  return all.empty() ? all : all + "\"";
}

enum class wanted { answer, count };

class messages_reader {
 public:
  messages_reader(const client_body& body, wanted what) : body_(body), wanted_(what) {}

  read_conversation read() {
    if (read_system(body_.value_of("system")) && read_list(body_.value_of("messages")) &&
        read_tools(body_.value_of("tools")))
      read_members();
    return builder_.finish();
  }

 private:
  enum class nesting { in_message, in_result, in_document };

  // Top level

  bool read_system(std::string_view system) {
    if (system.empty() || system == "null") return true;
    builder_.begin_turn(speaker::system);
    if (json_is_string(system)) return is_attribution(system) || builder_.add({.text = system});
    if (!json_is_array(system)) return builder_.fail("system", "must be a string or a list of text blocks");
    json_walk walk(system);
    for (std::size_t at = 0; const auto each = walk.next_element(); ++at) {
      builder_.enter("system", at);
      const object_members text = unknown_.read(client_object::message_system, *each);
      const std::string_view mark = cache_mark_in(text);
      if (!builder_.check_text(text["text"], "text")) return false;
      if (at == 0 && is_attribution(text["text"])) continue;
      if (!builder_.add({.text = text["text"], .raw = *each, .cache_mark = mark})) return false;
    }
    return true;
  }

  void read_members() {
    builder_.enter({}, 0);
    const std::string_view most = body_.value_of("max_tokens");
    if (wanted_ == wanted::answer && !parse_number<std::int64_t>(most))
      builder_.fail("max_tokens", most.empty() || most == "null" ? "is missing: a whole number is expected"
                                                                 : "must be a whole number");
    for (const json_member& member : body_.members().members())
      if (member.value != "null") read_member(member);
    // If thinking is off, the client's effort applies only to the answer, so the reasoning effort is `none`.
    if (is_unthinking_) builder_.now().effort = R"("none")";
  }

  void read_member(const json_member& member) {
    conversation& into = builder_.now();
    const std::string_view value = member.value;
    const auto is = [&member](std::string_view key) { return json_key_is(member.raw_key, key); };
    if (is("model") || is("stream") || is("messages") || is("system") || is("tools")) return;
    if (is("max_tokens")) into.sampling.max_tokens = value;
    else if (is("temperature")) builder_.take_number(value, "temperature", into.sampling.temperature);
    else if (is("top_p")) builder_.take_number(value, "top_p", into.sampling.top_p);
    else if (is("top_k")) builder_.take_number(value, "top_k", into.sampling.top_k);
    else if (is("stop_sequences")) builder_.take_stops(value, "stop_sequences");
    else if (is("metadata")) into.user = unknown_.read(client_object::message_metadata, value)["user_id"];
    else if (is("thinking")) read_thinking(unknown_.read(client_object::message_thinking, value));
    else if (is("tool_choice")) read_tool_choice(unknown_.read(client_object::message_choice, value));
    else if (is("output_config")) read_output_config(unknown_.read(client_object::message_output, value));
    else if (is("output_format")) read_format(value);
    else if (is("speed") && value == R"("fast")") into.service_tier = R"("priority")";
    else if (is("speed") && value == R"("standard")") return;
    else if (is("cache_control")) builder_.hint("cache_control");
    else if (is("container") || is("mcp_servers") || is("thread")) builder_.need_native(member.raw_key);
    else into.others.push_back(member);
  }

  void read_thinking(const object_members& thinking) {
    const std::string_view budget = thinking["budget_tokens"];
    const std::string_view type = thinking.word("type");
    is_unthinking_ = type == "disabled" || type == "between_tools";
    if (type != "enabled") return;
    builder_.now().reasoning_budget = parse_number<std::int64_t>(budget);
    if (!builder_.now().reasoning_budget) builder_.fail("thinking.budget_tokens", "must be a whole number");
  }

  void read_output_config(const object_members& config) {
    builder_.now().effort = config["effort"];
    read_format(config["format"]);
    if (!config["task_budget"].empty()) builder_.hint("output_config.task_budget");
  }

  void read_format(std::string_view value) {
    const object_members format(value);
    if (format.word("type") != "json_schema") return;
    builder_.now().output = {output_kind::json_schema, {}, {}, format["schema"], {}};
    if (format["schema"].empty()) builder_.fail("output_config.format.schema", "is missing");
  }

  // Tools

  bool read_tools(std::string_view list) {
    if (list.empty() || list == "null") return true;
    builder_.enter({}, 0);
    if (!json_is_array(list)) return builder_.fail("tools", "must be a list");
    for (std::size_t at = 0; const std::string_view each : json_elements(list)) {
      builder_.enter("tools", at++);
      if (!read_tool(unknown_.read(client_object::message_tool, each))) return false;
    }
    return true;
  }

  bool read_tool(const object_members& each) {
    const std::string_view type = each.word("type");
    const std::string_view mark = cache_mark_in(each);
    if (!type.empty() && type != "custom") {
      builder_.offer_hosted_tool(type);
      return true;
    }
    tool read{.name = each["name"], .description = each["description"], .parameters = each["input_schema"]};
    read.strict = each["strict"];
    read.cache_mark = mark;
    hint_at_lost_parts(each, builder_);
    if (!builder_.check_text(read.name, "name")) return false;
    if (!json_is_object(read.parameters)) return builder_.fail("input_schema", "must be an object");
    builder_.now().tools.push_back(read);
    return true;
  }

  void read_tool_choice(const object_members& chosen) {
    tool_choice& choice = builder_.now().choice;
    const std::string_view type = chosen.word("type");
    if (chosen["disable_parallel_tool_use"] == "true") builder_.now().parallel_calls = false;
    if (type == "auto") choice.kind = choice_kind::automatic;
    else if (type == "any") choice.kind = choice_kind::required;
    else if (type == "none") choice.kind = choice_kind::none;
    else if (type == "tool") choice = {choice_kind::named, chosen["name"], {}};
    else builder_.fail("tool_choice.type", "must be auto, any, tool or none");
    if (choice.kind == choice_kind::named) builder_.check_text(choice.name, "tool_choice.name");
  }

  // Messages

  bool read_list(std::string_view list) {
    builder_.enter({}, 0);
    if (!json_is_array(list)) return builder_.fail("messages", "must be a list of messages");
    std::size_t at = 0;
    for (const std::string_view each : json_elements(list)) {
      builder_.enter("messages", at++);
      if (!read_message(unknown_.read(client_object::message_turn, each))) return false;
    }
    builder_.enter({}, 0);
    // If Anthropic paused a turn between two steps of its own tools, only Anthropic can continue the turn.
    if (ends_with_step_) builder_.need_native("content.server_tool_use");
    return at > 0 || builder_.fail("messages", "is empty: at least one message is expected");
  }

  bool read_message(const object_members& message) {
    const std::string_view role = message.word("role");
    const std::string_view content = message["content"];
    if (role != "user" && role != "assistant" && role != "system")
      return builder_.fail("role", "must be user or assistant");
    if (!json_is_string(content) && !json_is_array(content))
      return builder_.fail("content", "must be a string or a list of blocks");
    if (role == "user") ends_with_step_ = false;
    if (role == "user" && json_is_array(content)) return read_user(content);
    if (role == "assistant") builder_.go_on_as(speaker::assistant);
    else builder_.begin_turn(role == "user" ? speaker::user : speaker::system);
    if (json_is_string(content)) return builder_.add({.text = content});
    for (std::size_t at = 0; const std::string_view each : json_elements(content)) {
      builder_.enter_part("content", at++);
      const object_members members(each);
      const bool is_step = role == "assistant" && is_hosted_step(members.word("type"));
      ends_with_step_ |= is_step;
      if (!(is_step ? add_hosted_step(members, each, builder_) : read_block(members, each))) return false;
    }
    return true;
  }

  // Reads a user's message. Adds the tool results before the other blocks, because they answer the calls of the
  // previous message. The other blocks are added afterwards from a list, so that the large results are read only once.
  bool read_user(std::string_view content) {
    std::vector<std::pair<std::size_t, std::string_view>> others;
    json_walk walk(content);
    for (std::size_t at = 0; const auto each = walk.next_element(); ++at) {
      const object_members members(*each);
      if (members.word("type") != "tool_result") {
        others.emplace_back(at, *each);
        continue;
      }
      builder_.enter_part("content", at);
      builder_.go_on_as(speaker::tool);
      if (!read_result(members, *each)) return false;
    }
    if (others.empty()) return true;
    builder_.begin_turn(speaker::user);
    for (const auto& [at, each] : others) {
      builder_.enter_part("content", at);
      if (!read_block(object_members(each), each)) return false;
    }
    return true;
  }

  bool read_result(const object_members& members, std::string_view raw) {
    block result{.kind = block_kind::result, .raw = raw};
    result.call_id = members["tool_use_id"];
    result.is_error = members["is_error"] == "true";
    result.cache_mark = cache_mark_in(members);
    unknown_.name(client_object::message_block, members);
    if (json_raw_string(result.call_id).empty())
      return builder_.fail("tool_use_id", "must be a non-empty string");
    return read_inner(members["content"], result) && builder_.add(result);
  }

  // Reads the content of a tool result: a text, or blocks.
  bool read_inner(std::string_view content, block& into) {
    if (json_is_string(content)) into.text = content;
    if (!json_is_array(content))
      return content.empty() || json_is_string(content) || builder_.fail("content", "must be a string or a list");
    into.first_part = builder_.parts_so_far();
    return read_parts(content, &into, nesting::in_result);
  }

  bool read_parts(std::string_view content, block* result, nesting depth) {
    for (const std::string_view each : json_elements(content))
      if (!read_content(object_members(each), each, result, depth)) return false;
    return true;
  }

  // Adds a block to the current turn. If `result` is not null, adds the block to this tool result instead.
  bool put(const block& each, block* result) {
    if (result == nullptr) return builder_.add(each);
    ++result->parts;
    return builder_.add_part(each);
  }

  // Reads a block of a message, result or document. Other APIs have no search results and no documents that contain
  // blocks. Therefore, the blocks inside a search result or document are added directly to the message or result.
  bool read_content(const object_members& members, std::string_view raw, block* result, nesting depth) {
    const std::string_view type = members.word("type");
    block read{.raw = raw, .cache_mark = cache_mark_in(members)};
    if (type == "tool_reference" && depth == nesting::in_result) return read_tool_reference(members, read, result);
    const bool may_unpack = depth != nesting::in_document;
    if (type == "search_result" && may_unpack) {
      const std::string about = heading_lines({{"Search result: ", members["title"]}, {"Source: ", members["source"]}});
      return unpack(members, members["content"], about, read, result);
    }
    if (type == "document" && may_unpack) {
      const object_members source(members["source"]);
      const bool is_list = source.word("type") == "content";
      const bool holds_text = is_list || source.word("type") == "text";
      const std::string about = heading_lines({{"Document title: ", holds_text ? members["title"] : std::string_view{}},
                                               {"Document context: ", members["context"]}});
      if (is_list) return unpack(members, source["content"], about, read, result);
      if (!about.empty() && !put({.text = builder_.keep(about)}, result)) return false;
    }
    return read_media(members, read, depth) && put(read, result);
  }

  // Reads the name of a tool that the client's own tool search found. The tool itself is in the
  // request's list of tools.
  bool read_tool_reference(const object_members& members, block& read, block* result) {
    if (!builder_.check_text(members["tool_name"], "tool_name")) return false;
    read.text = builder_.keep(json_quote("Tool found: " + flat_tool_name({}, members["tool_name"])));
    return put(read, result);
  }

  bool unpack(const object_members& members, std::string_view content, const std::string& about, const block& outer,
              block* result) {
    unknown_.name(client_object::message_block, members);
    if (object_members(members["citations"])["enabled"] == "true") builder_.hint("citations");
    if (!about.empty() && !put({.text = builder_.keep(about)}, result)) return false;
    if (!json_is_string(content) && !json_is_array(content))
      return builder_.fail("content", "must be a string or a list of blocks");
    std::vector<block>& all = result == nullptr ? builder_.now().blocks : builder_.now().parts;
    const std::size_t before = all.size();
    const bool is_read = json_is_string(content) ? put({.text = content}, result)
                                                 : read_parts(content, result, nesting::in_document);
    if (is_read && !outer.cache_mark.empty() && all.size() > before) all.back().cache_mark = outer.cache_mark;
    return is_read;
  }

  bool read_block(const object_members& members, std::string_view value) {
    const std::string_view type = members.word("type");
    block read{.raw = value, .cache_mark = cache_mark_in(members)};
    if (type == "thinking") {
      read.kind = block_kind::reasoning;
      read.text = members["thinking"];
      read.readable_by = wire_format::anthropic_messages;
      read_signature(members["signature"], wire_format::anthropic_messages, builder_, read);
      return builder_.check_text(read.text, "thinking") && builder_.add(read);
    }
    if (type == "redacted_thinking") {
      read.kind = block_kind::opaque;
      read_signature(members["data"], wire_format::anthropic_messages, builder_, read);
      return builder_.check_text(members["data"], "data") && builder_.add(read);
    }
    if (type == "tool_use") return read_call(members, read);
    return read_content(members, value, nullptr, nesting::in_message);
  }

  bool read_call(const object_members& members, block& call) {
    unknown_.name(client_object::message_call, members);
    call.kind = block_kind::call;
    call.call_id = members["id"];
    call.name = members["name"];
    call.arguments = members["input"];
    if (json_raw_string(call.call_id).empty()) return builder_.fail("id", "must be a non-empty string");
    if (!json_is_object(call.arguments)) return builder_.fail("input", "must be an object");
    return builder_.check_text(call.name, "name") && builder_.add(call);
  }

  // Reads text, an image or a document, in a message or a tool result.
  bool read_media(const object_members& members, block& into, nesting depth) {
    const std::string_view type = members.word("type");
    if (type == "text" || type == "image" || type == "document") unknown_.name(client_object::message_block, members);
    if (type == "text") {
      into.text = members["text"];
      if (!members["citations"].empty() && members["citations"] != "[]") builder_.hint("citations");
      return builder_.check_text(into.text, "text");
    }
    const object_members source(members["source"]);
    if (type == "image") {
      into.kind = block_kind::image;
      return read_source(source, into);
    }
    if (type == "document" && depth != nesting::in_document) {
      into.kind = block_kind::document;
      into.media.title = members["title"];
      if (object_members(members["citations"])["enabled"] == "true") builder_.hint("citations");
      return read_source(source, into);
    }
    into.kind = block_kind::unknown;
    builder_.need_native("content." + std::string(type.empty() ? "type" : type));
    return true;
  }

  bool read_source(const object_members& source, block& into) {
    unknown_.name(client_object::message_source, source);
    const std::string_view type = source.word("type");
    if (type == "base64") {
      into.media.data = source["data"];
      into.media.type = source["media_type"];
      return builder_.check_text(into.media.data, "source.data") &&
             builder_.check_text(into.media.type, "source.media_type");
    }
    if (type == "url") into.media.url = source["url"];
    else if (type == "text") into.text = source["data"];
    else if (type == "file") into.media.file_id = source["file_id"];
    else return builder_.fail("source.type", "must be base64, url, text, content or file");
    return true;
  }

  std::string_view cache_mark_in(const object_members& members) {
    const std::string_view mark = members["cache_control"];
    if (!mark.empty()) builder_.hint("cache_control");
    return json_is_object(mark) ? mark : std::string_view{};
  }

  bool is_unthinking_ = false;
  // true if the messages end with a step of a tool that Anthropic runs itself
  bool ends_with_step_ = false;
  const client_body& body_;
  const wanted wanted_;
  conversation_builder builder_{wire_format::anthropic_messages};
  unknown_members unknown_{builder_};
};

}  // namespace

read_conversation read_messages(const client_body& body) { return messages_reader(body, wanted::answer).read(); }

read_conversation read_messages_to_count(const client_body& body) {
  return messages_reader(body, wanted::count).read();
}

}  // namespace photofinish::proxy
