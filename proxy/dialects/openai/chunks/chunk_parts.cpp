// The parts of a choice for chunk_inspector: its content, calls, images and citations. [pure]
#include "proxy/dialects/citations/citations.hpp"
#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"
#include "proxy/json/values/data_url.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace photofinish::proxy {

namespace dom = simdjson::dom;

// A string, a part, or a list of them.
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

// {"type":"text","text":".."}; Mistral: {"type":"thinking","thinking":[{"type":"text","text":".."}]}; or
// something that has no text, like an image, which is there to be seen.
void chunk_inspector::read_content_part(dom::object part) {
  if (text_at(part, "type") == "thinking") return read_thinking(part);
  dom::element text;
  if (part.at_key("text").get(text) == simdjson::SUCCESS) see_text(any_text_of(text, texts_), delta_kind::text);
  else if (part.at_key("refusal").get(text) == simdjson::SUCCESS)
    see_text(text_at(part, "refusal"), delta_kind::refusal);
  else if (part.at_key("image_url").error() == simdjson::SUCCESS) see_image(part);
  else lose_part(part);
}

// An empty part says nothing, with or without its type. A part without a type is named after its place.
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
    has_strange_calls_ |= !value.is_null() && !value.is_bool() && !is_empty_text;  // {..}: the call would be lost
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
      } else if (object.at_key("custom").get(function) == simdjson::SUCCESS) {  // a tool with free text
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

// OpenRouter and others send images of the model next to the content.
void chunk_inspector::see_images(dom::element value) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return;
  for (const auto entry : list) {
    if (is_full()) return;
    dom::object image;
    if (entry.get(image) == simdjson::SUCCESS) see_image(image);
  }
}

// In front of the text. Calls know their deltas by number, and none of those moves.
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

// {"type":"image_url","image_url":{"url":"data:image/png;base64,.."}}. One that lies elsewhere has no place in other
// APIs.
void chunk_inspector::see_image(dom::object part) {
  const auto place = object_at(part, "image_url");
  const std::string_view url = place ? text_at(*place, "url") : text_at(part, "image_url");
  const auto data = use_ == json_use::translated ? read_data_url(url) : std::nullopt;
  if (!data || !takes_images_) return lose("images");
  facts_.deltas.push_back({.kind = delta_kind::image, .text = data->data, .id = texts_.emplace_back(data->media_type)});
  has_token_ = true;
}

// A part that has no text is a token of an answer that passes: it is there to be seen.
void chunk_inspector::lose(std::string_view name) {
  if (use_ == json_use::passes) has_token_ = true;
  else if (!is_full() && lost_.note(name)) facts_.deltas.push_back({.kind = delta_kind::lost_part, .text = name});
}

}  // namespace photofinish::proxy
