#include "gateway/guardrails/api_words.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/json/character_set.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

namespace photofinish::gateway {
namespace {

// Names of members in the APIs, and values that the APIs define. If a word is missing here, it is also sent to the
// guardrail, which does no harm.
constexpr auto api_words = std::to_array<std::string_view>({
    "1024x1024", "1024x1536", "1536x1024", "1h", "256x256", "512x512", "5m", "END", "START", "aac", "action",
    "adaptive", "additional_tools", "allowed_tools", "annotations", "any", "application/octet-stream",
    "application/pdf", "arguments", "assistant", "audio", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg",
    "audio/wav", "audio/webm", "audio/x-wav", "auto", "b64_json", "background", "base64", "best_of", "budget_tokens",
    "cache_control", "call_id", "chat_template_kwargs", "chunking_strategy", "citations", "classification",
    "clustering", "commentary", "completed", "concise", "container", "content", "context", "conversation", "created",
    "custom", "custom_tool_call", "custom_tool_call_output", "data", "default", "description", "detail", "detailed",
    "developer", "dimensions", "disable_parallel_tool_use", "disabled", "document", "documents", "echo", "effort",
    "enabled", "encoding_format", "encrypted_content", "ephemeral", "extra_content", "file", "file_data", "file_id",
    "file_url", "filename", "final_answer", "flac", "flex", "float", "format", "frequency_penalty", "function",
    "function_call", "function_call_output", "functions", "google", "grammar", "hd", "high", "id", "image",
    "image/gif", "image/jpeg", "image/png", "image/webp", "image_url", "in_progress", "include",
    "include_obfuscation", "include_usage", "incomplete", "index", "input", "input_audio", "input_file",
    "input_image", "input_text", "input_type", "instructions", "is_error", "item_id", "item_reference", "jpeg",
    "json", "json_object", "json_schema", "language", "logit_bias", "logprobs", "low", "mask", "max",
    "max_completion_tokens", "max_output_tokens", "max_tokens", "max_tool_calls", "mcp_servers", "media_type",
    "medium", "message", "messages", "metadata", "min_p", "minimal", "modalities", "model", "moderation", "mp3", "n",
    "name", "namespace", "natural", "none", "object", "opaque", "opus", "output", "output_compression",
    "output_config", "output_format", "output_text", "parallel_tool_calls", "parameters", "pcm", "pcm16", "phase",
    "png", "prediction", "presence_penalty", "previous_response_id", "priority", "prompt", "prompt_cache_key",
    "prompt_cache_retention", "provider_specific_fields", "quality", "query", "rank_fields", "reasoning",
    "reasoning.encrypted_content", "reasoning_content", "reasoning_details", "reasoning_effort", "reasoning_text",
    "redacted_thinking", "refusal", "repetition_penalty", "required", "response_format", "return_documents", "role",
    "safety_identifier", "schema", "search_document", "search_query", "seed", "segment", "service_tier", "signature",
    "size", "source", "speed", "srt", "standard", "status", "stop", "stop_sequences", "store", "stream",
    "stream_options", "strict", "style", "suffix", "summary", "summary_text", "system", "temperature", "text",
    "text/plain", "text_delta", "text_part", "thinking", "thinking_blocks", "thought_signature", "thread",
    "timestamp_granularities", "title", "tool", "tool_call_id", "tool_calls", "tool_choice", "tool_result",
    "tool_use", "tool_use_id", "tools", "top_k", "top_logprobs", "top_n", "top_p", "transparent", "truncation", "ttl",
    "type", "url", "user", "user_id", "variables", "verbose_json", "verbosity", "version", "video/mp4", "vivid",
    "voice", "vtt", "wav", "web_search_options", "webp", "word", "xhigh"});
static_assert(std::is_sorted(api_words.begin(), api_words.end()));

// Members whose values are free text. Guardrails receive these values even if they equal a word that the APIs define.
constexpr std::array<std::string_view, 16> texts{
    "content", "text",      "input",    "output",  "prompt", "suffix",  "system",      "instructions",
    "query",   "documents", "thinking", "refusal", "title",  "context", "description", "arguments"};

constexpr std::array<std::string_view, 14> ids{
    "id",   "call_id",           "tool_call_id",     "tool_use_id", "file_id", "item_id",   "previous_response_id",
    "user", "safety_identifier", "prompt_cache_key", "user_id",     "voice",   "container", "conversation"};
constexpr std::size_t longest_id = 64;

constexpr std::array<std::string_view, 8> data{"data",      "file_data",         "image",     "encrypted_content",
                                               "signature", "thought_signature", "image_url", "thoughtSignature"};

struct data_url {
  std::string_view type, data;
};

std::optional<data_url> read_data_url(std::string_view value) {
  constexpr std::string_view scheme = "data:", encoding = ";base64";
  constexpr std::size_t longest_head = 100;
  const std::size_t comma = value.substr(0, longest_head).find(',');
  if (comma == std::string_view::npos || !proxy::equals_ignoring_case(value.substr(0, scheme.size()), scheme))
    return std::nullopt;
  const std::string_view head = value.substr(scheme.size(), comma - scheme.size());
  if (head.size() < encoding.size()) return std::nullopt;
  const std::string_view type = head.substr(0, head.size() - encoding.size());
  if (!proxy::equals_ignoring_case(head.substr(type.size()), encoding)) return std::nullopt;
  return data_url{type, value.substr(comma + 1)};
}

bool is_control(char each) {
  return static_cast<unsigned char>(each) < ' ' && each != '\n' && each != '\r' && each != '\t';
}

// Decodes base64 tolerantly: skips invalid characters, and continues after padding.
std::string loosely_decoded(std::string_view base64) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(base64.size() * 3 / 4 + 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char each : base64) {
    const std::size_t value = alphabet.find(each == '-' ? '+' : each == '_' ? '/' : each);
    if (each == '=') bits = 0, count = 0;
    if (value == std::string_view::npos) continue;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    text += static_cast<char>((bits >> count) & 0xff);
  }
  return text;
}

// True if the media type is a type of text. Types that no API defines also count, because a provider may check only for
// the word "text".
bool names_text(std::string_view media_type) {
  constexpr std::array<std::string_view, 7> words{"text", "json", "xml", "html", "csv", "yaml", "script"};
  const std::string lower = proxy::ascii_lower(media_type);
  const auto has = [&lower](std::string_view word) { return lower.find(word) != std::string::npos; };
  return std::any_of(words.begin(), words.end(), has);
}

}  // namespace

// True for a name that the APIs define. Also true for the keys of logit_bias, which are short numbers.
bool is_api_name(std::string_view name) {
  constexpr std::size_t longest_number = 6;
  if (std::binary_search(api_words.begin(), api_words.end(), name)) return true;
  return name.size() <= longest_number && name.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_api_value(std::string_view name, std::string_view value) {
  if (value.empty()) return true;
  return !proxy::contains(texts, name) && is_api_name(name) &&
         std::binary_search(api_words.begin(), api_words.end(), value);
}

bool is_id(std::string_view name, std::string_view value) {
  return value.size() <= longest_id && proxy::contains(ids, name) && proxy::consists_of_letters(value, "_-.:");
}

bool is_data_url(std::string_view value) {
  const auto read = read_data_url(value);
  return read && proxy::consists_of_letters(read->type, "/+-.;=") && is_base64(read->data);
}

bool is_base64(std::string_view value) { return proxy::consists_of_letters(value, "+/=-_."); }

bool is_data_name(std::string_view name) { return proxy::contains(data, name); }

bool is_mostly_text(std::string_view bytes) {
  constexpr std::ptrdiff_t least_bytes = 4;  // at most a quarter of the bytes may be something other than text
  constexpr std::string_view replacement = "\uFFFD";
  std::ptrdiff_t odd = std::count_if(bytes.begin(), bytes.end(), is_control);
  const std::string valid = proxy::valid_utf8(bytes);
  for (std::size_t at = valid.find(replacement); at != std::string::npos; at = valid.find(replacement, at + 1)) ++odd;
  return odd * least_bytes <= std::ssize(bytes);
}

// Returns the text that is encoded in base64. First decodes only the beginning. If it is the beginning of an image, the
// remaining data is not decoded.
std::string text_in_base64(std::string_view value, std::string_view media_type) {
  constexpr std::size_t looked_at = 64;
  const auto url = read_data_url(value);
  const std::string_view base64 = url ? url->data : value;
  const bool is_text = names_text(url ? url->type : media_type);
  if (!is_text && !is_mostly_text(loosely_decoded(base64.substr(0, looked_at)))) return {};
  const std::string text = loosely_decoded(base64);
  return is_text || is_mostly_text(text) ? proxy::valid_utf8(text) : std::string();
}

}  // namespace photofinish::gateway
