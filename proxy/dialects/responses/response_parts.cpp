// Parts of an answer of Responses that are neither texts nor calls: citations, log probabilities, images, and items
// that other APIs do not have.
#include "proxy/dialects/citations/citations.hpp"
#include "proxy/dialects/responses/response_event.hpp"

#include <string>

namespace photofinish::proxy {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view image_item = "image_generation_call";

}  // namespace

void response_inspector::lose(std::string_view name) {
  if (use_ == json_use::passes || !lost_.note(name) || is_full()) return;
  facts_.deltas.push_back({.kind = delta_kind::lost_part, .text = name});
}

void response_inspector::begin_content(object event) {
  item_said& item = item_at(place_at(event, "output_index"));
  item.part_begin = characters_;
  if (!item.has_text) item.text_begin = characters_;
}

void response_inspector::read_annotation(object event) {
  element annotation;
  item_said& item = item_at(place_at(event, "output_index"));
  if (event.at_key("annotation").get(annotation) != simdjson::SUCCESS) return;
  item.has_citation = true;
  cite(annotation, item.part_begin);
}

void response_inspector::read_annotations(object part, std::uint64_t begin) {
  dom::array list;
  if (part.at_key("annotations").get(list) != simdjson::SUCCESS) return;
  for (const element each : list) cite(each, begin);
}

// Some servers send the text in deltas, and its annotations only with the item.
void response_inspector::read_missing_annotations(object item, const item_said& said) {
  dom::array parts;
  if (use_ == json_use::passes || said.has_citation || item.at_key("content").get(parts) != simdjson::SUCCESS) return;
  std::uint64_t begin = said.text_begin;
  for (const element each : parts) {
    object part;
    if (each.get(part) != simdjson::SUCCESS) continue;
    read_annotations(part, begin);
    begin += characters_in(text_at(part, "text"));
  }
}

void response_inspector::cite(element annotation, std::uint64_t begin) {
  if (use_ == json_use::passes || is_full()) return;
  texts_.push_back(moved_citation(simdjson::minify(annotation), static_cast<std::int64_t>(begin)));
  facts_.deltas.push_back({.kind = delta_kind::citation, .text = texts_.back()});
}

void response_inspector::say_logprobs(object of) {
  dom::array list;
  if (use_ == json_use::passes || is_full() || of.at_key("logprobs").get(list) != simdjson::SUCCESS) return;
  if (list.size() == 0) return;
  texts_.push_back(elements_of(list));
  facts_.deltas.push_back({.kind = delta_kind::logprobs, .text = texts_.back()});
}

// An image that the model has made, or what the provider did itself.
void response_inspector::read_other(object item, std::string_view type, item_said& said) {
  note_other_token();
  const std::string_view data = type == image_item ? text_at(item, "result") : std::string_view{};
  if (use_ == json_use::passes) return;
  if (data.empty() || !takes_images_) return lose(type);
  if (is_full()) return;
  said.has_text = true;
  const std::string_view format = text_at(item, "output_format");
  texts_.push_back("image/" + std::string(format.empty() ? std::string_view("png") : format));
  facts_.deltas.push_back({.kind = delta_kind::image, .text = data, .id = texts_.back()});
  facts_.kind = event_kind::token;
  lost_.note_visible();
}

}  // namespace photofinish::proxy
