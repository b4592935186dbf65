#include "proxy/dialects/openai/openai_formats.hpp"

#include <array>

namespace photofinish::proxy {
namespace {

using enum wire_format;
using enum answer_shape;

constexpr std::array<openai_format, 6> all{
    {{openai_chat, served_api::chat, "/chat/completions", streamed},
     {openai_completions, served_api::completions, "/completions", streamed},
     {openai_embeddings, served_api::embeddings, "/embeddings", in_one_piece},
     {openai_rerank, served_api::rerank, "/rerank", in_one_piece, true},
     {openai_moderations, served_api::moderations, "/moderations", in_one_piece},
     {openai_images, served_api::images, "/images/generations", in_one_piece}}};

}  // namespace

const openai_format* find_openai_format(wire_format format) {
  for (const openai_format& each : all)
    if (each.format == format) return &each;
  return nullptr;
}

std::string path_at(const provider& target, const openai_format& format) {
  if (format.format == openai_chat) return target.chat_path;
  std::string path(format.path);
  const std::size_t query = target.chat_path.find('?');
  if (query != std::string::npos) path.append(target.chat_path, query);
  return path;
}

}  // namespace photofinish::proxy
