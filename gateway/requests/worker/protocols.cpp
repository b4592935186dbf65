#include "gateway/requests/worker/protocols.hpp"

#include "gateway/api/audio/speech_api.hpp"
#include "gateway/api/audio/transcript_apis.hpp"
#include "gateway/api/chat/chat_api.hpp"
#include "gateway/api/completions/completions_api.hpp"
#include "gateway/api/messages/messages_api.hpp"
#include "gateway/api/multipart/image_form_apis.hpp"
#include "gateway/api/responses/response_tool_api.hpp"
#include "gateway/api/responses/responses_api.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/api/unstreamed/whole_apis.hpp"

#include <array>

namespace photofinish::gateway {

std::span<const api* const> all_apis() {
  static const chat_api chat;
  static const responses_api responses;
  static const response_tool_api compact("/responses/compact", proxy::wire_format::openai_compaction);
  static const response_tool_api input_tokens("/responses/input_tokens", proxy::wire_format::openai_input_tokens);
  static const messages_api messages;
  static const completions_api completions;
  static const embeddings_api embeddings;
  static const rerank_api rerank;
  static const moderations_api moderations;
  static const images_api images;
  static const image_edits_api image_edits;
  static const image_variations_api image_variations;
  static const speech_api speech;
  static const transcriptions_api transcriptions;
  static const translations_api translations;
  static const std::array<const api*, 15> all{
      &chat,        &responses, &compact,     &input_tokens, &messages, &completions, &embeddings,   &rerank,
      &moderations, &images,    &image_edits, &image_variations, &speech, &transcriptions, &translations};
  return all;
}

const api* worded_by(const client_request& request, std::span<const api* const> apis) {
  if (const api* called = api_at(request.path, apis)) return called;
  const bool is_anthropics = !request.field("anthropic-version").empty() ||
                             label_of(request.path, apis) == metrics::endpoint::count_tokens;
  return is_anthropics ? api_at("/messages", apis) : nullptr;
}

}  // namespace photofinish::gateway
