#include "proxy/dialects/openai/chunks/chunk_memory.hpp"

#include <functional>

namespace photofinish::proxy {

// If two targets have the same hash, each learns shapes that do not apply to the other's chunks, and no fact is wrong.
std::shared_ptr<chunk_shapes> chunk_memory::shapes_of(std::string_view provider, std::string_view model,
                                                      wire_format format, wire_format client) {
  if (format != wire_format::openai_chat && format != wire_format::openai_completions) return nullptr;
  const std::hash<std::string_view> hash;
  const std::size_t target = hash(provider) * 31 + hash(model);
  entry& place = entries_[target % max_targets];
  const bool is_known =
      place.shapes && place.target == target && place.format == format && place.client == client;
  if (!is_known) place = {target, format, client, std::make_shared<chunk_shapes>(chunk_form_of(format))};
  place.shapes->begin_stream();
  return place.shapes;
}

}  // namespace photofinish::proxy
