// What a provider refuses in a request that may work without it. [pure]
#pragma once

#include "metrics/outcomes.hpp"
#include "proxy/failures/failure.hpp"

#include <optional>
#include <string_view>

namespace photofinish::gateway {

// A model, or an account, that may not stream. OpenAI: 400 `unsupported_value` of `stream`, "Your organization must be
// verified to stream this model".
inline bool refuses_stream(const proxy::failure& why) {
  return why.status == 400 && why.param == "stream" && why.code == "unsupported_value";
}

// OpenAI, Azure: 400 `invalid_encrypted_content`, "The encrypted content … could not be verified"; of an item without
// its content 404, "Item with id 'rs_…' not found. Items are not persisted when `store` is set to false". xAI: 400,
// "Could not decrypt the provided encrypted_content", "Could not decode the compaction blob".
inline bool refuses_encrypted_reasoning(const proxy::failure& why) {
  const auto says = [&why](std::string_view words) { return why.detail.find(words) != std::string::npos; };
  const bool is_item = says("'rs_") && says("not persisted when");
  if (why.status == 404) return is_item;
  return why.code == "invalid_encrypted_content" || (says("encrypted content") && says("could not be verified")) ||
         says("decrypt the provided encrypted_content") || says("decode the compaction blob") || is_item;
}

// Anthropic: 400, "Invalid `signature` in `thinking` block", "Invalid `data` in `redacted_thinking` block", "`thinking`
// or `redacted_thinking` blocks in the latest assistant message cannot be modified"; Bedrock: 400, "thinking.signature:
// Field required". Gemini: 400, "Invalid thought signature", "Corrupted thought signature", "Function call is missing a
// thought_signature".
inline bool refuses_signature(const proxy::failure& why) {
  const auto says = [&why](std::string_view words) { return why.detail.find(words) != std::string::npos; };
  if (says("thinking") && (says("signature") || says("cannot be modified") || says("Invalid `data`"))) return true;
  if (says("reasoningContent") && (says("ignature") || says("redactedContent"))) return true;  // Converse
  return says("thought signature") || says("thought_signature");
}

// Reasoning that was encrypted or signed for another account, or kept by it, or that a client has changed. In a stream
// that has begun no status may tell what is refused.
inline bool refuses_reasoning(const proxy::failure& why) {
  if (why.status != 400 && why.status != 404 && why.status != 0) return false;
  return refuses_encrypted_reasoning(why) || (why.status != 404 && refuses_signature(why));
}

// A token that has expired, or was taken back. AWS: 403, "The security token included in the request is expired" or
// "is invalid".
inline bool refuses_credentials(const proxy::failure& why) {
  if (why.kind != proxy::failure_kind::auth) return false;
  if (why.status == 401) return true;
  const auto says = [&why](std::string_view words) { return why.detail.find(words) != std::string::npos; };
  const auto is_called = [&why](std::string_view name) { return why.code == name || why.type == name; };
  const bool is_named = is_called("ExpiredTokenException") || is_called("ExpiredToken") ||
                        is_called("UnrecognizedClientException");
  return why.status == 403 && (is_named || says("security token included in the request"));
}

// What is left out, or made new, when the same target is asked once more; none: nothing would help.
inline std::optional<metrics::repeat_reason> mendable_by(const proxy::failure& why) {
  if (why.origin != proxy::failure_origin::provider) return std::nullopt;
  if (refuses_stream(why)) return metrics::repeat_reason::stream;
  if (refuses_reasoning(why)) return metrics::repeat_reason::reasoning;
  if (refuses_credentials(why)) return metrics::repeat_reason::credentials;
  return std::nullopt;
}

}  // namespace photofinish::gateway
