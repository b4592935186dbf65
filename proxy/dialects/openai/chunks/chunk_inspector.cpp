#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"

#include "proxy/conversation/carried_signature.hpp"
#include "proxy/dialects/citations/citations.hpp"
#include "proxy/dialects/repairs/chat_usage.hpp"
#include "proxy/dialects/repairs/finish_words.hpp"
#include "proxy/dialects/repairs/usage_counts.hpp"
#include "proxy/dialects/reported_times.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/values/data_url.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {
namespace {

namespace dom = simdjson::dom;

std::string_view text_of(dom::element value) {
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS ? text : std::string_view{};
}

std::optional<std::int64_t> whole_number(dom::element value) {
  std::int64_t number = 0;
  if (value.get(number) != simdjson::SUCCESS) return std::nullopt;
  return number;
}

member_state state_of(dom::element value) { return value.is_null() ? member_state::null : member_state::present; }

// True if OpenAI's JavaScript and Python clients would report an error. These clients ignore an `error` that is null,
// false, 0 or "", and some chunks without an error contain such a member.
bool reports_error(dom::element value) {
  if (value.is_null()) return false;
  if (value.is_string()) return !text_of(value).empty();
  bool flag = false;
  if (value.get(flag) == simdjson::SUCCESS) return flag;
  return whole_number(value) != 0;
}

// True for an error in MiniMax's format: {"status_code":1008,"status_msg":"insufficient balance"}. Successful answers
// have the code 0.
bool reports_failed_response(dom::element value) {
  dom::object response;
  dom::element code;
  if (value.get(response) != simdjson::SUCCESS || response.at_key("status_code").get(code) != simdjson::SUCCESS)
    return false;
  return whole_number(code).value_or(0) != 0;
}

std::string_view text_of_detail(dom::object detail) {
  const std::string_view text = text_at(detail, "text");
  return text.empty() ? text_at(detail, "summary") : text;
}

bool says_text(dom::array details) {
  return std::any_of(details.begin(), details.end(), [](dom::element entry) {
    dom::object detail;
    return entry.get(detail) == simdjson::SUCCESS && !text_of_detail(detail).empty();
  });
}

// Returns an element of `reasoning_details` without its text. The text is stored separately, because every API has its
// own member for it.
std::string without_text(dom::object detail) {
  std::string rest = "{";
  for (const auto [key, value] : detail) {
    if (key == "text") continue;
    rest.append(rest.size() > 1 ? "," : "").append(json_quote(key)).append(":").append(simdjson::minify(value));
  }
  return rest + "}";
}

}  // namespace

result<void> chunk_inspector::inspect(std::string_view json) {
  is_parsed_ = form_->is_whole;
  if (form_->is_whole) {  // only stream chunks have a repeated layout that can be learnt
    clear();
    return look_closely(json);
  }
  is_repetition_ = pattern_.applies(json, facts_);
  if (is_repetition_ || has_known_shape(json)) return {};
  is_parsed_ = true;
  pattern_.forget();
  clear();
  auto seen = look_closely(json);
  const bool is_message = !facts_.choices.empty() && facts_.choices.front().is_message;
  if (!seen || !texts_.empty() || is_message) return seen;
  if (shapes_.of_target != nullptr && !depends_on_others_) shapes_.of_target->learn(json, facts_);
  pattern_.learn(json, facts_);
  return seen;
}

// Reads a chunk that matches a learnt shape (chunk_shapes.hpp), without parsing the chunk. Updates this object in the
// same way as a full inspection.
bool chunk_inspector::has_known_shape(std::string_view json) {
  if (shapes_.of_target == nullptr) return false;
  const std::optional<changing_values> changing = shapes_.of_target->apply(json, facts_, shapes_.next);
  if (!changing) return false;
  if (!texts_.empty()) texts_.clear();
  if (facts_.kind == event_kind::token) lost_.note_visible();
  has_delta_ |= facts_.choices[0].delta == member_state::present;
  has_plain_thoughts_ |= facts_.kind == event_kind::reasoning_token;
  if (facts_.tier) usage_.tier = facts_.tier;
  pattern_.learn(json, facts_, *changing);
  return true;
}

void chunk_inspector::clear() {
  depends_on_others_ = false;
  has_token_ = is_overfull_ = has_strange_calls_ = false;
  times_ = {};
  facts_.kind = event_kind::progress;
  facts_.is_error = facts_.has_choices = facts_.has_usage = facts_.is_object_foreign = false;
  facts_.has_text_counts = false;
  facts_.text_bytes = facts_.reasoning_bytes = 0;
  facts_.id = facts_.model = {};
  facts_.created.reset(), facts_.usage.reset(), facts_.tier.reset();
  facts_.choices.clear(), facts_.calls.clear(), facts_.deltas.clear();
  if (!texts_.empty()) texts_.clear();
}

result<void> chunk_inspector::look_closely(std::string_view json) {
  auto chunk = parser_.parse(json);
  if (!chunk) return std::move(chunk).error();
  const bool is_read = read_chunk(*chunk);
  if (has_strange_calls_) return bad_stream("tool_calls is not a list");
  if (is_overfull_) return bad_stream("an event contains more than " + std::to_string(most_said) + " parts");
  if (!is_read) return bad_stream("an event's choices are not a list of objects with one delta each");
  if (has_token_) facts_.kind = event_kind::token, lost_.note_visible();
  else if (facts_.reasoning_bytes > 0) facts_.kind = event_kind::reasoning_token;
  return {};
}

bool chunk_inspector::read_chunk(dom::object chunk) {
  bool reports_trouble = false, has_object = false;  // an `error` next to `choices` is ignored
  for (const auto [key, value] : chunk) {
    if (key == "choices") {
      if (!read_choices(value)) return false;
    } else if (key == "id") {
      facts_.id = text_of(value);
    } else if (key == "created") {
      facts_.created = whole_number(value);
      if (facts_.created <= 0) facts_.created.reset();
    } else if (key == "model") {
      facts_.model = text_of(value);
    } else if (key == "usage") {
      facts_.has_usage |= !value.is_null();
      if (const auto usage = read_chat_usage(value, facts_.has_text_counts)) facts_.usage = usage;
    } else if (key == "x_groq") {
      dom::element usage;
      if (!facts_.usage && value.at_key("usage").get(usage) == simdjson::SUCCESS)
        facts_.usage = read_chat_usage(usage, facts_.has_text_counts);
    } else if (key == "error") {
      facts_.is_error |= reports_error(value);
    } else if (key == "base_resp") {
      facts_.is_error |= reports_failed_response(value);
    } else if (key == "object") {
      const std::string_view object = text_of(value);
      facts_.is_error |= object == "error";
      facts_.is_object_foreign |= !object.empty() && object != form_->object;
      has_object = true;
    } else if (key == "type") {
      facts_.is_error |= text_of(value) == "error";
    } else if (key == "message" || key == "detail") {
      reports_trouble |= reports_error(value);
    } else if (key == "service_tier") {
      if (const auto tier = parse_price_tier(text_of(value))) facts_.tier = tier;
    } else {
      read_times(key, value, times_);
    }
  }
  if (facts_.tier) usage_.tier = facts_.tier;
  if (facts_.usage) raise_usage();
  facts_.is_error |= reports_trouble && !facts_.has_choices;
  facts_.is_object_foreign |= form_->is_whole && !has_object;
  return true;
}

void chunk_inspector::raise_usage() {
  depends_on_others_ = true;
  if (times_.queue || times_.prompt) facts_.usage->times = times_;
  raise_counts(usage_, *facts_.usage);
  facts_.usage = usage_;
}

bool chunk_inspector::read_choices(dom::element value) {
  if (value.is_null()) return true;
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return false;
  facts_.has_choices = true;
  for (const auto entry : list) {
    if (is_full()) return false;
    dom::object choice;
    if (entry.get(choice) != simdjson::SUCCESS || !read_choice(choice)) return false;
  }
  return true;
}

bool chunk_inspector::read_choice(dom::object object) {
  choice_facts choice;
  choice.first_call = facts_.calls.size();
  const std::size_t first_text = facts_.deltas.size();
  std::optional<dom::element> logprobs, message;
  for (const auto [key, value] : object) {
    if (key == form_->said) {
      // If a choice has two deltas, clients read only one of them, but the gateway would count both.
      const bool is_second = choice.delta != member_state::absent;
      if (is_second || !read_said(value, choice)) return false;
    } else if (key == "index") {
      choice.index = whole_number(value);
    } else if (key == "finish_reason") {
      choice.finish = state_of(value);
      choice.finish_text = text_of(value);
      facts_.is_error |= is_failed_finish(choice.finish_text);
    } else if (key == "error") {
      facts_.is_error |= reports_error(value);
    } else if (key == "usage" && !facts_.usage) {
      facts_.usage = read_chat_usage(value, facts_.has_text_counts);  // Moonshot puts the usage into a choice
    } else if (key == "message" && form_->has_roles) {
      message = value;
    } else if (key == "logprobs" && use_ == json_use::translated) {
      logprobs = value;
    }
  }
  has_delta_ |= choice.delta == member_state::present;
  depends_on_others_ |= message.has_value();
  if (message && !has_delta_ && !read_message(*message, choice)) return false;
  if (logprobs) see_logprobs(*logprobs, choice, first_text);
  // In the JSON, the choice's index may follow its delta. Therefore, the deltas get the index after the whole choice
  // was read.
  const auto position = static_cast<std::int64_t>(facts_.choices.size());
  for (std::size_t at = first_text; at < facts_.deltas.size(); ++at)
    facts_.deltas[at].choice = choice.index.value_or(position);
  facts_.choices.push_back(choice);
  return true;
}

// Reads a complete message, which some servers write into a chunk of a stream. If the choice has already sent deltas,
// the message only repeats their text.
bool chunk_inspector::read_message(dom::element value, choice_facts& choice) {
  if (!value.is_object()) return true;
  choice.is_message = true;
  return read_delta(value, choice);
}

bool chunk_inspector::read_said(dom::element value, choice_facts& choice) {
  if (form_->has_roles) return read_delta(value, choice);
  choice.delta = state_of(value);
  see_text(text_of(value), delta_kind::text);
  return value.is_string() || value.is_null();
}

bool chunk_inspector::read_delta(dom::element value, choice_facts& choice) {
  choice.delta = state_of(value);
  if (choice.delta == member_state::null) return true;
  dom::object delta;
  if (value.get(delta) != simdjson::SUCCESS) return false;
  std::string_view reasoning;  // some servers send the reasoning under two names
  std::optional<dom::element> details;
  const std::size_t first_delta = facts_.deltas.size();
  for (const auto [key, member] : delta) {
    if (key == "reasoning_content" || key == "reasoning")
      reasoning = std::max(reasoning, reasoning_text(member), [](auto a, auto b) { return a.size() < b.size(); });
    else if (key == "reasoning_details")
      details = member;
    else
      read_delta_member(key, member, choice);
  }
  depends_on_others_ |= details.has_value();
  if (details) return read_details(*details, reasoning, first_delta, choice), true;
  has_plain_thoughts_ |= !reasoning.empty();
  see_reasoning(reasoning);
  return true;
}

void chunk_inspector::read_delta_member(std::string_view key, dom::element value, choice_facts& choice) {
  if (key == "content") {
    read_content(value);
  } else if (key == "role") {
    choice.role = state_of(value);
    choice.role_text = text_of(value);
  } else if (key == "tool_calls") {
    read_tool_calls(value, choice);
  } else if (key == "refusal") {
    see_text(text_of(value), delta_kind::refusal);
  } else if (key == "function_call") {
    dom::object function;
    if (value.get(function) == simdjson::SUCCESS)
      see_function({.name = any_text_at(function, "name", texts_),
                    .arguments = fragment_at(function, "arguments", texts_)},
                   0);
  } else if (key == "audio") {
    see_audio(value);
  } else if (key == "images") {
    see_images(value);
  } else if (key == "annotations" && use_ == json_use::translated) {
    see_annotations(value);
  } else if (key == "extra_content" && use_ == json_use::translated) {
    see_extra_content(value);
  }
}

bool chunk_inspector::is_full() {
  is_overfull_ |= facts_.deltas.size() + facts_.calls.size() + facts_.choices.size() >= most_said;
  return is_overfull_;
}

void chunk_inspector::see_text(std::string_view text, delta_kind kind, std::int64_t part) {
  if (text.empty() || is_full()) return;
  facts_.text_bytes += text.size();
  facts_.deltas.push_back({.kind = kind, .part = part, .text = text});
  has_token_ = true;
}

void chunk_inspector::see_reasoning(std::string_view text) {
  if (text.empty() || is_full()) return;
  facts_.reasoning_bytes += text.size();
  facts_.text_bytes += text.size();
  facts_.deltas.push_back({.kind = delta_kind::reasoning, .text = text});
}

// Adds the name and arguments of a call. The name counts as a token, but does not belong to the text of the answer.
void chunk_inspector::see_function(const tool_call_facts& call, std::int64_t part) {
  if (!call.name.empty() && !is_full())
    facts_.deltas.push_back({.kind = delta_kind::call, .part = part, .text = call.name, .id = call.id});
  has_token_ |= !call.name.empty();
  see_text(call.arguments, delta_kind::call_arguments, part);
}

// Reads content, which is a string, a content part, or a list of strings and content parts.
void chunk_inspector::read_content(dom::element value) {
  dom::array parts;
  if (value.get(parts) != simdjson::SUCCESS) return read_content_entry(value);
  for (const auto entry : parts) {
    if (is_full()) return;
    read_content_entry(entry);
  }
}

void chunk_inspector::read_content_entry(dom::element entry) {
  dom::object part;
  if (entry.get(part) == simdjson::SUCCESS) read_content_part(part);
  else see_text(any_text_of(entry, texts_), delta_kind::text);
}

// Reads a content part: {"type":"text","text":".."}, Mistral's
// {"type":"thinking","thinking":[{"type":"text","text":".."}]}, or a part without text. A part without text, such as an
// image, counts as visible output.
void chunk_inspector::read_content_part(dom::object part) {
  if (text_at(part, "type") == "thinking") return read_thinking(part);
  dom::element text;
  if (part.at_key("text").get(text) == simdjson::SUCCESS) see_text(any_text_of(text, texts_), delta_kind::text);
  else if (part.at_key("refusal").get(text) == simdjson::SUCCESS)
    see_text(text_at(part, "refusal"), delta_kind::refusal);
  else if (part.at_key("image_url").error() == simdjson::SUCCESS) see_image(part);
  else lose_part(part);
}

// Records a content part as lost, because the client's API cannot express it. Empty parts, which have no member except
// a type, are ignored. A part without a type is recorded as `content`.
void chunk_inspector::lose_part(dom::object part) {
  const std::string_view type = text_at(part, "type");
  if (part.size() > (type.empty() ? 0 : 1)) lose(type.empty() ? "content" : type);
}

void chunk_inspector::read_thinking(dom::object part) {
  see_reasoning(text_at(part, "thinking"));
  dom::array thoughts;
  if (part.at_key("thinking").get(thoughts) != simdjson::SUCCESS) return;
  for (const auto entry : thoughts) {
    if (is_full()) return;
    dom::object thought;
    if (entry.get(thought) == simdjson::SUCCESS) see_reasoning(text_at(thought, "text"));
  }
}

void chunk_inspector::read_tool_calls(dom::element value, choice_facts& choice) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) {
    std::string_view text;
    const bool is_empty_text = value.get(text) == simdjson::SUCCESS && text.empty();
    // If `tool_calls` is not a list, the calls in it cannot be read. The stream is then reported as broken, because the
    // calls would be lost.
    has_strange_calls_ |= !value.is_null() && !value.is_bool() && !is_empty_text;
    return;
  }
  for (const auto entry : list) {
    if (is_full()) return;
    tool_call_facts call{.first_delta = facts_.deltas.size()};
    dom::object object;
    if (entry.get(object) == simdjson::SUCCESS) {
      std::int64_t index = 0;
      if (object.at_key("index").get(index) == simdjson::SUCCESS) call.index = index;
      const std::size_t known_texts = texts_.size();
      call.id = any_text_at(object, "id", texts_);
      dom::object function;
      if (object.at_key("function").get(function) == simdjson::SUCCESS) {
        call.name = any_text_at(function, "name", texts_);
        call.arguments = any_text_at(function, "arguments", texts_);
        call.are_arguments_object = object_at(function, "arguments").has_value();
      // A custom tool, whose input is free text.
      } else if (object.at_key("custom").get(function) == simdjson::SUCCESS) {
        call.is_custom = true;
        call.name = any_text_at(function, "name", texts_);
        call.arguments = any_text_at(function, "input", texts_);
      }
      call.has_other_types = texts_.size() != known_texts;
      dom::element extra;
      if (use_ == json_use::translated && object.at_key("extra_content").get(extra) == simdjson::SUCCESS) {
        see_extra_content(extra);
        call.first_delta = facts_.deltas.size();
      }
      see_function(call, call.index.value_or(static_cast<std::int64_t>(choice.calls)));
    }
    facts_.calls.push_back(call);
    ++choice.calls;
  }
}

void chunk_inspector::see_audio(dom::element value) {
  dom::object audio;
  if (value.get(audio) != simdjson::SUCCESS) return;
  see_text(text_at(audio, "transcript"), delta_kind::transcript);
  if (!text_at(audio, "data").empty()) lose("audio");
}

// Reads the images that OpenRouter and other providers send next to the content.
void chunk_inspector::see_images(dom::element value) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return;
  for (const auto entry : list) {
    if (is_full()) return;
    dom::object image;
    if (entry.get(image) == simdjson::SUCCESS) see_image(image);
  }
}

// Reads log probabilities, and inserts them before the text to which they belong. If the choice has calls, the log
// probabilities are ignored. The calls refer to deltas by index, and an insertion would change these indexes.
void chunk_inspector::see_logprobs(dom::element value, const choice_facts& choice, std::size_t first_delta) {
  dom::object holder;
  dom::array list;
  if (is_full() || value.get(holder) != simdjson::SUCCESS) return;
  if (holder.at_key("content").get(list) != simdjson::SUCCESS || list.size() == 0 || choice.calls > 0) return;
  const std::string_view inside = texts_.emplace_back(elements_of(list));
  facts_.deltas.insert(facts_.deltas.begin() + static_cast<std::ptrdiff_t>(first_delta),
                       {.kind = delta_kind::logprobs, .text = inside});
}

void chunk_inspector::see_annotations(dom::element value) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return;
  for (const auto entry : list) {
    if (is_full()) return;
    auto citation = citation_of_annotation(simdjson::minify(entry));
    if (!citation) {
      lose("annotations");
      continue;
    }
    texts_.push_back(*std::move(citation));
    facts_.deltas.push_back({.kind = delta_kind::citation, .text = texts_.back()});
  }
}

// Reads {"type":"image_url","image_url":{"url":"data:image/png;base64,.."}}. An image with another URL is lost, because
// other APIs cannot express it.
void chunk_inspector::see_image(dom::object part) {
  const auto place = object_at(part, "image_url");
  const std::string_view url = place ? text_at(*place, "url") : text_at(part, "image_url");
  const auto data = use_ == json_use::translated ? read_data_url(url) : std::nullopt;
  if (!data || !takes_images_) return lose("images");
  facts_.deltas.push_back({.kind = delta_kind::image, .text = data->data, .id = texts_.emplace_back(data->media_type)});
  has_token_ = true;
}

// Handles a content part without text. If the client gets the original JSON, the part counts as a token, because the
// client can see the part. Otherwise, the part is recorded as lost.
void chunk_inspector::lose(std::string_view name) {
  depends_on_others_ = true;
  if (use_ == json_use::passes) has_token_ = true;
  else if (!is_full() && lost_.note(name)) facts_.deltas.push_back({.kind = delta_kind::lost_part, .text = name});
}

// The next functions read reasoning in three forms: `reasoning_details`, signatures of calls, and lists of parts.

// Returns the text of reasoning. Some servers send the reasoning as a list of parts instead of a string.
std::string_view chunk_inspector::reasoning_text(dom::element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return text;
  dom::array parts;
  if (value.get(parts) != simdjson::SUCCESS) return {};
  std::string joined;
  for (const auto entry : parts) {
    dom::object part;
    if (entry.get(part) == simdjson::SUCCESS) joined += text_of_detail(part);
    else if (entry.get(text) == simdjson::SUCCESS) joined += text;
  }
  return joined.empty() ? std::string_view{} : texts_.emplace_back(std::move(joined));
}

// Reads reasoning and `reasoning_details`. Many providers send each text twice: as `reasoning` and in the details. The
// client gets the text only once, before the text and the calls of the same delta.
void chunk_inspector::read_details(dom::element details, std::string_view reasoning, std::size_t first_delta,
                                   const choice_facts& choice) {
  dom::array list;
  if (details.get(list) != simdjson::SUCCESS) return see_reasoning(reasoning);
  const auto begun = static_cast<std::ptrdiff_t>(facts_.deltas.size());
  const bool has_texts = says_text(list);
  if (!has_texts) has_plain_thoughts_ |= !reasoning.empty();
  const bool takes_texts = has_texts && !has_plain_thoughts_;
  if (!takes_texts) see_reasoning(reasoning);
  for (const auto entry : list) {
    dom::object detail;
    if (is_full()) return;
    if (entry.get(detail) != simdjson::SUCCESS) continue;
    if (takes_texts) see_reasoning(text_of_detail(detail));
    if (use_ == json_use::translated) see_detail(detail);
  }
  const auto first = facts_.deltas.begin() + static_cast<std::ptrdiff_t>(first_delta);
  std::rotate(first, facts_.deltas.begin() + begun, facts_.deltas.end());
  const std::size_t added = facts_.deltas.size() - static_cast<std::size_t>(begun);
  for (std::size_t each = choice.first_call; each < facts_.calls.size(); ++each)
    facts_.calls[each].first_delta += added;
}

void chunk_inspector::see_detail(dom::object detail) {
  const std::string_view type = text_at(detail, "type");
  if (type == "reasoning.encrypted" && !text_at(detail, "data").empty())
    see_carried(delta_kind::opaque, simdjson::minify(detail));
  else if (type == "reasoning.text" && !text_at(detail, "signature").empty())
    see_carried(delta_kind::signature, without_text(detail));
  else if (!type.starts_with("reasoning.")) lose("reasoning_details");
}

// Reads the signature of a call or a message from Google's OpenAI-compatible API:
// {"google":{"thought_signature":".."}}.
void chunk_inspector::see_extra_content(dom::element extra) {
  const auto google = object_at(extra, "google");
  if (google && !text_at(*google, "thought_signature").empty())
    see_carried(delta_kind::opaque, R"({"extra_content":)" + simdjson::minify(extra) + "}");
}

void chunk_inspector::see_carried(delta_kind kind, std::string piece) {
  if (is_full()) return;
  facts_.deltas.push_back({.kind = kind, .text = texts_.emplace_back(std::move(piece)), .id = chat_member_reader});
}

}  // namespace photofinish::proxy
