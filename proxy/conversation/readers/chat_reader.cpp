// Reads a request of OpenAI's chat completions API into a conversation. [pure]
#include "proxy/conversation/conversation_builder.hpp"
#include "proxy/conversation/object_members.hpp"
#include "proxy/conversation/readers/unknown_members.hpp"
#include "proxy/conversation/reasoning_details.hpp"
#include "proxy/conversation/request_readers.hpp"
#include "proxy/conversation/tool_reader.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

bool says_something(std::string_view string) { return json_is_string(string) && !json_raw_string(string).empty(); }

// Returns Gemini's signature from the first member that has a signature, or an empty view. Clients, such as OpenAI's
// SDKs with Google's compatible API, use different members for the signature.
std::string_view google_signature(const object_members& of) {
  const object_members extra(of["extra_content"]);
  const object_members google(extra["google"]);
  const object_members own(of["provider_specific_fields"]);
  for (const std::string_view signature : {google["thought_signature"], own["thought_signature"],
                                           of["thought_signature"], of["thoughtSignature"]})
    if (says_something(signature)) return signature;
  return {};
}

block opaque_of(std::string_view signature, wire_format readable_by) {
  block made{.kind = block_kind::opaque, .readable_by = readable_by};
  made.signature = signature;
  return made;
}

// Reads Anthropic's thinking blocks. Skips blocks without a signature, because they are fragments of a signed block, or
// Anthropic cannot use them. Returns nullopt if there are too many blocks.
std::optional<std::vector<placed_reasoning>> read_thinking_blocks(std::string_view list) {
  std::vector<placed_reasoning> all;
  for (const std::string_view each : json_elements(list)) {
    const object_members thought(each);
    if (thought.word("type") == "redacted_thinking" && says_something(thought["data"])) {
      all.push_back({opaque_of(thought["data"], wire_format::anthropic_messages)});
    } else if (thought.word("type") == "thinking" && says_something(thought["signature"])) {
      block made{.kind = block_kind::reasoning, .readable_by = wire_format::anthropic_messages};
      made.text = json_is_string(thought["thinking"]) ? thought["thinking"] : R"("")";
      made.signature = thought["signature"];
      all.push_back({made});
    }
    if (all.size() > most_reasoning_parts) return std::nullopt;
  }
  return all;
}

// Finds the reasoning in an assistant's message, in every format that clients use.
class chat_reasoning {
 public:
  // Reads the reasoning of `message`. Texts that had to be assembled from several pieces of the message are stored in
  // `made`.
  chat_reasoning(const object_members& message, std::deque<std::string>& made) {
    std::vector<placed_reasoning> all = read_parts(message, made);
    if (!too_long_.empty()) return;
    const bool has_text = std::any_of(all.begin(), all.end(), [](const placed_reasoning& each) {
      return each.what.kind == block_kind::reasoning && says_something(each.what.text);
    });
    const std::string_view content = message["reasoning_content"];
    const std::string_view plain = json_is_string(content) ? content : message["reasoning"];
    if (!has_text && json_is_string(plain)) in_front_.push_back({.kind = block_kind::reasoning, .text = plain});
    place(std::move(all), message["tool_calls"]);
    if (const std::string_view signature = google_signature(message); !signature.empty())
      in_front_.push_back(opaque_of(signature, wire_format::gemini));
  }

  // Returns the name of the member that contains more than most_reasoning_parts parts of reasoning, or an empty view.
  // If there is such a member, the remaining reasoning is not read.
  std::string_view too_long() const { return too_long_; }

  // Returns the reasoning before the message's text.
  const std::vector<block>& in_front() const { return in_front_; }

  // Returns the reasoning directly before one of the message's calls. Reasoning that contains the call's id comes
  // first, and the call's own signature comes last.
  std::vector<block> before(const object_members& call) const {
    const auto found = before_.find(call["id"]);
    std::vector<block> all = found == before_.end() ? std::vector<block>() : found->second;
    const std::string_view signature = google_signature(call);
    const bool is_known = std::any_of(all.begin(), all.end(),
                                      [signature](const block& each) { return each.signature == signature; });
    if (!signature.empty() && !is_known) all.push_back(opaque_of(signature, wire_format::gemini));
    return all;
  }

 private:
  std::vector<placed_reasoning> read_parts(const object_members& message, std::deque<std::string>& made) {
    auto all = read_reasoning_details(message["reasoning_details"], made);
    if (!all) return too_long_ = "reasoning_details", std::vector<placed_reasoning>();
    if (!all->empty()) return std::move(*all);
    auto blocks = read_thinking_blocks(message["thinking_blocks"]);
    if (!blocks) return too_long_ = "thinking_blocks", std::vector<placed_reasoning>();
    return std::move(*blocks);
  }

  // Assigns each part of the reasoning to its call. Stores only the ids of calls with reasoning, because a message may
  // have any number of calls.
  void place(std::vector<placed_reasoning> all, std::string_view calls) {
    std::set<std::string_view> named;
    for (const placed_reasoning& each : all)
      if (!each.call_id.empty()) named.insert(each.call_id);
    if (!named.empty())
      for (const std::string_view each : json_elements(calls))
        if (const auto id = json_find(each, "id"); id && named.contains(*id)) before_.try_emplace(*id);
    for (const placed_reasoning& each : all) {
      const auto found = before_.find(each.call_id);
      (found == before_.end() ? in_front_ : found->second).push_back(each.what);
    }
  }

  std::string_view too_long_;
  std::vector<block> in_front_;
  // Reasoning before each call; the key is the call's id as JSON.
  std::map<std::string_view, std::vector<block>> before_;
};

class chat_reader {
 public:
  explicit chat_reader(const client_body& body) : body_(body) {}

  read_conversation read() {
    if (read_list(body_.value_of("messages")) && read_tools(body_.value_of("tools")) &&
        read_functions(body_.value_of("functions")))
      read_members();
    unknown_.read(client_object::chat_stream_options, body_.value_of("stream_options"));
    return builder_.finish();
  }

 private:
  // Top level

  void read_members() {
    builder_.enter({}, 0);
    for (const json_member& member : body_.members().members())
      if (member.value != "null") read_member(member);
    read_reasoning();
  }

  void read_member(const json_member& member) {
    conversation& into = builder_.now();
    const std::string_view value = member.value, name = member.raw_key;
    const auto is = [name](std::string_view key) { return json_key_is(name, key); };
    if (is("model") || is("stream") || is("stream_options") || is("messages") || is("tools") || is("functions")) return;
    if (is("max_tokens") || is("max_completion_tokens")) builder_.take_number(value, name, into.sampling.max_tokens);
    else if (is("temperature")) builder_.take_number(value, name, into.sampling.temperature);
    else if (is("top_p")) builder_.take_number(value, name, into.sampling.top_p);
    else if (is("top_k")) builder_.take_number(value, name, into.sampling.top_k);
    else if (is("stop")) builder_.take_stops(value, name);
    else if (is("user")) builder_.take_text(value, name, into.user);
    else if (is("service_tier")) builder_.take_text(value, name, into.service_tier);
    else if (is("reasoning_effort")) builder_.take_text(value, name, into.effort);
    else if (is("parallel_tool_calls")) builder_.take_flag(value, name, into.parallel_calls);
    else if (is("response_format")) read_format(value, name);
    else if (is("tool_choice")) read_tool_choice(value);
    else if (is("function_call")) read_function_choice(value);
    else if (is_of_reasoning(name)) return;  // read_reasoning() reads the members with reasoning settings
    else if (is("cache_control") && json_is_object(value)) into.cache_mark = value, builder_.hint("cache_control");
    else into.others.push_back(member);
  }

  static bool is_of_reasoning(std::string_view name) {
    constexpr std::array<std::string_view, 4> names{"reasoning", "thinking", "enable_thinking", "thinking_budget"};
    return std::any_of(names.begin(), names.end(), [name](std::string_view key) { return json_key_is(name, key); });
  }

  // Reads the reasoning setting from members of other APIs: `reasoning` (Responses API, OpenRouter), `thinking`
  // (Anthropic), or `enable_thinking` and `thinking_budget` (Qwen). OpenAI's own member has priority.
  void read_reasoning() {
    const std::string_view reasoning = body_.value_of("reasoning"), thinking = body_.value_of("thinking");
    if (is_given(reasoning) && !json_is_object(reasoning)) builder_.need_native("reasoning");
    if (is_given(thinking) && !json_is_object(thinking)) builder_.need_native("thinking");
    const object_members asked = unknown_.read(client_object::chat_reasoning, reasoning);
    const object_members thought = unknown_.read(client_object::chat_thinking, thinking);
    const std::string_view type = thought.word("type");
    if (builder_.now().effort.empty() && !asked["effort"].empty())
      builder_.take_text(asked["effort"], "reasoning.effort", builder_.now().effort);
    if (asked["exclude"] == "true") builder_.hint("reasoning.exclude");
    const std::string_view flag = body_.value_of("enable_thinking"), budget = body_.value_of("thinking_budget");
    if (asked["enabled"] == "false" || type == "disabled" || flag == "false") say_effort(R"("none")");
    const bool has_budget = read_budget(asked["max_tokens"], "reasoning.max_tokens") ||
                            read_budget(thought["budget_tokens"], "thinking.budget_tokens") ||
                            (is_given(budget) && read_budget(budget, "thinking_budget"));
    if (!has_budget && (asked["enabled"] == "true" || type == "enabled" || type == "adaptive" || flag == "true"))
      say_effort(R"("medium")");
  }

  static bool is_given(std::string_view value) { return !value.empty() && value != "null"; }

  void say_effort(std::string_view word) {
    if (builder_.now().effort.empty()) builder_.now().effort = word;
  }

  bool read_budget(std::string_view value, std::string_view name) {
    if (value.empty()) return false;
    const auto tokens = parse_leading_number<std::int64_t>(value);
    if (!tokens) builder_.need_native(name);
    else if (tokens == 0) say_effort(R"("none")");
    else builder_.now().reasoning_budget = tokens;
    return true;
  }

  void read_format(std::string_view value, std::string_view name) {
    if (!json_is_object(value)) return builder_.need_native(name);
    const object_members format = unknown_.read(client_object::chat_format, value);
    const std::string_view type = format.word("type");
    output_format& output = builder_.now().output;
    if (type == "json_object") output.kind = output_kind::json_object;
    if (type != "json_schema") return;
    const object_members inner = unknown_.read(client_object::chat_schema, format["json_schema"]);
    output = {output_kind::json_schema, inner["name"], inner["description"], inner["schema"], inner["strict"]};
  }

  bool read_tools(std::string_view list) {
    if (list.empty() || list == "null") return true;
    builder_.enter({}, 0);
    if (!json_is_array(list)) return builder_.fail("tools", "must be a list");
    for (std::size_t at = 0; const std::string_view each : json_elements(list)) {
      builder_.enter("tools", at++);
      const object_members outer(each);
      const std::string_view type = outer.word("type");
      if (type == "tool_search") {  // A tool search may be dropped, because the model sees all tools without a search.
        builder_.hint("tools.tool_search");
        continue;
      }
      if (type != "function" && type != "custom") {
        builder_.offer_hosted_tool(type);
        continue;
      }
      const object_members inner(outer[type]);
      unknown_.name(client_object::chat_tool, outer);
      unknown_.name(client_object::chat_tool_function, inner);
      const std::string_view mark = outer["cache_control"].empty() ? inner["cache_control"] : outer["cache_control"];
      if (!read_function(inner, type == "custom" ? call_kind::custom : call_kind::function, mark)) return false;
    }
    return true;
  }

  bool read_function(const object_members& function, call_kind kind, std::string_view mark) {
    tool read{.kind = kind, .name = function["name"]};
    read.description = function["description"];
    read.parameters = function["parameters"];
    read.strict = function["strict"];
    if (kind == call_kind::custom) read_text_format(object_members(function["format"]), read);
    if (json_is_object(mark)) read.cache_mark = mark, builder_.hint("cache_control");
    if (!builder_.check_text(read.name, "function.name")) return false;
    if (!read.description.empty() && !builder_.check_text(read.description, "function.description")) return false;
    if (!read.parameters.empty() && !json_is_object(read.parameters))
      return builder_.fail("function.parameters", "must be an object");
    builder_.now().tools.push_back(read);
    return true;
  }

  void read_text_format(const object_members& format, tool& into) {
    if (format.word("type") != "grammar") return;
    into.grammar = format["grammar"];
    builder_.hint("tools[].format");
  }

  // Reads tools in the chat API's older format: {"functions":[..],"function_call":"auto"}.
  bool read_functions(std::string_view list) {
    if (!is_given(list)) return true;
    builder_.enter({}, 0);
    if (!json_is_array(list)) return builder_.fail("functions", "must be a list");
    if (!builder_.now().tools.empty()) return builder_.need_native("functions"), true;
    for (std::size_t at = 0; const std::string_view each : json_elements(list)) {
      builder_.enter("functions", at++);
      if (!read_function(object_members(each), call_kind::function, {})) return false;
    }
    builder_.now().has_functions = !builder_.now().tools.empty();
    // In the older format of the chat API, an answer's `function_call` can contain only one call.
    if (builder_.now().has_functions) builder_.now().parallel_calls = false;
    return true;
  }

  void read_function_choice(std::string_view value) {
    if (json_is_string(value)) return read_tool_choice(value);
    const std::string_view name = object_members(value)["name"];
    if (json_is_string(name)) builder_.now().choice = {choice_kind::named, name, {}};
    else builder_.need_native("function_call");
  }

  void read_tool_choice(std::string_view value) {
    tool_choice& choice = builder_.now().choice;
    const std::string_view word = json_raw_string(value);
    const object_members chosen = unknown_.read(client_object::chat_choice, value);
    const std::string_view type = chosen.word("type");
    if (word == "auto") choice.kind = choice_kind::automatic;
    else if (word == "none") choice.kind = choice_kind::none;
    else if (word == "required") choice.kind = choice_kind::required;
    else if (type == "function" || type == "custom")
      choice = {choice_kind::named, unknown_.read(client_object::chat_choice_function, chosen[type])["name"], {}};
    else if (type != "allowed_tools") builder_.need_native("tool_choice");
    if (choice.kind == choice_kind::named) builder_.check_text(choice.name, "tool_choice.function.name");
    if (type == "allowed_tools") {
      const object_members allowed(chosen["allowed_tools"]);
      choice.kind = allowed.word("mode") == "required" ? choice_kind::required : choice_kind::automatic;
      keep_allowed_tools(builder_.now().tools, allowed["tools"]);
    }
  }

  // Messages

  bool read_list(std::string_view list) {
    if (!json_is_array(list)) return builder_.fail("messages", "must be a list of messages");
    for (std::size_t at = 0; const std::string_view each : json_elements(list)) {
      builder_.enter("messages", at++);
      if (!read_message(object_members(each))) return false;
    }
    return true;
  }

  bool read_message(const object_members& message) {
    const std::string_view role = message.word("role");
    const bool is_result = role == "function" || role == "tool";
    unknown_.name(is_result ? client_object::chat_result : client_object::chat_message, message);
    if (role == "tool") return read_result(message, message["tool_call_id"]);
    if (role == "function") return read_result(message, id_of_function(message["name"]));
    if (role == "assistant") builder_.go_on_as(speaker::assistant);
    else if (role == "user") builder_.begin_turn(speaker::user);
    else if (role == "system") builder_.begin_turn(speaker::system);
    else if (role == "developer") builder_.begin_turn(speaker::developer);
    else return builder_.fail("role", "must be system, developer, user, assistant or tool");
    mark_ = json_is_object(message["cache_control"]) ? message["cache_control"] : std::string_view{};
    if (!mark_.empty()) builder_.hint("cache_control");
    if (role == "assistant") return read_answer(message);
    return read_content(message["content"], place::turn) && read_refusal(message);
  }

  bool read_answer(const object_members& message) {
    const chat_reasoning thought(message, builder_.now().made);
    if (const std::string_view member = thought.too_long(); !member.empty())
      return builder_.fail(member, "has more than " + std::to_string(most_reasoning_parts) + " parts");
    return add_all(thought.in_front()) && read_content(message["content"], place::turn) && read_refusal(message) &&
           read_calls(message["tool_calls"], thought) && read_function_call(message["function_call"]);
  }

  // Reads a call in the older format of the chat API, in which calls have no ids. A result contains only the function's
  // name, and is assigned to the last call of that function.
  bool read_function_call(std::string_view value) {
    if (value.empty()) return true;
    const object_members function(value);
    block call{.kind = block_kind::call, .arguments = function["arguments"], .name = function["name"]};
    call.call_id = builder_.keep("\"call_" + std::to_string(++function_calls_) + "\"");
    function_ids_[std::string(json_raw_string(call.name))] = call.call_id;
    return builder_.check_text(call.name, "function_call.name") && builder_.add(call);
  }

  // Returns the id of a function's last call. The id is empty if there is no such call, or if the
  // call already has its result.
  std::string_view id_of_function(std::string_view name) {
    const auto found = function_ids_.find(std::string(json_raw_string(name)));
    if (found == function_ids_.end()) return {};
    const std::string_view id = found->second;
    function_ids_.erase(found);
    return id;
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
    if (json_is_string(content)) return add({.text = content, .cache_mark = mark_});
    if (!json_is_array(content)) return content.empty() || builder_.fail("content", "must be a string or a list");
    for (std::size_t at = 0; const std::string_view each : json_elements(content)) {
      builder_.enter_part("content", at++);
      const block part = read_part(each);
      if (is_text(part) && !builder_.check_text(part.text, part.kind == block_kind::text ? "text" : "refusal"))
        return false;
      if (!add(part)) return false;
    }
    if (where == place::turn && !mark_.empty() && !builder_.now().blocks.empty())
      builder_.now().blocks.back().cache_mark = mark_;
    return true;
  }

  block read_part(std::string_view value) {
    const object_members part(value);
    const std::string_view type = part.word("type");
    block read{.raw = value};
    unknown_.name(client_object::chat_part, part);
    if (json_is_object(part["cache_control"])) read.cache_mark = part["cache_control"], builder_.hint("cache_control");
    if (type == "text") {
      read.text = part["text"];
    } else if (type == "refusal") {
      read.kind = block_kind::refusal;
      read.text = part["refusal"];
    } else if (type == "image_url") {
      const object_members image = unknown_.read(client_object::chat_image, part["image_url"]);
      read.kind = block_kind::image;
      read.media.url = json_is_string(part["image_url"]) ? part["image_url"] : image["url"];
      read.media.detail = image["detail"];
    } else if (type == "file") {
      const object_members file = unknown_.read(client_object::chat_file, part["file"]);
      read.kind = block_kind::document;
      read.media.data = file["file_data"];
      read.media.file_id = file["file_id"];
      read.media.title = file["filename"];
    } else if (type == "input_audio") {
      const object_members audio = unknown_.read(client_object::chat_audio, part["input_audio"]);
      read.kind = block_kind::audio;
      read.media.data = audio["data"];
      read.media.type = audio["format"];
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
      unknown_.name(client_object::chat_call, outer);
      unknown_.name(client_object::chat_call_function, inner);
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

  bool read_result(const object_members& message, std::string_view call_id) {
    builder_.go_on_as(speaker::tool);
    mark_ = {};
    block result{.kind = block_kind::result, .call_id = call_id};
    if (json_is_object(message["cache_control"])) {
      result.cache_mark = message["cache_control"];
      builder_.hint("cache_control");
    }
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
  std::string_view mark_;  // cache_control of the current message
  unknown_members unknown_{builder_};
  std::size_t function_calls_ = 0;
  // Ids of calls that have no result yet. The key is the function's name.
  std::map<std::string, std::string_view> function_ids_;
};

}  // namespace

read_conversation read_chat(const client_body& body) { return chat_reader(body).read(); }

}  // namespace photofinish::proxy
