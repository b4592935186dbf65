// Detects that a provider has rejected a part of a request, and that the request may succeed without this part. [pure]
#pragma once

#include "metrics/outcomes.hpp"
#include "proxy/failures/error_phrases.hpp"
#include "proxy/failures/failure.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns true if the provider does not allow this model or this account to stream. OpenAI: 400 `unsupported_value` of
// `stream`, "Your organization must be verified to stream this model".
inline bool refuses_stream(const proxy::failure& why) {
  return why.status == 400 && why.param == "stream" && why.code == "unsupported_value";
}

// Returns true if the target can answer this request only without streaming. OpenAI: 400 `unsupported_value` of
// `audio.format`, "Unsupported value: 'audio.format' does not support 'wav' when stream=true". Bedrock: 400, "This
// model doesn't support tool use in streaming mode." Azure: 403, "Streaming requests are not yet allowed." The target
// may still stream its answers to other requests.
inline bool refuses_to_stream_this(const proxy::failure& why) {
  constexpr std::array<std::string_view, 6> refusals{"not support", "n't support", "unsupported", "not allowed",
                                                     "not yet allowed", "cannot be"};
  if (why.status != 400 && why.status != 403 && why.status != 422) return false;
  const bool names_a_value = why.code == "unsupported_value" || why.code == "unsupported_parameter";
  if (!why.param.empty() && !names_a_value) return false;
  const std::string words = proxy::unquoted_words(why.detail);
  return words.find("stream") != std::string::npos &&
         std::any_of(refusals.begin(), refusals.end(),
                     [&words](std::string_view each) { return words.find(each) != std::string::npos; });
}

// Returns true if the provider's error may be about the reasoning in the conversation. This is the case if `param`
// names the conversation or is empty.
inline bool may_name_reasoning(std::string_view param) {
  return param.empty() || param.starts_with("input") || param.starts_with("messages") || param.starts_with("contents");
}

// Returns true if the target refuses encrypted reasoning. OpenAI, Azure: 400 `invalid_encrypted_content`, "The
// encrypted content … could not be verified"; for an item without its content 404, "Item with id 'rs_…' not found.
// Items are not persisted when `store` is set to false". xAI: 400, "Could not decrypt the provided encrypted_content",
// "Could not decode the compaction blob".
inline bool refuses_encrypted_reasoning(const proxy::failure& why) {
  const auto says = [&why](std::string_view words) { return why.detail.find(words) != std::string::npos; };
  const bool is_item = says("'rs_") && says("not persisted when");
  if (why.status == 404) return is_item;
  if (says("'rs_") && says("without its required following item")) return true;
  return why.code == "invalid_encrypted_content" || (says("encrypted content") && says("could not be verified")) ||
         says("decrypt the provided encrypted_content") || says("decode the compaction blob") || is_item;
}

// Returns true if the target refuses signed reasoning. Anthropic: 400, "Invalid `signature` in `thinking` block",
// "Invalid `data` in `redacted_thinking` block", "`thinking` or `redacted_thinking` blocks in the latest assistant
// message cannot be modified", "each `thinking` block must contain `thinking`", "When thinking is disabled, an
// `assistant` message cannot contain `thinking`", "Expected `thinking` or `redacted_thinking`, but found `tool_use`".
// Bedrock: 400, "thinking.signature: Field required". Gemini: 400, "Invalid thought signature", "Corrupted thought
// signature", "Function call is missing a thought_signature".
inline bool refuses_thinking(const proxy::failure& why) {
  std::string words = proxy::unquoted_words(why.detail);
  std::erase(words, '`');
  const auto says = [&words](std::string_view part) { return words.find(part) != std::string::npos; };
  if (says("thinking") && (says("signature") || says("cannot be modified") || says("invalid data"))) return true;
  if (says("must contain thinking") || says("cannot contain thinking") || says("expected thinking")) return true;
  // Words that occur in error texts of the Converse API.
  if (says("reasoningcontent") && (says("signature") || says("redactedcontent"))) return true;
  return says("thought signature") || says("thought_signature");
}

// Returns true if the target refuses reasoning that another account encrypted, signed or stored, or that a client has
// changed. An error inside a stream may have no status that shows which part of the request is refused.
inline bool refuses_reasoning(const proxy::failure& why) {
  if (why.status != 400 && why.status != 404 && why.status != 0) return false;
  if (!may_name_reasoning(why.param)) return false;
  return refuses_encrypted_reasoning(why) || (why.status != 404 && refuses_thinking(why));
}

// Returns true if the target rejects reasoning because another model or account made it. Returns false if the position
// or the format of the reasoning is wrong.
inline bool blames_maker(const proxy::failure& why) {
  if (!refuses_reasoning(why)) return false;
  std::string words = proxy::unquoted_words(why.detail);
  std::erase(words, '`');
  const auto says = [&words](std::string_view part) { return words.find(part) != std::string::npos; };
  if (why.code == "invalid_encrypted_content") return true;
  if (says("could not be verified") || says("could not decrypt")) return true;
  const bool is_signature = says("signature") && (says("invalid") || says("corrupted") || says("not valid"));
  return is_signature || says("invalid data");
}

// Returns true if the provider rejects an access token that has expired or was revoked. AWS: 403, "The security token
// included in the request is expired" or "is invalid".
inline bool refuses_credentials(const proxy::failure& why) {
  if (why.kind != proxy::failure_kind::auth) return false;
  if (why.status == 401) return true;
  const auto is_called = [&why](std::string_view name) { return why.code == name || why.type == name; };
  const bool is_named = is_called("ExpiredTokenException") || is_called("ExpiredToken") ||
                        is_called("UnrecognizedClientException");
  const bool is_said = why.detail.find("security token included in the request") != std::string::npos;
  return why.status == 403 && (is_named || (is_said && why.param.empty()));
}

// Returns the part of the request that must be removed or renewed before the gateway asks the same target again.
// Returns nothing if a second request would also fail.
inline std::optional<metrics::repeat_reason> find_repeat_reason(const proxy::failure& why) {
  if (why.origin != proxy::failure_origin::provider) return std::nullopt;
  if (refuses_stream(why) || refuses_to_stream_this(why)) return metrics::repeat_reason::stream;
  if (refuses_reasoning(why)) return metrics::repeat_reason::reasoning;
  if (refuses_credentials(why)) return metrics::repeat_reason::credentials;
  return std::nullopt;
}

}  // namespace photofinish::gateway
