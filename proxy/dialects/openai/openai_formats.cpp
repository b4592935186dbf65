#include "proxy/dialects/openai/openai_formats.hpp"

#include <array>

namespace photofinish::proxy {
namespace {

using enum wire_format;
using enum answer_shape;

constexpr std::string_view speech = "/audio/speech", transcriptions = "/audio/transcriptions",
                           translations = "/audio/translations";

constexpr std::array<openai_format, 18> all{
    {{openai_chat, served_api::chat, "/chat/completions", streamed},
     {openai_responses, served_api::responses, "/responses", streamed},
     {openai_compaction, served_api::responses, "/responses/compact", in_one_piece, answer_promise::output},
     {openai_input_tokens, served_api::responses, "/responses/input_tokens", in_one_piece,
      answer_promise::input_tokens},
     {openai_completions, served_api::completions, "/completions", streamed},
     {openai_embeddings, served_api::embeddings, "/embeddings", in_one_piece},
     {openai_rerank, served_api::rerank, "/rerank", in_one_piece, answer_promise::list},
     {openai_moderations, served_api::moderations, "/moderations", in_one_piece},
     {openai_images, served_api::images, "/images/generations", in_one_piece},
     {openai_image_edits, served_api::images, "/images/edits", in_one_piece},
     {openai_image_variations, served_api::images, "/images/variations", in_one_piece},
     {openai_speech, served_api::audio, speech, bytes},
     {openai_speech_events, served_api::audio, speech, events},
     {openai_transcription, served_api::audio, transcriptions, in_one_piece, answer_promise::text},
     {openai_transcription_text, served_api::audio, transcriptions, text},
     {openai_transcription_events, served_api::audio, transcriptions, events},
     {openai_translation, served_api::audio, translations, in_one_piece, answer_promise::text},
     {openai_translation_text, served_api::audio, translations, text}}};

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
