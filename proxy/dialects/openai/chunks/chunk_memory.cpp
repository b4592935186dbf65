#include "proxy/dialects/openai/chunks/chunk_memory.hpp"

#include <algorithm>
#include <functional>

namespace photofinish::proxy {

// Two targets with the same hash share their learnt chunk shapes. This is safe: a chunk that matches a shape is read
// correctly even if the shape was learnt from another target.
std::shared_ptr<chunk_shapes> chunk_memory::shapes_of(std::string_view provider, std::string_view model,
                                                      wire_format format, wire_format client) {
  if (format != wire_format::openai_chat && format != wire_format::openai_completions) return nullptr;
  const std::hash<std::string_view> hash;
  std::size_t target = hash(provider) * 31 + hash(model);
  target = (target * 31 + static_cast<std::size_t>(format)) * 31 + static_cast<std::size_t>(client);
  auto& places = sets_[target % sets_.size()];
  auto place = std::find_if(places.begin(), places.end(), [&](const entry& each) {
    return each.shapes && each.target == target && each.format == format && each.client == client;
  });
  if (place == places.end())
    *--place = {target, format, client, std::make_shared<chunk_shapes>(chunk_form_of(format))};
  std::rotate(places.begin(), place, place + 1);
  places.front().shapes->begin_stream();
  return places.front().shapes;
}

}  // namespace photofinish::proxy
