// Reads a request of OpenAI's Responses API into a conversation. [pure]
#include "proxy/conversation/conversation_builder.hpp"
#include "proxy/conversation/object_members.hpp"
#include "proxy/conversation/request_readers.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/conversation/tool_reader.hpp"
#include "proxy/conversation/readers/unknown_members.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/parameters.hpp"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

// The type of an input item that has no member `type`.
constexpr std::string_view message_type = "message";

// The function name, as a JSON string, that replaces the client's own tool search in other APIs.
constexpr std::string_view search_name = R"("tool_search")";

class responses_reader {
 public:
  explicit responses_reader(const client_body& body) : body_(body) {}

  read_conversation read() {
    read_instructions();
    if (read_input(body_.value_of("input")) && read_tools(body_.value_of("tools"))) {
      add_found_tools();
      read_members();
    }
    unknown_.read(client_object::response_stream_options, body_.value_of("stream_options"));
    return builder_.finish();
  }

 private:
  // Top level

  void read_instructions() {
    const std::string_view text = body_.value_of("instructions");
    if (text.empty() || text == "null") return;
    builder_.begin_turn(speaker::system);
    if (builder_.check_text(text, "instructions")) (void)builder_.add({.text = text});
  }

  void read_members() {
    builder_.enter({}, 0);
    for (const json_member& member : body_.members().members())
      if (member.value != "null") read_member(member);
  }

  void read_member(const json_member& member) {
    conversation& into = builder_.now();
    const std::string_view value = member.value;
    const auto is = [&member](std::string_view key) { return json_key_is(member.raw_key, key); };
    if (is_read_elsewhere(member.raw_key)) return;
    if (is("temperature")) builder_.take_number(value, "temperature", into.sampling.temperature);
    else if (is("top_p")) builder_.take_number(value, "top_p", into.sampling.top_p);
    else if (is("max_output_tokens")) into.sampling.max_tokens = value;
    else if (is("user")) into.user = value;
    else if (is("safety_identifier")) into.user = into.user.empty() ? value : into.user;
    else if (is("service_tier") && json_is_string(value)) into.service_tier = value;
    else if (is("parallel_tool_calls")) into.parallel_calls = value == "true";
    else if (is("reasoning")) into.effort = unknown_.read(client_object::response_reasoning, value)["effort"];
    else if (is("text")) read_text(value);
    else if (is("tool_choice")) read_tool_choice(value);
    else if (is("include") && value.find(R"("message.output_text.logprobs")") != std::string_view::npos)
      into.others.push_back(member);
    else if (is("include")) return;
    else if (is("store") || is("background")) need_if(value == "true", member.raw_key);
    else if (is("previous_response_id") || is("conversation") || is("prompt")) need_if(true, member.raw_key);
    else into.others.push_back(member);
  }

  void need_if(bool is_needed, std::string_view name) {
    if (is_needed) builder_.need_native(name);
  }

  static bool is_read_elsewhere(std::string_view raw_key) {
    constexpr std::array<std::string_view, 6> keys{"model", "stream", "stream_options",
                                                   "input", "tools",  "instructions"};
    for (const std::string_view key : keys)
      if (json_key_is(raw_key, key)) return true;
    return false;
  }

  void read_text(std::string_view value) {
    const object_members text = unknown_.read(client_object::response_text, value);
    if (!text["verbosity"].empty()) builder_.hint("text.verbosity");
    const object_members format = unknown_.read(client_object::response_format, text["format"]);
    const std::string_view type = format.word("type");
    output_format& output = builder_.now().output;
    if (type == "json_object") output.kind = output_kind::json_object;
    if (type != "json_schema") return;
    output = {output_kind::json_schema, format["name"], format["description"], format["schema"], format["strict"]};
    if (output.schema.empty()) builder_.fail("text.format.schema", "is missing");
  }

  // Tools

  bool read_tools(std::string_view list) {
    if (list.empty() || list == "null") return true;
    builder_.enter({}, 0);
    if (!json_is_array(list)) return builder_.fail("tools", "must be a list");
    return read_tool_list(list, {}, "tools");
  }

  bool read_tool_list(std::string_view list, std::string_view name_space, std::string_view name) {
    json_walk walk(list);
    for (std::size_t at = 0; const auto each = walk.next_element(); ++at) {
      if (name_space.empty()) builder_.enter(name, at);
      if (!read_tool(object_members(*each), name_space)) return false;
    }
    return true;
  }

  bool read_tool(const object_members& each, std::string_view name_space) {
    const std::string_view type = each.word("type");
    if (type == "namespace" && name_space.empty()) {
      if (!builder_.check_text(each["name"], "name")) return false;
      return read_tool_list(each["tools"], each["name"], {});
    }
    if (is_client_search(each)) return read_search(each);
    if (type != "function" && type != "custom") {
      builder_.offer_hosted_tool(type);
      return true;
    }
    tool read{.kind = type == "custom" ? call_kind::custom : call_kind::function, .name_space = name_space};
    read.name = each["name"];
    read.description = each["description"];
    read.parameters = each["parameters"];
    read.strict = each["strict"];
    unknown_.name(client_object::response_tool, each);
    if (!each["format"].empty()) builder_.hint("tools[].format");
    if (object_members(each["format"]).word("type") == "grammar") read.grammar = each["format"];
    if (!builder_.check_text(read.name, "name")) return false;
    builder_.now().tools.push_back(read);
    return true;
  }

  // True for a tool search that the client runs itself, as Codex does. Providers whose API does not have this kind of
  // tool get an ordinary function.
  static bool is_client_search(const object_members& of) {
    return of.word("type") == "tool_search" && of.word("execution") == "client";
  }

  bool read_search(const object_members& each) {
    tool read{.kind = call_kind::search, .name = search_name};
    read.description = each["description"];
    read.parameters = each["parameters"];
    builder_.now().tools.push_back(read);
    return true;
  }

  void read_tool_choice(std::string_view value) {
    tool_choice& choice = builder_.now().choice;
    if (json_is_string(value)) {
      if (const auto kind = choice_of(json_raw_string(value))) choice.kind = *kind;
      else builder_.fail("tool_choice", "must be auto, none or required, or must name a tool");
      return;
    }
    const object_members chosen = unknown_.read(client_object::response_choice, value);
    const std::string_view type = chosen.word("type");
    if (type == "function" || type == "custom") {
      choice = {choice_kind::named, chosen["name"], chosen["namespace"]};
      builder_.check_text(choice.name, "tool_choice.name");
    } else if (type == "allowed_tools") {
      choice.kind = choice_of(chosen.word("mode")).value_or(choice_kind::automatic);
      keep_allowed_tools(builder_.now().tools, chosen["tools"]);
    } else {
      builder_.need_native("tool_choice." + std::string(type));
    }
  }

  static std::optional<choice_kind> choice_of(std::string_view word) {
    if (word == "auto") return choice_kind::automatic;
    if (word == "none") return choice_kind::none;
    if (word == "required") return choice_kind::required;
    return std::nullopt;
  }

  // Items

  bool read_input(std::string_view input) {
    if (json_is_string(input)) {
      builder_.begin_turn(speaker::user);
      return builder_.add({.text = input});
    }
    if (input.empty() || input == "null") {
      for (const std::string_view state : {"previous_response_id", "prompt", "conversation"})
        if (!body_.value_of(state).empty()) return true;
      return builder_.fail("input", "is missing: a string or a list of items is expected");
    }
    if (!json_is_array(input)) return builder_.fail("input", "must be a string or a list of items");
    std::size_t at = 0;
    for (const std::string_view each : json_elements(input)) {
      builder_.enter("input", at++);
      if (!json_is_object(each)) return builder_.fail({}, "must be an object");
      if (!read_item(object_members(each))) return false;
    }
    builder_.enter({}, 0);
    return at > 0 || !builder_.now().turns.empty() || builder_.fail("input", "is empty");
  }

  bool read_item(const object_members& item) {
    const std::string_view type = item.word("type");
    if (type == message_type || (type.empty() && !item["role"].empty())) return read_message(item);
    if (type == "reasoning") return read_reasoning(item);
    if (type == "function_call") return read_call(item, call_kind::function, "arguments");
    if (type == "custom_tool_call") return read_call(item, call_kind::custom, "input");
    if (type == "function_call_output") return read_result(item, call_kind::function);
    if (type == "custom_tool_call_output") return read_result(item, call_kind::custom);
    if (type == "tool_search_call" && item.word("execution") == "client") return read_search_call(item);
    if (type == "tool_search_output" && item.word("execution") == "client") return read_search_output(item);
    if (type == "additional_tools") return read_tool_list(item["tools"], {}, "input");
    if (type == "item_reference")
      return builder_.fail("id", "refers to an item that this gateway has not stored: send the item itself");
    if (type.empty() && item["type"].empty()) return builder_.fail("type", "is missing");
    if (type.empty()) return builder_.fail("type", "must be a non-empty string");
    // Items of type web_search_call and image_generation_call can be omitted. The answer's text already contains what
    // the web search found, and no other API accepts an image from the assistant.
    if (type == "web_search_call") builder_.hint("web_search_call");
    else if (type == "image_generation_call") builder_.hint("input.image_generation_call");
    else builder_.need_native(type);
    return true;
  }

  bool read_message(const object_members& item) {
    const std::string_view role = item.word("role");
    if (role == "assistant") builder_.go_on_as(speaker::assistant);
    else if (role == "user") builder_.begin_turn(speaker::user);
    else if (role == "system") builder_.begin_turn(speaker::system);
    else if (role == "developer") builder_.begin_turn(speaker::developer);
    else return builder_.fail("role", "must be user, assistant, system or developer");
    unknown_.name(client_object::response_message, item);
    const std::string_view content = item["content"];
    if (json_is_string(content)) return builder_.add({.text = content, .id = item["id"]});
    if (!json_is_array(content)) return content.empty() || builder_.fail("content", "must be a string or a list");
    for (std::size_t at = 0; const std::string_view each : json_elements(content)) {
      builder_.enter_part("content", at++);
      const auto part = read_part(each);
      if (!part || !builder_.add(*part)) return false;
    }
    return true;
  }

  // Reads a part of a message. If the part is invalid, records the error and returns nullopt.
  std::optional<block> read_part(std::string_view value) {
    const object_members part(value);
    const std::string_view type = part.word("type");
    block read{.raw = value};
    unknown_.name(client_object::response_part, part);
    if (type == "input_text" || type == "output_text" || type == "text" || type == "summary_text") {
      read.text = part["text"];
      if (!builder_.check_text(read.text, "text")) return std::nullopt;
    } else if (type == "refusal") {
      read.kind = block_kind::refusal;
      read.text = part["refusal"];
      if (!builder_.check_text(read.text, "refusal")) return std::nullopt;
    } else if (type == "input_image") {
      read.kind = block_kind::image;
      read.media.url = part["image_url"];
      read.media.file_id = part["file_id"];
      read.media.detail = part["detail"];
    } else if (type == "input_file") {
      read.kind = block_kind::document;
      read.media.url = part["file_url"];
      read.media.data = part["file_data"];
      read.media.file_id = part["file_id"];
      read.media.title = part["filename"];
    } else if (type == "input_audio") {
      const object_members audio(part["input_audio"]);
      read.kind = block_kind::audio;
      read.media.data = audio["data"];
      read.media.type = audio["format"];
    } else {
      read.kind = block_kind::unknown;
      builder_.need_native("content." + std::string(type.empty() ? "type" : type));
    }
    return read;
  }

  // Reads an item of reasoning. Each of its texts becomes a block. The encrypted reasoning is
  // attached to the last block.
  bool read_reasoning(const object_members& item) {
    builder_.go_on_as(speaker::assistant);
    block last{.kind = block_kind::opaque, .id = item["id"]};
    read_signature(item["encrypted_content"], wire_format::openai_responses, builder_, last);
    // The summary is a short form of the content, so the summary is not read if the item has content.
    const bool has_content = json_is_array(item["content"]) && json_walk(item["content"]).next_element();
    json_walk walk(item[has_content ? "content" : "summary"]);
    std::string_view text;
    while (const auto each = walk.next_element()) {
      if (!text.empty() && !builder_.add({.kind = block_kind::reasoning, .text = text})) return false;
      text = object_members(*each)["text"];
      if (!builder_.check_text(text, has_content ? "content" : "summary")) return false;
    }
    if (!text.empty()) {
      last.kind = block_kind::reasoning;
      last.text = text;
    }
    return (text.empty() && last.signature.empty()) || builder_.add(last);
  }

  bool read_call(const object_members& item, call_kind kind, std::string_view arguments) {
    unknown_.name(client_object::response_call, item);
    builder_.go_on_as(speaker::assistant);
    block call{.kind = block_kind::call, .called = kind, .arguments = item[arguments], .id = item["id"]};
    call.call_id = item["call_id"];
    call.name = item["name"];
    call.name_space = item["namespace"];
    return check_call_id(call) && builder_.check_text(call.name, "name") &&
           builder_.check_text(call.arguments, arguments) && builder_.add(call);
  }

  bool read_search_call(const object_members& item) {
    builder_.go_on_as(speaker::assistant);
    block call{.kind = block_kind::call, .called = call_kind::search, .arguments = item["arguments"], .id = item["id"]};
    call.call_id = item["call_id"];
    call.name = search_name;
    return check_call_id(call) && builder_.add(call);
  }

  // Adds to the request's tools all tools that a tool search found. The search result then lists the names by which the
  // model has to call these tools.
  bool read_search_output(const object_members& item) {
    builder_.go_on_as(speaker::tool);
    block result{.kind = block_kind::result, .called = call_kind::search, .call_id = item["call_id"]};
    if (!check_call_id(result)) return false;
    const std::vector<tool> known = std::exchange(builder_.now().tools, {});
    if (!read_tool_list(item["tools"], {}, "input")) return false;
    const std::vector<tool> found = std::exchange(builder_.now().tools, known);
    std::string names;
    for (const tool& each : found) {
      names.append(names.empty() ? "" : ", ").append(flat_tool_name(each.name_space, each.name));
      found_tools_.push_back(each);
    }
    result.text = builder_.keep(json_quote(names.empty() ? "No tools found." : "Tools found: " + names));
    return builder_.add(result);
  }

  // Adds each found tool, unless a tool with the same name was already found or offered.
  void add_found_tools() {
    std::set<std::string> names;
    for (const tool& each : builder_.now().tools) names.insert(flat_tool_name(each.name_space, each.name));
    for (const tool& each : found_tools_)
      if (names.insert(flat_tool_name(each.name_space, each.name)).second) builder_.now().tools.push_back(each);
  }

  bool check_call_id(const block& each) {
    return !json_raw_string(each.call_id).empty() || builder_.fail("call_id", "must be a non-empty string");
  }

  bool read_result(const object_members& item, call_kind kind) {
    unknown_.name(client_object::response_result, item);
    builder_.go_on_as(speaker::tool);
    block result{.kind = block_kind::result, .called = kind, .call_id = item["call_id"]};
    const std::string_view output = item["output"];
    if (!check_call_id(result)) return false;
    if (json_is_string(output)) {
      result.text = output;
      return builder_.add(result);
    }
    if (!json_is_array(output)) return builder_.fail("output", "must be a string or a list");
    result.first_part = builder_.parts_so_far();
    for (std::size_t at = 0; const std::string_view each : json_elements(output)) {
      builder_.enter_part("output", at++);
      const auto part = read_part(each);
      if (!part || !builder_.add_part(*part)) return false;
      ++result.parts;
    }
    return builder_.add(result);
  }

  const client_body& body_;
  conversation_builder builder_{wire_format::openai_responses};
  unknown_members unknown_{builder_};
  std::vector<tool> found_tools_;  // the tools that the client's own tool searches found
};

}  // namespace

read_conversation read_responses(const client_body& body) { return responses_reader(body).read(); }

}  // namespace photofinish::proxy
